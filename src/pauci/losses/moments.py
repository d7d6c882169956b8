"""One pass over a batch: the class sums the objective is made of, and the slope of every score.

With ``x = (f - c)^2 + l f - s`` per instance (the paper's P and N; c is a or b, l is -2(1+gamma) or 2(1+gamma),
s is s or s'), a selector gives a value v(x) and its derivative q(x), the instance's selection weight. Everything
else is made of four weighted sums per class: 1, v, q and q f.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from pauci.losses.reduction import gather_rows, world_size
from pauci.losses.terms import Inner, Shape, Terms
from pauci.objectives import Dual, Side, Softplus, rank_weights

Array = np.ndarray[Any, np.dtype[Any]]

#: Smooth selectors of unit sharpness; r(x) = unit(sharpness x) / sharpness gives all others.
_UNIT: dict[str, Softplus | Dual] = {"softplus": Softplus(1.0), "dual": Dual(0.5)}
#: Scores per block of the CPU pass: its dozen temporaries stay in the cache.
_BLOCK = 8192


def array_moments(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, terms: Terms
) -> tuple[Array, Array]:
    """Class sums and slopes of one label's batch on the CPU, for the smooth selectors.

    Parameters
    ----------
    f, positive, weight : arrays of shape (N,)
        Scores in [0, 1], mask of the positives, weights.
    inner, shape, terms
        The objective, with plain numbers.

    Returns
    -------
    sums : array of shape (2, 4)
        For positives, then negatives: weighted sums of 1, v, q and q f.
    slope : array of shape (N,)
        Derivative of v with respect to each score, times its weight.
    """
    slope = np.empty_like(f)
    if len(f) <= _BLOCK:
        return _block(f, positive, weight, inner, shape, terms, slope).astype(np.float64), slope
    sums = np.zeros((2, 4))
    for start in range(0, len(f), _BLOCK):
        part = slice(start, start + _BLOCK)
        own_weight = None if weight is None else weight[part]
        sums += _block(f[part], positive[part], own_weight, inner, shape, terms, slope[part])
    return sums, slope


def tensor_moments(
    f: Tensor, positive: Tensor, weight: Tensor | None, inner: Inner, shape: Shape, terms: Terms
) -> tuple[Tensor, Tensor]:
    """Class sums and slopes by tensor operations: any device, any number of labels, any selector.

    Parameters
    ----------
    f, positive, weight : tensors of shape (N,) or (N, K)
        Scores in [0, 1], mask of the positives, weights.
    inner, shape, terms
        The objective, with tensors of shape () or (K,).

    Returns
    -------
    sums : tensor of shape (2, 4) or (2, 4, K)
        For positives, then negatives: weighted sums of 1, v, q and q f.
    slope : tensor
        Derivative of v with respect to each score, times its weight; of the scores' shape.
    """
    tilt = torch.where(positive, -2.0, 2.0).to(f) * (1 + inner.gamma)
    offset = f - torch.where(positive, inner.a, inner.b)
    loss = offset * offset + tilt * f
    if terms.exact:
        # The hinge takes the instances of largest loss, top-k those of worst score: the same while P and N are monotone.
        q = _ranked(loss if terms.selector == "hinge" else torch.where(positive, -f, f), positive, weight, terms)
        v = q * loss
    else:
        unit = _UNIT[terms.selector]
        x = (loss - torch.where(positive, inner.s_pos, inner.s_neg)) * shape.sharpness
        v, q = unit.value(x) / shape.sharpness, unit.weight(x)
        for whole, members in ((not terms.select_positives, positive), (not terms.select_negatives, ~positive)):
            if whole:
                v, q = torch.where(members, loss, v), torch.where(members, 1.0, q)
    features = torch.stack((torch.ones_like(q), v, q, q * f))
    slope = q * (2 * offset + tilt)
    if terms.logits:
        slope = slope * f * (1 - f)
    if weight is not None:
        features, slope = features * weight, slope * weight
    sums = torch.stack((torch.where(positive, features, 0.0).sum(1), torch.where(positive, 0.0, features).sum(1)))
    return sums, slope


def _ranked(key: Tensor, positive: Tensor, weight: Tensor | None, terms: Terms) -> Tensor:
    of_positives = positive.to(key) if weight is None else positive * weight
    of_negatives = (~positive).to(key) if weight is None else ~positive * weight
    own = slice(None)
    if world_size() > 1:
        rows, own = gather_rows(torch.stack((key, of_positives, of_negatives), dim=1))
        key, of_positives, of_negatives = rows.unbind(1)
    from_positives = _rank_columns(key, of_positives, terms.positives)[own]
    return torch.where(positive, from_positives, _rank_columns(key, of_negatives, terms.negatives)[own])


def _rank_columns(key: Tensor, weight: Tensor, side: Side) -> Tensor:
    if key.ndim == 1:
        return rank_weights(key, side=side, weights=weight)
    return torch.stack([_rank_columns(*column, side) for column in zip(key.T, weight.T, strict=True)], dim=1)


def _block(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, terms: Terms, slope: Array
) -> Array:
    kind = f.dtype.type
    tilt = 2 * (1 + inner.gamma)
    level_pos = inner.a**2 - (inner.s_pos if terms.select_positives else 0.0)
    level_neg = inner.b**2 - (inner.s_neg if terms.select_negatives else 0.0)
    classes = np.empty((2, len(f)), f.dtype)
    is_pos, is_neg = classes
    is_pos[...] = positive
    np.subtract(1, is_pos, out=is_neg)
    shift_neg = tilt - 2 * inner.b
    shift = np.multiply(is_pos, kind(-tilt - 2 * inner.a - shift_neg))
    shift += kind(shift_neg)
    rows = np.empty((4, len(f)), f.dtype)
    ones, v, q, qf = rows
    ones.fill(1)
    x = f + shift
    x *= f
    x += kind(level_neg)
    np.multiply(is_pos, kind(level_pos - level_neg), out=qf)
    x += qf
    _SELECT[terms.selector](x, kind(shape.sharpness), v, q, qf)
    if not terms.select_positives:
        _take_whole(is_pos, x, v, q)
    if not terms.select_negatives:
        _take_whole(is_neg, x, v, q)
    np.multiply(q, f, out=qf)
    np.multiply(f, 2, out=slope)
    slope += shift
    slope *= q
    if terms.logits:
        slope *= f
        np.subtract(1, f, out=x)
        slope *= x
    if weight is not None:
        rows *= weight
        slope *= weight
    sums: Array = classes @ rows.T
    return sums


def _take_whole(members: Array, x: Array, v: Array, q: Array) -> None:
    # Branch-free, which is several times faster than a masked copy: v becomes x and q 1 where members is 1.
    v += members * (x - v)
    np.maximum(q, members, out=q)


def _softplus(x: Array, sharpness: Any, v: Array, q: Array, spare: Array) -> None:
    # v = max(x, 0) - log(sigmoid(|kappa x|)) / kappa, which neither overflows nor cancels.
    np.multiply(x, sharpness * 0.5, out=q)
    np.tanh(q, out=q)
    q *= 0.5
    np.abs(q, out=v)
    q += 0.5
    v += 0.5
    np.log(v, out=v)
    v *= -1 / sharpness
    np.maximum(x, 0, out=spare)
    v += spare


def _dual(x: Array, sharpness: Any, v: Array, q: Array, spare: Array) -> None:  # noqa: ARG001
    # c = clip(sharpness x, 0, 1) maximises c x - c^2 / (2 sharpness).
    np.multiply(x, sharpness, out=q)
    np.maximum(q, 0, out=q)
    np.minimum(q, 1, out=q)
    np.multiply(q, -0.5 / sharpness, out=v)
    v += x
    v *= q


_SELECT = {"softplus": _softplus, "dual": _dual}
