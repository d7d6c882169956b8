"""Columns that tell the classes apart by themselves: honestly, or known only after what is to be predicted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.schema import Column

Array = NDArray[Any]

#: Names that occur less often than this on average tell rows apart, and so the classes, too.
_REPEATED = 2


def giveaways(X: Array, y: Array, columns: Sequence[Column]) -> list[str]:
    """Find the columns that tell the classes apart by themselves, without a single error.

    Their values lie below a threshold in one class and above it in the other, their categories are each of one class,
    or they have values for one class only.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1])
    >>> refund, amount = [np.nan, np.nan, 3.0, 5.0], [2.0, 9.0, 4.0, 7.0]
    >>> giveaways(np.column_stack([refund, amount]), y, [Column("refund", "numeric"), Column("amount", "numeric")])
    ['refund']
    """
    positive = np.asarray(y, dtype=bool)
    return [column.name for place, column in enumerate(columns) if _tells_apart(X[:, place], positive, column)]


def _tells_apart(values: Array, positive: Array, column: Column) -> bool:
    missing = np.isnan(values)
    if positive[missing].any() and not positive[missing].all():
        return False
    of_positives, of_negatives = values[positive & ~missing], values[~positive & ~missing]
    if not (of_positives.size and of_negatives.size):
        return True
    if column.kind == "categorical":
        repeated = len(column.categories) * _REPEATED <= len(values)
        return repeated and not np.intersect1d(of_positives, of_negatives).size
    return bool(of_positives.max() < of_negatives.min() or of_negatives.max() < of_positives.min())
