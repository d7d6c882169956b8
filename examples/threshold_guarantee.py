"""What a guaranteed threshold is worth.

A threshold is chosen on 2,000 negatives for FPR <= 1%, plainly and with 95% confidence, and then meets the truth: here
the distribution is known, so the true rate of every threshold is. Repeated 1,000 times.
"""

import numpy as np
from scipy.stats import norm

from pauci.metrics import threshold_at_fpr


def main() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [2000, 100])
    kept = {None: 0, 0.95: 0}
    found = {None: [], 0.95: []}
    for _ in range(1000):
        score = rng.normal(size=len(y)) + 3 * y
        for confidence in kept:
            threshold = threshold_at_fpr(y, score, max_fpr=0.01, confidence=confidence).threshold
            kept[confidence] += norm.sf(threshold) <= 0.01
            found[confidence].append(norm.sf(threshold - 3))
    for confidence, times in kept.items():
        name = "plain" if confidence is None else f"{confidence:.0%} confidence"
        share = np.mean(found[confidence])
        print(f"{name}: the true FPR is within 1% in {times / 10:.1f}% of the cases, finding {share:.1%}")


if __name__ == "__main__":
    main()
