"""Exponential moving average of a network's weights."""

import copy
from typing import Any

import torch
from torch import Tensor, nn

#: A module's tensors, and the name of one of them.
Place = tuple[dict[str, Any], str]


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
        places = [*zip(_places(self.model), _places(model), strict=True)]
        self._floating = [pair for pair in places if _held(pair[0]).is_floating_point()]
        self._others = [pair for pair in places if not _held(pair[0]).is_floating_point()]

    @torch.no_grad()
    def update(self, *, step: int) -> None:
        """Move towards the network's present weights.

        Parameters
        ----------
        step : int
            Number of this step, from 0.
        """
        decay = min(self.decay, (1 + step) / (10 + step))
        # Looked up anew: a network may have put another tensor in a buffer's place since the last step.
        torch._foreach_lerp_(*_columns(self._floating), 1 - decay)
        if self._others:
            torch._foreach_copy_(*_columns(self._others))


def _places(model: nn.Module) -> list[Place]:
    """Return where weights and buffers are, each once also if modules share it."""
    found: dict[int, Place] = {}
    for module in model.modules():
        for tensors in (module._parameters, module._buffers):
            for name, tensor in tensors.items():
                if tensor is not None:
                    found.setdefault(id(tensor), (tensors, name))
    return list(found.values())


def _held(place: Place) -> Tensor:
    tensors, name = place
    held: Tensor = tensors[name]
    return held


def _columns(pairs: list[tuple[Place, Place]]) -> tuple[list[Tensor], list[Tensor]]:
    return [_held(average) for average, _ in pairs], [_held(current) for _, current in pairs]
