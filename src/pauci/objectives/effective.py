"""How much of a soft selection truly lies in the region."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pauci.objectives.average import mean, selection_weights
from pauci.objectives.classes import ClassAt, classes_at
from pauci.objectives.instancewise import score_weights
from pauci.objectives.scores import check_scores
from pauci.objectives.selectors import Selector, TopK
from pauci.objectives.variables import InnerVariables
from pauci.region import Region


@dataclass(frozen=True)
class EffectiveRegion:
    """Shares of the selection weight that lie in the region (see `effective_region`).

    Attributes
    ----------
    positives, negatives : float
        1 when only instances of the region are selected. A side that is taken whole has 1.

    Examples
    --------
    >>> EffectiveRegion(positives=1.0, negatives=0.46).negatives  # more than half lies on easier negatives
    0.46
    """

    positives: float
    negatives: float


def effective_region(
    positives: Tensor,
    negatives: Tensor,
    inner: InnerVariables,
    *,
    region: Region,
    selector: Selector,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> EffectiveRegion:
    """Return the share of selection weight that falls on instances of the region, for each class.

    A small kappa spreads the weight over the whole class: at 0.3 of the negatives and kappa = 2, less than half of
    it may lie on the top 30%.

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1].
    inner : InnerVariables
        The point at which the selection is made, for instance `inner_optimum`.
    region : Region
        The region that ought to be selected.
    selector : Selector
        How the region is selected.
    positive_weight, negative_weight : Tensor, optional
        Sample weights of each class.

    Returns
    -------
    EffectiveRegion
        0 on a side where nothing at all is selected.

    Examples
    --------
    >>> from pauci.objectives import Softplus, inner_optimum
    >>> scores, region = torch.linspace(0, 1, 101), Region(max_fpr=0.3)
    >>> for kappa in (2.0, 20.0):
    ...     inner = inner_optimum(scores, scores, region=region, selector=Softplus(kappa))
    ...     share = effective_region(scores, scores, inner, region=region, selector=Softplus(kappa))
    ...     print(round(share.negatives, 2))
    0.6
    0.95
    """
    check_scores(positives, negatives, positive_weight=positive_weight, negative_weight=negative_weight)
    weights = {"positive_weight": positive_weight, "negative_weight": negative_weight}
    classes = classes_at(positives, negatives, inner, region=region, **weights)
    inside = score_weights(positives, negatives, region=region, **weights)
    return EffectiveRegion(*(_share_inside(c, part, selector) for c, part in zip(classes, inside, strict=True)))


def _share_inside(c: ClassAt, inside: Tensor, selector: Selector) -> float:
    selected = selection_weights(c.losses, c.s, side=c.side, selector=selector, weights=c.weights)
    total = mean(selected, c.weights).item()
    # Of an instance on the edge of the region ranks take just the part inside; a weight is spread over all of it.
    both = torch.minimum(inside, selected) if isinstance(selector, TopK) else inside * selected
    return mean(both, c.weights).item() / total if total > 0 else 0.0
