"""LightGBM towards a region: log-loss first, then the region objective on top.

A table with a few thousand rows. Both models get the same number of trees, so that more trees are no advantage.
"""

import lightgbm
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from pauci.boosting import lightgbm_objective
from pauci.metrics import compare_partial_auc, partial_auc_score

SETTINGS = {"verbosity": -1, "num_threads": 1, "learning_rate": 0.05, "num_leaves": 15, "seed": 0}


def main() -> None:
    X, y = make_classification(8000, 12, weights=[0.95], class_sep=0.8, flip_y=0.02, random_state=0)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    logloss = {**SETTINGS, "objective": "binary"}
    start = lightgbm.train(logloss, lightgbm.Dataset(X_train, y_train), num_boost_round=80)
    control = lightgbm.train(logloss, lightgbm.Dataset(X_train, y_train), num_boost_round=120)
    onwards = lightgbm.Dataset(X_train, y_train, init_score=start.predict(X_train, raw_score=True))
    region = {**SETTINGS, "objective": lightgbm_objective(max_fpr=0.15)}  # three times the target
    more = lightgbm.train(region, onwards, num_boost_round=40)
    scores: dict[str, np.ndarray] = {
        "log-loss, 120 trees": control.predict(X_test, raw_score=True),
        "log-loss, 80 trees, and region, 40": start.predict(X_test, raw_score=True) + more.predict(X_test),
    }
    for name, score in scores.items():
        print(f"{name}: {partial_auc_score(y_test, score, max_fpr=0.05):.3f} at FPR <= 0.05")
    control_score, region_score = scores.values()
    gain = compare_partial_auc(y_test, region_score, control_score, max_fpr=0.05)
    print(f"paired difference: {gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]")


if __name__ == "__main__":
    main()
