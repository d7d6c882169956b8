"""Which instances of a batch a region holds, by rank: exact, weighted, and shared evenly among ties."""

import torch
from torch import Tensor


def rank_weights(key: Tensor, member: Tensor, weight: Tensor | None, interval: tuple[float, float]) -> Tensor:
    """Selection weight in [0, 1] of each member whose rank, largest key first, falls into an interval.

    Parameters
    ----------
    key : Tensor
        What to rank by, (N,) or (N, K); each column by itself.
    member : Tensor
        Mask of the instances that take part; the others get weight 0.
    weight : Tensor or None
        Sample weights, broadcastable to `key`.
    interval : tuple of float
        First and end rank as shares of the members' total weight.

    Returns
    -------
    Tensor
        Selection weights; those of tied members are equal.

    Examples
    --------
    >>> key, everyone = torch.tensor([0.9, 0.1, 0.5, 0.5]), torch.ones(4, dtype=torch.bool)
    >>> rank_weights(key, everyone, None, (0.0, 0.5))
    tensor([1.0000, 0.0000, 0.5000, 0.5000])
    """
    mass = member.to(key) if weight is None else torch.where(member, weight.to(key), 0.0)
    ranked = torch.where(member, key, -torch.inf)
    ordered, order = ranked.sort(0, descending=True)
    reached = mass.gather(0, order).cumsum(0)
    first, end = (_top(ranked, mass, ordered, reached, share) for share in interval)
    return end - first


def _top(ranked: Tensor, mass: Tensor, ordered: Tensor, reached: Tensor, share: float) -> Tensor:
    wanted = share * mass.sum(0, keepdim=True)
    at = (reached < wanted).sum(0, keepdim=True).clamp(max=max(len(ordered) - 1, 0))
    threshold = ordered.gather(0, at)
    above, tied = ranked > threshold, ranked == threshold
    tied_mass = (mass * tied).sum(0, keepdim=True)
    missing = wanted - (mass * above).sum(0, keepdim=True)
    part = (missing / (tied_mass + (tied_mass == 0))).clamp(0, 1)
    return above + tied * part
