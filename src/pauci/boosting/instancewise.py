"""The paper's surrogate: the instance-wise square loss, its inner variables solved for."""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor

from pauci.boosting.blocks import blocks
from pauci.boosting.histogram import histogram
from pauci.boosting.logistic import logistic
from pauci.boosting.rows import ClassRows, RowGradient
from pauci.boosting.selection import ALL, Selection, select
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.objectives.inner import inner_optimum
from pauci.objectives.instance import negative_loss, positive_loss
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import Side, selected_sides
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

    Arguments are those of `pairwise_gradient`; softness acts on the instance losses, as in the paper, and omega
    regularises gamma.

    Examples
    --------
    >>> one, two = ClassRows(np.zeros(1), None), ClassRows(np.zeros(2), None)
    >>> instancewise_gradient(one, two, region=Region(max_fpr=0.5), omega=0.0)[0].first
    array([-0.5])
    """
    if softness is None:
        return _exact(positives, negatives, region=region, omega=omega, workers=workers)
    return _soft(positives, negatives, region=region, softness=softness, omega=omega, workers=workers)


def _exact(
    positives: ClassRows, negatives: ClassRows, *, region: Region, omega: float, workers: Workers
) -> tuple[RowGradient, RowGradient]:
    of_positives, of_negatives = selected_sides(region)
    lowest = select(-positives.score, side=of_positives, weight=positives.weight, workers=workers)
    highest = select(negatives.score, side=of_negatives, weight=negatives.weight, workers=workers)
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
) -> tuple[RowGradient, RowGradient]:
    """Select at the inner optimum, which the scores enter only through their distribution.

    Every row is selected a little. Single precision, which the derivatives end in, makes that half the way.
    """
    f_p, f_q = (logistic(rows.score.astype(np.float32)) for rows in (positives, negatives))
    of_p = histogram(f_p, weight=positives.weight, workers=workers)
    of_q = histogram(f_q, weight=negatives.weight, workers=workers)
    inner = inner_optimum(
        torch.from_numpy(of_p.centre).clamp(0, 1),
        torch.from_numpy(of_q.centre).clamp(0, 1),
        region=region,
        selector=softness,
        omega=omega,
        positive_weight=torch.from_numpy(of_p.share),
        negative_weight=torch.from_numpy(of_q.share),
    )
    of_positives, of_negatives = selected_sides(region)
    a, b, gamma = float(inner.a), float(inner.b), float(inner.gamma)
    losses_p, losses_q = partial(positive_loss, a=a, gamma=gamma), partial(negative_loss, b=b, gamma=gamma)
    p = positives.shares(_selection(f_p, losses_p, of_positives, float(inner.s_pos), softness), workers)
    q = negatives.shares(_selection(f_q, losses_q, of_negatives, float(inner.s_neg), softness), workers)
    tilt = 2 * (1 + gamma)
    return _chain(ALL, f_p, p, from_centre=a, tilt=-tilt), _chain(ALL, f_q, q, from_centre=b, tilt=tilt)


def _selection(
    f: Array, losses: Callable[[Tensor], Tensor], side: Side, threshold: float, softness: Softplus
) -> Selection:
    part = np.ones_like(f)
    if side.kind != "whole":
        for block in blocks(len(f)):
            excess = side.sign * (losses(torch.from_numpy(f[block])) - threshold)
            part[block] = softness.weight(excess).numpy()
    return Selection(ALL, part)


def _chain(rows: Array | slice, f: Array, share: Array, *, from_centre: float, tilt: float) -> RowGradient:
    """Return the derivatives in z of rows with scores f and such shares in the mean."""
    first, second = np.empty_like(share), np.empty_like(share)
    shift = tilt - 2 * from_centre
    for block in blocks(len(f)):
        here, part = f[block], share[block]
        rise = here * (1 - here)
        slope = 2 * here + shift
        part = part * rise
        np.multiply(part, slope, out=first[block])
        np.abs(slope, out=slope)
        rise *= 2
        slope += rise
        np.multiply(part, slope, out=second[block])
    return RowGradient(rows, first, second)
