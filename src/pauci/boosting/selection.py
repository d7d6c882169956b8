"""Which rows of a class lie in the region: the exact cut, found without sorting, and the smooth one."""

from dataclasses import dataclass

import numpy as np

from pauci.boosting.histogram import histogram
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import Side, refuse_band
from pauci.objectives.threshold import increasing_root


def inside(
    key: Array, *, side: Side, weight: Array | None = None, softness: Softplus | None = None, workers: Workers = ALONE
) -> Array:
    """Return how much of each row of a class is selected.

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
    ndarray
        Numbers in [0, 1] whose weighted mean is the share. Rows with equal keys are treated alike: where an exact cut
        goes through them, each counts by the same fraction.

    Examples
    --------
    >>> inside(np.array([0.1, 0.9, 0.5, 0.5]), side=Side(0.0, 0.5))
    array([0. , 1. , 0.5, 0.5])
    """
    if side.kind == "whole":
        return np.ones(len(key))
    if softness is not None:
        return _soft(key, side=side, weight=weight, softness=softness, workers=workers)
    selected = top_cut(key, side.high, weight=weight, workers=workers).part(key)
    if side.low > 0:
        selected -= top_cut(key, side.low, weight=weight, workers=workers).part(key)
    return selected


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
    """Find the cut below the largest `share` of a class, in one pass over its rows and without sorting.

    The bits of a floating-point number, read as an integer, are in the order of the numbers. They are counted sixteen
    at a time, from the top; only rows that agree with the cut so far take part in the next count. Counts add up over
    workers, so that the cut of a distributed run is that of all rows together.

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
    code = _ordered(key)
    found, wanted, here = np.uint64(0), np.nan, 0.0
    for shift in (48, 32, 16, 0):
        digit = (code >> np.uint64(shift)).astype(np.int64) & 0xFFFF
        room = workers.total(np.bincount(digit, weights=weight, minlength=1 << 16).astype(np.float64))
        if shift == 48:
            wanted = share * room.sum()
        # Weight above and including each digit, from the largest digit down; the cut lies in the first that reaches.
        reached = np.cumsum(room[::-1])
        occupied = np.flatnonzero(room[::-1])
        place = occupied[min(int(np.searchsorted(reached[occupied], wanted * (1 - 1e-12))), len(occupied) - 1)]
        here = room[::-1][place]
        wanted -= reached[place] - here
        value = np.uint64(len(room) - 1 - place)
        found |= value << np.uint64(shift)
        agrees = digit == int(value)
        code, weight = code[agrees], None if weight is None else weight[agrees]
    return Cut(_number(found), float(np.clip(wanted / here, 0.0, 1.0)))


def soft_threshold(
    key: Array, *, side: Side, weight: Array | None = None, softness: Softplus, workers: Workers = ALONE
) -> float:
    """Return the s at which ``sigmoid(kappa (key - s))`` has the side's share as its mean.

    Solved on a histogram of the keys, to about 1e-6 of the share for keys within a few hundred 1 / kappa.

    Parameters
    ----------
    key, side, weight, softness, workers
        As for `inside`.

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
    bars = histogram(side.sign * key, weight=weight, workers=workers)

    def surplus(s: float) -> tuple[float, float]:
        chosen = logistic(softness.kappa * (bars.centre - s))
        return side.share - float(chosen @ bars.share), softness.kappa * float((chosen * (1 - chosen)) @ bars.share)

    offset = softness.offset(side.share)
    low, high = float(bars.centre[0]) + offset, float(bars.centre[-1]) + offset
    return side.sign * increasing_root(surplus, low, high, start=0.5 * (low + high))


def logistic(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), without overflow.

    Examples
    --------
    >>> logistic(np.array([-1e4, 0.0])).round(3)
    array([0. , 0.5])
    """
    answer = np.minimum(-x, 700.0)
    np.exp(answer, out=answer)
    answer += 1.0
    return np.divide(1.0, answer, out=answer)


def _soft(key: Array, *, side: Side, weight: Array | None, softness: Softplus, workers: Workers) -> Array:
    threshold = soft_threshold(key, side=side, weight=weight, softness=softness, workers=workers)
    return logistic(side.sign * softness.kappa * (key - threshold))


_SIGN = np.uint64(1) << np.uint64(63)


def _ordered(key: Array) -> Array:
    """Integers in the order of the numbers; 0 and -0 are one."""
    bits = (np.asarray(key, dtype=np.float64) + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _number(code: np.uint64) -> float:
    bits = code ^ _SIGN if code & _SIGN else ~code
    return float(np.array([bits], dtype=np.uint64).view(np.float64)[0])
