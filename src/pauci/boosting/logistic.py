"""Logloss in raw scores: the anchor of every region objective."""

from typing import Any

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.workers import Array


def logistic(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), without overflow.

    Examples
    --------
    >>> logistic(np.array([-1e4, 0.0])).round(3)
    array([0. , 0.5])
    """
    answer = np.empty_like(x)
    for block in blocks(len(x)):
        here = answer[block]
        np.negative(x[block], out=here)
        # exp(80) is the largest round power that single precision holds.
        np.minimum(here, 80.0, out=here)
        np.exp(here, out=here)
        here += 1.0
        np.divide(1.0, here, out=here)
    return answer


def add_logloss(
    first: Array, second: Array, *, raw: Array, positives: Array, weight: Array | None, scale: float
) -> None:
    """Add gradient and Hessian of the sum of all rows' logloss, times a scale, to `first` and `second`.

    These are in single precision, which is what boosting libraries sum up. `positives` are the places of the positives.

    Examples
    --------
    >>> first, second = np.zeros((2, 2), dtype=np.float32)
    >>> add_logloss(first, second, raw=np.zeros(2), positives=np.array([0]), weight=None, scale=2.0)
    >>> first, second
    (array([-1.,  1.], dtype=float32), array([0.5, 0.5], dtype=float32))
    """
    if scale == 0:
        return
    factor: Any = np.float32(scale) if weight is None else (scale * weight).astype(np.float32)
    # Before the blocks, because positives are few: a mask would be gone through for all rows.
    first[positives] -= factor if weight is None else factor[positives]
    for block in blocks(len(raw)):
        chance = logistic(raw[block].astype(np.float32))
        slope = chance * (factor if weight is None else factor[block])
        first[block] += slope
        np.subtract(1.0, chance, out=chance)
        slope *= chance
        second[block] += slope
