"""Scores of one model on the scale of another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def align(scores: Array, fitted: Array, reference: Array, *, weight: Array | None = None) -> Array:
    """Shift and stretch scores so that two models agree on rows that both were fitted on.

    A model fitted on some of the rows has another scale than the one fitted on all of them: a threshold for the second
    cannot be read from the first. Both have seen `fitted`, so what differs there is scale and not honesty.

    Mean and standard deviation of `fitted`, scores by the first model, would become those of `reference`, scores by the
    second. These rows are negatives by preference: thresholds are about them.

    Examples
    --------
    >>> align(np.array([3.0]), np.array([1.0, 2.0, 3.0]), np.array([20.0, 40.0, 60.0]))
    array([60.])
    """
    (here, spread_here), (there, spread_there) = (_moments(each, weight) for each in (fitted, reference))
    stretch = spread_there / spread_here if spread_here > 0 and spread_there > 0 else 1.0
    return there + stretch * (scores - here)


def _moments(values: Array, weight: Array | None) -> tuple[float, float]:
    mean = np.average(values, weights=weight)
    return float(mean), float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))
