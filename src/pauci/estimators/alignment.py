"""Scores of one model on the scale of another."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


def align(scores: Array, fitted: Array, reference: Array) -> Array:
    """Shift and stretch scores so that two models agree on rows that both were fitted on.

    A model fitted on some of the rows has another scale than the one fitted on all of them: a threshold for the second
    cannot be read from the first. Both have seen `fitted`, so what differs there is scale and not honesty.

    Parameters
    ----------
    scores : ndarray
        Of the first model, on rows it has not seen.
    fitted, reference : ndarray
        Of the first and the second model on rows that both have seen, negatives by preference: thresholds are about
        them.

    Returns
    -------
    ndarray
        `scores`, such that mean and standard deviation of `fitted` would become those of `reference`.

    Examples
    --------
    >>> import numpy as np
    >>> align(np.array([3.0]), np.array([1.0, 2.0, 3.0]), np.array([20.0, 40.0, 60.0]))
    array([60.])
    """
    spread = fitted.std()
    stretch = reference.std() / spread if spread > 0 and reference.std() > 0 else 1.0
    aligned: Array = reference.mean() + stretch * (scores - fitted.mean())
    return aligned
