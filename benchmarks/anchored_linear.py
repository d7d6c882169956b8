"""Test partial AUC of `PartialAUCClassifier` minus that of its own cross-entropy anchor, on random halves.

    python benchmarks/anchored_linear.py --data ../shared/data/tabular            # every set, seeds 0 to 5
    python benchmarks/anchored_linear.py --sets mammography breast_cancer --seeds 3

Each seed fits on one half and tests on the other, and the other way round; equal rows stay in one half. The settings
were found on other seeds (100 and up). The anchor is a logistic regression whose penalty is chosen by cross-validation
on the same half. Standard errors are over halves, which share rows: they are a guide, not a test.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification

from pauci import Region, partial_auc_score
from pauci.estimators import GuaranteeWarning, PartialAUCClassifier
from pauci.estimators.fingerprint import row_fingerprints

REGIONS = ("fpr<=0.01", "fpr<=0.05", "fpr<=0.1", "tpr>=0.8")


def main():
    options = read_options()
    warnings.simplefilter("ignore", GuaranteeWarning)
    print(f"{'set':<16}{'region':<11}{'CE':>7}{'ours':>8}{'difference':>12}{'s.e.':>8}  kept (times)     seconds")
    all_differences = []
    for name in options.sets:
        X, y = load(name, options.data)
        for text in options.regions:
            region = Region.parse(text)
            start = time.perf_counter()
            rows = [
                half
                for seed in range(options.first, options.first + options.seeds)
                for half in halves(X, y, seed, region)
            ]
            seconds = (time.perf_counter() - start) / len(rows)
            anchor, ours = np.array([row[:2] for row in rows]).T
            difference = ours - anchor
            all_differences.append(difference.mean())
            chosen = [row[2] for row in rows]
            counts = " ".join(f"{index}:{chosen.count(index)}" for index in sorted(set(chosen)))
            error = difference.std(ddof=1) / len(rows) ** 0.5
            print(
                f"{name:<16}{text:<11}{anchor.mean():>7.4f}{ours.mean():>8.4f}{difference.mean():>+12.4f}{error:>8.4f}"
                f"  {counts:<16} {seconds:.1f}",
                flush=True,
            )
    print(f"mean over {len(all_differences)} cells: {np.mean(all_differences):+.4f}")


def halves(X, y, seed, region):
    second = row_fingerprints(X, seed=seed) >> np.uint64(63) == 1
    for fitted, judged in ((~second, second), (second, ~second)):
        classifier = PartialAUCClassifier(region.max_fpr, region.min_tpr, random_state=seed).fit(X[fitted], y[fitted])
        rows = classifier.scaling_(X[judged])
        scores = [
            partial_auc_score(y[judged], scorer(rows), region=region)
            for scorer in (classifier.anchor_, classifier.scorer_)
        ]
        yield *scores, len(classifier.report_.choice.kept)


def load(name, folder):
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return X, 1 - y
    if name.startswith("synthetic"):
        number = int(name.removeprefix("synthetic"))
        share, separation, clusters = [(0.9, 0.8, 1), (0.98, 1.0, 3), (0.95, 0.5, 2)][number]
        return make_classification(
            12_000,
            20,
            n_informative=8,
            weights=[share],
            class_sep=separation,
            n_clusters_per_class=clusters,
            flip_y=0.01,
            random_state=number,
        )
    with np.load(folder / f"{name}.npz") as file:
        return file["X"].astype(np.float64), file["y"].astype(np.int64)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/tabular"))
    parser.add_argument("--sets", nargs="+", default=None)
    parser.add_argument("--regions", nargs="+", default=REGIONS)
    parser.add_argument("--seeds", type=int, default=6, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    options = parser.parse_args()
    if options.sets is None:
        made = ["breast_cancer", "synthetic0", "synthetic1", "synthetic2"]
        options.sets = [*sorted(path.stem for path in options.data.glob("*.npz")), *made]
    return options


if __name__ == "__main__":
    main()
