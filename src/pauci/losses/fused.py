"""The objective and all its gradients in one pass, hung onto the graph as one node."""

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from pauci.losses.checks import check_differentiated_once
from pauci.losses.inputs import Batch, widened
from pauci.losses.moments import tensor_moments
from pauci.losses.reduction import sum_over_ranks
from pauci.losses.terms import Inner, Shape, Terms, norms, settle


class Gradients(Protocol):
    """What a pass found besides the value; gamma's gradient is already reversed."""

    def scaled(self, upstream: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of the scores, of the variables to descend and of those to ascend in, times a number."""
        ...


class TensorGradients(NamedTuple):
    """Gradients in tensors."""

    score: Tensor
    descent: Tensor
    ascent: Tensor

    def scaled(self, upstream: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return them times a number, in memory of their own: whoever accumulates gradients may then keep it."""
        return self.score * upstream, self.descent * upstream, self.ascent * upstream


class Outcome(NamedTuple):
    """What one pass over a batch finds."""

    value: Tensor
    gradients: Gradients


class AttachGradients(torch.autograd.Function):
    """Return a value whose gradients are known.

    They come from the same pass over the batch as the value, so that backward only scales them. Hence
    differentiating twice is impossible; it raises.
    """

    @staticmethod
    def forward(ctx: Any, score: Tensor, descent: Tensor, ascent: Tensor, outcome: Outcome) -> Tensor:  # noqa: ARG004
        """Remember the gradients and return the value."""
        # Without the value: a graph that held its own result would wait for the garbage collector.
        value, ctx.gradients = outcome
        return value

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the remembered gradients."""
        check_differentiated_once()
        return *ctx.gradients.scaled(upstream), None


def tensor_pass(batch: Batch, descent: Tensor, ascent: Tensor, shape: Tensor, terms: Terms, ranks: int) -> Outcome:
    """Find the objective plus 1, averaged over labels, and its gradients by tensor operations.

    There is no host synchronisation, and it is fit for `torch.compile`.

    Parameters
    ----------
    batch, terms
        What is computed.
    descent, ascent : Tensor
        Inner variables, (6,) and () or (6, K) and (K,).
    shape : Tensor
        Sharpness and omega.
    ranks : int
        Number of processes whose batches count as one.
    """
    score = widened(batch.score)
    f = score.sigmoid() if terms.logits else score
    weight = None if batch.weight is None else batch.weight.to(score.dtype)
    inner = Inner._make([*descent.to(score.dtype).unbind(), ascent.to(score.dtype)])
    numbers = Shape(*shape.to(score.dtype).unbind())
    sums, slope = tensor_moments(f, batch.positive, weight, inner, numbers, terms, ranks)
    if ranks > 1:
        sums = list(sum_over_ranks(torch.stack(sums)).unbind())
    norm = norms(sums[0], sums[4], terms)
    value, gradient = settle((sums[1:4], sums[5:]), norm, inner, numbers.omega, terms)
    labels = ascent.numel()
    gradients = TensorGradients(
        slope * torch.where(batch.positive, *norm.factors) * (ranks / labels),
        _stack(gradient[:-1]) / labels,
        -gradient.gamma / labels,
    )
    return Outcome(value.mean(), gradients)


def _stack(rows: tuple[Tensor, ...]) -> Tensor:
    if not torch.compiler.is_compiling():
        return torch.stack(rows)
    # The same, in a form that a compiler fuses into the kernel that makes the rows.
    index = torch.arange(len(rows), device=rows[0].device).view(-1, *(1 for _ in rows[0].shape))
    stacked = rows[0]
    for i, row in enumerate(rows[1:], start=1):
        stacked = torch.where(index == i, row, stacked)
    return stacked
