"""The cut below the largest keys of a class, found without sorting and over all workers."""

import math
from dataclasses import dataclass

import numpy as np

from pauci.boosting.workers import ALONE, Array, Workers
from pauci.rounding import ROUNDING, lowered

_UPWARDS = np.arange(1 << 16)
#: Leading digits from the largest number down: positive ones, then negative ones, whose digits rise with their size.
_FIRST = np.concatenate((_UPWARDS[: 1 << 15][::-1], _UPWARDS[1 << 15 :]))


@dataclass(frozen=True)
class Cut:
    """A cut below the largest keys.

    Attributes
    ----------
    key : float
        The key it goes through.
    fraction : float
        How much of the rows with that very key lies above it.
    """

    key: float
    fraction: float

    def part(self, key: Array) -> Array:
        """Return how much of each row lies above the cut."""
        above = (key > self.key).astype(np.float64)
        above[key == self.key] = self.fraction
        return above


def top_cut(key: Array, share: float, *, weight: Array | None = None, workers: Workers = ALONE) -> Cut:
    """Find the cut below the largest `share` of a class, in linear time.

    Rows of one process that weigh the same are partitioned. Otherwise bits are counted: those of a floating-point
    number are in the order of the numbers, or for negative ones against it. They are taken sixteen at a time, from the
    top; only rows that agree with the cut so far take part in the next count. Counts add up over workers, so that the
    cut of a distributed run is that of all rows together.

    The share is of the class's weight, in (0, 1].

    Examples
    --------
    >>> top_cut(np.array([4.0, 1.0, 3.0, 2.0]), 0.375)
    Cut(key=3.0, fraction=0.5)
    """
    if weight is None and workers.size == 1:
        return _partitioned(key, share)
    return _counted(key, share, weight, workers)


def _partitioned(key: Array, share: float) -> Cut:
    wanted = share * len(key)
    place = len(key) - max(1, math.ceil(lowered(wanted)))
    at = np.partition(key, place)[place]
    reached = key[key >= at]
    above = np.count_nonzero(reached > at)
    return Cut(float(at), float(np.clip((wanted - above) / (len(reached) - above), 0.0, 1.0)))


def _counted(key: Array, share: float, weight: Array | None, workers: Workers) -> Cut:
    # Adding 0 makes -0 the same as 0, bit for bit.
    bits = (np.asarray(key, dtype="<f8") + 0.0).view("<u8")
    found, downwards, wanted, here = 0, _FIRST, np.nan, np.nan
    for place in (3, 2, 1, 0):
        digit = bits.view("<u2")[place::4]
        room = workers.total(np.bincount(digit, weights=weight, minlength=1 << 16).astype(np.float64))[downwards]
        if place == 3:
            wanted = share * room.sum()
        occupied = np.flatnonzero(room)
        reached = np.cumsum(room[occupied])
        cut = min(int(np.searchsorted(reached, wanted * (1 - ROUNDING))), len(occupied) - 1)
        here = room[occupied[cut]]
        wanted -= reached[cut] - here
        value = int(downwards[occupied[cut]])
        found |= value << (16 * place)
        agrees = digit == value
        bits, weight = bits[agrees], None if weight is None else weight[agrees]
        downwards = _UPWARDS if found >> 63 else _UPWARDS[::-1]
    number = np.array([found], dtype="<u8").view("<f8")[0]
    return Cut(float(number), float(np.clip(wanted / here, 0.0, 1.0)))
