"""Values that are written as text, and the numbers among them."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pauci.data.conversion import parse_number
from pauci.data.table_file import MISSING, positions

#: Sign and digits; Python refuses to read thousands of them, were it zeros.
_INTEGER = re.compile(r"\s*([+-]?)0*(\d+)\s*")


class TextValues:
    """Cells of a text file (see `pauci.data.table_file.Values`)."""

    stored = None

    def __init__(self, cells: Sequence[str]) -> None:
        self._cells = cells

    def numbers(self) -> NDArray[np.float64] | None:
        """As numbers, NaN where missing; None unless every value is one."""
        return parse_numbers(self._cells)

    def texts(self) -> NDArray[np.object_]:
        """As strings, None where missing."""
        return np.array([None if cell in MISSING else cell for cell in map(str.strip, self._cells)], dtype=object)

    def distinct(self) -> set[str]:
        """Different strings, without missing ones."""
        return set(map(str.strip, set(self._cells))) - MISSING

    def positions(self, known: Sequence[str]) -> NDArray[np.intp]:
        """Place of every string among known ones; ``len(known)`` for others and -1 where missing."""
        return positions(self.texts(), known)

    def integers(self, rows: NDArray[np.intp]) -> list[int | None]:
        """Exact integers of some rows; None where a value is not written as one."""
        return parse_integers([self._cells[row] for row in rows])


def parse_integers(cells: Sequence[str]) -> list[int | None]:
    """Integers written as text, None where a text is not written as one."""
    return [int(found[1] + found[2]) if found else None for found in map(_INTEGER.fullmatch, cells)]


def parse_numbers(cells: Sequence[str | None]) -> NDArray[np.float64] | None:
    """Numbers written as text, NaN where missing; None unless every value is one."""
    stripped = (None if cell is None else cell.strip() for cell in cells)
    try:
        return np.array([np.nan if cell is None or cell in MISSING else parse_number(cell) for cell in stripped])
    except ValueError:
        return None
