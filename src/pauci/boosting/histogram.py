"""A class's scores as a histogram: small enough to iterate on, and to add up over workers."""

from typing import NamedTuple

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.workers import ALONE, Array, Workers

_BARS = 2048


class Histogram(NamedTuple):
    """Occupied bars of a histogram, in increasing order.

    Attributes
    ----------
    centre : ndarray
        Mean of the values in each bar, which makes averages of smooth functions exact to second order.
    share : ndarray
        Share of the weight in each bar; sums to 1.
    """

    centre: Array
    share: Array


def histogram(values: Array, *, weight: Array | None = None, workers: Workers = ALONE) -> Histogram:
    """Count the values of all workers in equal bars from the smallest to the largest.

    Examples
    --------
    >>> histogram(np.array([1.0, 1.0, 3.0, 2.0])).share
    array([0.5 , 0.25, 0.25])
    """
    ends = np.array([-values.min(), values.max()]) if len(values) else np.full(2, -np.inf)
    negated_low, high = (float(end) for end in workers.maximum(ends))
    low = -negated_low
    scale = _BARS / (high - low) if high > low else 0.0
    sums = np.zeros((2, _BARS))
    for block in blocks(len(values)):
        here = values[block]
        position = here - low
        position *= scale
        bar = np.minimum(position, _BARS - 1, out=position).astype(np.int64)
        counted = None if weight is None else weight[block]
        sums[0] += np.bincount(bar, weights=counted, minlength=_BARS)
        sums[1] += np.bincount(bar, weights=here if counted is None else counted * here, minlength=_BARS)
    room, moment = workers.total(sums)
    occupied = room > 0
    return Histogram(moment[occupied] / room[occupied], room[occupied] / room.sum())
