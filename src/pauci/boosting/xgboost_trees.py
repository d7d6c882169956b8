"""Trees of XGBoost."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from pauci.boosting.blocks import blocks
from pauci.boosting.ensemble import TreeSettings
from pauci.boosting.gradients import RegionObjective
from pauci.boosting.objectives import CustomObjective
from pauci.boosting.workers import Array
from pauci.errors import InputError
from pauci.estimators.weights import prior_log_odds
from pauci.extras import require

#: Cells of a sparse matrix that are written out at a time to be scored, and at most to be fitted.
_BLOCK, _LARGEST = 1 << 24, 1 << 28


@dataclass(frozen=True)
class XGBoostEnsemble:
    """See `Ensemble`."""

    booster: Any
    rounds: int
    offset: float
    categorical: tuple[int, ...] = ()

    def __call__(self, X: Any) -> Array:
        """Return the raw scores of rows."""
        if sparse.issparse(X):
            parts = blocks(X.shape[0], size=max(1, _BLOCK // X.shape[1]))
            return np.concatenate([self._scores(X[rows]) for rows in parts])
        return self._scores(X)

    def shortened(self, rounds: int) -> Self:
        """Return the ensemble of the first trees only."""
        return dataclasses.replace(self, rounds=rounds)

    def importances(self) -> Array:
        """Return the total gain of every column's splits."""
        gains = self.booster[: self.rounds].get_score(importance_type="total_gain")
        return np.array([gains.get(f"f{column}", 0.0) for column in range(self.booster.num_features())])

    def to_bytes(self) -> bytes:
        """Return XGBoost's binary JSON of the model."""
        return bytes(self.booster[: self.rounds].save_raw("ubj"))

    @classmethod
    def from_bytes(cls, content: bytes, *, rounds: int, offset: float, categorical: tuple[int, ...] = ()) -> Self:
        """Read XGBoost's binary JSON of a model."""
        xgboost = require("xgboost", purpose="base='xgboost'")
        booster = xgboost.Booster()
        booster.load_model(bytearray(content))
        return cls(booster, rounds, offset, categorical)

    def _scores(self, X: Any) -> Array:
        rows = _matrix(X, self.categorical, base_margin=np.full(X.shape[0], self.offset))
        scores: Array = self.booster.predict(rows, output_margin=True, iteration_range=(0, self.rounds))
        return scores.astype(np.float64)


class XGBoostNursery:
    """See `Nursery`."""

    def __init__(self, X: Any, positive: Array, weight: Array | None, settings: TreeSettings) -> None:
        self._library = require("xgboost", purpose="base='xgboost'")
        self._offset = prior_log_odds(positive, weight)
        self._categorical = settings.categorical
        self._params = {
            "verbosity": 0,
            "tree_method": "hist",
            "learning_rate": settings.learning_rate,
            "seed": settings.seed,
            **({} if settings.threads is None else {"nthread": settings.threads}),
            **settings.params,
        }
        self._data = self._rows(X, positive, weight)

    def grow(self, rounds: int, objective: RegionObjective | None) -> XGBoostEnsemble:
        """Grow trees for an objective, or for logloss, from the prior log-odds on."""
        own = None if objective is None else CustomObjective(objective, "xgboost")
        params = {**self._params, "objective": "binary:logistic", "disable_default_eval_metric": True}
        booster = self._library.train(params, self._data, rounds, obj=own)
        return XGBoostEnsemble(booster, rounds, self._offset, self._categorical)

    def best_rounds(self, X: Any, positive: Array, weight: Array | None, *, most: int, patience: int) -> int:
        """Grow trees for logloss until that of other rows has not fallen for some rounds, and say when it was least."""
        booster = self._library.train(
            {**self._params, "objective": "binary:logistic", "eval_metric": "logloss"},
            self._data,
            most,
            evals=[(self._rows(X, positive, weight), "other")],
            early_stopping_rounds=patience,
            verbose_eval=False,
        )
        return int(booster.best_iteration) + 1

    def _rows(self, X: Any, positive: Array, weight: Array | None) -> Any:
        margin = np.full(len(positive), self._offset)
        return _matrix(X, self._categorical, label=positive, weight=weight, base_margin=margin)


def _matrix(X: Any, categorical: tuple[int, ...], **about: Any) -> Any:
    """Hand rows over; what a sparse matrix does not store is 0, where XGBoost would take it for missing."""
    xgboost = require("xgboost", purpose="base='xgboost'")
    if sparse.issparse(X):
        if X.shape[0] * X.shape[1] > _LARGEST:
            raise InputError(
                f"X is sparse with {X.shape[0]:,} x {X.shape[1]:,} cells; XGBoost would take those that are not stored "
                "for missing, and they are too many to be written out as zeros. Use base='lightgbm'."
            )
        X = X.astype(np.float32).toarray()
    kinds = ["c" if column in categorical else "q" for column in range(X.shape[1])] if categorical else None
    try:
        return xgboost.DMatrix(X, feature_types=kinds, enable_categorical=bool(categorical), **about)
    except xgboost.core.XGBoostError as error:
        if "too large" not in str(error):
            raise
        raise InputError(
            "X holds numbers beyond 3.4e38, the largest of the single precision that XGBoost keeps. Repair them, "
            "divide their column by a power of 10, or use base='lightgbm'."
        ) from error
