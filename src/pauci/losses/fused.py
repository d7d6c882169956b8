"""The objective and all its gradients in one pass, hung onto the graph as one node."""

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pauci.errors import InputError
from pauci.losses.inputs import Batch
from pauci.losses.moments import array_moments, tensor_moments
from pauci.losses.reduction import sum_over_ranks, world_size
from pauci.losses.terms import Inner, Shape, Terms, settle


class Gradients(NamedTuple):
    """What backward hands out, computed in forward: gamma's gradient is already reversed."""

    score: Tensor
    descent: Tensor
    ascent: Tensor


class AttachGradients(torch.autograd.Function):
    """Return a value whose gradients are known.

    They come from the same pass over the batch as the value, so that backward only scales them. Hence
    differentiating twice is impossible; it raises.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, score: Tensor, descent: Tensor, ascent: Tensor, value: Tensor, *gradients: Tensor
    ) -> Tensor:
        """Remember the gradients and return the value."""
        ctx.gradients = gradients
        return value.view_as(value)

    @staticmethod
    @once_differentiable  # type: ignore[misc, no-untyped-call]
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the remembered gradients."""
        score, descent, ascent = ctx.gradients
        return score * upstream, descent * upstream, ascent * upstream, None, None, None, None


def host_pass(batch: Batch, inner: Inner, shape: Shape, terms: Terms, kind: torch.dtype) -> tuple[Tensor, Gradients]:
    """Value and gradients of one label on the CPU, in arrays and plain numbers: a small batch costs little.

    Parameters
    ----------
    batch : Batch
        Detached scores (N,), labels, weights.
    inner, shape, terms
        The objective, with plain numbers.
    kind : torch.dtype
        Of the inner variables.

    Returns
    -------
    tuple of Tensor and Gradients
        The objective plus 1, and its gradients.
    """
    score = widened(batch.score)
    f = (score.sigmoid() if terms.logits else score).numpy()
    positive = batch.positive.numpy()
    weight = None if batch.weight is None else batch.weight.detach().to(score.dtype).numpy()
    sums, slope = array_moments(f, positive, weight, inner, shape, terms)
    ranks = world_size()
    if ranks > 1:
        sum_over_ranks(torch.from_numpy(sums))
    value, gradient, (to_pos, to_neg) = settle(sums.tolist(), inner, shape.omega, terms)
    if not math.isfinite(value):
        raise InputError(
            f"the loss is {value}, because an inner variable is not finite: {inner}. "
            "A step of the optimiser diverged; lower its learning rate."
        )
    scale = slope.dtype.type
    slope *= np.where(positive, scale(ranks * to_pos), scale(ranks * to_neg))
    return torch.tensor(value, dtype=score.dtype), Gradients(
        torch.from_numpy(slope).to(batch.score.dtype),
        torch.tensor(gradient[:-1], dtype=kind),
        torch.tensor(-gradient.gamma, dtype=kind),
    )


def tensor_pass(batch: Batch, descent: Tensor, ascent: Tensor, shape: Tensor, terms: Terms) -> tuple[Tensor, Gradients]:
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

    Returns
    -------
    tuple of Tensor and Gradients
        The objective plus 1, averaged over labels, and its gradients.
    """
    score = widened(batch.score)
    f = score.sigmoid() if terms.logits else score
    weight = None if batch.weight is None else batch.weight.detach().to(score.dtype)
    if weight is not None and weight.ndim < score.ndim:
        weight = weight.unsqueeze(-1)
    inner = Inner(*descent.to(score.dtype).unbind(), ascent.to(score.dtype))
    numbers = Shape(*shape.to(score.dtype).unbind())
    sums, slope = tensor_moments(f, batch.positive, weight, inner, numbers, terms)
    ranks = world_size()
    if ranks > 1:
        sum_over_ranks(sums)
    value, gradient, factors = settle([row.unbind() for row in sums.unbind()], inner, numbers.omega, terms)
    labels = max(ascent.numel(), 1)
    return value.mean(), Gradients(
        (slope * torch.where(batch.positive, *factors) * (ranks / labels)).to(batch.score.dtype),
        (torch.stack(gradient[:-1]) / labels).to(descent.dtype),
        (-gradient.gamma / labels).to(ascent.dtype),
    )


def widened(score: Tensor) -> Tensor:
    """Return half-precision scores in single precision: the objective is an fp32 island."""
    return score if score.dtype in (torch.float32, torch.float64) else score.float()
