"""Logloss in raw scores: the anchor of every region objective."""

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
    # exp(80) is the largest round power that single precision holds.
    answer = np.minimum(-x, 80.0)
    np.exp(answer, out=answer)
    answer += 1.0
    return np.divide(1.0, answer, out=answer)


def logloss_gradient(raw: Array, positive: Array, weight: Array | None, *, scale: float) -> tuple[Array, Array]:
    """Return gradient and Hessian of the sum of all rows' logloss, times a scale.

    Parameters
    ----------
    raw : ndarray
        Raw scores.
    positive : ndarray of bool
        Labels.
    weight : ndarray or None
        Sample weights.
    scale : float
        What to multiply with.

    Returns
    -------
    tuple of ndarray
        In single precision, which is what boosting libraries sum up.

    Examples
    --------
    >>> logloss_gradient(np.zeros(2), np.array([True, False]), None, scale=2.0)
    (array([-1.,  1.], dtype=float32), array([0.5, 0.5], dtype=float32))
    """
    first, second = np.empty(len(raw), dtype=np.float32), np.empty(len(raw), dtype=np.float32)
    if scale == 0:
        first[:] = second[:] = 0
        return first, second
    for block in blocks(len(raw)):
        chance = logistic(raw[block].astype(np.float32))
        factor = np.float32(scale) if weight is None else (scale * weight[block]).astype(np.float32)
        first[block] = (chance - positive[block]) * factor
        second[block] = (chance - chance * chance) * factor
    return first, second
