"""The mean of several networks, as one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class MeanNetwork(nn.Module):
    """Scores rows (n, d) by the mean of what several networks score them, each (n,) or (n, 1).

    Examples
    --------
    >>> one, two = nn.Linear(3, 1), nn.Linear(3, 1)
    >>> rows = torch.ones(4, 3)
    >>> torch.allclose(MeanNetwork([one, two])(rows), (one(rows) + two(rows)).reshape(-1) / 2)
    True
    """

    def __init__(self, networks: Iterable[nn.Module]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, x: Tensor) -> Tensor:
        """Score rows."""
        return torch.stack([network(x).reshape(-1) for network in self.networks]).mean(dim=0)
