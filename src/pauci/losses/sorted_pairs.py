"""Sums over pairs by sorting: O(n log n) where a matrix of pairs would be O(n^2)."""

import torch
from torch import Tensor
from torch.nn import functional


def squared_hinge_sums(
    positives: Tensor, negatives: Tensor, weight: Tensor, *, margin: float, threshold: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """For every positive, sum the squared hinge losses above its threshold over the negatives.

    With l_ij = (margin - f_i + f_j)_+^2, l_ij > s_i where f_j > f_i - margin + sqrt(s_i): the pairs of a positive
    are the top of the sorted negatives, and the square makes their sum one of three prefix sums.

    Parameters
    ----------
    positives, negatives : Tensor
        Scores.
    weight : Tensor
        Weights of the negatives, w_j.
    margin : float
        Difference of scores from which a pair costs nothing.
    threshold : Tensor, optional
        s_i, one per positive; 0 by default.

    Returns
    -------
    losses : Tensor
        sum_j w_j 1[l_ij > s_i] l_ij, one per positive, differentiable in both classes' scores.
    shares : Tensor
        sum_j w_j 1[l_ij > s_i], one per positive.

    Examples
    --------
    >>> half = torch.tensor([0.5, 0.5])
    >>> squared_hinge_sums(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 0.5]), half, margin=1.0)
    (tensor([0.1250, 1.6250]), tensor([0.5000, 1.0000]))
    """
    # Squares of large scores cancel: sums are taken in double precision.
    order = negatives.detach().argsort(descending=True)
    top, w = negatives.double().index_select(0, order), weight.double().index_select(0, order)
    below = margin - positives.double()
    reach = below.detach()
    if threshold is not None:
        reach = reach - threshold.double().clamp(min=0).sqrt()
    inside = torch.searchsorted(-top.detach(), reach)
    # And as distances from the highest negative that counts: no other of a positive's pairs is farther from that than
    # the positive's margin is, and its own square is in the sum, so that there is nothing to cancel.
    highest = top.detach().index_select(0, (w > 0).byte().argmax(0, keepdim=True))
    top, below = top - highest, below + highest
    w_top = w * top
    prefix = functional.pad(torch.stack((w, w_top, w_top * top)).cumsum(1), (1, 0))
    share, first, second = prefix.index_select(1, inside).unbind()
    losses = (share * below + 2 * first) * below + second
    share = share.detach()
    if threshold is not None:
        # Below 0 every loss exceeds its threshold, also those that are 0.
        share = torch.where(threshold < 0, prefix[0, -1].detach(), share)
    return losses.to(positives.dtype), share.to(positives.dtype)


def share_above(negatives: Tensor, weight: Tensor, level: Tensor) -> Tensor:
    """Return the weight of the negatives above each of some levels.

    Returns
    -------
    Tensor
        One sum of weights per level, not differentiable.

    Examples
    --------
    >>> share_above(torch.tensor([0.5, 0.0]), torch.tensor([0.5, 0.5]), torch.tensor([-1.0, 0.0, 1.0]))
    tensor([1.0000, 0.5000, 0.0000])
    """
    top, order = negatives.detach().sort(descending=True)
    prefix = functional.pad(weight[order].cumsum(0), (1, 0))
    return prefix[torch.searchsorted(-top, -level.detach())]
