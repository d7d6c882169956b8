"""Which rows of a class lie in the region: the exact cut, found without sorting, and the smooth one."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.histogram import histogram
from pauci.boosting.logistic import logistic
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import Side, refuse_band
from pauci.objectives.threshold import increasing_root
from pauci.rounding import ROUNDING, lowered

#: All rows of a class, as an index that copies nothing.
ALL = slice(None)


class Selection(NamedTuple):
    """Selected rows of a class.

    Attributes
    ----------
    rows : ndarray of int, or slice
        Their positions in the class.
    part : ndarray
        How much of each is selected, in (0, 1].
    """

    rows: Array | slice
    part: Array


def select(
    key: Array, *, side: Side, weight: Array | None = None, softness: Softplus | None = None, workers: Workers = ALONE
) -> Selection:
    """Select a part of a class.

    Parameters
    ----------
    key : ndarray
        The class's rows: the larger, the earlier they are selected.
    side : Side
        The part to select, as shares of the class from the largest key down.
    weight : ndarray, optional
        Sample weights: a row takes room in proportion to its weight.
    softness : Softplus, optional
        Select by ``sigmoid(kappa (key - s))``, its mean being the share; by default exactly.
    workers : Workers
        Who has the other rows.

    Returns
    -------
    Selection
        Rows with equal keys are treated alike: where an exact cut goes through them, each counts by the same fraction.

    Examples
    --------
    >>> select(np.array([0.1, 0.9, 0.5, 0.5]), side=Side(0.0, 0.5))
    Selection(rows=array([1, 2, 3]), part=array([1. , 0.5, 0.5]))
    """
    if side.kind == "whole":
        return Selection(ALL, np.ones(len(key)))
    if softness is not None:
        return _soft(key, side=side, weight=weight, softness=softness, workers=workers)
    outer = top_cut(key, side.high, weight=weight, workers=workers)
    rows = np.flatnonzero(key >= outer.key)
    part = outer.part(key[rows])
    if side.low > 0:
        part -= top_cut(key, side.low, weight=weight, workers=workers).part(key[rows])
        rows, part = rows[part > 0], part[part > 0]
    return Selection(rows, part)


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

    Parameters
    ----------
    key : ndarray
        The rows.
    share : float
        Share of the class's weight above the cut, in (0, 1].
    weight : ndarray, optional
        Sample weights.
    workers : Workers
        Who has the other rows.

    Returns
    -------
    Cut
        Where it falls.

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


_UPWARDS = np.arange(1 << 16)
#: Leading digits from the largest number down: positive ones, then negative ones, whose digits rise with their size.
_FIRST = np.concatenate((_UPWARDS[: 1 << 15][::-1], _UPWARDS[1 << 15 :]))


def soft_threshold(
    key: Array, *, side: Side, weight: Array | None = None, softness: Softplus, workers: Workers = ALONE
) -> float:
    """Return the s at which ``sigmoid(kappa (key - s))`` has the side's share as its mean.

    Solved on a histogram of the keys, to about 1e-5 of the share for keys within 40 / kappa of each other.

    Parameters
    ----------
    key, side, weight, softness, workers
        As for `select`.

    Returns
    -------
    float
        The threshold; for a bottom, where the smallest keys are selected, that of the negated keys, negated.

    Examples
    --------
    >>> key = np.linspace(0.0, 1.0, 1001)
    >>> s = soft_threshold(key, side=Side(0.0, 0.3), softness=Softplus(50.0))
    >>> round(s, 3)
    0.7
    """
    refuse_band(side)
    bars = histogram(key if side.sign > 0 else -key, weight=weight, workers=workers)

    def surplus(s: float) -> tuple[float, float]:
        chosen = logistic(softness.kappa * (bars.centre - s))
        return side.share - float(chosen @ bars.share), softness.kappa * float((chosen * (1 - chosen)) @ bars.share)

    offset = softness.offset(side.share)
    low, high = float(bars.centre[0]) + offset, float(bars.centre[-1]) + offset
    return side.sign * increasing_root(surplus, low, high, start=0.5 * (low + high))


def _soft(key: Array, *, side: Side, weight: Array | None, softness: Softplus, workers: Workers) -> Selection:
    threshold = soft_threshold(key, side=side, weight=weight, softness=softness, workers=workers)
    part = np.empty(len(key), dtype=np.float32)
    for block in blocks(len(key)):
        excess = key[block] - threshold
        excess *= side.sign * softness.kappa
        # Relative to the threshold single precision is enough, and four times as fast.
        part[block] = logistic(excess.astype(np.float32))
    return Selection(ALL, part)
