"""The paper's surrogate: the instance-wise square loss, its inner variables solved for."""

import numpy as np
import torch

from pauci.boosting.blocks import blocks
from pauci.boosting.histogram import histogram
from pauci.boosting.logistic import logistic
from pauci.boosting.rows import ClassRows, RowGradient
from pauci.boosting.selection import Selection, select
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.objectives.inner import inner_optimum
from pauci.objectives.instance import negative_loss, positive_loss
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import selected_sides
from pauci.region import Region


def instancewise_gradient(
    positives: ClassRows,
    negatives: ClassRows,
    *,
    region: Region,
    softness: Softplus | None = None,
    omega: float = 1.0,
    workers: Workers = ALONE,
) -> tuple[RowGradient, RowGradient]:
    """Differentiate the optimal value of `pauci.objectives.minimax_objective` in the raw scores z, f = sigmoid(z).

    By the envelope theorem this is the derivative at the inner optimum: ``2 (f - a) - 2 (1 + gamma)`` for selected
    positives and ``2 (f - b) + 2 (1 + gamma)`` for selected negatives, times f'. Exact selection has it in closed
    form: a and b are the means of the selected scores and gamma = (b - a) / (1 + omega). For softplus `inner_optimum`
    is solved on histograms of the scores. With ``|f''| <= f'`` the curvature for fixed inner variables is at most
    ``2 f'^2 + |gradient in f| f'``.

    Parameters
    ----------
    positives, negatives, region, softness, workers
        As for `pairwise_gradient`; `softness` acts on the instance losses, as in the paper.
    omega : float
        Regularisation of gamma.

    Returns
    -------
    tuple of RowGradient
        Of the positives and of the negatives.

    Examples
    --------
    >>> one, two = ClassRows(np.zeros(1), None), ClassRows(np.zeros(2), None)
    >>> instancewise_gradient(one, two, region=Region(max_fpr=0.5), omega=0.0)[0].first
    array([-0.5])
    """
    if softness is None:
        of_positives, of_negatives = selected_sides(region)
        lowest = select(-positives.score, side=of_positives, weight=positives.weight, workers=workers)
        highest = select(negatives.score, side=of_negatives, weight=negatives.weight, workers=workers)
    else:
        lowest, highest = _soft(positives, negatives, region=region, softness=softness, omega=omega, workers=workers)
    p, q = positives.shares(lowest, workers), negatives.shares(highest, workers)
    f_p, f_q = logistic(positives.score[lowest.rows]), logistic(negatives.score[highest.rows])
    a, b = workers.total(np.array([p @ f_p, q @ f_q]))
    tilt = 2 * (1 + (b - a) / (1 + omega))
    return (
        _chain(lowest.rows, f_p, p, from_centre=a, tilt=-tilt),
        _chain(highest.rows, f_q, q, from_centre=b, tilt=tilt),
    )


def _soft(
    positives: ClassRows,
    negatives: ClassRows,
    *,
    region: Region,
    softness: Softplus,
    omega: float,
    workers: Workers,
) -> tuple[Selection, Selection]:
    """Select at the inner optimum, which the scores enter only through their distribution."""
    scores = [logistic(rows.score) for rows in (positives, negatives)]
    bars = [
        [torch.from_numpy(column) for column in histogram(f, weight=rows.weight, workers=workers)]
        for f, rows in zip(scores, (positives, negatives), strict=True)
    ]
    inner = inner_optimum(
        bars[0][0].clamp(0, 1),
        bars[1][0].clamp(0, 1),
        region=region,
        selector=softness,
        omega=omega,
        positive_weight=bars[0][1],
        negative_weight=bars[1][1],
    )
    of_positives, of_negatives = selected_sides(region)
    parts = [np.ones(len(f)) for f in scores]
    if of_positives.kind != "whole":
        for block in blocks(len(scores[0])):
            excess = positive_loss(torch.from_numpy(scores[0][block]), a=inner.a, gamma=inner.gamma) - inner.s_pos
            parts[0][block] = softness.weight(of_positives.sign * excess).numpy()
    if of_negatives.kind != "whole":
        for block in blocks(len(scores[1])):
            excess = negative_loss(torch.from_numpy(scores[1][block]), b=inner.b, gamma=inner.gamma) - inner.s_neg
            parts[1][block] = softness.weight(of_negatives.sign * excess).numpy()
    return Selection(np.arange(len(parts[0])), parts[0]), Selection(np.arange(len(parts[1])), parts[1])


def _chain(rows: Array, f: Array, share: Array, *, from_centre: float, tilt: float) -> RowGradient:
    """Return the derivatives in z of rows with scores f and such shares in the mean."""
    first, second = np.empty(len(f)), np.empty(len(f))
    for block in blocks(len(f)):
        here, part = f[block], share[block]
        rise = here * (1 - here)
        slope = 2 * (here - from_centre) + tilt
        part = part * rise
        first[block] = part * slope
        second[block] = part * (2 * rise + np.abs(slope))
    return RowGradient(rows, first, second)
