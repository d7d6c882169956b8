"""From a network trained by cross-entropy along a path of growing shares of a surrogate."""

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pauci.errors import DivergedError, InputError
from pauci.estimators.architecture import new_network
from pauci.estimators.folds import Folds
from pauci.estimators.mean_network import MeanNetwork
from pauci.estimators.network_scorer import NetworkScorer
from pauci.estimators.objective import build_loss
from pauci.losses import CrossEntropyLoss
from pauci.region import Region
from pauci.training.ranks import local_device
from pauci.training.seeding import seed_default_generators
from pauci.training.usual_settings import usual_settings

Array = NDArray[Any]

#: Share of the rows that decides when to stop, and how many of either class make it worth while.
_STOPPING = 0.15
_LEAST_STOPPING = 5
#: Epochs, and at least so many steps, of each share of the surrogate; its learning rate beside that of cross-entropy.
_EPOCHS_PER_SHARE = 10
_STEPS_PER_SHARE = 200
_RATE_PER_SHARE = 0.3


@dataclass(frozen=True)
class NetworkPath:
    """Trains a network by cross-entropy with early stopping, then continues with shares of a surrogate.

    Attributes
    ----------
    method : str or nn.Module
        The surrogate.
    region : Region
        What it is trained on.
    factory : callable
        From the number of columns to a new network.
    max_epochs, patience : int
        Most epochs of cross-entropy, and how many without improvement end them.
    batch_size : int
        Rows per step.
    learning_rate, weight_decay : float
        Of AdamW.
    device : str or torch.device
        Where to train.

    Examples
    --------
    >>> from pauci.models import MLP
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), np.arange(200) < 60
    >>> path = NetworkPath("pauci", Region(max_fpr=0.5), MLP, max_epochs=2)
    >>> [scorer(X).shape for scorer in path.fit(X, y, None, shares=[1.0])]
    [(200,), (200,)]
    """

    method: str | nn.Module
    region: Region
    factory: Callable[[int], nn.Module]
    max_epochs: int = 100
    patience: int = 8
    batch_size: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    device: str | torch.device = "cpu"

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:  # noqa: ARG002
        """Return the path itself: early stopping and weight decay are its regularisation."""
        return self

    def fit(
        self,
        X: Any,
        positive: Array,
        weight: Array | None,
        *,
        shares: Sequence[float],
        start: NetworkScorer | None = None,
        seed: int = 0,
        groups: Array | None = None,
    ) -> list[NetworkScorer]:
        """Train the candidates: that of cross-entropy alone, then one for each share.

        Shares increase, and each begins where the one before ended. The seed is that of first weights, batches and
        dropout; the global generators are left as they were. With groups, cross-entropy is trained on rows of some, and
        ends by those of others.
        """
        device = local_device(self.device)
        rows = _Rows(
            torch.as_tensor(X, dtype=torch.float32, device=device),
            torch.as_tensor(positive, device=device),
            None if weight is None else torch.as_tensor(weight, dtype=torch.float32, device=device),
        )
        with usual_settings(device), torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            seed_default_generators(seed, device)
            with torch.device("cpu"):  # also where the default device draws from another generator
                network = new_network(self.factory, X.shape[1]) if start is None else copy.deepcopy(start.network)
            rng = np.random.default_rng(seed)
            fitted, stopping = _set_aside(positive, np.arange(len(positive)) if groups is None else groups, rng)
            networks = [self._by_cross_entropy(network.to(device), rows, fitted, stopping, rng)]
            for share in shares:
                networks.append(self._with_share(share, networks[-1], rows, rng))
        return [NetworkScorer(network) for network in networks]

    def mean(self, scorers: Sequence[NetworkScorer]) -> NetworkScorer:
        """Return the scorer whose scores are the mean of those of several, which it holds."""
        return scorers[0] if len(scorers) == 1 else NetworkScorer(MeanNetwork(each.network for each in scorers))

    def _by_cross_entropy(
        self, network: nn.Module, rows: "_Rows", fitted: Array, stopping: Array, rng: Any
    ) -> nn.Module:
        """Train until rows that are set aside show no further improvement; return the best weights."""
        optimizer = self._optimizer(network.parameters(), 1.0)
        best, best_loss, since = copy.deepcopy(network), math.inf, 0
        for epoch in range(self.max_epochs):
            self._epoch(network, rows, fitted, optimizer, rng, CrossEntropyLoss())
            judged = _cross_entropy(network, rows, stopping if len(stopping) else fitted)
            if not math.isfinite(judged):
                raise DivergedError(
                    f"cross-entropy is {judged} after epoch {epoch + 1}: learning_rate={self.learning_rate:g} is "
                    "probably too high for this network; lower it.",
                    step=epoch,
                )
            since += 1
            if judged < best_loss:
                best, best_loss, since = copy.deepcopy(network), judged, 0
            if since >= self.patience:
                break
        return best

    def _with_share(self, share: float, start: nn.Module, rows: "_Rows", rng: Any) -> nn.Module:
        """Train a copy further, by cross-entropy and a share of the surrogate, at a rate that falls to 0."""
        network = copy.deepcopy(start)
        every = np.arange(len(rows.positive))
        epochs = max(_EPOCHS_PER_SHARE, math.ceil(_STEPS_PER_SHARE * self.batch_size / len(every)))
        loss = build_loss(self.method, self.region, steps=epochs // 2).to(rows.X.device)
        optimizer = self._optimizer([*network.parameters(), *loss.parameters()], _RATE_PER_SHARE)
        decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
        cross_entropy, prior = CrossEntropyLoss(), rows.prior

        def blend(*batch: Tensor, sample_weight: Tensor | None) -> Any:
            # Per positive, as for linear scorers: a share means the same whatever the class ratio.
            entropy = cross_entropy(*batch, sample_weight=sample_weight) / prior
            return entropy + share * loss(*batch, sample_weight=sample_weight)

        for _ in range(epochs):
            self._epoch(network, rows, every, optimizer, rng, blend)
            decay.step()
            if callable(advance := getattr(loss, "advance", None)):
                advance()
        return network

    def _epoch(
        self,
        network: nn.Module,
        rows: "_Rows",
        chosen: Array,
        optimizer: torch.optim.Optimizer,
        rng: Any,
        loss: Callable[..., Any],
    ) -> None:
        network.train()
        batches = max(1, round(len(chosen) / self.batch_size))
        for batch in np.array_split(rng.permutation(chosen), batches):
            X, y, w = rows.take(batch)
            scores = network(X)
            if not isinstance(scores, Tensor) or scores.numel() != len(batch):
                found = tuple(scores.shape) if isinstance(scores, Tensor) else f"a {type(scores).__name__}"
                raise InputError(
                    f"architecture makes a network that returns {found} for {len(batch)} rows; it must return one "
                    "logit per row."
                )
            value = loss(scores.reshape(-1), y, sample_weight=w)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()

    def _optimizer(self, parameters: Iterable[nn.Parameter], factor: float) -> torch.optim.Optimizer:
        return torch.optim.AdamW(parameters, lr=factor * self.learning_rate, weight_decay=self.weight_decay)


@dataclass(frozen=True)
class _Rows:
    X: Tensor
    positive: Tensor
    weight: Tensor | None

    @property
    def prior(self) -> float:
        """Weighted share of the positives."""
        weight = torch.ones_like(self.X[:, 0]) if self.weight is None else self.weight
        return float(weight[self.positive].sum() / weight.sum())

    def take(self, rows: Array) -> tuple[Tensor, Tensor, Tensor | None]:
        which = torch.as_tensor(rows, device=self.X.device)
        return self.X[which], self.positive[which], None if self.weight is None else self.weight[which]


def _set_aside(positive: Array, groups: Array, rng: Any) -> tuple[Array, Array]:
    """Rows to fit on, and rows of other groups that tell when to stop; none of the latter if a class is small."""
    _, group = np.unique(groups, return_inverse=True)
    with_positive = np.bincount(group, positive) > 0
    with_negative = np.bincount(group, ~positive) > 0
    if min(round(_STOPPING * int(each.sum())) for each in (with_positive, with_negative)) < _LEAST_STOPPING:
        return np.arange(len(positive)), np.empty(0, dtype=np.int64)
    aside = np.zeros(len(with_positive), dtype=bool)
    for members in (np.flatnonzero(with_positive), np.flatnonzero(~with_positive)):
        aside[rng.permutation(members)[: round(_STOPPING * len(members))]] = True
    return np.flatnonzero(~aside[group]), np.flatnonzero(aside[group])


def _cross_entropy(network: nn.Module, rows: _Rows, chosen: Array) -> float:
    network.eval()
    with torch.no_grad():
        X, y, w = rows.take(chosen)
        scores = network(X).reshape(-1)
        entropy = nn.functional.binary_cross_entropy_with_logits(scores, y.float(), w, reduction="sum")
        return float(entropy / (len(y) if w is None else w.sum()))
