"""How often intervals of a partial AUC cover the truth, and how often a difference is found where there is none.

    python benchmarks/coverage.py [--repeats 2000] [--method delong] [--only NAME ...]

Scores are normal, so that the truth is known. Two scores are compared that are equally good and share seven tenths of
their variance. 95% should be covered, and 5% found; the mean width tells what it costs.
"""

import argparse

import numpy as np
from scipy.stats import norm

from pauci import Region
from pauci.metrics import compare_partial_auc, partial_auc_interval

ONE_WAY, LAST, CORNER = Region(max_fpr=0.1), Region(min_tpr=0.9), Region(max_fpr=0.1, min_tpr=0.9)
WIDE_CORNER = Region(max_fpr=0.3, min_tpr=0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--method", choices=("bootstrap", "delong"), default="delong")
    parser.add_argument("--only", nargs="+", default=list(CASES), metavar="NAME", help="of " + ", ".join(CASES))
    options = parser.parse_args()
    titles = f"{'truth':>7}{'covered':>9}{'too high':>10}{'too low':>9}{'width':>7}{'found':>7}"
    print(f"{'':<44}{titles}")
    for name in options.only:
        region, shift, draw = CASES[name]
        truth, rng, results = true_share(region, shift), np.random.default_rng(0), []
        for seed in range(options.repeats):
            y, first, second, given = draw(rng, shift)
            given |= {"region": region, "method": options.method, "n_resamples": 200, "seed": seed}
            one, both = partial_auc_interval(y, first, **given), compare_partial_auc(y, first, second, **given)
            results.append((one.low > truth, one.high < truth, one.high - one.low, both.p_value < 0.05))
        above, below, width, found = np.mean(results, axis=0)
        print(
            f"{name:<44}{truth:>7.3f}{1 - above - below:>9.3f}{above:>10.3f}{below:>9.3f}{width:>7.3f}{found:>7.3f}",
            flush=True,
        )


def true_share(region, shift):
    """Share of the region under the curve of two normal distributions, by the midpoint rule."""
    edges = np.linspace(region.min_fpr, region.max_fpr, 100_001)
    tpr = norm.cdf(shift + norm.ppf((edges[1:] + edges[:-1]) / 2))
    return np.clip(tpr - region.min_tpr, 0, region.height).mean() / region.height


def cases(positives, negatives, *, heavy=0.0):
    """Draw independent cases; their weights are log-normal."""

    def draw(rng, shift):
        y = np.repeat([1, 0], [positives, negatives])
        common, *own = rng.normal(size=(3, len(y)))
        first, second = (shift * y + 0.7**0.5 * common + 0.3**0.5 * each for each in own)
        return y, first, second, {"sample_weight": np.exp(heavy * rng.normal(size=len(y)))} if heavy else {}

    return draw


def verified(number):
    """Draw cases, a fifth of them positive, of which all suspicious ones are looked at and one in ten of the others."""

    def draw(rng, shift):
        y = rng.random(number) < 0.2
        common, *own = rng.normal(size=(4, number))
        first, second, screen = (shift * y + 0.7**0.5 * common + 0.3**0.5 * each for each in own)
        looked_at = np.where(screen > 0.5, 1.0, 0.1)
        seen = rng.random(number) < looked_at
        return y[seen], first[seen], second[seen], {"sample_weight": 1 / looked_at[seen]}

    return draw


def groups(number, *, size=20, uneven=0.0, busy=0.0, common=False):
    """Draw groups of about as many cases, whose classes each share half of the variance; their sizes are log-normal.

    Busy groups score the higher, the larger they are. A `common` share moves both classes of a group together.
    """

    def draw(rng, shift):
        deviation = rng.normal(size=number)
        sizes = np.maximum(2, size * np.exp(uneven * deviation)).astype(int)
        group = np.repeat(np.arange(number), sizes)
        y = rng.random(len(group)) < 0.25

        def score():
            shared = busy * deviation + (1 - busy**2) ** 0.5 * rng.normal(size=(2, number))
            shared[1] = shared[0] if common else shared[1]
            return shift * y + 0.5**0.5 * (shared[y * 1, group] + rng.normal(size=len(y)))

        return y, score(), score(), {"groups": group}

    return draw


CASES = {
    "fpr<=0.1, 200 and 1,000": (ONE_WAY, 2.0, cases(200, 1000)),
    "fpr<=0.1, 50 and 1,000": (ONE_WAY, 3.0, cases(50, 1000)),
    "all, 5 and 500": (Region(), 1.5, cases(5, 500)),
    "all, 2 and 500": (Region(), 1.5, cases(2, 500)),
    "corner, 200 and 1,000, half": (CORNER, 3.4, cases(200, 1000)),
    "corner, 200 and 1,000, little": (CORNER, 2.71, cases(200, 1000)),
    "corner, 200 and 1,000, hardly anything": (CORNER, 2.61, cases(200, 1000)),
    "wide corner, 60 and 100, little": (WIDE_CORNER, 0.8, cases(60, 100)),
    "wide corner, 60 and 100, hardly anything": (WIDE_CORNER, 0.6, cases(60, 100)),
    "wide corner, 60 and 100, nothing": (WIDE_CORNER, 0.5, cases(60, 100)),
    "tpr>=0.9, 10 inside": (LAST, 2.0, cases(100, 500)),
    "tpr>=0.9, 5 inside": (LAST, 2.0, cases(50, 500)),
    "tpr>=0.9, 5 inside, nearly perfect": (LAST, 4.0, cases(50, 1000)),
    "tpr>=0.9, 3 inside": (LAST, 2.0, cases(30, 500)),
    "tpr>=0.9, 2 inside": (LAST, 2.0, cases(20, 500)),
    "tpr>=0.9, 1 inside": (LAST, 2.0, cases(10, 500)),
    "fpr<=0.1, heavy weights": (ONE_WAY, 2.0, cases(200, 1000, heavy=1.0)),
    "fpr<=0.1, very heavy weights": (ONE_WAY, 2.0, cases(200, 1000, heavy=2.0)),
    "fpr<=0.02, 1,000 of which some verified": (Region(max_fpr=0.02), 2.0, verified(1000)),
    "tpr>=0.9, 1,000 of which some verified": (LAST, 2.0, verified(1000)),
    "tpr>=0.9, 4,000 of which some verified": (LAST, 2.0, verified(4000)),
    "all, 1,000 of which some verified": (Region(), 2.0, verified(1000)),
    "fpr<=0.1, 10 groups": (ONE_WAY, 1.5, groups(10)),
    "fpr<=0.1, 30 groups": (ONE_WAY, 1.5, groups(30)),
    "all, 10 uneven groups": (Region(), 1.5, groups(10, uneven=1.2)),
    "all, 30 uneven groups": (Region(), 1.5, groups(30, uneven=1.2)),
    "fpr<=0.1, 50 uneven groups": (ONE_WAY, 1.5, groups(50, uneven=1.0)),
    "fpr<=0.1, 50 uneven, busy groups": (ONE_WAY, 1.5, groups(50, uneven=1.0, busy=0.5)),
    "fpr<=0.1, 300 uneven, busy groups": (ONE_WAY, 1.5, groups(300, uneven=1.0, busy=0.5)),
    "tpr>=0.9, 50 uneven, busy groups": (LAST, 1.5, groups(50, uneven=1.0, busy=0.5)),
    "wide corner, 30 uneven groups": (WIDE_CORNER, 1.5, groups(30, uneven=1.2)),
    "fpr<=0.1, 10 groups that differ": (ONE_WAY, 1.5, groups(10, common=True)),
    "fpr<=0.1, 10 groups of 60 that differ": (ONE_WAY, 1.5, groups(10, size=60, common=True)),
    "fpr<=0.1, 10 groups of 200 that differ": (ONE_WAY, 1.5, groups(10, size=200, common=True)),
    "fpr<=0.1, 20 groups of 200 that differ": (ONE_WAY, 1.5, groups(20, size=200, common=True)),
    "fpr<=0.1, 50 groups of 200 that differ": (ONE_WAY, 1.5, groups(50, size=200, common=True)),
    "fpr<=0.1, 200 groups of 50 that differ": (ONE_WAY, 1.5, groups(200, size=50, common=True)),
    "tpr>=0.9, 20 groups of 200 that differ": (LAST, 1.5, groups(20, size=200, common=True)),
    "all, 10 groups of 200 that differ": (Region(), 1.5, groups(10, size=200, common=True)),
}


if __name__ == "__main__":
    main()
