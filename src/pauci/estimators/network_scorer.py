"""A network as what scores the rows of a matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pauci.estimators.mean_network import MeanNetwork
from pauci.training.precision import autocast

#: Rows scored at a time.
_CHUNK = 65_536


@dataclass(frozen=True)
class NetworkScorer:
    """Scores rows by a network in evaluation mode.

    Attributes
    ----------
    network : nn.Module
        From rows (n, d) to scores (n,) or (n, 1).

    Examples
    --------
    >>> NetworkScorer(nn.Linear(2, 1))(np.zeros((3, 2))).shape
    (3,)
    """

    network: nn.Module

    @property
    def members(self) -> "list[NetworkScorer]":
        """The scorers that it is the mean of; itself if it is none."""
        network = self.network
        return [NetworkScorer(each) for each in network.networks] if isinstance(network, MeanNetwork) else [self]

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Score rows of a matrix."""
        device = next((parameter.device for parameter in self.network.parameters()), torch.device("cpu"))
        self.network.eval()
        with torch.no_grad(), autocast(device, "fp32"):
            parts = [
                self.network(torch.as_tensor(X[first : first + _CHUNK], dtype=torch.float32, device=device)).reshape(-1)
                for first in range(0, len(X), _CHUNK)
            ]
        return torch.cat(parts).double().cpu().numpy() if parts else np.empty(0)
