"""How well a PAUCI loss works on given scores."""

import warnings
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pauci.losses.class_scores import ClassScores
from pauci.objectives import (
    EffectiveRegion,
    Hinge,
    InnerVariables,
    Selector,
    TopK,
    effective_region,
    gamma_curvature,
    inner_optimum,
    selection_weights,
)
from pauci.objectives.average import mean
from pauci.objectives.classes import ClassAt, classes_at
from pauci.region import Region

#: A sigmoid score this close to 0 or 1 passes less than 1% of its gradient on.
_SATURATED = 0.01
#: gamma this far from its optimum weights the separating term, 1 + gamma, visibly wrong.
_FAR = 0.1


@dataclass(frozen=True)
class Diagnosis:
    """What `PAUCILoss.diagnose` measured; prints one line per quantity, with what it should be.

    Attributes
    ----------
    curvature : float
        Second derivative in gamma at the current inner variables. Where it is positive, ascent runs away from the
        optimum instead of towards it: gamma circles, as it does in two-way regions on well separated scores.
    curvature_optimum : float
        The same at the best inner variables for these scores, where training should end.
    effective_region : EffectiveRegion
        Share of each class's selection weight that truly lies in the region; low for a small kappa.
    active_positives, active_negatives : float
        Number of instances of each class that selection leaves in the batch: the effective sample size of the selection
        weights, (sum q)^2 / sum q^2. Below a handful, gradients are noise.
    selected_positives, selected_negatives : float
        Mean selection weight of each class.
    share_positives, share_negatives : float
        The region's share of each class, which the mean selection weight should equal.
    gamma, gamma_optimum : float
        gamma, and its optimum for the current a and b, (b - a) / (1 + omega).
    optimum : InnerVariables
        The best inner variables for these scores, whatever the current ones are.
    saturated : float
        Share of scores within 0.01 of 0 or 1, through which hardly any gradient passes.

    Examples
    --------
    >>> import torch
    >>> from pauci.losses import PAUCILoss
    >>> loss, score, label = PAUCILoss(max_fpr=0.3, inner="solve"), torch.linspace(-2, 2, 40), torch.arange(40) % 2
    >>> _ = loss(score, label)
    >>> loss.diagnose(score, label).share_negatives
    0.3
    """

    curvature: float
    curvature_optimum: float
    effective_region: EffectiveRegion
    active_positives: float
    active_negatives: float
    selected_positives: float
    selected_negatives: float
    share_positives: float
    share_negatives: float
    gamma: float
    gamma_optimum: float
    optimum: InnerVariables
    saturated: float

    def __str__(self) -> str:
        """Return a line per quantity: its value, and what it should be."""
        rows = (
            ("gamma", self.gamma, f"{self.optimum.gamma:.3f} for these scores, {self.gamma_optimum:.3f} for a and b"),
            ("curvature in gamma", self.curvature, "below 0; raise omega"),
            ("  at the optimum", self.curvature_optimum, "below 0; raise omega"),
            ("positives selected", self.selected_positives, f"{self.share_positives:.3f}"),
            ("  of these in region", self.effective_region.positives, "near 1; raise kappa or lower omega_c"),
            ("  active", self.active_positives, "more than a handful"),
            ("negatives selected", self.selected_negatives, f"{self.share_negatives:.3f}"),
            ("  of these in region", self.effective_region.negatives, "near 1; raise kappa or lower omega_c"),
            ("  active", self.active_negatives, "more than a handful"),
            ("saturated scores", self.saturated, "well below 1"),
        )
        return "\n".join(f"{name:<22}{value:>9.3f}  (should be: {target})" for name, value, target in rows)


def diagnose(
    scores: ClassScores,
    inner: InnerVariables,
    *,
    region: Region,
    selector: Selector,
    omega: float,
    label: int | None = None,
) -> Diagnosis:
    """Measure how well the objective works at a point; warn if it is convex in gamma, or gamma far from its optimum.

    Warnings name the label, if it is one of several.
    """
    positives, negatives, weights = scores
    # The loss cuts by rank, whatever thresholds the point has.
    selector = TopK() if isinstance(selector, Hinge) else selector
    objective: dict[str, Any] = {"region": region, "selector": selector, **weights}
    best = inner_optimum(positives, negatives, omega=omega, **objective)
    of_positives, of_negatives = classes_at(positives, negatives, inner, region=region, **weights)
    q_pos, q_neg = _selection(of_positives, selector), _selection(of_negatives, selector)
    curvatures = [gamma_curvature(positives, negatives, point, omega=omega, **objective) for point in (inner, best)]
    if max(curvatures) > 0:
        warnings.warn(
            f"{of_label(label)}the objective is convex in gamma on these scores (curvature {curvatures[0]:.3g}, at the "
            f"optimum {curvatures[1]:.3g}): under an ordinary optimiser gamma may circle between the ends of its box. "
            "Raise omega, lower kappa (or raise omega_c), use ASGDA, or inner='solve'.",
            stacklevel=3,
        )
    if not abs(float(inner.gamma) - float(best.gamma)) <= _FAR:
        warnings.warn(
            f"{of_label(label)}gamma is {float(inner.gamma):.3g} but its optimum for these scores is "
            f"{float(best.gamma):.3g}. Has the optimiser loss.parameters() or loss.param_groups(), and has it taken "
            "enough steps at a sufficient rate? Or use inner='solve'.",
            stacklevel=3,
        )
    everyone = torch.cat((positives, negatives))
    return Diagnosis(
        curvature=curvatures[0],
        curvature_optimum=curvatures[1],
        effective_region=effective_region(positives, negatives, inner, **objective),
        active_positives=_active(q_pos, of_positives.weights),
        active_negatives=_active(q_neg, of_negatives.weights),
        selected_positives=mean(q_pos, of_positives.weights).item(),
        selected_negatives=mean(q_neg, of_negatives.weights).item(),
        share_positives=of_positives.side.share,
        share_negatives=of_negatives.side.share,
        gamma=float(inner.gamma),
        gamma_optimum=float(inner.b - inner.a) / (1 + omega),
        optimum=best,
        saturated=((everyone - 0.5).abs() > 0.5 - _SATURATED).double().mean().item(),
    )


def of_label(label: int | None) -> str:
    """Begin a message about one of several labels; about the only one there is nothing to say."""
    return "" if label is None else f"label {label}: "


def _selection(c: ClassAt, selector: Selector) -> Tensor:
    return selection_weights(c.losses, c.s, side=c.side, selector=selector, weights=c.weights).double()


def _active(q: Tensor, weights: Tensor | None) -> float:
    if weights is not None:
        q = q * weights
    total = (q * q).sum().item()
    return q.sum().item() ** 2 / total if total > 0 else 0.0
