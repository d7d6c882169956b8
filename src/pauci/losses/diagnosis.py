"""How well a PAUCI loss works on given scores."""

import warnings
from dataclasses import dataclass

import torch
from torch import Tensor

from pauci.losses.inputs import ClassScores
from pauci.objectives import (
    EffectiveRegion,
    InnerVariables,
    Selector,
    Side,
    effective_region,
    gamma_curvature,
    negative_loss,
    positive_loss,
    selected_sides,
    selection_weights,
)
from pauci.region import Region

#: A sigmoid score this close to 0 or 1 passes less than 1% of its gradient on.
_SATURATED = 0.01


@dataclass(frozen=True)
class Diagnosis:
    """What `PAUCILoss.diagnose` measured.

    Attributes
    ----------
    curvature : float
        Second derivative in gamma; positive means that gamma's ascent has no maximum to find.
    effective_region : EffectiveRegion
        Share of the selection weight of each class that truly lies in the region: low for a small kappa.
    active_positives, active_negatives : float
        Instances of the batch that selection leaves to each class: the effective sample size of the selection
        weights, (sum q)^2 / sum q^2. Below a handful, gradients are noise.
    gamma, gamma_optimum : float
        gamma, and (b - a) / (1 + omega) where it should be.
    saturated : float
        Share of scores within 0.01 of 0 or 1, through which hardly any gradient passes.
    """

    curvature: float
    effective_region: EffectiveRegion
    active_positives: float
    active_negatives: float
    gamma: float
    gamma_optimum: float
    saturated: float


def diagnose(
    scores: ClassScores, inner: InnerVariables, *, region: Region, selector: Selector, omega: float
) -> Diagnosis:
    """Measure how well the objective works at a point; warn if it is not concave in gamma there.

    Parameters
    ----------
    scores : ClassScores
        Scores in [0, 1].
    inner : InnerVariables
        The point.
    region, selector, omega
        The objective.

    Returns
    -------
    Diagnosis
        The measurements.
    """
    positives, negatives, weights = scores
    share = effective_region(positives, negatives, inner, region=region, selector=selector, **weights)
    curvature = gamma_curvature(positives, negatives, inner, region=region, selector=selector, omega=omega, **weights)
    if curvature > 0:
        warnings.warn(
            f"the objective is convex in gamma here (curvature {curvature:.3g}), so that its ascent does not settle. "
            "Raise omega, lower kappa (raise omega_c), or widen the region.",
            stacklevel=3,
        )
    positive_side, negative_side = selected_sides(region)
    everyone = torch.cat((positives, negatives))
    return Diagnosis(
        curvature=curvature,
        effective_region=share,
        active_positives=_active(
            positive_loss(positives, a=inner.a, gamma=inner.gamma),
            inner.s_pos,
            positive_side,
            selector,
            weights["positive_weight"],
        ),
        active_negatives=_active(
            negative_loss(negatives, b=inner.b, gamma=inner.gamma),
            inner.s_neg,
            negative_side,
            selector,
            weights["negative_weight"],
        ),
        gamma=float(inner.gamma),
        gamma_optimum=float(inner.b - inner.a) / (1 + omega),
        saturated=((everyone - 0.5).abs() > 0.5 - _SATURATED).double().mean().item(),
    )


def _active(losses: Tensor, s: float | Tensor, side: Side, selector: Selector, weight: Tensor | None) -> float:
    q = selection_weights(losses, s, side=side, selector=selector, weights=weight).double()
    if weight is not None:
        q = q * weight
    total = (q * q).sum().item()
    return q.sum().item() ** 2 / total if total > 0 else 0.0
