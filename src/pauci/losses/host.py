"""The objective and all its gradients on the CPU, in arrays and plain numbers: a small batch costs little."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from pauci.errors import InputError, ScoreError
from pauci.losses.checks import Array, as_array
from pauci.losses.fused import Outcome
from pauci.losses.inputs import HostBatch, widened
from pauci.losses.reduction import sum_over_ranks
from pauci.losses.terms import Inner, Shape, Terms, norms, settle

ClassSums = list[list[float]]
Factors = tuple[float, float]

#: Scores per block: its ten rows stay in the cache.
_BLOCK = 16384
_ONE = {np.dtype(kind): np.ones((), kind) for kind in (np.float32, np.float64)}


class ArrayGradients(NamedTuple):
    """Gradients in arrays: of the scores, and of gamma (reversed) and the other inner variables."""

    score: Array
    inner: Array

    def scaled(self, upstream: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return them times a number, in memory of their own: whoever accumulates gradients may then keep it."""
        score, inner = self
        if upstream.item() == 1:
            inner = inner.copy()
            return torch.from_numpy(score.copy()), torch.from_numpy(inner[1:]), torch.from_numpy(inner[0, ...])
        gamma, others = torch.from_numpy(inner[0, ...]), torch.from_numpy(inner[1:])
        return torch.from_numpy(score) * upstream, others * upstream, gamma * upstream


def host_pass(batch: HostBatch, inner: Inner, shape: Shape, terms: Terms, ranks: int) -> Outcome:
    """Do what `tensor_pass` does for one label, scores (N,), and the smooth selectors, with plain numbers inside."""
    score, positive, weight = widened(batch.score), batch.positive, batch.weight
    f = as_array(score.sigmoid() if terms.logits else score)
    if weight is None:
        n_pos = float(np.count_nonzero(positive))
        n_neg = len(f) - n_pos
    else:
        weight = weight.astype(f.dtype, copy=False)
        n_pos, n_neg = float(np.vdot(weight, positive)), float(np.vdot(weight, ~positive))
    if ranks > 1:
        n_pos, n_neg = sum_over_ranks(torch.tensor((n_pos, n_neg), dtype=torch.float64)).tolist()
    norm = norms(n_pos, n_neg, terms)
    factors = norm.factors if ranks == 1 else (ranks * norm.factors[0], ranks * norm.factors[1])
    sums, slope = _moments(f, positive, weight, inner, shape, terms, factors)
    if ranks > 1:
        sums = sum_over_ranks(torch.tensor(sums, dtype=torch.float64)).tolist()
    value, gradient = settle(sums, norm, inner, shape.omega, terms)
    if not math.isfinite(value):
        if all(map(math.isfinite, inner)):
            raise ScoreError(
                f"the loss is {value}, because y_score is not finite, or sample_weight is not or too large to add up. "
                "With validate=True the loss tells which; lower the learning rate, clip gradients, or check the data."
            )
        raise InputError(
            f"the loss is {value}, because an inner variable is not finite: {inner}. "
            "A step of the optimiser diverged; lower its learning rate."
        )
    numbers = np.array((value, -gradient.gamma, *gradient[:-1]), f.dtype)
    return Outcome(torch.from_numpy(numbers[0, ...]), ArrayGradients(slope, numbers[1:]))


def _moments(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, terms: Terms, factors: Factors
) -> tuple[ClassSums, Array]:
    """Class sums of v, q and q f, and the gradient of each score: see `pauci.losses.moments`."""
    if len(f) <= _BLOCK:
        return _block(f, positive, weight, inner, shape, terms, factors)
    sums, gradient = np.zeros((2, 3)), np.empty_like(f)
    for start in range(0, len(f), _BLOCK):
        part = slice(start, start + _BLOCK)
        own_weight = None if weight is None else weight[part]
        own_sums, gradient[part] = _block(f[part], positive[part], own_weight, inner, shape, terms, factors)
        sums += own_sums
    return sums.tolist(), gradient


def _block(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, terms: Terms, factors: Factors
) -> tuple[ClassSums, Array]:
    # On a small batch the price is the number of calls: whatever is linear in the basis is one matrix product, and
    # operands are arrays of one kind, which need no conversion.
    n, kind = len(f), f.dtype
    one = _ONE[kind]
    # x is at most 5 - s while scores are in [0, 1]: no exponential overflows, unless the selector is steep.
    steep = not terms.logits or shape.sharpness * (5 - min(inner.s_pos, inner.s_neg, 0.0)) > 80
    basis, rows = np.empty((5, n), kind), np.empty((5, n), kind)
    is_pos, is_neg = basis[0], basis[1]
    slope, z, v, q = rows[0], rows[2], rows[3], rows[4]
    is_pos[:] = positive
    np.subtract(one, is_pos, out=is_neg)
    np.multiply(is_pos, f, out=basis[2])
    np.multiply(is_neg, f, out=basis[3])
    np.multiply(f, f, out=basis[4])
    np.dot(np.array(_combinations(inner, shape, terms, factors), kind), basis, out=rows[:3])
    _SELECT[terms.selector](z, v, q, one, steep)
    if not terms.select_positives:
        np.maximum(q, is_pos, out=q)
    if not terms.select_negatives:
        np.maximum(q, is_neg, out=q)
    if weight is not None:
        rows[2:] *= weight
    if terms.logits:
        slope *= rows[1]
    classes = basis[:2]
    q_pos, q_neg, f_pos, f_neg = basis[:4].dot(q).tolist()
    v_pos, v_neg = classes.dot(v).tolist()
    # A class without selector adds its losses as they are.
    if not (terms.select_positives and terms.select_negatives):
        z_pos, z_neg = classes.dot(z).tolist()
        v_pos, v_neg = v_pos if terms.select_positives else z_pos, v_neg if terms.select_negatives else z_neg
    return [[v_pos / shape.sharpness, q_pos, f_pos], [v_neg / shape.sharpness, q_neg, f_neg]], slope * q


def _combinations(inner: Inner, shape: Shape, terms: Terms, factors: Factors) -> tuple[tuple[float, ...], ...]:
    """Combine the basis (positive, negative, each times f, f^2) to three rows.

    They are the slope ``2 (f - c) + l`` times the class's factor, ``f (1 - f)``, and ``z = sharpness x``.
    """
    a, b, s_pos, s_neg, _, _, gamma = inner
    k, (to_pos, to_neg) = shape.sharpness, factors
    tilt = 2 * (1 + gamma)
    slope_pos, slope_neg = -tilt - 2 * a, tilt - 2 * b
    level_pos = a * a - s_pos if terms.select_positives else a * a
    level_neg = b * b - s_neg if terms.select_negatives else b * b
    return (
        (to_pos * slope_pos, to_neg * slope_neg, 2 * to_pos, 2 * to_neg, 0.0),
        (0.0, 0.0, 1.0, 1.0, -1.0),
        (k * level_pos, k * level_neg, k * slope_pos, k * slope_neg, k),
    )


def _softplus(z: Array, v: Array, q: Array, one: Array, steep: bool) -> None:
    # log(1 + exp(z)) = log(1 + exp(min(z, 80))) + (z - min(z, 80)): no overflow.
    low = np.minimum(z, 80) if steep else z
    np.exp(low, out=q)
    np.add(q, one, out=v)
    q /= v
    np.log(v, out=v)
    if steep:
        v += z - low


def _dual(z: Array, v: Array, q: Array, one: Array, steep: bool) -> None:  # noqa: ARG001 - nothing overflows here
    # max over c in [0, 1] of c z - c^2 / 2, at c = clip(z, 0, 1).
    np.maximum(z, 0, out=q)
    np.minimum(q, one, out=q)
    np.multiply(q, -0.5, out=v)
    v += z
    v *= q


#: Write sharpness * v(x) and q(x) for z = sharpness * x.
_SELECT = {"softplus": _softplus, "dual": _dual}
