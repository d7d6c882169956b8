"""A small table of payments, and models of it."""

import functools
from unittest.mock import patch

import numpy as np
import pandas as pd

from pauci.boosting import PartialAUCBooster
from pauci.data.archives import file_digest
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.unseen import usual_ranges
from pauci.tabular.model import TabularModel
from pauci.tabular.training_table import read_training_table


def payments(rows=700, seed=0):
    """Numbers with gaps, categories with gaps, booleans, dates; about a fifth is fraud."""
    rng = np.random.default_rng(seed)
    amount, age = rng.lognormal(size=rows).round(4), rng.normal(40, 12, rows).round(1)
    country, new = rng.choice(["DE", "FR", "PL"], rows), rng.choice(["yes", "no"], rows)
    risk = np.log(amount) - (age - 40) / 20 + (country == "PL") + rng.logistic(size=rows) / 2
    table = pd.DataFrame(
        {
            "key": [f"t{i:05d}" for i in range(rows)],
            "amount": amount,
            "age": age,
            "country": country,
            "new customer": new,
            "day": [f"2024-03-{1 + i % 28:02d}" for i in range(rows)],
            "fraud": np.where(risk > 1.3, "fraud", "fine"),
        }
    )
    table.loc[::17, "age"] = np.nan
    table.loc[::29, "country"] = None
    return table


@functools.cache
def model(kind, folder):
    """A small model of payments: linear, mlp, lightgbm or xgboost."""
    path = folder / "payments.csv"
    if not path.exists():
        payments().to_csv(path, index=False)
    table = read_training_table(path, target="fraud", positive="fraud", drop=["key"])
    common = {"max_fpr": 0.1, "columns": table.columns, "random_state": 0, "shares": (1.0,)}
    if kind in ("linear", "mlp"):
        estimator = PartialAUCClassifier(**common, architecture=kind, max_epochs=2)
    else:
        estimator = PartialAUCBooster(**common, base=kind, max_rounds=15, learning_rate=0.2, n_jobs=1)
    # Nobody asks how well a network has learnt: a few steps for every share will do.
    with patch.multiple("pauci.estimators.network_path", _EPOCHS_PER_SHARE=2, _STEPS_PER_SHARE=10):
        estimator.fit(table.X, table.y)
    ranges = usual_ranges(table.X, table.columns)
    return TabularModel(estimator, "fraud", table.positive, file_digest(path), ranges)
