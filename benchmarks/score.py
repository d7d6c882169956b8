"""Speed and memory of `partial_auc_score` against scikit-learn on 1,000,000 scores with 1% positives.

    python benchmarks/score.py [--scores N]

Prints ratios measured in one run: the two implementations take turns, and medians are compared.
"""

import argparse
import statistics
import time
import tracemalloc

import numpy as np
from sklearn.metrics import roc_auc_score

from pauci import partial_auc_score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    y = (rng.random(options.scores) < 0.01).astype(np.int64)
    s = rng.normal(size=options.scores) + 1.5 * y
    print(f"{options.scores:,} float64 scores, 1% positives, median of {options.rounds} interleaved rounds")
    for max_fpr, target in ((0.05, 15), (0.3, 7)):
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(_seconds(lambda m=max_fpr: partial_auc_score(y, s, max_fpr=m)))
            theirs.append(_seconds(lambda m=max_fpr: roc_auc_score(y, s, max_fpr=m)))
        ratio = statistics.median(theirs) / statistics.median(ours)
        print(f"max_fpr={max_fpr:<5g} {ratio:5.1f}x faster than scikit-learn (target {target}x)")
    tracemalloc.start()
    partial_auc_score(y, s, max_fpr=0.3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"peak extra memory  {peak / s.nbytes:.2f}x the scores (target 3x)")


def _seconds(call) -> float:  # type: ignore[no-untyped-def]
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
