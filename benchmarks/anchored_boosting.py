"""What `PartialAUCBooster` gains over plain logloss boosting on real tables, on random halves.

Each half fits the booster and, with rounds chosen just as carefully, logloss alone; the other half judges both.
Equal rows stay on one side. Settings were developed on the seeds 101 to 104; report others:

    python benchmarks/anchored_boosting.py shared/data/tabular/mammography.npz --halves 4 --first-seed 0
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy import stats

from pauci import Region, partial_auc_score
from pauci.boosting import PartialAUCBooster
from pauci.data.duplicates import group_duplicates

REGIONS = ["fpr<=0.01", "fpr<=0.05", "fpr<=0.1", "tpr>=0.8"]


def halves(X: np.ndarray, seed: int) -> np.ndarray:
    group = group_duplicates(X)
    order = np.random.default_rng(seed).permutation(group.max() + 1)
    return order[group] < len(order) // 2


def compared(
    X: np.ndarray, y: np.ndarray, first: np.ndarray, region: Region, options: argparse.Namespace
) -> tuple[float, float, str]:
    """Partial AUC of plain logloss and of the booster on the second half, and what was chosen."""
    booster = PartialAUCBooster(
        region.max_fpr,
        region.min_tpr,
        base=options.base,
        surrogate=options.surrogate,
        confidence=None,
        n_jobs=options.threads,
        random_state=0,
    ).fit(X[first], y[first])
    plain = PartialAUCBooster(**{**booster.get_params(), "shares": ()}).fit(X[first], y[first])
    scores = plain.decision_function(X[~first]), booster.decision_function(X[~first])
    of_plain, of_booster = (float(partial_auc_score(y[~first], score, region=region)) for score in scores)
    return of_plain, of_booster, booster.report_.choice.name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=Path, help="npz files with X and y")
    parser.add_argument("--halves", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--regions", nargs="+", default=REGIONS)
    parser.add_argument("--base", choices=["lightgbm", "xgboost"], default="lightgbm")
    parser.add_argument("--surrogate", choices=["sigmoid", "pauci"], default="sigmoid")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for path in options.tables:
        with np.load(path, allow_pickle=False) as table:
            X, y = table["X"], table["y"].ravel() > 0
        for text in options.regions:
            start = time.perf_counter()
            found = [
                compared(X, y, halves(X, seed), Region.parse(text), options)
                for seed in range(options.first_seed, options.first_seed + options.halves)
            ]
            plain, ours = np.array([each[0] for each in found]), np.array([each[1] for each in found])
            gain = ours - plain
            reach = stats.t.ppf(0.975, len(gain) - 1) * stats.sem(gain) if len(gain) > 1 else np.nan
            print(
                f"{path.stem} {text}: logloss {plain.mean():.4f}, booster {ours.mean():.4f}, "
                f"gain {gain.mean():+.4f} +- {reach:.4f} ({np.round(gain, 4).tolist()}), "
                f"{time.perf_counter() - start:.0f} s; {'; '.join(each[2] for each in found)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
