"""One pass over a batch: the class sums the objective is made of, and the slope of every score.

With ``x = (f - c)^2 + l f - s`` per instance (the paper's P and N; c is a or b, l is -2(1+gamma) or 2(1+gamma),
s is s or s'), a selector gives a value v(x) and its derivative q(x), the instance's selection weight. Everything
else is made of four weighted sums per class: 1, v, q and q f.
"""

import torch
from torch import Tensor

from pauci.losses.reduction import gather_rows
from pauci.losses.terms import Inner, Shape, Terms
from pauci.objectives import Dual, Side, Softplus, rank_weights

#: Smooth selectors of unit sharpness; r(x) = unit(sharpness x) / sharpness gives all others.
_UNIT: dict[str, Softplus | Dual] = {"softplus": Softplus(1.0), "dual": Dual(0.5)}


def tensor_moments(
    f: Tensor, positive: Tensor, weight: Tensor | None, inner: Inner, shape: Shape, terms: Terms, ranks: int
) -> tuple[list[Tensor], Tensor]:
    """Class sums and slopes by tensor operations: any device, any number of labels, any selector.

    Parameters
    ----------
    f, positive, weight : tensors of shape (N,) or (N, K)
        Scores in [0, 1], mask of the positives, weights.
    inner, shape, terms
        The objective, with tensors of shape () or (K,).
    ranks : int
        Number of processes whose batches are ranked as one.

    Returns
    -------
    sums : list of tensors of shape () or (K,)
        Weighted sums of 1, v, q and q f over the positives, then over the negatives.
    slope : tensor
        Derivative of v with respect to each score, times its weight; of the scores' shape.
    """
    tilt = torch.where(positive, -2.0, 2.0).to(f) * (1 + inner.gamma)
    offset = f - torch.where(positive, inner.a, inner.b)
    loss = offset * offset + tilt * f
    if terms.exact:
        # The hinge takes the largest losses, top-k the worst scores: the same while P and N are monotone.
        key = loss if terms.selector == "hinge" else torch.where(positive, -f, f)
        q = _ranked(key, positive, weight, terms, ranks)
        v = q * loss
    else:
        unit = _UNIT[terms.selector]
        x = (loss - torch.where(positive, inner.s_pos, inner.s_neg)) * shape.sharpness
        v, q = unit.value(x) / shape.sharpness, unit.weight(x)
        for whole, members in ((not terms.select_positives, positive), (not terms.select_negatives, ~positive)):
            if whole:
                v, q = torch.where(members, loss, v), torch.where(members, 1.0, q)
    slope = q * (2 * offset + tilt)
    if terms.logits:
        slope = slope * f * (1 - f)
    one = torch.ones_like(q)
    if weight is not None:
        one, slope = weight, slope * weight
    # Eight sums of the same shape, not one of a stack: a compiler makes one kernel of them and all that leads there.
    features = (one, one * v, one * q, one * q * f)
    sums = [torch.where(positive, x, 0.0).sum(0) for x in features]
    return [*sums, *(torch.where(positive, 0.0, x).sum(0) for x in features)], slope


def _ranked(key: Tensor, positive: Tensor, weight: Tensor | None, terms: Terms, ranks: int) -> Tensor:
    of_positives = positive.to(key) if weight is None else positive * weight
    of_negatives = (~positive).to(key) if weight is None else ~positive * weight
    own = slice(None)
    if ranks > 1:
        rows, own = gather_rows(torch.stack((key, of_positives, of_negatives), dim=1))
        key, of_positives, of_negatives = rows.unbind(1)
    from_positives = _rank_columns(key, of_positives, terms.positives)[own]
    return torch.where(positive, from_positives, _rank_columns(key, of_negatives, terms.negatives)[own])


def _rank_columns(key: Tensor, weight: Tensor, side: Side) -> Tensor:
    if key.ndim == 1:
        return rank_weights(key, side=side, weights=weight)
    return torch.stack([_rank_columns(*column, side) for column in zip(key.T, weight.T, strict=True)], dim=1)
