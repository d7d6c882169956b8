"""The labelled table a model is fitted on."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.schema import Column
from pauci.data.table import read_table
from pauci.data.table_file import open_table
from pauci.data.target import find_target
from pauci.errors import FileFormatError, TooFewSamplesError

#: Fewer instances of a class teach nothing that could be judged.
_FEWEST = 10
#: Texts that are repeated less often than this on average tell rows apart, not kinds of rows.
_IDENTIFIER = 2


@dataclass(frozen=True)
class TrainingTable:
    """Features, labels, and the meaning of both.

    Attributes
    ----------
    X : ndarray of shape (n, len(columns))
        As in `Table`, in double precision.
    y : ndarray of shape (n,)
        1 for the positive class, 0 for others.
    columns : tuple of Column
        Description of the columns of `X`.
    target, positive : str
        The column of labels, and the value of its positive class.

    Examples
    --------
    >>> X, columns = np.array([[31.0], [44.0], [52.0]]), (Column("age", "numeric"),)
    >>> TrainingTable(X, np.array([0, 1, 0]), columns, target="fraud", positive="yes").n_negative
    2
    """

    X: NDArray[Any]
    y: NDArray[np.int64]
    columns: tuple[Column, ...]
    target: str
    positive: str

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return int(self.y.sum())

    @property
    def n_negative(self) -> int:
        """Number of negatives."""
        return len(self.y) - self.n_positive


def read_training_table(
    path: str | os.PathLike[str],
    *,
    target: str,
    positive: object = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    drop_unlabeled: bool = False,
) -> TrainingTable:
    r"""Read a table to fit a model on.

    Parameters
    ----------
    path : path-like
        A CSV, TSV (also gzipped), Parquet or npz file, recognised by its suffix.
    target : str
        Column with the labels.
    positive : object, optional
        Value of the positive class, as for `read_table`.
    drop, categorical : sequence of str
        Columns to leave out, and columns to take as categories whatever they look like.
    drop_unlabeled : bool
        Whether to leave out rows without a label instead of raising an error.

    Returns
    -------
    TrainingTable
        Features, labels, and the meaning of both.

    Raises
    ------
    FileFormatError
        Also if a column of texts looks like an identifier: it has more than half as many different texts as rows.
    TooFewSamplesError
        If a class has fewer than ten instances.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "t.csv")
    >>> _ = path.write_text("age,fraud\n" + 10 * "31,no\n44,yes\n")
    >>> table = read_training_table(path, target="fraud")
    >>> table.positive, table.n_positive, table.n_negative
    ('yes', 10, 10)
    >>> folder.cleanup()
    """
    table = read_table(
        path,
        target=target,
        positive=positive,
        drop=drop,
        categorical=categorical,
        drop_unlabeled=drop_unlabeled,
        dtype="float64",
    )
    found = find_target(open_table(path), target, positive)
    texts = {each.name: len(each.categories) for each in table.columns if each.name not in categorical}
    if many := [name for name, count in texts.items() if count * _IDENTIFIER > len(table.X)]:
        counted = " and ".join(f"column {name!r} has {texts[name]:,}" for name in many)
        raise FileFormatError(
            f"{path}: {counted} different texts in {len(table.X):,} rows, as identifiers have; leave out what is one "
            f"with drop={many!r}, or keep it with categorical={many!r}."
        )
    fitted = TrainingTable(table.X, np.asarray(table.y), table.columns, target, found.positive)
    for name, count in (("positives", fitted.n_positive), ("negatives", fitted.n_negative)):
        if count < _FEWEST:
            raise TooFewSamplesError(
                f"{path}: target {target!r} has {count} {name} ({target} = {found.positive!r} is positive); at least "
                f"{_FEWEST} of both classes are needed to fit and judge a model."
            )
    return fitted
