"""Speed of `partial_auc_interval` against calling `partial_auc_score` on as many resampled arrays.

    python benchmarks/bootstrap.py [--resamples N]

Prints ratios of processor time measured in one run: both take turns, and medians are compared. Of the arrays a few are
made and scored per round, and their time is multiplied up; the second ratio leaves out the time to make them.
"""

import argparse
import statistics
import time

import numpy as np

from pauci import partial_auc_score
from pauci.metrics import partial_auc_interval

#: Number of scores, share of positives, and how many times faster it should be at least.
CASES = ((100_000, 0.01, 20), (10_000, 0.01, 5), (100_000, 0.5, 3), (10_000, 0.5, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{options.resamples} resamples, median of {options.rounds} interleaved rounds")
    for n, prevalence, target in CASES:
        rng = np.random.default_rng(0)
        y = rng.random(n) < prevalence
        s = rng.normal(size=n) + 1.5 * y
        classes = np.flatnonzero(y), np.flatnonzero(~y)
        for max_fpr in (0.05, 0.3, 1.0):
            ours, making, scoring = [], [], []
            for _ in range(options.rounds):
                start = time.process_time()
                partial_auc_interval(y, s, max_fpr=max_fpr, n_resamples=options.resamples)
                ours.append((time.process_time() - start) / options.resamples)
                for _ in range(5):
                    start = time.process_time()
                    rows = np.concatenate(
                        [members[rng.integers(len(members), size=len(members))] for members in classes]
                    )
                    again = y[rows], s[rows]
                    made = time.process_time()
                    partial_auc_score(*again, max_fpr=max_fpr)
                    making.append(made - start)
                    scoring.append(time.process_time() - made)
            once = statistics.median(scoring)
            ratio = (statistics.median(making) + once) / statistics.median(ours)
            print(
                f"n={n:<7,} {prevalence:>4.0%} positives  max_fpr={max_fpr:<5g}"
                f"{ratio:6.1f}x faster (target {target}x); {once / statistics.median(ours):5.1f}x than scoring alone"
            )


if __name__ == "__main__":
    main()
