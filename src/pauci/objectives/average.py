"""The average over the selected part of a class: average-top-k, exact or smoothed (the paper's Lemma 1)."""

import torch
from torch import Tensor

from pauci.errors import LabelError
from pauci.objectives.ranks import rank_weights
from pauci.objectives.selectors import Selector, TopK
from pauci.objectives.sides import Side, refuse_band
from pauci.objectives.variables import Scalar


def mean(values: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the (weighted) mean of one class's values.

    Examples
    --------
    >>> mean(torch.tensor([1.0, 3.0]), torch.tensor([3.0, 1.0]))
    tensor(1.5000)
    """
    if values.numel() == 0:
        raise LabelError("one class has no instances; the objective needs positives and negatives in every batch.")
    if weights is None:
        return values.mean()
    weights = summable(weights)
    return (weights * values).sum() / weights.sum()


def summable(weights: Tensor) -> Tensor:
    """Return weights in half precision in single precision: their sum would overflow, or lose its digits.

    Examples
    --------
    >>> summable(torch.ones(70000, dtype=torch.float16)).sum()
    tensor(70000.)
    """
    return weights.float() if weights.dtype in (torch.float16, torch.bfloat16) else weights


def selected_average(
    losses: Tensor, s: Scalar, *, side: Side, selector: Selector, weights: Tensor | None = None
) -> Tensor:
    """Average the losses of the selected part of a class.

    For a top of share h, the average is ``s + mean(r(losses - s)) / h``. With the hinge, and minimised over s, it is
    exactly the mean of the h largest losses, where the last instance counts by the fraction that lies inside. A bottom
    is the top of the negated losses, ``s - mean(r(s - losses)) / h``, to be *maximised* over s. A band from l to h is
    the difference ``(h top(h) - l top(l)) / (h - l)``, which has no single threshold and hence needs `TopK`.

    Parameters
    ----------
    losses : Tensor
        Losses of all instances of the class.
    s : float or Tensor
        Selection threshold; not used by `TopK` nor where the side is whole.
    side : Side
        The part of the class to average over.
    selector : Selector
        How the part is selected.
    weights : Tensor, optional
        Sample weights.

    Returns
    -------
    Tensor
        A scalar, differentiable in `losses` and `s`.

    Examples
    --------
    >>> from pauci.objectives import Hinge
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
    refuse_band(side)
    return s + side.sign * mean(selector.value(side.sign * (losses - s)), weights) / side.share


def selection_weights(
    losses: Tensor, s: Scalar, *, side: Side, selector: Selector, weights: Tensor | None = None
) -> Tensor:
    """Return the weight in [0, 1] with which each instance is selected: `selected_average`'s derivative.

    Parameters
    ----------
    losses : Tensor
        Losses of all instances of the class.
    s : float or Tensor
        Selection threshold, as for `selected_average`.
    side : Side
        The part of the class that is selected.
    selector : Selector
        How the part is selected.
    weights : Tensor, optional
        Sample weights.

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
    refuse_band(side)
    return selector.weight(side.sign * (losses - s))
