"""Tables as a matrix of floats, in memory or part by part."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pauci.data.conversion import PLURAL, bad_value, convert, first_rounded
from pauci.data.schema import Column, columns_of
from pauci.data.table_file import TableFile, Values, check_known, open_table
from pauci.data.target import UNLABELED, SeenTarget, Target, find_target
from pauci.errors import FileFormatError, InputError, LabelError

Precision = Literal["float32", "float64"]


@dataclass(frozen=True)
class Table:
    """Features and labels of a tabular file, or of some of its rows.

    Attributes
    ----------
    X : ndarray of shape (n, len(columns))
        Floats, NaN where missing: numbers, booleans as 0 and 1, dates as days since 1970, categories as their position
        in ``Column.categories``, or -1 if they are not among them.
    y : ndarray of shape (n,) or None
        1 for the positive class, 0 for others; None if the table was read without a target.
    columns : tuple of Column
        Description of the columns of `X`.

    Examples
    --------
    >>> Table(np.array([[31.0], [44.0]]), np.array([0, 1]), (Column("age", "numeric"),)).columns[0].name
    'age'
    """

    X: NDArray[Any]
    y: NDArray[np.int64] | None
    columns: tuple[Column, ...]


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None,
    positive: object = None,
    columns: Sequence[Column] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    drop_unlabeled: bool = False,
    dtype: Precision = "float32",
) -> Table:
    r"""Read a table into a matrix of features and a vector of labels.

    Parameters
    ----------
    path : path-like
        A CSV, TSV (also gzipped), Parquet or npz file, recognised by its suffix.
    target : str or None
        Column with the labels; None reads the features alone.
    positive : object, optional
        Value of the positive class; not needed if the labels are 0/1, -1/1, false/true or no/yes.
    columns : sequence of Column, optional
        Features as they were found in another file, so that this file gives the same matrix; other columns are ignored.
        By default, `infer_columns` finds the features.
    drop, categorical : sequence of str
        Columns to leave out, and columns to take as categories whatever they look like (see `infer_columns`).
    drop_unlabeled : bool
        Whether to leave out rows without a label instead of raising an error.
    dtype : {"float32", "float64"}
        Type of `X`. float32 keeps seven digits. Integers must survive it exactly, so timestamps in seconds need
        float64.

    Returns
    -------
    Table
        Features, labels and the description of the columns.

    Raises
    ------
    FileFormatError
        If the file or one of its columns cannot be understood; the error names the line and the way out.
    LabelError
        If the target is not binary, is of one class only, or is missing in some rows.

    See Also
    --------
    iter_table : Reads a table in parts, if it does not fit into memory.
    infer_columns : Finds out what the columns are.
    TableEncoder : Turns the matrix into numbers for linear models and networks.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "t.csv")
    >>> _ = path.write_text("age,city,fraud\n31,Ulm,no\n,Bonn,yes\n")
    >>> table = read_table(path, target="fraud")
    >>> table.X
    array([[31.,  1.],
           [nan,  0.]], dtype=float32)
    >>> table.y
    array([0, 1])
    >>> folder.cleanup()
    """
    if columns is not None and (drop or categorical):
        raise InputError("columns= says already which features there are; do not give drop= or categorical= with it.")
    file = open_table(path)
    if columns is not None:
        found = None if target is None else find_target(file, target, positive)
    else:
        seen = None if target is None else SeenTarget(file, target, positive)
        columns = columns_of(file, target=seen, drop=drop, categorical=categorical)
        found = None if seen is None else seen.decided()
    return _joined(list(_read(file, tuple(columns), found, drop_unlabeled, dtype)))


def iter_table(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[Column],
    target: str | None = None,
    positive: object = None,
    drop_unlabeled: bool = False,
    dtype: Precision = "float32",
    rows: int = 65_536,
) -> Iterator[Table]:
    r"""Read a table in parts, if it does not fit into memory.

    Row groups of Parquet files and blocks of CSV files are read one after the other, and not kept.

    Parameters
    ----------
    path : path-like
        As for `read_table`.
    columns : sequence of Column
        The features, from another table or from `infer_columns`, which also reads in parts.
    target : str or None
        Column with the labels; None reads the features alone.
    positive : object, optional
        Value of the positive class, as for `read_table`.
    drop_unlabeled : bool
        Whether to leave out rows without a label instead of raising an error.
    dtype : {"float32", "float64"}
        Type of `X`, as for `read_table`.
    rows : int
        Rows per part; the last one may have fewer.

    Returns
    -------
    iterator of Table
        Consecutive rows, all parts with the same columns.

    See Also
    --------
    read_table : Reads all rows at once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "t.csv")
    >>> _ = path.write_text("a,y\n1,0\n2,1\n3,0\n")
    >>> for part in iter_table(path, columns=[Column("a", "numeric")], target="y", rows=2):
    ...     print(part.X.ravel(), part.y)
    [1. 2.] [0 1]
    [3.] [0]
    >>> folder.cleanup()
    """
    if rows < 1:
        raise InputError(f"rows={rows!r} must be at least 1.")
    file = open_table(path)
    found = None if target is None else find_target(file, target, positive)
    return _resized(_read(file, tuple(columns), found, drop_unlabeled, dtype), rows)


def _read(
    file: TableFile,
    columns: tuple[Column, ...],
    target: Target | None,
    drop_unlabeled: bool,
    dtype: Precision,
) -> Iterator[Table]:
    """Check the request at once; yield tables of whatever sizes the file comes in later."""
    if dtype not in ("float32", "float64"):
        raise InputError(f"dtype={dtype!r} is not known; use 'float32' or 'float64'.")
    names = [column.name for column in columns]
    if not names:
        raise InputError(f"columns= describes no column of {file.path}; a table has at least one to learn from.")
    check_known(names, file)
    if target is not None and target.name in names:
        raise InputError(f"target={target.name!r} is also among the columns to learn from.")
    return _blocks(file, columns, target, drop_unlabeled, dtype)


def _blocks(
    file: TableFile, columns: tuple[Column, ...], target: Target | None, drop_unlabeled: bool, dtype: Precision
) -> Iterator[Table]:
    names = [column.name for column in columns]
    start = 0
    for block in file.blocks([*names, target.name] if target else names):
        X = np.column_stack([_floats(block[column.name], column, file, start, dtype) for column in columns])
        if target is None:
            yield Table(X, None, columns)
        else:
            y = target.labels(block[target.name])
            labeled = y != UNLABELED
            if not (labeled.all() or drop_unlabeled):
                raise LabelError(
                    f"{file.path}, {file.where(start + int(np.argmin(labeled)))}: target {target.name!r} has no value; "
                    "complete the labels, or leave such rows out with drop_unlabeled=True."
                )
            yield Table(X[labeled], y[labeled], columns)
        start += len(X)


def _resized(parts: Iterable[Table], rows: int) -> Iterator[Table]:
    """Cut and join tables so that each has a number of rows, the last one at most as many."""
    kept: list[Table] = []
    for part in parts:
        kept.append(part)
        if sum(len(piece.X) for piece in kept) < rows:
            continue
        whole = _joined(kept)
        cut = len(whole.X) - len(whole.X) % rows
        for first in range(0, cut, rows):
            yield _rows(whole, slice(first, first + rows))
        kept = [_rows(whole, slice(cut, None))]
    rest = _joined(kept)
    if len(rest.X):
        yield rest


def _floats(values: Values, column: Column, file: TableFile, start: int, dtype: Precision) -> NDArray[Any]:
    floats = convert(values, column.kind, column.categories)
    if floats is None or np.isinf(floats).any():
        wrong = bad_value(values.texts().tolist(), column.kind, column.name, file, first_row=start)
        raise FileFormatError(f"{wrong} The column holds {PLURAL[column.kind]}: correct or empty the others.")
    with np.errstate(over="ignore"):
        cast = floats.astype(dtype)
    if np.isinf(cast).any():
        row = start + int(np.argmax(np.isinf(cast)))
        raise FileFormatError(
            f"{file.path}, {file.where(row)}: column {column.name!r} has {floats[row - start]:g}, too large for "
            "float32; read with dtype='float64' or correct the value."
        )
    if column.kind == "numeric" and (found := first_rounded(values, cast)):
        row, exact = found
        wider = "read with dtype='float64', or " if cast.dtype == np.float32 and int(float(exact)) == exact else ""
        raise FileFormatError(
            f"{file.path}, {file.where(start + row)}: column {column.name!r} has {exact}, which {cast.dtype} "
            f"rounds to {int(cast[row])}; {wider}leave the column out with drop=[{column.name!r}], or take its "
            f"values as names with categorical=[{column.name!r}]."
        )
    return cast


def _joined(parts: Sequence[Table]) -> Table:
    labels = [part.y for part in parts if part.y is not None]
    return Table(np.concatenate([p.X for p in parts]), np.concatenate(labels) if labels else None, parts[0].columns)


def _rows(table: Table, which: slice) -> Table:
    return Table(table.X[which], None if table.y is None else table.y[which], table.columns)
