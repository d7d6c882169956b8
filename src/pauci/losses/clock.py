"""How far training is, as a module's state."""

from typing import Any

import torch
from torch import Tensor, nn


class Clock(nn.Module):
    """Count of the steps or epochs a loss was advanced by; saved and loaded with it.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.tick()
    >>> clock.now, clock.count
    (1, tensor(1))
    """

    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        # The same number on the host, where reading it never waits for the device.
        self.now = 0

    def tick(self) -> None:
        """Count one more."""
        self.count += 1
        self.now += 1

    def reset_parameters(self) -> None:
        """Begin at 0; a clock made on the meta device needs it after `to_empty`."""
        self.count.zero_()
        self.now = 0

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self.now = int(self.count)
