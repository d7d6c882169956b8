"""Memory of a binned stream: the state stays the same however many scores pass through it.

python benchmarks/streaming.py            # 1e7 scores, next to the exact score of all of them
python benchmarks/streaming.py --full     # 1e8 scores
"""

import argparse
import resource
import time

import torch

from pauci import partial_auc_score
from pauci.metrics import StreamingPartialAUC

BATCH = 100_000


def batch(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    target = torch.rand(BATCH, generator=generator) < 0.01
    return torch.randn(BATCH, generator=generator) + 2.0 * target, target


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="1e8 scores instead of 1e7")
    parser.add_argument("--bits", type=int, nargs="+", default=[16, 20])
    arguments = parser.parse_args()
    n_batches = (10**8 if arguments.full else 10**7) // BATCH
    StreamingPartialAUC(bits=16)(*batch(0))  # imports and allocations that every run needs
    held = n_batches * BATCH * 4e-6
    print(f"{n_batches * BATCH:.0e} scores, 1% positives, FPR <= 0.05; holding them would take {held:.0f} MB")
    values = {}
    for bits in arguments.bits:
        before = peak_mb()
        metric, seconds = StreamingPartialAUC(max_fpr=0.05, bits=bits), 0.0
        for seed in range(n_batches):
            preds, target = batch(seed)
            start = time.perf_counter()
            metric.update(preds, target)
            seconds += time.perf_counter() - start
        values[bits] = metric.compute().item()
        print(
            f"bits={bits}: state {metric.counts.nbytes / 1e6:4.1f} MB, peak memory +{peak_mb() - before:.0f} MB, "
            f"{seconds / n_batches / BATCH * 1e9:.0f} ns per score, "
            f"value {values[bits]:.6f}, at most {metric.error_bound():.1e} off"
        )
    if not arguments.full:
        preds, target = (torch.cat(parts) for parts in zip(*(batch(seed) for seed in range(n_batches)), strict=True))
        exact = partial_auc_score(target, preds, max_fpr=0.05)
        print(
            f"exact: value {exact:.6f}; "
            + ", ".join(f"bits={b} is {abs(v - exact):.1e} off" for b, v in values.items())
        )


if __name__ == "__main__":
    main()
