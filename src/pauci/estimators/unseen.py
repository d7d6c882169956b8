"""Values of new rows that a model knows nothing about, counted part by part."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.conversion import UNKNOWN
from pauci.data.schema import Column

#: Share of a column's values above which new ones are no news but a mistake: other spelling or unit, another column.
_MOST = 0.5
#: In fewer rows gaps and new values are chance.
_FEWEST = 20
#: Usual numbers lie between these quantiles.
_USUAL = (0.01, 0.99)
#: Rows that tell them well enough.
_ENOUGH = 100_000

#: Lowest and highest of a column's usual numbers; None if it has none, or is no column of numbers.
Range = tuple[float, float] | None


class UnseenWarning(UserWarning):
    """A table that was scored is unlike the one that the model was fitted on."""


class UnseenValues:
    r"""Counts values that were not there, or not usual, when a model was fitted, and those that are missing.

    Ranges are as `usual_ranges` told them when it was fitted; nothing is said about numbers without.

    Examples
    --------
    >>> columns = [Column("age", "numeric"), Column("country", "categorical", ("DE", "FR")), Column("paid", "numeric")]
    >>> seen = UnseenValues(columns, [(18.0, 90.0), None, (1.0, 800.0)])
    >>> for _ in range(10):
    ...     seen.add(np.array([[np.nan, -1.0, 4200.0], [np.nan, 0.0, 100.0], [np.nan, -1.0, 1900.0]]))
    >>> print(*seen.doubts(), sep="\n")
    column 'age' has no values, and had some when the model was fitted; were they lost on the way?
    column 'country': 67% of 30 values were not there when the model was fitted; are they spelled as then, also in case?
    column 'paid': 67% of 30 values are outside of 1 to 800, where 98% were when the model was fitted; another unit?
    """

    def __init__(self, columns: Sequence[Column], ranges: Sequence[Range] = ()) -> None:
        self._columns = columns
        self._ranges = ranges or [None] * len(columns)
        self._low, self._high = np.transpose([usual or (-np.inf, np.inf) for usual in self._ranges])
        self._outside = np.zeros(len(columns), dtype=np.int64)
        self._rows = 0
        self._missing = np.zeros(len(columns), dtype=np.int64)
        self._unknown = np.zeros(len(columns), dtype=np.int64)

    def add(self, X: NDArray[Any]) -> None:
        """Count the values of further rows: the matrix of a `Table` with these columns."""
        categorical = [column.kind == "categorical" for column in self._columns]
        self._rows += len(X)
        self._missing += np.isnan(X).sum(axis=0)
        self._unknown += (X == UNKNOWN).sum(axis=0) * categorical
        self._outside += ((self._low > X) | (self._high < X)).sum(axis=0)

    def doubts(self) -> list[str]:
        """Say of every column that has no values, or mostly new or unusual ones, that it has."""
        found: list[str] = []
        if self._rows < _FEWEST:
            return found
        counts = zip(self._columns, self._ranges, self._missing, self._unknown, self._outside, strict=True)
        for column, usual, missing, unknown, outside in counts:
            values = self._rows - missing
            if values == 0:
                found.append(
                    f"column {column.name!r} has no values, and had some when the model was fitted; were they lost on "
                    "the way?"
                )
            elif unknown > _MOST * values and values >= _FEWEST:
                found.append(
                    f"column {column.name!r}: {unknown / values:.0%} of {values:,} values were not there when the "
                    "model was fitted; are they spelled as then, also in case?"
                )
            elif usual is not None and outside > _MOST * values:
                found.append(
                    f"column {column.name!r}: {outside / values:.0%} of {values:,} values are outside of {usual[0]:g} "
                    f"to {usual[1]:g}, where 98% were when the model was fitted; another unit?"
                )
        return found


def usual_ranges(X: NDArray[Any], columns: Sequence[Column]) -> tuple[Range, ...]:
    """Find where nearly all numbers of each column lie.

    Dates have no usual range: those to come are always later.

    Examples
    --------
    >>> usual_ranges(np.arange(101.0)[:, None], [Column("age", "numeric")])
    ((1.0, 99.0),)
    """
    some = X[:: -(-len(X) // _ENOUGH)]
    return tuple(
        _middle(values[np.isfinite(values)]) if column.kind == "numeric" else None
        for column, values in zip(columns, some.T, strict=True)
    )


def _middle(values: NDArray[Any]) -> Range:
    if not len(values):
        return None
    low, high = np.quantile(values, _USUAL)
    return float(low), float(high)
