"""The exact objective F and the pairwise risk it stands for: selection by score, by sorting."""

from torch import Tensor

from pauci.objectives.average import mean
from pauci.objectives.instance import negative_loss, positive_loss
from pauci.objectives.ranks import rank_weights
from pauci.objectives.scores import check_scores
from pauci.objectives.sides import selected_sides
from pauci.objectives.variables import Scalar
from pauci.region import Region


def instancewise_objective(
    positives: Tensor,
    negatives: Tensor,
    *,
    a: Scalar,
    b: Scalar,
    gamma: Scalar,
    region: Region,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> Tensor:
    """Return F, the paper's Step 1: the mean of P and of N over the instances in the region, minus gamma^2.

    Minimised over a, b in [0, 1] and maximised over gamma in [-1, 1], F is `selected_risk` minus 1 (Theorems 1 and 7).
    It is the same when gamma is confined to `gamma_domain` (OP1 = OP2, OP3 = OP4).

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1].
    a, b, gamma : float or Tensor
        The inner variables.
    region : Region
        Any rectangle; an instance that straddles an edge counts by the fraction inside.
    positive_weight, negative_weight : Tensor, optional
        Sample weights of each class.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import torch
    >>> positives, negatives = torch.tensor([0.9, 0.7]), torch.tensor([0.5, 0.3, 0.1])
    >>> region = Region(max_fpr=1 / 3)
    >>> f = instancewise_objective(positives, negatives, a=0.8, b=0.5, gamma=-0.3, region=region)
    >>> torch.testing.assert_close(1 + f, selected_risk(positives, negatives, region=region))
    """
    inside_positives, inside_negatives = score_weights(
        positives, negatives, region=region, positive_weight=positive_weight, negative_weight=negative_weight
    )
    from_positives = mean(inside_positives * positive_loss(positives, a=a, gamma=gamma), positive_weight)
    from_negatives = mean(inside_negatives * negative_loss(negatives, b=b, gamma=gamma), negative_weight)
    return from_positives / region.height + from_negatives / region.width - gamma * gamma


def selected_risk(
    positives: Tensor,
    negatives: Tensor,
    *,
    region: Region,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> Tensor:
    """Return the mean of (1 - (f+ - f-))^2 over all pairs in the region, from four moments.

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1].
    region : Region
        Any rectangle.
    positive_weight, negative_weight : Tensor, optional
        Sample weights of each class.

    Returns
    -------
    Tensor
        A scalar: the variances of the selected positives and negatives plus (1 - difference of their means)^2.

    Examples
    --------
    >>> import torch
    >>> selected_risk(torch.tensor([0.9, 0.7]), torch.tensor([0.5, 0.3, 0.1]), region=Region(max_fpr=1 / 3))
    tensor(0.5000)
    """
    check_scores(positives, negatives, positive_weight=positive_weight, negative_weight=negative_weight)
    inside_positives, inside_negatives = score_weights(
        positives, negatives, region=region, positive_weight=positive_weight, negative_weight=negative_weight
    )
    a = mean(inside_positives * positives, positive_weight) / region.height
    b = mean(inside_negatives * negatives, negative_weight) / region.width
    spread_positives = mean(inside_positives * (positives - a) ** 2, positive_weight) / region.height
    spread_negatives = mean(inside_negatives * (negatives - b) ** 2, negative_weight) / region.width
    return spread_positives + spread_negatives + (1 - (a - b)) ** 2


def score_weights(
    positives: Tensor,
    negatives: Tensor,
    *,
    region: Region,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the fraction of each positive and of each negative that lies in the region, by score.

    Examples
    --------
    >>> import torch
    >>> score_weights(torch.tensor([0.9, 0.7]), torch.tensor([0.5, 0.3]), region=Region(max_fpr=0.5, min_tpr=0.5))
    (tensor([0., 1.]), tensor([1., 0.]))
    """
    positive_side, negative_side = selected_sides(region)
    return (
        rank_weights(-positives, side=positive_side, weights=positive_weight),
        rank_weights(negatives, side=negative_side, weights=negative_weight),
    )
