"""Exact selection by sorting: the part of each instance inside, and the loss at the cut."""

import torch
from torch import Tensor

from pauci.objectives.sides import Side
from pauci.rounding import ROUNDING


def rank_weights(losses: Tensor, *, side: Side, weights: Tensor | None = None) -> Tensor:
    """Return the fraction of each instance that lies in the side when the losses are sorted.

    Parameters
    ----------
    losses : Tensor
        Losses of all instances of the class.
    side : Side
        Any part of the class, bands included.
    weights : Tensor, optional
        Sample weights: an instance takes room in proportion to its weight.

    Returns
    -------
    Tensor
        One fraction in [0, 1] per loss, not differentiable. Among equal losses the order is arbitrary, which
        leaves every average over the losses unchanged.

    Examples
    --------
    >>> rank_weights(torch.tensor([4.0, 1.0, 3.0]), side=Side(0.5, 1.0))
    tensor([0.0000, 1.0000, 0.5000])
    """
    order = losses.detach().argsort(descending=True)
    ends, room = _ends(losses, order, weights)
    covered = torch.clamp(ends, max=side.high) - torch.clamp(ends - room, min=side.low)
    fraction = torch.where(room > 0, covered / room, 0.0).clamp(0, 1)
    return torch.empty_like(losses).scatter_(0, order, fraction.to(losses.dtype)).detach()


def rank_threshold(losses: Tensor, share: float, weights: Tensor | None = None) -> float:
    """Return the loss at which the cut below the largest `share` of a class's losses falls.

    If the cut falls between two instances, it is the middle of the gap.

    Examples
    --------
    >>> rank_threshold(torch.tensor([4.0, 1.0, 3.0, 2.0]), 0.5)
    2.5
    """
    order = losses.argsort(descending=True)
    ends, _ = _ends(losses, order, weights)
    cut = int((ends < share - ROUNDING).sum())
    at = losses[order[cut]].item()
    if ends[cut] > share + ROUNDING or cut + 1 == losses.numel():
        return at
    return 0.5 * (at + losses[order[cut + 1]].item())


def _ends(losses: Tensor, order: Tensor, weights: Tensor | None) -> tuple[Tensor, Tensor]:
    """Right ends and widths of the sorted instances on the scale of shares."""
    n = losses.numel()
    if weights is None:
        ends = torch.arange(1, n + 1, dtype=torch.float64, device=losses.device) / n
        return ends, torch.full_like(ends, 1 / n)
    room = weights.detach().double()[order]
    return room.cumsum(0) / room.sum(), room / room.sum()
