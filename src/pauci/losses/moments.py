"""One pass over a batch: the class sums the objective is made of, and the slope of every score.

With ``x = (f - c)^2 + l f - s`` per instance (the paper's P and N; c is a or b, l is -2(1+gamma) or 2(1+gamma),
s is s or s'), a selector gives a value v(x) and its derivative q(x), the instance's selection weight. Everything
else is made of four weighted sums per class: 1, v, q and q f.
"""

import numpy as np
import torch
from torch import Tensor

from pauci.losses.inputs import Array
from pauci.losses.reduction import gather_rows
from pauci.losses.terms import Inner, Shape, Terms
from pauci.objectives import Dual, Side, Softplus, rank_weights

ClassSums = list[list[float]]
Factors = tuple[float, float]

#: Smooth selectors of unit sharpness; r(x) = unit(sharpness x) / sharpness gives all others.
_UNIT: dict[str, Softplus | Dual] = {"softplus": Softplus(1.0), "dual": Dual(0.5)}
#: Scores per block of the CPU pass: its dozen temporaries stay in the cache.
_BLOCK = 8192


def array_moments(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, terms: Terms, factors: Factors
) -> tuple[ClassSums, Array]:
    """Class sums and gradients of one label's batch on the CPU, for the smooth selectors.

    Parameters
    ----------
    f, positive, weight : arrays of shape (N,)
        Scores in [0, 1], mask of the positives, weights.
    inner, shape, terms
        The objective, with plain numbers.
    factors : tuple of float
        What turns the slopes of each class into gradients.

    Returns
    -------
    sums : two rows of three numbers
        For positives, then negatives: weighted sums of v, q and q f.
    gradient : array of shape (N,)
        Derivative of v with respect to each score, times its weight and factor.
    """
    if len(f) <= _BLOCK:
        return _block(f, positive, weight, inner, shape, terms, factors)
    sums, gradient = np.zeros((2, 3)), np.empty_like(f)
    for start in range(0, len(f), _BLOCK):
        part = slice(start, start + _BLOCK)
        own_weight = None if weight is None else weight[part]
        own_sums, gradient[part] = _block(f[part], positive[part], own_weight, inner, shape, terms, factors)
        sums += own_sums
    return sums.tolist(), gradient


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
        one, slope = weight.expand_as(q), slope * weight
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


def _block(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, terms: Terms, factors: Factors
) -> tuple[ClassSums, Array]:
    # On a small batch the price is the number of calls: class-wise constants and sums are matrix products.
    n, kind = len(f), f.dtype
    classes = np.empty((2, n), kind)
    is_pos, is_neg = classes[0], classes[1]
    is_pos[:] = positive
    np.subtract(1, is_pos, out=is_neg)
    a, b, s_pos, s_neg, _, _, gamma = inner
    select_pos, select_neg = terms.select_positives, terms.select_negatives
    tilt = 2 * (1 + gamma)
    constants = ((-tilt - 2 * a, tilt - 2 * b), (a * a - s_pos * select_pos, b * b - s_neg * select_neg), factors)
    constant = np.array(constants, kind) @ classes
    slope, level, factor = constant[0], constant[1], constant[2]
    rows = np.empty((5, n), kind)
    x, q, qf = rows[2], rows[3], rows[4]
    slope += f
    np.multiply(slope, f, out=x)
    x += level
    _SELECT[terms.selector](x, shape.sharpness, rows[0], rows[1], q, level)
    if not select_pos:
        np.maximum(q, is_pos, out=q)
    if not select_neg:
        np.maximum(q, is_neg, out=q)
    np.multiply(q, f, out=qf)
    slope += f
    if terms.logits:
        np.subtract(1, f, out=level)
        slope *= level
        slope *= qf
    else:
        slope *= q
    slope *= factor
    if weight is not None:
        rows *= weight
        slope *= weight
    (p1, p2, px, pq, pqf), (n1, n2, nx, nq, nqf) = (classes @ rows.T).tolist()
    # A class without selector adds its losses as they are.
    v_pos = (p1 + p2) / shape.sharpness if select_pos else px
    v_neg = (n1 + n2) / shape.sharpness if select_neg else nx
    return [[v_pos, pq, pqf], [v_neg, nq, nqf]], slope


def _softplus(x: Array, sharpness: float, first: Array, second: Array, q: Array, spare: Array) -> None:
    # log(1 + exp(z)) = log(1 + exp(min(z, 80))) + (z - min(z, 80)): no overflow.
    np.multiply(x, sharpness, out=spare)
    np.minimum(spare, 80, out=q)
    np.subtract(spare, q, out=second)
    np.exp(q, out=q)
    np.add(q, 1, out=spare)
    np.log(spare, out=first)
    q /= spare


def _dual(x: Array, sharpness: float, first: Array, second: Array, q: Array, spare: Array) -> None:
    # max over c in [0, 1] of c z - c^2 / 2, at c = clip(z, 0, 1).
    np.multiply(x, sharpness, out=spare)
    np.maximum(spare, 0, out=q)
    np.minimum(q, 1, out=q)
    np.multiply(q, spare, out=first)
    np.multiply(q, q, out=second)
    second *= -0.5


#: Write two parts of sharpness * v(x), and q(x).
_SELECT = {"softplus": _softplus, "dual": _dual}
