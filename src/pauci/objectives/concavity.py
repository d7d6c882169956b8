"""Is the objective concave in gamma? The worst case, and what holds for given scores."""

from torch import Tensor

from pauci.errors import InputError
from pauci.objectives.average import mean
from pauci.objectives.classes import ClassAt, classes_at
from pauci.objectives.scores import check_scores
from pauci.objectives.selectors import Selector, TopK
from pauci.objectives.sides import refuse_band, selected_sides
from pauci.objectives.variables import InnerVariables
from pauci.region import Region


def concavity_margin(kappa: float, omega: float, region: Region, *, optimal_threshold: bool = False) -> float:
    """Return how far the softplus objective is from losing concavity in gamma, in the worst case over scores.

    The second derivative is -2 (1 + omega) + sum over the selected classes of (4 / share) E[r'' f^2], and r'' <= kappa
    / 4, f <= 1: the objective is concave whenever ``kappa (1/alpha + 1/beta) < 2 (1 + omega)``, without the terms of
    classes that are taken whole. (The paper's ``kappa <= 2 + 2 omega`` forgets 1/alpha and 1/beta.) A class of which
    the bottom is selected adds nothing: its term is concave by itself.

    Parameters
    ----------
    kappa, omega : float
        Sharpness of the selector and regularisation. For the dual selector use ``kappa = 2 / omega_c``.
    region : Region
        The selected region.
    optimal_threshold : bool, default False
        Whether to assume that thresholds are optimal, so that the mean weight is the share. Then E[r''] / share is at
        most kappa (1 - share), which is never above kappa / (4 share) (softplus only).

    Returns
    -------
    float
        2 (1 + omega) minus the worst case of the rest: positive means concave for all scores. A negative margin does
        not mean that training fails; `gamma_curvature` measures what holds for given scores.

    Raises
    ------
    InputError, RegionError
        For settings that no softplus objective has: kappa or omega below 0, or a band.

    Examples
    --------
    >>> concavity_margin(4.0, 1.0, Region(max_fpr=0.5))
    -4.0
    >>> concavity_margin(1.0, 1.0, Region(max_fpr=0.5, min_tpr=0.5))
    0.0
    """
    for name, value in (("kappa", kappa), ("omega", omega)):
        if not value >= 0:
            raise InputError(f"{name}={value!r} must be at least 0: no objective has another one.")
    worst = 0.0
    for side in selected_sides(region):
        refuse_band(side)
        if side.kind == "top":
            worst += 4 * kappa * (1 - side.share if optimal_threshold else 1 / (4 * side.share))
    return 2 * (1 + omega) - worst


def gamma_curvature(
    positives: Tensor,
    negatives: Tensor,
    inner: InnerVariables,
    *,
    region: Region,
    selector: Selector,
    omega: float = 0.0,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> float:
    """Return the second derivative of the objective in gamma at a point: negative means concave there.

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1].
    inner : InnerVariables
        The point.
    region : Region
        The selected region.
    selector : Selector
        How the region is selected.
    omega : float
        Strength of the regularisation of gamma.
    positive_weight, negative_weight : Tensor, optional
        Sample weights of each class.

    Returns
    -------
    float
        The curvature.

    Examples
    --------
    >>> import torch
    >>> from pauci.objectives import Softplus, inner_optimum
    >>> scores, region, selector = torch.linspace(0, 1, 101), Region(max_fpr=0.3), Softplus(4.0)
    >>> inner = inner_optimum(scores, scores, region=region, selector=selector, omega=1.0)
    >>> round(gamma_curvature(scores, scores, inner, region=region, selector=selector, omega=1.0), 2)
    -1.19
    >>> round(concavity_margin(4.0, 1.0, region), 2)
    -9.33
    """
    check_scores(positives, negatives, positive_weight=positive_weight, negative_weight=negative_weight)
    classes = classes_at(
        positives,
        negatives,
        inner,
        region=region,
        positive_weight=positive_weight,
        negative_weight=negative_weight,
    )
    return -2 * (1 + omega) + sum(_bend(c, selector) for c in classes)


def _bend(c: ClassAt, selector: Selector) -> float:
    if c.side.kind == "whole" or isinstance(selector, TopK):
        return 0.0
    refuse_band(c.side)
    bend = selector.curvature(c.side.sign * (c.losses - c.s)) * c.scores**2
    return c.side.sign * 4 * mean(bend, c.weights).item() / c.side.share
