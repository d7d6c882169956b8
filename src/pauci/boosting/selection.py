"""Which rows of a class lie in the region: by an exact cut, or by a smooth one."""

from typing import NamedTuple

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.cut import top_cut
from pauci.boosting.histogram import histogram
from pauci.boosting.logistic import logistic
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import Side, refuse_band
from pauci.objectives.threshold import increasing_root

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

    The larger a key, the earlier its row is selected; a row takes room in proportion to its weight. With softness, rows
    are selected by ``sigmoid(kappa (key - s))``, its mean being the share; without, exactly. Rows with equal keys are
    treated alike: where an exact cut goes through them, each counts by the same fraction.

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


def soft_threshold(
    key: Array, *, side: Side, weight: Array | None = None, softness: Softplus, workers: Workers = ALONE
) -> float:
    """Return the s at which ``sigmoid(kappa (key - s))`` has the side's share as its mean.

    Solved on a histogram of the keys, to about 1e-5 of the share for keys within 40 / kappa of each other.

    For a bottom, where the smallest keys are selected, it is the threshold of the negated keys, negated.

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
