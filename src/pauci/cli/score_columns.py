"""Columns of a file of scores, read as what they are for: scores, groups, identifiers."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.errors import FileFormatError, InputError

if TYPE_CHECKING:
    from pauci.metrics.inputs import Array


def names_among(files: Sequence[Path], file: Path, columns: Iterable[str]) -> dict[str, str]:
    """Name the score columns of one of several files: after the file, and after the column where it has more of them.

    Examples
    --------
    >>> files = [Path("old/scores.csv"), Path("new/scores.csv"), Path("both.csv")]
    >>> names_among(files, files[0], ["score"]), names_among(files, files[2], ["a", "b"])
    ({'score': 'old/scores.csv'}, {'a': 'both.csv:a', 'b': 'both.csv:b'})
    """
    name = file.name if [other.name for other in files].count(file.name) == 1 else str(file)
    known = list(columns)
    return {column: name if len(known) == 1 else f"{name}:{column}" for column in known}


def in_own_precision(scores: "Array") -> "Array":
    """Return scores in the narrowest type that holds them: compared in that, a threshold is rounded to it.

    Examples
    --------
    >>> import numpy as np
    >>> in_own_precision(np.float32([0.1, 0.5]).astype(np.float64)).dtype
    dtype('float32')
    """
    import numpy as np

    with np.errstate(over="ignore"):
        narrow = (scores.astype(dtype) for dtype in (np.float16, np.float32))
        return next((values for values in narrow if np.array_equal(values, scores)), scores)


def read_groups(file: Path, name: str, *, labelled: str | None = None) -> "Array":
    """Read which group each row belongs to, or each that has a label in a column; every row must have one."""
    from pauci.data.table_file import open_table

    groups = read_texts(file, name)
    if (missing := next((row for row, text in enumerate(groups) if text is None), None)) is not None:
        place = open_table(file).where(missing)
        raise InputError(f"{file}, {place}: column {name!r} has no value; --groups needs one in every row.")
    return groups if labelled is None else groups[[label is not None for label in read_texts(file, labelled)]]


def read_texts(file: Path, name: str) -> "Array":
    """Read a column to the letter: of identifiers every digit counts, leading zeros too."""
    import numpy as np

    from pauci.data.table_file import check_known, open_table

    table = open_table(file)
    check_known([name], table)
    return np.concatenate([block[name].texts() for block in table.blocks([name])])


def is_readable(file: Path, name: str) -> bool:
    """Whether a column holds numbers, text, dates or bools: Parquet files have lists and bytes, too."""
    from pauci.data.table_file import open_table

    try:
        next(iter(open_table(file).blocks([name])))
    except FileFormatError:
        return False
    return True


def never_scores(file: Path) -> list[str]:
    """Names of columns that hold numbers but no scores: row indices of pandas, and what the file declares as dates."""
    from pauci.data.schema import INDEX_NAMES
    from pauci.data.table_file import open_table

    table = open_table(file)
    first = next(iter(table.blocks(table.names)), {})
    return [name for name, values in first.items() if values.stored == "date" or name in INDEX_NAMES]
