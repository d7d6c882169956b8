"""The bounded surrogate: smoothed share of wrongly ordered pairs in the region."""

import numpy as np

from pauci.boosting.pair_sums import bump_sums
from pauci.boosting.rows import ClassRows, RowGradient
from pauci.boosting.selection import select
from pauci.boosting.workers import ALONE, Workers
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import selected_sides
from pauci.region import Region


def pairwise_gradient(
    positives: ClassRows,
    negatives: ClassRows,
    *,
    region: Region,
    temperature: float,
    softness: Softplus | None = None,
    workers: Workers = ALONE,
) -> tuple[RowGradient, RowGradient]:
    """Differentiate the mean of ``sigmoid((z_j - z_i) / temperature)`` over the pairs (i, j) of the region.

    Selection weights are those of the current scores and held fixed, which for exact selection is the derivative
    wherever there is one. Since ``|sigmoid''| <= sigmoid'``, the size of the gradient over the temperature bounds the
    curvature: no leaf moves by more than the temperature, times the learning rate.

    With softness, selection is smooth in the raw score, which bands do not go with; without, it is exact.

    Examples
    --------
    >>> one, two = ClassRows(np.zeros(1), None), ClassRows(np.zeros(2), None)
    >>> pairwise_gradient(one, two, region=Region(max_fpr=0.5), temperature=1.0)[0].first.round(6)
    array([-0.25], dtype=float32)
    """
    of_positives, of_negatives = selected_sides(region)
    lowest = select(-positives.score, side=of_positives, weight=positives.weight, softness=softness, workers=workers)
    highest = select(negatives.score, side=of_negatives, weight=negatives.weight, softness=softness, workers=workers)
    p, q = positives.shares(lowest, workers), negatives.shares(highest, workers)
    of_p, of_q = bump_sums(
        positives.score[lowest.rows], p, negatives.score[highest.rows], q, temperature=temperature, workers=workers
    )
    # Rounding in the tails of the bump must not turn a row around.
    push, pull = (
        np.multiply(np.maximum(of_others, 0.0, out=of_others), share, dtype=np.float32)
        for share, of_others in ((p, of_p), (q, of_q))
    )
    return (
        RowGradient(lowest.rows, -push, push / temperature),
        RowGradient(highest.rows, pull, pull / temperature),
    )
