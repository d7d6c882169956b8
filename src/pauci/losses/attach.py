"""Hang gradients that were computed together with a value onto the graph."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class AttachGradients(torch.autograd.Function):
    """Return `value`, with given gradients with respect to given inputs.

    The value and its gradients come from one pass over the batch, so that nothing is kept for, or
    recomputed in, the backward pass. Differentiating twice is not possible and raises.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        score: Tensor,
        descent: Tensor,
        ascent: Tensor,
        value: Tensor,
        slope: Tensor,
        descent_slope: Tensor,
        ascent_slope: Tensor,
    ) -> Tensor:
        """Remember the gradients and return the value."""
        ctx.save_for_backward(slope, descent_slope, ascent_slope)
        return value.view_as(value)

    @staticmethod
    @once_differentiable  # type: ignore[misc, no-untyped-call]
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the remembered gradients."""
        slope, descent_slope, ascent_slope = ctx.saved_tensors
        return upstream * slope, upstream * descent_slope, upstream * ascent_slope, None, None, None, None
