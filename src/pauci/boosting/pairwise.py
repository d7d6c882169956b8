"""The bounded surrogate: smoothed share of wrongly ordered pairs in the region."""

import numpy as np

from pauci.boosting.pair_sums import bump_sums
from pauci.boosting.selection import inside
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import Side, selected_sides
from pauci.region import Region

ClassRows = tuple[Array, Array | None]

#: Rows selected with less weight than this are left out of the sums.
_NEGLIGIBLE = 1e-7


def pairwise_gradient(
    positives: ClassRows,
    negatives: ClassRows,
    *,
    region: Region,
    temperature: float,
    softness: Softplus | None = None,
    workers: Workers = ALONE,
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Differentiate the mean of ``sigmoid((z_j - z_i) / temperature)`` over the pairs (i, j) of the region.

    Selection weights are those of the current scores and held fixed, which for exact selection is the derivative
    wherever there is one. Since ``|sigmoid''| <= sigmoid'``, the size of the gradient over the temperature bounds the
    curvature: no leaf moves by more than the temperature, times the learning rate.

    Parameters
    ----------
    positives, negatives : tuple of ndarray and (ndarray or None)
        Raw scores and sample weights of each class.
    region : Region
        Any rectangle; bands need exact selection.
    temperature : float
        Width of the sigmoid.
    softness : Softplus, optional
        Smooth selection in the raw score; exact by default.
    workers : Workers
        Who has the other rows.

    Returns
    -------
    tuple
        Gradient and Hessian bound of the positives, then of the negatives.

    Examples
    --------
    >>> ((slope, bend), _) = pairwise_gradient(
    ...     (np.zeros(1), None), (np.zeros(2), None), region=Region(max_fpr=0.5), temperature=1.0
    ... )
    >>> slope.round(6), bend.round(6)
    (array([-0.25]), array([0.25]))
    """
    of_positives, of_negatives = selected_sides(region)
    p = _shares(*positives, -1, of_positives, softness, workers)
    q = _shares(*negatives, 1, of_negatives, softness, workers)
    near_p, near_q = (
        np.flatnonzero(p > _NEGLIGIBLE * p.max(initial=0)),
        np.flatnonzero(q > _NEGLIGIBLE * q.max(initial=0)),
    )
    rises = bump_sums(
        positives[0][near_p], p[near_p], negatives[0][near_q], q[near_q], temperature=temperature, workers=workers
    )
    answers = []
    for sign, share, near, rise in ((-1, p, near_p, rises[0]), (1, q, near_q, rises[1])):
        size = np.zeros(len(share))
        size[near] = share[near] * np.maximum(rise, 0.0)
        answers.append((sign * size, size / temperature))
    return answers[0], answers[1]


def _shares(
    z: Array, weight: Array | None, sign: int, side: Side, softness: Softplus | None, workers: Workers
) -> Array:
    """Weights of a class's rows in the mean over the region; they sum to 1 over all workers."""
    share = inside(sign * z, side=side, weight=weight, softness=softness, workers=workers)
    if weight is not None:
        share *= weight
    share /= workers.total(share.sum(keepdims=True))
    return share
