"""Exponential moving average of a network's weights."""

import copy

import torch
from torch import Tensor, nn


class WeightAverage:
    """A copy of a network whose weights follow the original's as a moving average.

    Early on the average forgets faster, with decay (1 + t) / (10 + t), so that it does not remember the random start.
    Floating point buffers, such as the statistics of BatchNorm, are averaged too.

    Parameters
    ----------
    model : nn.Module
        The network being trained.
    decay : float
        What is kept of the average per step, below 1.

    Examples
    --------
    >>> model = nn.Linear(1, 1, bias=False)
    >>> average = WeightAverage(model, 0.9)
    >>> with torch.no_grad():
    ...     _ = model.weight.add_(1.0)
    >>> average.update(step=0)
    >>> bool((model.weight - average.model.weight).abs() < 0.11)
    True
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        pairs = [*zip(_tensors(self.model), _tensors(model), strict=True)]
        self._floating = _columns([pair for pair in pairs if pair[0].is_floating_point()])
        self._others = _columns([pair for pair in pairs if not pair[0].is_floating_point()])

    @torch.no_grad()
    def update(self, *, step: int) -> None:
        """Move towards the network's present weights.

        Parameters
        ----------
        step : int
            Number of this step, from 0.
        """
        decay = min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(self._floating[0], self._floating[1], 1 - decay)
        if self._others[0]:
            torch._foreach_copy_(self._others[0], self._others[1])


def _tensors(model: nn.Module) -> list[Tensor]:
    return [*model.parameters(), *model.buffers()]


def _columns(pairs: list[tuple[Tensor, Tensor]]) -> tuple[list[Tensor], list[Tensor]]:
    return [average for average, _ in pairs], [current for _, current in pairs]
