"""The average over the selected part of a class: average-top-k, exact or smoothed (the paper's Lemma 1)."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from pauci.errors import LabelError, RegionError
from pauci.objectives.selectors import Hinge, Selector, TopK
from pauci.objectives.sides import Side
from pauci.objectives.variables import Scalar

#: Shares such as 0.29 and 29/100 are the same cut although they may differ in their last digits.
_ROUNDING = 1e-9


def mean(values: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the (weighted) mean of one class's values.

    Parameters
    ----------
    values : Tensor
        One value per instance of the class.
    weights : Tensor, optional
        Sample weights.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> mean(torch.tensor([1.0, 3.0]), torch.tensor([3.0, 1.0]))
    tensor(1.5000)
    """
    if values.numel() == 0:
        raise LabelError("one class has no instances; the objective needs positives and negatives in every batch.")
    return values.mean() if weights is None else (weights * values).sum() / weights.sum()


def selected_average(
    losses: Tensor, s: Scalar, *, side: Side, selector: Selector, weights: Tensor | None = None
) -> Tensor:
    """Average the losses of the selected part of a class.

    For a top of share h this is ``s + mean(r(losses - s)) / h``: with the hinge and minimised over s, exactly the
    mean of the h largest losses, the last instance counting by the fraction that lies inside. A bottom is the top
    of the negated losses, ``s - mean(r(s - losses)) / h``, to be *maximised* over s. A band from l to h is the
    difference ``(h top(h) - l top(l)) / (h - l)``, which has no single threshold and hence needs `TopK`.

    Parameters
    ----------
    losses : Tensor
        Losses of all instances of the class.
    s : float or Tensor
        Selection threshold; not used by `TopK` nor where the side is whole.
    side : Side
        The part of the class to average over.
    selector : Selector
        How it is selected.
    weights : Tensor, optional
        Sample weights.

    Returns
    -------
    Tensor
        A scalar, differentiable in `losses` and `s`.

    Examples
    --------
    >>> losses = torch.tensor([4.0, 1.0, 3.0, 2.0])
    >>> selected_average(losses, 0.0, side=Side(0.0, 0.5), selector=TopK())
    tensor(3.5000)
    >>> selected_average(losses, 2.5, side=Side(0.0, 0.5), selector=Hinge())
    tensor(3.5000)
    """
    if side.kind == "whole":
        return mean(losses, weights)
    if isinstance(selector, TopK):
        return mean(rank_weights(losses, side=side, weights=weights) * losses, weights) / side.share
    _refuse_band(side)
    return s + side.sign * mean(selector.value(side.sign * (losses - s)), weights) / side.share


def selection_weights(
    losses: Tensor, s: Scalar, *, side: Side, selector: Selector, weights: Tensor | None = None
) -> Tensor:
    """Return the weight in [0, 1] with which each instance is selected: `selected_average`'s derivative.

    Parameters
    ----------
    losses, s, side, selector, weights
        As for `selected_average`.

    Returns
    -------
    Tensor
        One weight per loss; their mean is the side's share when `s` is optimal.

    Examples
    --------
    >>> selection_weights(torch.tensor([4.0, 1.0, 3.0]), 0.0, side=Side(0.0, 0.5), selector=TopK())
    tensor([1.0000, 0.0000, 0.5000])
    """
    if side.kind == "whole":
        return torch.ones_like(losses)
    if isinstance(selector, TopK):
        return rank_weights(losses, side=side, weights=weights)
    _refuse_band(side)
    return selector.weight(side.sign * (losses - s))


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


def selection_threshold(
    losses: Tensor, *, side: Side, selector: Selector, weights: Tensor | None = None, start: float | None = None
) -> float:
    """Return the threshold that is optimal for the given losses: mean selection weight = share.

    Exact selectors have a closed form: the loss at which the cut falls, or the middle of the gap if it falls between
    two. Smooth ones take a safeguarded Newton iteration. A side without a threshold gets 0.

    Parameters
    ----------
    losses, side, selector, weights
        As for `selected_average`.
    start : float, optional
        A guess, for instance the threshold of similar losses.

    Returns
    -------
    float
        The minimiser (for a bottom the maximiser) of `selected_average` over its threshold.

    Examples
    --------
    >>> selection_threshold(torch.tensor([4.0, 1.0, 3.0, 2.0]), side=Side(0.0, 0.5), selector=Hinge())
    2.5
    """
    if side.kind in ("whole", "band"):
        if not isinstance(selector, TopK):
            _refuse_band(side)
        return 0.0
    losses = side.sign * losses.detach().double()
    if isinstance(selector, TopK | Hinge):
        return side.sign * _exact_threshold(losses, side.share, weights)

    def surplus(s: float) -> tuple[float, float]:
        excess = losses - s
        return (
            side.share - mean(selector.weight(excess), weights).item(),
            mean(selector.curvature(excess), weights).item(),
        )

    low, high = (edge.item() + selector.offset(side.share) for edge in losses.aminmax())
    guess = 0.5 * (low + high) if start is None else side.sign * start
    return side.sign * increasing_root(surplus, low, high, start=guess)


def increasing_root(
    function: Callable[[float], tuple[float, float]], low: float, high: float, *, start: float
) -> float:
    """Find the zero of a non-decreasing function by Newton's method, kept safe by a shrinking bracket.

    Parameters
    ----------
    function : callable
        Returns value and slope.
    low, high : float
        Bracket: the value is at most 0 at `low` and at least 0 at `high`.
    start : float
        First guess.

    Returns
    -------
    float
        The zero, to the precision of double arithmetic.

    Examples
    --------
    >>> round(increasing_root(lambda x: (x**3 - 8, 3 * x**2), 0.0, 10.0, start=5.0), 12)
    2.0
    """
    x = min(max(start, low), high)
    last = math.inf
    while True:
        value, slope = function(x)
        low, high = (x, high) if value < 0 else (low, x)
        step = x - value / slope if slope > 0 else math.nan
        # Bisect when Newton leaves the bracket or has not halved the value: every two steps make real progress.
        if not low <= step <= high or abs(value) > 0.5 * last:
            step = 0.5 * (low + high)
        if value == 0 or abs(step - x) <= 4 * math.ulp(max(abs(x), 1e-3)):
            return step
        last, x = abs(value), step


def _exact_threshold(losses: Tensor, share: float, weights: Tensor | None) -> float:
    order = losses.argsort(descending=True)
    ends, _ = _ends(losses, order, weights)
    cut = int((ends < share - _ROUNDING).sum())
    at = losses[order[cut]].item()
    if ends[cut] > share + _ROUNDING or cut + 1 == losses.numel():
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


def _refuse_band(side: Side) -> None:
    if side.kind == "band":
        raise RegionError(
            f"the region selects the ranks from {side.low:g} to {side.high:g} of a class, a band, which one threshold "
            "cannot cut out. Use selector='topk', or a region that reaches to one end of the class "
            "(min_fpr=0 or max_fpr=1; min_tpr=0 or max_tpr=1)."
        )
