"""The optimum of the inner variables for fixed scores."""

from collections.abc import Callable

from torch import Tensor

from pauci.errors import InputError
from pauci.objectives.average import mean
from pauci.objectives.instance import negative_loss, positive_loss
from pauci.objectives.ranks import rank_weights
from pauci.objectives.scores import check_scores
from pauci.objectives.selectors import Hinge, Selector, TopK
from pauci.objectives.sides import Side, selected_sides
from pauci.objectives.threshold import increasing_root, selection_threshold
from pauci.objectives.variables import InnerVariables
from pauci.region import Region


def inner_optimum(
    positives: Tensor,
    negatives: Tensor,
    *,
    region: Region,
    selector: Selector,
    omega: float = 0.0,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> InnerVariables:
    """Return the point that solves ``max over gamma, min over a, b, s, s'`` of the objective for fixed scores.

    Wherever the joint problem, min over (a, b, s, s') and max over gamma, has a saddle point, it is this point. The
    joint problem need not have one, because the objective may be convex in gamma (a sharp selector with small omega).
    The order taken here, with the thresholds inside gamma's step, still makes sense then, and is what the paper starts
    from.

    All derivatives vanish at the solution. So a and b are the means of the selected scores, the mean selection weights
    are the shares, gamma is (b - a) / (1 + omega), which always lies in `gamma_domain`, and the multipliers are 0. For
    the exact selectors this is a closed form. For smooth ones, the selection depends on the scores only through
    ``f^2 - 2 (1 + gamma + a) f`` and ``f^2 + 2 (1 + gamma - b) f``. Eliminating gamma and the thresholds leaves two
    equations in a and b, which are solved by nested safeguarded Newton iterations. Where no bottom of a class is
    selected (`max_tpr` is 1), each equation increases in its own variable, and the solution is unique for one-way
    regions and for two-way regions with omega >= 1. Otherwise a smooth selector may have several solutions, and one of
    them is returned. Where the bottom of a class is selected, the maximum is taken over its threshold together with
    gamma.

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1].
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
    InnerVariables
        Python floats. By the envelope theorem the gradient of the objective at this point with respect to the scores
        is that of its optimal value (in the order above).

    Examples
    --------
    >>> import torch
    >>> from pauci.objectives import Softplus
    >>> positives, negatives = torch.tensor([0.9, 0.7]), torch.tensor([0.5, 0.3, 0.1])
    >>> best = inner_optimum(positives, negatives, region=Region(max_fpr=1 / 3), selector=Hinge(), omega=1.0)
    >>> round(best.a, 6), round(best.b, 6), round(best.gamma, 6)
    (0.8, 0.5, -0.15)
    >>> soft = inner_optimum(positives, negatives, region=Region(max_fpr=1 / 3), selector=Softplus(4.0), omega=1.0)
    >>> round(soft.b, 3)
    0.391
    """
    check_scores(positives, negatives, positive_weight=positive_weight, negative_weight=negative_weight)
    if not omega >= 0:
        raise InputError(f"omega={omega!r} must be at least 0; a negative one would reward gamma for growing.")
    positives, negatives = positives.detach().double(), negatives.detach().double()
    positive_side, negative_side = selected_sides(region)
    a, b = _centres(
        _selected_mean(positives, positive_weight, positive_side, selector, pull=-1),
        _selected_mean(negatives, negative_weight, negative_side, selector, pull=1),
        omega,
    )
    gamma = (b - a) / (1 + omega)
    return InnerVariables(
        a=a,
        b=b,
        gamma=gamma,
        s_pos=selection_threshold(
            positive_loss(positives, a=a, gamma=gamma), side=positive_side, selector=selector, weights=positive_weight
        ),
        s_neg=selection_threshold(
            negative_loss(negatives, b=b, gamma=gamma), side=negative_side, selector=selector, weights=negative_weight
        ),
    )


#: Takes x to the mean selected score of a class, the losses being f^2 + 2 (pull - x) f, and minus its slope in x.
_SelectedMean = Callable[[float], tuple[float, float]]


def _selected_mean(f: Tensor, weights: Tensor | None, side: Side, selector: Selector, *, pull: int) -> _SelectedMean:
    if side.kind == "whole" or isinstance(selector, TopK | Hinge):
        # Losses are monotone in the score at the optimum, so that exact selection does not depend on the tilt.
        inside = rank_weights(pull * f, side=side, weights=weights)
        fixed = mean(inside * f, weights).item() / side.share
        return lambda _: (fixed, 0.0)
    threshold: float | None = None

    def selected_mean(x: float) -> tuple[float, float]:
        nonlocal threshold
        losses = f**2 + 2 * (pull - x) * f
        threshold = selection_threshold(losses, side=side, selector=selector, weights=weights, start=threshold)
        excess = side.sign * (losses - threshold)
        selected = mean(selector.weight(excess) * f, weights).item() / side.share
        bend = selector.curvature(excess)
        total = mean(bend, weights).item()
        if total <= 0:
            return selected, 0.0
        centre = mean(bend * f, weights).item() / total
        return selected, side.sign * 2 * mean(bend * (f - centre) ** 2, weights).item() / side.share

    return selected_mean


def _centres(of_positives: _SelectedMean, of_negatives: _SelectedMean, omega: float) -> tuple[float, float]:
    """Solve a = of_positives((b + omega a) / (1 + omega)) and b = of_negatives((a + omega b) / (1 + omega))."""

    def answer(b: float, guess: float) -> tuple[float, float]:
        """Return the a that belongs to b, and its derivative in b."""

        def excess(a: float) -> tuple[float, float]:
            selected, slope = of_positives((b + omega * a) / (1 + omega))
            return a - selected, 1 + slope * omega / (1 + omega)

        a = increasing_root(excess, 0.0, 1.0, start=guess)
        slope = of_positives((b + omega * a) / (1 + omega))[1]
        return a, -slope / (1 + omega + slope * omega)

    a = of_positives(0.5)[0]

    def excess(b: float) -> tuple[float, float]:
        nonlocal a
        a, a_slope = answer(b, a)
        selected, slope = of_negatives((a + omega * b) / (1 + omega))
        return b - selected, 1 + slope * (omega + a_slope) / (1 + omega)

    b = increasing_root(excess, 0.0, 1.0, start=of_negatives(a)[0])
    return answer(b, a)[0], b
