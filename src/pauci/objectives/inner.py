"""The optimum of the inner variables for fixed scores."""

from torch import Tensor

from pauci.objectives.average import increasing_root, mean, rank_weights, selection_threshold
from pauci.objectives.instance import negative_loss, positive_loss
from pauci.objectives.scores import check_scores
from pauci.objectives.selectors import Hinge, Selector, TopK
from pauci.objectives.sides import Side, selected_sides
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

    Wherever the joint problem, min over (a, b, s, s') and max over gamma, has a saddle point, it is this point. It
    need not have one: the objective may be convex in gamma (a sharp selector with small omega); the order taken here,
    thresholds inside gamma's step, still makes sense then and is what the paper starts from.

    All derivatives vanish at the solution, so that a and b are the means of the selected scores, the mean selection
    weights are the shares, gamma = (b - a) / (1 + omega), which always lies in `gamma_domain`, and the multipliers
    are 0. For the exact selectors this is a closed form. For smooth ones the selection depends on the scores only
    through ``f^2 - 2 (1 + gamma + a) f`` and ``f^2 + 2 (1 + gamma - b) f``; eliminating gamma and the thresholds
    leaves two equations in a and b, each increasing in its own variable, that are solved by nested safeguarded Newton
    iterations. The solution is unique for one-way regions, and for two-way regions with omega >= 1 (in practice also
    below).

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1].
    region, selector, omega, positive_weight, negative_weight
        As for `minimax_objective`.

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
    check_scores(positives, negatives)
    positive_side, negative_side = selected_sides(region)
    for_positives = _Selection(positives, positive_weight, positive_side, selector, pull=-1)
    for_negatives = _Selection(negatives, negative_weight, negative_side, selector, pull=1)
    a, b = _means(for_positives, for_negatives, omega)
    gamma = (b - a) / (1 + omega)
    return InnerVariables(
        a=a,
        b=b,
        gamma=gamma,
        s_pos=selection_threshold(
            positive_loss(for_positives.scores, a=a, gamma=gamma),
            side=positive_side,
            selector=selector,
            weights=positive_weight,
        ),
        s_neg=selection_threshold(
            negative_loss(for_negatives.scores, b=b, gamma=gamma),
            side=negative_side,
            selector=selector,
            weights=negative_weight,
        ),
    )


class _Selection:
    """The mean selected score of one class as a function of the tilt t, the losses being f^2 + 2 t f."""

    def __init__(self, scores: Tensor, weights: Tensor | None, side: Side, selector: Selector, *, pull: int) -> None:
        self.scores = scores.detach().double()
        self.weights = weights
        self.side = side
        self.selector = selector
        self.pull = pull
        self.threshold: float | None = None

    def mean(self, toward: float) -> tuple[float, float]:
        """Return the mean selected score at tilt ``pull - toward``, and its slope in the tilt."""
        f, weights, side, selector = self.scores, self.weights, self.side, self.selector
        if side.kind == "whole":
            return mean(f, weights).item(), 0.0
        if isinstance(selector, TopK | Hinge):
            # The losses are monotone in the score at the optimum, whatever the tilt.
            inside = rank_weights(self.pull * f, side=side, weights=weights)
            return mean(inside * f, weights).item() / side.share, 0.0
        losses = f**2 + 2 * (self.pull - toward) * f
        self.threshold = selection_threshold(
            losses, side=side, selector=selector, weights=weights, start=self.threshold
        )
        excess = side.sign * (losses - self.threshold)
        selected = mean(selector.weight(excess) * f, weights).item() / side.share
        bend = selector.curvature(excess)
        total = mean(bend, weights).item()
        if total <= 0:
            return selected, 0.0
        centre = mean(bend * f, weights).item() / total
        return selected, side.sign * 2 * mean(bend * (f - centre) ** 2, weights).item() / side.share


def _means(positives: _Selection, negatives: _Selection, omega: float) -> tuple[float, float]:
    """Solve a = positives.mean((b + omega a) / (1 + omega)), b = negatives.mean((a + omega b) / (1 + omega))."""

    def response(of: _Selection, other: float, guess: float) -> tuple[float, float]:
        """Return one side's mean given the other's, and its derivative in the other's."""

        def excess(own: float) -> tuple[float, float]:
            selected, slope = of.mean((other + omega * own) / (1 + omega))
            return own - selected, 1 + slope * omega / (1 + omega)

        own = increasing_root(excess, 0.0, 1.0, start=guess)
        slope = of.mean((other + omega * own) / (1 + omega))[1]
        return own, -slope / (1 + omega) / (1 + slope * omega / (1 + omega))

    a, _ = positives.mean(0.5)

    def excess(b: float) -> tuple[float, float]:
        nonlocal a
        a, a_slope = response(positives, b, a)
        selected, slope = negatives.mean((a + omega * b) / (1 + omega))
        return b - selected, 1 + slope * (omega + a_slope) / (1 + omega)

    b = increasing_root(excess, 0.0, 1.0, start=negatives.mean(a)[0])
    return response(positives, b, a)[0], b
