"""Values of new rows that a model knows nothing about, counted part by part."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.conversion import UNKNOWN
from pauci.data.schema import Column

#: Share of a column's values above which new categories are no news but a mistake: other spelling, another column.
_MOST = 0.5
#: In fewer rows gaps and new categories are chance.
_FEWEST = 20


class UnseenValues:
    r"""Counts categories that were not there when a model was fitted, and values that are missing.

    Parameters
    ----------
    columns : sequence of Column
        What the model reads.

    Examples
    --------
    >>> seen = UnseenValues([Column("age", "numeric"), Column("country", "categorical", ("DE", "FR"))])
    >>> for _ in range(10):
    ...     seen.add(np.array([[np.nan, -1.0], [np.nan, 0.0], [np.nan, -1.0]]))
    >>> print(*seen.doubts(), sep="\n")
    column 'age' has no values, and had some when the model was fitted; were they lost on the way?
    column 'country': 67% of 30 values were not there when the model was fitted; are they spelled as then, also in case?
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._rows = 0
        self._missing = np.zeros(len(columns), dtype=np.int64)
        self._unknown = np.zeros(len(columns), dtype=np.int64)

    def add(self, X: NDArray[Any]) -> None:
        """Count the values of further rows: the matrix of a `Table` with these columns."""
        categorical = [column.kind == "categorical" for column in self._columns]
        self._rows += len(X)
        self._missing += np.isnan(X).sum(axis=0)
        self._unknown += (X == UNKNOWN).sum(axis=0) * categorical

    def doubts(self) -> list[str]:
        """Say of every column that has no values, or mostly new ones, that it has."""
        found: list[str] = []
        if self._rows < _FEWEST:
            return found
        for column, missing, unknown in zip(self._columns, self._missing, self._unknown, strict=True):
            values = self._rows - missing
            if values == 0:
                found.append(
                    f"column {column.name!r} has no values, and had some when the model was fitted; were they lost on "
                    "the way?"
                )
            elif unknown > _MOST * values:
                found.append(
                    f"column {column.name!r}: {unknown / values:.0%} of {values:,} values were not there when the "
                    "model was fitted; are they spelled as then, also in case?"
                )
        return found
