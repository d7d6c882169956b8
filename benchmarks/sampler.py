"""Batches per second: `DeviceBatches` against a `DataLoader` over a `TensorDataset`, with the same sampler.

Prints the median of ratios measured in turn, so that the machine's load cancels out:

    python benchmarks/sampler.py
"""

import statistics
import time
from collections.abc import Iterable

import torch
from torch.utils.data import DataLoader, TensorDataset

from pauci.data import DeviceBatches, StratifiedBatchSampler

ROWS, FEATURES, ROUNDS = 50_000, 62, 7


def rate(batches: Iterable[object]) -> float:
    start = time.perf_counter()
    count = sum(1 for _ in batches)
    return count / (time.perf_counter() - start)


def main() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(ROWS, FEATURES, generator=generator)
    y = (torch.rand(ROWS, generator=generator) < 0.02).long()
    for batch_size in (64, 256, 1024):
        sampler = StratifiedBatchSampler(y, batch_size, positive_ratio=1 / 8)
        loader = DataLoader(TensorDataset(x, y), batch_sampler=sampler)
        batches = DeviceBatches(x, y, sampler=sampler)
        rates = [(rate(batches), rate(loader)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(column) for column in zip(*rates, strict=True))
        ratio = statistics.median(a / b for a, b in rates)
        print(f"batch {batch_size:5}: {ours:9,.0f} batches/s, DataLoader {theirs:7,.0f}, ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
