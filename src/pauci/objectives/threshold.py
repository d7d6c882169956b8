"""The optimal selection threshold of given losses."""

import math
from collections.abc import Callable

from torch import Tensor

from pauci.objectives.average import mean
from pauci.objectives.ranks import rank_threshold
from pauci.objectives.selectors import Hinge, Selector, TopK
from pauci.objectives.sides import Side, refuse_band


def selection_threshold(
    losses: Tensor, *, side: Side, selector: Selector, weights: Tensor | None = None, start: float | None = None
) -> float:
    """Return the threshold that is optimal for the given losses: the mean selection weight equals the share.

    Exact selectors have a closed form: the loss at which the cut falls, or the middle of the gap if it falls between
    two. Smooth selectors need a safeguarded Newton iteration. A side without a threshold gets 0.

    Parameters
    ----------
    losses : Tensor
        Losses of all instances of the class.
    side : Side
        The part of the class that is selected.
    selector : Selector
        How it is selected.
    weights : Tensor, optional
        Sample weights.
    start : float, optional
        A guess, for instance the threshold of similar losses.

    Returns
    -------
    float
        The minimiser (for a bottom the maximiser) of `selected_average` over its threshold.

    Examples
    --------
    >>> import torch
    >>> selection_threshold(torch.tensor([4.0, 1.0, 3.0, 2.0]), side=Side(0.0, 0.5), selector=Hinge())
    2.5
    """
    if side.kind in ("whole", "band"):
        if not isinstance(selector, TopK):
            refuse_band(side)
        return 0.0
    losses = side.sign * losses.detach().double()
    if isinstance(selector, TopK | Hinge):
        return side.sign * rank_threshold(losses, side.share, weights)

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
    """Find the zero of a non-decreasing function by Newton's method, to the precision of double arithmetic.

    The function returns value and slope. A shrinking bracket keeps the method safe: the value must be at most 0 at
    `low` and at least 0 at `high`.

    Examples
    --------
    >>> round(increasing_root(lambda x: (x**3 - 8, 3 * x**2), 0.0, 10.0, start=5.0), 12)
    2.0
    """
    x = min(max(start, low), high)
    last = math.inf
    while True:
        value, slope = function(x)
        if value == 0:
            return x
        low, high = (x, high) if value < 0 else (low, x)
        step = x - value / slope if slope > 0 else math.nan
        # Bisect when Newton leaves the bracket or has not halved the value: every two steps make real progress.
        if not low <= step <= high or abs(value) > 0.5 * last:
            step = 0.5 * (low + high)
        if abs(step - x) <= 4 * math.ulp(max(abs(x), 1e-3)):
            return step
        last, x = abs(value), step
