"""npz files of plain arrays: vectors are columns, the columns of a matrix are numbered."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.archives import check_fits
from pauci.data.conversion import days
from pauci.data.table_file import MISSING, Cells, Kind, Values, check_names, check_single, number_text, positions
from pauci.data.text_values import parse_integers
from pauci.errors import FileFormatError

_KINDS: dict[str, Kind] = {"b": "boolean", "i": "numeric", "u": "numeric", "f": "numeric", "M": "date",
                           "U": "categorical"}  # fmt: skip


class NpzFile:
    """An npz file (see `pauci.data.table_file.TableFile`).

    A vector ``y`` is the column ``y``; a matrix ``X`` with three columns is ``X0``, ``X1``, ``X2``. All have equally
    many rows.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._columns: dict[str, NDArray[Any]] = {}
        names: list[str] = []
        for key, array in _arrays(path).items():
            # Values without bytes cost nothing in a file, and all memory in a table.
            if array.dtype.kind not in _KINDS or array.ndim not in (1, 2) or not array.dtype.itemsize:
                images = " Images are no table: pass them to pauci.training.train as arrays." if array.ndim > 2 else ""
                raise FileFormatError(
                    f"{path}: array {key!r} ({array.dtype}, shape {array.shape}) is not a column of a table; "
                    f"save vectors and matrices of numbers, text, dates or bools.{images}"
                )
            if not len(array):
                raise FileFormatError(f"{path}: array {key!r} has no rows.")
            parts = {key: array} if array.ndim == 1 else {f"{key}{i}": array[:, i] for i in range(array.shape[1])}
            names += parts
            self._columns |= parts
        self.names = check_names(path, names)
        check_single(names, path, names)
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise FileFormatError(f"{path}: arrays differ in length: {lengths}.")
        if not lengths:
            raise FileFormatError(f"{path} has no columns.")

    def blocks(self, columns: Sequence[str]) -> Iterator[dict[str, Values]]:
        """All rows at once: the arrays of an npz file are in memory anyway."""
        yield {name: ArrayValues(self._columns[name]) for name in columns}

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """All rows at once, as they are stored."""
        yield {name: self._columns[name] for name in columns}

    def where(self, row: int) -> str:
        """Row number, counted from 1."""
        return f"row {row + 1}"


class ArrayValues:
    """A vector (see `pauci.data.table_file.Values`)."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array

    @property
    def stored(self) -> Kind:
        """The kind of the array's dtype."""
        return _KINDS[self._array.dtype.kind]

    def numbers(self) -> NDArray[np.float64] | None:
        """As numbers, NaN where missing, dates as days since 1970; None unless every value is one."""
        if self.stored == "categorical":
            return None
        if self.stored == "date":
            if _beyond_calendar(self._array).any():
                return None
            return days(self._array.astype("datetime64[us]"))
        return self._array.astype(np.float64)

    def texts(self) -> NDArray[np.object_]:
        """As strings, None where missing."""
        write = number_text if self._array.dtype.kind == "f" else str
        values = self._array.tolist()
        if self.stored == "date":
            # Dates list as integers in other units, and years that Python does not know may not fit into microseconds.
            dates, beyond = self._array.copy(), _beyond_calendar(self._array)
            dates[beyond] = "NaT"
            values = dates.astype("datetime64[us]").tolist()
            for row in np.flatnonzero(beyond):
                values[row] = self._array[row]
        texts = (write(value).strip() for value in values)
        return np.array([None if text in MISSING else text for text in texts], dtype=object)

    def distinct(self) -> set[str]:
        """Different strings, without missing ones."""
        return set(ArrayValues(np.unique(self._array)).texts().tolist()) - {None}

    def positions(self, known: Sequence[str]) -> NDArray[np.intp]:
        """Place of every string among known ones; ``len(known)`` for others and -1 where missing."""
        return positions(self.texts(), known)

    def integers(self, rows: NDArray[np.intp]) -> list[int | None]:
        """Exact integers of some rows; None where a value is not written as one."""
        values = self._array[rows].tolist()
        if self._array.dtype.kind in "iu":
            return list(values)
        return [None] * len(rows) if self.stored == "numeric" else parse_integers(values)


def _beyond_calendar(dates: NDArray[Any]) -> NDArray[np.bool_]:
    """Which dates are not from the years 1 to 9999: their microseconds might not fit into an integer, and wrap."""
    if np.datetime_data(dates.dtype)[0] in ("ps", "fs", "as", "generic"):
        return np.zeros(dates.shape, dtype=np.bool_)  # units that reach a few months at most, or none
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    beyond: NDArray[np.bool_] = ((years < 1) | (years > 9999)) & ~np.isnat(dates)
    return beyond


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            check_fits(path, archive.zip)
            arrays = {key: archive[key] for key in archive.files}
    except FileFormatError:
        raise
    except Exception as error:  # numpy and zipfile raise nearly anything on damaged and hostile files
        raise FileFormatError(
            f"{path} is not a readable npz file of plain arrays ({error}); save numbers and text with numpy.savez."
        ) from error
    if strange := [key for key, array in arrays.items() if not isinstance(array, np.ndarray)]:
        raise FileFormatError(f"{path} is not an npz file of plain arrays: {strange[0]!r} is not an array.")
    return arrays
