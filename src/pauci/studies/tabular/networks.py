"""Training networks on a table: by cross-entropy as the project's classifier does, or by another loss."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pauci.data import DeviceBatches, StratifiedBatchSampler
from pauci.estimators.network_path import NetworkPath
from pauci.models import MLP
from pauci.region import Region

_BATCH = 512
_EPOCHS = 20
#: Small tables pass by more often, large ones less.
_STEPS = (500, 1000)


def cross_entropy_scores(
    X: NDArray[Any],
    y: NDArray[np.int64],
    X_new: NDArray[Any],
    configs: Sequence[Mapping[str, Any]],
    *,
    seed: int,
) -> list[NDArray[Any]]:
    """Train one network per configuration by cross-entropy, as `PartialAUCClassifier` trains its anchor."""
    batch = min(max(len(y) // 40, 128), 4096)
    paths = (NetworkPath("pairwise-sigmoid", Region(), MLP, batch_size=batch, **config) for config in configs)
    return [path.fit(X, y == 1, None, shares=[], seed=seed)[0](X_new) for path in paths]


def network_scores(
    X: NDArray[Any],
    y: NDArray[np.int64],
    X_new: NDArray[Any],
    configs: Sequence[Mapping[str, Any]],
    *,
    hidden: tuple[int, ...],
    loss: Callable[[Mapping[str, Any]], nn.Module],
    positive_ratio: float | None = None,
    seed: int,
) -> list[NDArray[Any]]:
    """Train one network per configuration and score new rows with it.

    AdamW with a one-cycle learning rate, 20 epochs of batches of 512 rows, but between 500 and 1000 steps.

    Parameters
    ----------
    X, y : ndarray
        Finite features of about unit scale, and labels, to train on.
    configs : sequence of mapping
        ``learning_rate``, ``weight_decay``, and what `loss` needs.
    hidden : tuple of int
        Units of the hidden layers; none make a linear scorer.
    loss : callable
        From a configuration to the loss, which has no parameters of its own.
    positive_ratio : float, optional
        Share of positives in every batch; by default that of the labels.
    """
    inputs, labels = torch.from_numpy(X), torch.from_numpy(y)
    fresh = torch.from_numpy(X_new)
    scores = []
    for config in configs:
        model = _train(inputs, labels, config, hidden, loss(config), positive_ratio, seed)
        with torch.no_grad():
            scores.append(model.eval()(fresh).numpy())
    return scores


def _train(
    inputs: torch.Tensor,
    labels: torch.Tensor,
    config: Mapping[str, Any],
    hidden: tuple[int, ...],
    loss: nn.Module,
    positive_ratio: float | None,
    seed: int,
) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = MLP(inputs.shape[1], hidden=hidden)
    batch = min(_BATCH, max(32, len(labels) // 8))
    sampler = StratifiedBatchSampler(labels, batch, positive_ratio=positive_ratio, seed=seed)
    batches = DeviceBatches(inputs, labels, sampler=sampler)
    steps = int(np.clip(_EPOCHS * len(labels) / batch, *_STEPS))
    rate = config["learning_rate"]
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=config["weight_decay"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=rate, total_steps=steps, pct_start=0.1)
    for x, target in islice(chain.from_iterable(repeat(batches)), steps):
        optimiser.zero_grad()
        loss(model(x), target).backward()
        optimiser.step()
        schedule.step()
    return model
