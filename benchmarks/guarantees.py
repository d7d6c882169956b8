"""How often fitted thresholds break the budget they promise with 95% confidence, where the truth is known.

    python benchmarks/guarantees.py [--repeats 100] [--only NAME ...]

Every repeat fits on new rows, and 50,000 further ones tell the true rate of false positives, or of finds. The fits are
small, most of few rounds and without a surrogate: what is tried is the threshold. Fits that promise nothing do not
count. Broken may be 5%; the interval is that of Clopper and Pearson. A hold-out is what tables of 250,000 rows or more
are judged by; here it begins at 6,000. Rows of accounts belong together in twenties, or in log-normal numbers, which
`groups` tells; then the confidence is kept approximately. Busy accounts have the more rows, the higher they score.
"""

import argparse
import warnings
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
from scipy.stats import beta

from pauci.boosting import PartialAUCBooster
from pauci.estimators import PartialAUCClassifier

BUDGET, TRUTH = 0.1, 50_000
#: Rows of an account.
SIZE = 20
#: A promise to find positives instead: the budget is that of the missed ones.
FINDS = {"max_fpr": 1.0, "min_tpr": 1 - BUDGET}
LARGE = ("pauci.estimators.folds._LARGE", "pauci.boosting.path._MANY")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--only", nargs="+", default=list(CASES), metavar="NAME", help="of " + ", ".join(CASES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    width = max(map(len, CASES))
    titles = f"{'rows':>7}{'broken':>9}{'interval':>16}{'mean rate':>10}{'largest':>9}{'other':>8}"
    print(f"{f'budget {BUDGET}':<{width}}{titles}")
    for name in options.only:
        draw, rows, make = CASES[name]
        fitted = [fitted_rates(draw, rows, make, seed) for seed in range(options.repeats)]
        rates = np.array([each for each in fitted if each is not None])
        if not len(rates):
            raise SystemExit(f"{rows} rows are too few for a guarantee: nothing is promised that could be broken.")
        broken = int((rates[:, 0] > BUDGET).sum())
        low, high = interval(broken, len(rates))
        print(
            f"{name:<{width}}{rows:>7}{broken:>5}/{len(rates):<3}{f'[{low:.3f}, {high:.3f}]':>16}"
            f"{rates[:, 0].mean():>10.4f}{rates[:, 0].max():>9.4f}{rates[:, 1].mean():>8.4f}",
            flush=True,
        )


def fitted_rates(draw, rows, make, seed):
    """Return two true rates of a fitted model, the one that the budget is for and the other; None without a promise."""
    rng = np.random.default_rng(seed)
    X, y, *groups = draw(rows, rng)
    with mock.patch(LARGE[0], 6000), mock.patch(LARGE[1], 6000):
        model = make(random_state=seed).fit(X, y, groups=groups[0] if groups else None)
    if not (model.threshold_.approximate if groups else model.threshold_.guaranteed):
        return None
    X, y, *_ = draw(TRUTH, rng)
    alarms = model.predict(X).astype(bool)
    if model.max_fpr == 1:
        return 1 - alarms[y].mean(), alarms[~y].mean()
    return alarms[~y].mean(), alarms[y].mean()


def interval(broken, repeats):
    """Interval of Clopper and Pearson, of 95%."""
    low = beta.ppf(0.025, broken, repeats - broken + 1) if broken else 0.0
    high = beta.ppf(0.975, broken + 1, repeats - broken) if broken < repeats else 1.0
    return low, high


def smooth(n, rng):
    """One column tells something, nine are noise."""
    y = rng.random(n) < 0.2
    X = rng.normal(size=(n, 10))
    X[:, 0] += y
    return X, y


def weak(n, rng):
    """Columns tell so little that models of folds may differ in level more than rows do in score."""
    y = rng.random(n) < 0.1
    X = rng.normal(size=(n, 6))
    X[:, 0] += 0.1 * y
    return X, y


def lump(n, rng):
    """12% of the negatives, and most positives, score nearly the same: a little more than the budget."""
    y = rng.random(n) < 0.2
    X = rng.normal(size=(n, 7))
    X[:, 0] = rng.random(n) < np.where(y, 0.6, 0.12)
    return X, y


def hard(n, rng):
    """12% of the positives score nearly the same, among most negatives: a little more than may be missed."""
    X, y = lump(n, rng)
    return X, ~y


def names(n, rng):
    """Of 3,000 categories many are new in every sample."""
    share = 1 / np.arange(1, 3001) ** 0.9
    place = rng.choice(3000, n, p=share / share.sum())
    effect = np.random.default_rng(5).normal(size=3000)
    x = rng.normal(size=(n, 2))
    y = rng.random(n) < 1 / (1 + np.exp(1.5 - effect[place] - 0.7 * x[:, 0]))
    names = pd.Categorical(np.char.add("n", place.astype(str)))  # said to be: they are as many as identifiers
    return pd.DataFrame({"name": names, "x": x[:, 0], "noise": x[:, 1]}), y


def cells(n, rng):
    """Three columns of six values each: most rows are equal to a few others."""
    X = rng.integers(0, 6, (n, 3)).astype(float)
    logit = -2.55 + 0.35 * (X @ [1, -1, 0.5] + 2 * (X[:, 0] == X[:, 1]))
    return X, rng.random(n) < 1 / (1 + np.exp(-logit))


def crossed(n, rng):
    """Large trees learn the noise of these by heart."""
    X = rng.normal(size=(n, 4))
    return X, rng.random(n) < 1 / (1 + np.exp(2 - 2 * X[:, 0] * X[:, 1]))


def accounts(n, rng, *, uneven=0.0, busy=0.0):
    """Rows of one account have columns in common, and something hidden that decides how often they are positive."""
    account, known, hidden = np.arange(n) // SIZE, rng.normal(size=(n // SIZE, 4)), 1.5 * rng.normal(size=n // SIZE)
    if uneven:
        size = np.exp(uneven * rng.normal(size=n // SIZE) + busy * known[:, 0])
        account = np.sort(rng.choice(n // SIZE, n, p=size / size.sum()))
    own = rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(2 - hidden[account] - known[account, 0] - own))
    return np.column_stack([known[account], own]), y, account


def untold(n, rng):
    """Draw the same, and do not tell what belongs together."""
    return accounts(n, rng)[:2]


def linear(max_fpr=BUDGET, **options):
    return PartialAUCClassifier(max_fpr, method="ce", **options)


def trees(max_fpr=BUDGET, **options):
    return PartialAUCBooster(max_fpr, shares=(), learning_rate=0.3, max_rounds=20, n_jobs=1, **options)


single_trees = partial(trees, average=False)
#: As many rounds, and shares of a surrogate, as a user gets who asks for no others.
usual_trees = partial(PartialAUCBooster, BUDGET, average=False, learning_rate=0.1, n_jobs=1)
large_trees = partial(trees, params={"num_leaves": 255, "min_data_in_leaf": 5})

CASES = {
    "linear, smooth": (smooth, 500, linear),
    "linear, weak": (weak, 1000, linear),
    "linear, lump": (lump, 600, linear),
    "linear, names": (names, 1000, linear),
    "trees, smooth": (smooth, 500, trees),
    "trees, lump": (lump, 600, trees),
    "trees, names": (names, 1000, trees),
    "single trees, smooth": (smooth, 500, single_trees),
    "single trees, lump": (lump, 600, single_trees),
    "single trees, names": (names, 1000, single_trees),
    "trees, cells": (cells, 600, trees),
    "single trees, cells": (cells, 600, single_trees),
    "single usual trees, cells": (cells, 600, usual_trees),
    "large trees, hold-out": (crossed, 6000, large_trees),
    "linear, accounts": (accounts, 3000, linear),
    "trees, accounts": (accounts, 3000, trees),
    "linear, uneven accounts": (partial(accounts, uneven=1.0), 3000, linear),
    "trees, uneven accounts": (partial(accounts, uneven=1.0), 3000, trees),
    "linear, busy accounts": (partial(accounts, uneven=1.5, busy=1.0), 3000, linear),
    "trees, busy accounts": (partial(accounts, uneven=1.5, busy=1.0), 3000, trees),
    "linear, accounts untold": (untold, 3000, linear),
    "trees, accounts untold": (untold, 3000, trees),
    "linear, finds, smooth": (smooth, 500, partial(linear, **FINDS)),
    "trees, finds, hard": (hard, 600, partial(trees, **FINDS)),
    "single trees, finds, names": (names, 1000, partial(single_trees, **FINDS)),
}


if __name__ == "__main__":
    main()
