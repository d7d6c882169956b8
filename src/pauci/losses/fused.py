"""The objective and all its gradients in one pass, hung onto the graph as one node."""

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from pauci.errors import InputError
from pauci.losses.inputs import Batch
from pauci.losses.moments import array_moments, tensor_moments
from pauci.losses.reduction import sum_over_ranks
from pauci.losses.terms import Inner, Shape, Terms, norms, settle


class Outcome(NamedTuple):
    """A value and its gradients, of one pass; gamma's gradient is already reversed."""

    value: Tensor
    score: Tensor
    descent: Tensor
    ascent: Tensor


class AttachGradients(torch.autograd.Function):
    """Return a value whose gradients are known.

    They come from the same pass over the batch as the value, so that backward only scales them. Hence
    differentiating twice is impossible; it raises.
    """

    @staticmethod
    def forward(ctx: Any, score: Tensor, descent: Tensor, ascent: Tensor, outcome: Outcome) -> Tensor:  # noqa: ARG004
        """Remember the gradients and return the value."""
        # Without the value: a graph that held its own result would wait for the garbage collector.
        value, *ctx.gradients = outcome
        return value

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the remembered gradients."""
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            raise InputError(
                "create_graph=True asks for gradients that can be differentiated again, which this loss does not have. "
                "Leave its gradient out of the penalty, or take the penalty's gradient in a separate backward pass."
            )
        score, descent, ascent = ctx.gradients
        if upstream.is_cpu and not torch.compiler.is_compiling() and upstream.item() == 1:
            return score, descent, ascent, None
        return score * upstream, descent * upstream, ascent * upstream, None


def host_pass(batch: Batch, inner: Inner, shape: Shape, terms: Terms, ranks: int) -> Outcome:
    """Value and gradients of one label on the CPU, in arrays and plain numbers: a small batch costs little.

    Parameters
    ----------
    batch : Batch
        Detached scores (N,), labels, weights.
    inner, shape, terms
        The objective, with plain numbers.
    ranks : int
        Number of processes whose batches count as one.

    Returns
    -------
    Outcome
        The objective plus 1, and its gradients.
    """
    score = widened(batch.score)
    f = (score.sigmoid() if terms.logits else score).numpy()
    positive = batch.positive.numpy()
    weight = None if batch.weight is None else batch.weight.to(score.dtype).numpy()
    n_pos = float(np.count_nonzero(positive) if weight is None else np.vdot(weight, positive))
    n_neg = len(f) - n_pos if weight is None else float(np.vdot(weight, ~positive))
    if ranks > 1:
        n_pos, n_neg = sum_over_ranks(torch.tensor((n_pos, n_neg), dtype=torch.float64)).tolist()
    norm = norms(n_pos, n_neg, terms)
    factors = norm.factors if ranks == 1 else (ranks * norm.factors[0], ranks * norm.factors[1])
    sums, slope = array_moments(f, positive, weight, inner, shape, terms, factors)
    if ranks > 1:
        sums = sum_over_ranks(torch.tensor(sums, dtype=torch.float64)).tolist()
    value, gradient = settle(sums, norm, inner, shape.omega, terms)
    if not math.isfinite(value):
        raise InputError(
            f"the loss is {value}, because an inner variable is not finite: {inner}. "
            "A step of the optimiser diverged; lower its learning rate."
        )
    numbers = np.array((value, -gradient.gamma, *gradient[:-1]), f.dtype)
    return Outcome(
        torch.from_numpy(numbers[0, ...]),
        torch.from_numpy(slope),
        torch.from_numpy(numbers[2:]),
        torch.from_numpy(numbers[1, ...]),
    )


def tensor_pass(batch: Batch, descent: Tensor, ascent: Tensor, shape: Tensor, terms: Terms, ranks: int) -> Outcome:
    """Value and gradients by tensor operations: no host synchronisation, and fit for `torch.compile`.

    Parameters
    ----------
    batch : Batch
        Detached scores (N,) or (N, K), labels, weights.
    descent, ascent : Tensor
        Inner variables, (6,) and () or (6, K) and (K,).
    shape : Tensor
        Sharpness and omega.
    terms
        The objective.
    ranks : int
        Number of processes whose batches count as one.

    Returns
    -------
    Outcome
        The objective plus 1, averaged over labels, and its gradients.
    """
    score = widened(batch.score)
    f = score.sigmoid() if terms.logits else score
    weight = None if batch.weight is None else batch.weight.to(score.dtype)
    if weight is not None and weight.ndim < score.ndim:
        weight = weight.unsqueeze(-1)
    inner = Inner._make([*descent.to(score.dtype).unbind(), ascent.to(score.dtype)])
    numbers = Shape(*shape.to(score.dtype).unbind())
    sums, slope = tensor_moments(f, batch.positive, weight, inner, numbers, terms, ranks)
    if ranks > 1:
        sums = list(sum_over_ranks(torch.stack(sums)).unbind())
    norm = norms(sums[0], sums[4], terms)
    value, gradient = settle((sums[1:4], sums[5:]), norm, inner, numbers.omega, terms)
    labels = max(ascent.numel(), 1)
    return Outcome(
        value.mean(),
        slope * torch.where(batch.positive, *norm.factors) * (ranks / labels),
        _stack(gradient[:-1]) / labels,
        -gradient.gamma / labels,
    )


def _stack(rows: tuple[Tensor, ...]) -> Tensor:
    if not torch.compiler.is_compiling():
        return torch.stack(rows)
    # The same, in a form that a compiler fuses into the kernel that makes the rows.
    index = torch.arange(len(rows), device=rows[0].device).view(-1, *(1 for _ in rows[0].shape))
    stacked = rows[0]
    for i, row in enumerate(rows[1:], start=1):
        stacked = torch.where(index == i, row, stacked)
    return stacked


def widened(score: Tensor) -> Tensor:
    """Return half-precision scores in single precision: the objective is an fp32 island."""
    return score if score.dtype in (torch.float32, torch.float64) else score.float()
