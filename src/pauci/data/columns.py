"""Single columns of a table, in memory."""

import os
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.conversion import BOOLEAN_WORDS, bad_value, convert, first_rounded
from pauci.data.table_file import TableFile, Values, check_known, open_table
from pauci.errors import FileFormatError, InputError


def read_columns(
    path: str | os.PathLike[str], columns: Sequence[str], *, numeric: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    r"""Read some columns of a table, for example labels and scores.

    Parameters
    ----------
    path : path-like
        A CSV, TSV (also gzipped), Parquet or npz file, recognised by its suffix.
    columns : sequence of str
        Names of the columns.
    numeric : collection of str
        Names of the columns that must hold a finite number in every row, and no integer that a float rounds to another.
        The error names the first line that does not.

    Returns
    -------
    dict of str to ndarray
        The columns in the requested order. Numbers (and dates, as days since 1970) are float64, NaN where missing;
        true/false and yes/no without gaps are bool; anything else is an object array of strings, None where missing.

    Raises
    ------
    FileFormatError
        If the file cannot be read, lacks a column, or has a bad value in a `numeric` column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "scores.csv")
    >>> _ = path.write_text("label,score,note\nyes,0.75,a\nno,0.5,b\n")
    >>> read_columns(path, ["label", "score"], numeric=["score"])
    {'label': array([ True, False]), 'score': array([0.75, 0.5 ])}
    >>> read_columns(path, ["scores"])
    Traceback (most recent call last):
    pauci.errors.FileFormatError: ...scores.csv has no column 'scores'; did you mean 'score'?
    >>> folder.cleanup()
    """
    file = open_table(path)
    check_known(columns, file)
    if unread := set(numeric) - set(columns):
        raise InputError(f"numeric={sorted(unread)!r} must be among the columns that are read: {list(columns)!r}.")
    blocks = list(file.blocks(columns))
    parts = {name: [block[name] for block in blocks] for name in dict.fromkeys(columns)}
    return {
        name: _finite(name, values, file) if name in numeric else _natural(values) for name, values in parts.items()
    }


def _finite(name: str, values: Sequence[Values], file: TableFile) -> NDArray[np.float64]:
    converted = [convert(part, "numeric") for part in values]
    numbers = [part for part in converted if part is not None]
    if len(numbers) < len(values) or not all(np.isfinite(part).all() for part in numbers):
        texts = np.concatenate([part.texts() for part in values])
        raise bad_value(texts.tolist(), "numeric", name, file, required=True)
    first_row = 0
    for part, floats in zip(values, numbers, strict=True):
        if found := first_rounded(part, floats):
            row, exact = found
            raise FileFormatError(
                f"{file.path}, {file.where(first_row + row)}: column {name!r} has {exact}, which float64 rounds to "
                f"{int(floats[row])}; is it an identifier? Otherwise subtract an offset first."
            )
        first_row += len(floats)
    return np.concatenate(numbers)


def _natural(values: Sequence[Values]) -> NDArray[Any]:
    numbers = [n for part in values if (n := part.numbers()) is not None]
    if len(numbers) == len(values):
        joined = np.concatenate(numbers)
        is_boolean = all(part.stored == "boolean" for part in values) and not np.isnan(joined).any()
        return joined == 1.0 if is_boolean else joined
    texts = np.concatenate([part.texts() for part in values])
    words = set(texts.tolist())
    if None not in words and {word.lower() for word in words} <= BOOLEAN_WORDS.keys():
        return np.array([BOOLEAN_WORDS[text.lower()] == 1.0 for text in texts])
    return texts
