"""The paper's surrogate: the instance-wise square loss, its inner variables solved for."""

from typing import NamedTuple

import numpy as np
import torch

from pauci.boosting.histogram import histogram
from pauci.boosting.pairwise import ClassRows
from pauci.boosting.selection import inside, logistic
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
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Differentiate the optimal value of `pauci.objectives.minimax_objective` in the raw scores z, f = sigmoid(z).

    By the envelope theorem this is the derivative at the inner optimum: ``2 (f - a) - 2 (1 + gamma)`` for selected
    positives and ``2 (f - b) + 2 (1 + gamma)`` for selected negatives, times f'. Exact selection has it in closed
    form: a and b are the means of the selected scores and gamma = (b - a) / (1 + omega). For softplus `inner_optimum`
    is solved on histograms of the scores. With ``|f''| <= f'`` the curvature is at most
    ``2 f'^2 + |gradient in f| f'``, less what selection adds.

    Parameters
    ----------
    positives, negatives, region, softness, workers
        As for `pairwise_gradient`; `softness` acts on the instance losses, as in the paper.
    omega : float
        Regularisation of gamma.

    Returns
    -------
    tuple
        Gradient and Hessian bound of the positives, then of the negatives.

    Examples
    --------
    >>> ((slope, _), _) = instancewise_gradient(
    ...     (np.zeros(1), None), (np.zeros(2), None), region=Region(max_fpr=0.5), omega=0.0
    ... )
    >>> slope
    array([-0.5])
    """
    sides = selected_sides(region)
    both = [
        _ClassScores(logistic(z), weight, side) for (z, weight), side in zip((positives, negatives), sides, strict=True)
    ]
    if softness is None:
        parts = [
            inside(pull * c.f, side=c.side, weight=c.weight, workers=workers)
            for c, pull in zip(both, (-1, 1), strict=True)
        ]
    else:
        parts = _soft_parts(*both, region=region, softness=softness, omega=omega, workers=workers)
    for c, part in zip(both, parts, strict=True):
        if c.weight is not None:
            part *= c.weight
        part /= workers.total(part.sum(keepdims=True))
    a, b = workers.total(np.array([part @ c.f for c, part in zip(both, parts, strict=True)]))
    tilt = 2 * (1 + (b - a) / (1 + omega))
    return (
        _chain(both[0].f, 2 * (both[0].f - a) - tilt, parts[0]),
        _chain(both[1].f, 2 * (both[1].f - b) + tilt, parts[1]),
    )


class _ClassScores(NamedTuple):
    f: Array
    weight: Array | None
    side: Side


def _soft_parts(
    positives: _ClassScores,
    negatives: _ClassScores,
    *,
    region: Region,
    softness: Softplus,
    omega: float,
    workers: Workers,
) -> list[Array]:
    """Return the selection weights at the inner optimum, which the scores enter only through their distribution."""
    bars = [
        [torch.from_numpy(column) for column in histogram(c.f, weight=c.weight, workers=workers)]
        for c in (positives, negatives)
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
    losses = (
        positive_loss(torch.from_numpy(positives.f), a=inner.a, gamma=inner.gamma) - inner.s_pos,
        negative_loss(torch.from_numpy(negatives.f), b=inner.b, gamma=inner.gamma) - inner.s_neg,
    )
    return [
        np.ones(len(c.f)) if c.side.kind == "whole" else softness.weight(c.side.sign * excess).numpy()
        for c, excess in zip((positives, negatives), losses, strict=True)
    ]


def _chain(f: Array, slope: Array, part: Array) -> tuple[Array, Array]:
    """Gradient and Hessian bound in z, of rows with such slopes in f and such parts in the mean."""
    rise = f * (1 - f)
    return part * slope * rise, part * (2 * rise + np.abs(slope)) * rise
