"""Forward and backward through network and objective, as they are or as a replay of a CUDA graph."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from pauci.training.capture import capture
from pauci.training.precision import autocast
from pauci.training.ranks import Ranks
from pauci.training.recipe import Precision
from pauci.training.state import State


class Pass(nn.Module):
    """Both passes over a batch; gradients are added up in the parameters.

    It is a module so that whoever watches modules being called sees the network and the objective in it. Where the
    network is `compiled`, every size of batches has code of its own.
    """

    def __init__(self, state: State, precision: Precision, ranks: Ranks, *, compiled: bool = False) -> None:
        super().__init__()
        self.model, self.loss = state.model, state.loss
        self._scaler = state.scaler
        self._precision = precision
        self._ranks = ranks
        self._compiled = compiled

    def forward(self, x: Tensor, y: Tensor, index: Tensor, share: float = 1.0) -> Tensor:
        """Compute the loss of a batch and `share` times its gradients.

        Returns
        -------
        Tensor
            The loss, detached; NaN, without gradients, where a process has scores that its loss would refuse: the
            others' would wait for it.
        """
        if self._compiled:
            # Code for any size, which torch makes once it has seen two, fails on the backward pass of some networks.
            torch._dynamo.mark_static(x, 0)
        with autocast(x.device, self._precision):
            scores = self.model(x)
        # On other devices losses look at no values.
        if self._ranks.size > 1 and x.is_cpu and self._ranks.agree(not bool(scores.isfinite().all()), x.device):
            return torch.full((), math.nan)
        loss: Tensor = self.loss(scores.float(), y, index)
        scaled = self._scaler.scale(loss)
        (scaled if share == 1 else scaled * share).backward()  # type: ignore[no-untyped-call]
        return loss.detach()


class CapturedPass(nn.Module):
    """A `Pass` recorded once and replayed: the host launches one graph instead of hundreds of kernels.

    Parameters
    ----------
    passes : Pass
        What is recorded. It must not look at values on the way.
    example : tuple of Tensor
        A batch of the one shape that training uses, on a GPU.
    """

    def __init__(self, passes: Pass, example: tuple[Tensor, ...]) -> None:
        super().__init__()
        self.passes = passes
        self._params = [p for p in passes.parameters() if p.requires_grad]
        self._inputs = [tensor.clone() for tensor in example]
        before = [(buffer, buffer.clone()) for buffer in passes.buffers()]
        self._replay = capture(self._work)
        self._grads = [p.grad for p in self._params]
        # The rehearsals must not count in BatchNorm's statistics.
        with torch.no_grad():
            for buffer, value in before:
                buffer.copy_(value)

    def forward(self, *batch: Any) -> Tensor:
        """Replay the passes on a batch of the example's shapes; gradients of earlier ones are overwritten.

        The next replay overwrites the loss that is returned.
        """
        for static, given in zip(self._inputs, batch, strict=True):
            static.copy_(given)
        loss = self._replay()
        for p, grad in zip(self._params, self._grads, strict=True):
            p.grad = grad
        return loss

    def _work(self) -> Tensor:
        self.passes.zero_grad()
        loss: Tensor = self.passes(*self._inputs)
        return loss
