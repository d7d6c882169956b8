"""Sums and maxima over the rows of all workers of a distributed run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pauci.extras import require

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Workers:
    """How statistics of a worker's own rows become those of all rows.

    Every quantity the gradients need besides a row's own score is a sum or a maximum over rows. All workers must ask
    for the same ones in the same order, whatever their own rows are.

    Attributes
    ----------
    total, maximum : callable
        Take an array of float64 to its element-wise sum or maximum over the workers.
    rank, size : int
        Number of this worker, and of workers.

    Examples
    --------
    >>> ALONE.total(np.array([1.0, 2.0]))
    array([1., 2.])
    """

    total: Callable[[Array], Array]
    maximum: Callable[[Array], Array]
    rank: int = 0
    size: int = 1

    def gather(self, values: Array) -> Array:
        """Return the values of all workers, one worker after the other.

        Examples
        --------
        >>> ALONE.gather(np.array([3.0, 1.0]))
        array([3., 1.])
        """
        own = np.zeros(self.size)
        own[self.rank] = len(values)
        counts = self.total(own).astype(int)
        everyone = np.zeros(counts.sum())
        start = counts[: self.rank].sum()
        everyone[start : start + len(values)] = values
        return self.total(everyone)


def _same(values: Array) -> Array:
    return values


#: All rows are here.
ALONE = Workers(total=_same, maximum=_same)


def xgboost_workers() -> Workers:
    """Return the workers of XGBoost's communicator, or `ALONE` outside of a distributed run.

    Examples
    --------
    >>> xgboost_workers() is ALONE
    True
    """
    collective = require("xgboost.collective", purpose="training with XGBoost")
    if not collective.is_distributed():
        return ALONE

    def reduced(operation: Any) -> Callable[[Array], Array]:
        def reduce(values: Array) -> Array:
            answer: Array = collective.allreduce(np.ascontiguousarray(values, dtype=np.float64), operation)
            return answer.reshape(values.shape)

        return reduce

    return Workers(
        total=reduced(collective.Op.SUM),
        maximum=reduced(collective.Op.MAX),
        rank=collective.get_rank(),
        size=collective.get_world_size(),
    )
