"""Steps per second of the training loop on an in-memory table, beside a hand-written loop and a DataLoader.

All three do the same: stratified batches of 2,048 rows, an MLP, cross-entropy, SGD with momentum. They take turns,
so that a busy machine slows all of them; printed is the median over rounds of each round's ratio.

    python benchmarks/training_cpu.py
"""

import statistics
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from pauci.data.sampler import StratifiedBatchSampler
from pauci.losses import CrossEntropyLoss
from pauci.models import MLP
from pauci.training import Component, LossSpec, Observer, Recipe, train

ROWS, COLUMNS, BATCH, EPOCHS, ROUNDS = 60_000, 30, 2048, 3, 7
#: A small network, for which the loop itself is what counts, and the package's default one.
NETWORKS = [[32], [128, 64]]


class Clock(Observer):
    """Note when steps are done."""

    def __init__(self):
        self.times = []

    def step(self, done):  # noqa: ARG002
        """Take the time."""
        self.times.append(time.perf_counter())


def data():
    rng = np.random.default_rng(0)
    y = rng.random(ROWS) < 0.1
    x = (rng.normal(size=(ROWS, COLUMNS)) + 0.3 * y[:, None]).astype(np.float32)
    return x, y


def ours(x, y, hidden):
    """Time per step within an epoch: the evaluation between epochs is not part of a step."""
    recipe = Recipe(
        model=Component("mlp", {"hidden": hidden}),
        loss=LossSpec(name="ce"),
        optimizer=Component("sgd", {"lr": 0.01, "momentum": 0.9}),
        batch_size=BATCH,
        epochs=EPOCHS,
    )
    clock = Clock()
    train(recipe, {"train": (x, y), "val": (x[:1000], y[:1000])}, device="cpu", observers=[clock])
    steps = len(clock.times) // EPOCHS
    spans = [clock.times[e * steps + steps - 1] - clock.times[e * steps] for e in range(EPOCHS)]
    return sum(spans) / (EPOCHS * (steps - 1))


def parts(hidden):
    model = MLP(COLUMNS, hidden=hidden)
    return model, CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)


def step(model, loss, optimizer, x, y):
    optimizer.zero_grad()
    loss(model(x), y).backward()
    optimizer.step()


def by_hand(x, y, hidden):
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    made = parts(hidden)
    indices = StratifiedBatchSampler(y, BATCH).indices(0)
    began = time.perf_counter()
    for row in indices.unbind():
        step(*made, x.index_select(0, row), y.index_select(0, row))
    return (time.perf_counter() - began) / len(indices)


def data_loader(x, y, hidden, steps=8):
    dataset = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    loader = iter(DataLoader(dataset, batch_sampler=StratifiedBatchSampler(y, BATCH)))
    made = parts(hidden)
    step(*made, *next(loader))
    began = time.perf_counter()
    for _ in range(steps):
        step(*made, *next(loader))
    return (time.perf_counter() - began) / steps


def main():
    x, y = data()
    ours(x[:5000], y[:5000], [8])
    for hidden in NETWORKS:
        rows = [(ours(x, y, hidden), by_hand(x, y, hidden), data_loader(x, y, hidden)) for _ in range(ROUNDS)]
        print(f"MLP with hidden layers {hidden}, {torch.get_num_threads()} thread(s)")
        for name, column in zip(("pauci.training", "by hand", "DataLoader"), zip(*rows, strict=True), strict=True):
            print(f"  {name:15} {1 / statistics.median(column):8.0f} steps/s")
        for name, k, target in (("by hand", 1, 0.9), ("DataLoader", 2, 10.0)):
            ratio = statistics.median(row[k] / row[0] for row in rows)
            print(f"  speed relative to {name:11} {ratio:6.2f}  (target {target:g})")


if __name__ == "__main__":
    main()
