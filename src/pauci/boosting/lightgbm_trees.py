"""Trees of LightGBM."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pauci.boosting.ensemble import TreeSettings
from pauci.boosting.gradients import RegionObjective
from pauci.boosting.lightgbm_text import check_lightgbm_text
from pauci.boosting.objectives import CustomObjective
from pauci.boosting.workers import Array
from pauci.errors import FileFormatError
from pauci.estimators.weights import prior_log_odds
from pauci.extras import require


@dataclass(frozen=True)
class LightGBMEnsemble:
    """See `Ensemble`."""

    booster: Any
    rounds: int
    offset: float

    def __call__(self, X: Any) -> Array:
        """Return the raw scores of rows."""
        trees: Array = self.booster.predict(X, raw_score=True, num_iteration=self.rounds)
        return self.offset + trees

    def shortened(self, rounds: int) -> Self:
        """Return the ensemble of the first trees only."""
        return dataclasses.replace(self, rounds=rounds)

    def importances(self) -> Array:
        """Return the total gain of every column's splits."""
        gains: Array = self.booster.feature_importance("gain", iteration=self.rounds)
        return gains

    def to_bytes(self) -> bytes:
        """Return LightGBM's text of the model."""
        text: str = self.booster.model_to_string(num_iteration=self.rounds)
        return text.encode()

    @classmethod
    def from_bytes(cls, content: bytes, *, rounds: int, offset: float) -> Self:
        """Read LightGBM's text of a model; one that is damaged is a `FileFormatError`."""
        lightgbm = require("lightgbm", purpose="base='lightgbm'")
        check_lightgbm_text(content)
        try:
            return cls(lightgbm.Booster(model_str=content.decode()), rounds, offset)
        except (lightgbm.basic.LightGBMError, ValueError) as error:
            raise FileFormatError(f"LightGBM cannot read its text of the model: {error}.") from error


class LightGBMNursery:
    """See `Nursery`."""

    def __init__(self, X: Any, positive: Array, weight: Array | None, settings: TreeSettings) -> None:
        self._library = require("lightgbm", purpose="base='lightgbm'")
        self._offset = prior_log_odds(positive, weight)
        self._params = {
            "verbosity": -1,
            # Without it LightGBM drops, and with few rows stumbles over, columns that no leaf could be split by.
            "feature_pre_filter": False,
            "learning_rate": settings.learning_rate,
            "seed": settings.seed,
            **({} if settings.threads is None else {"num_threads": settings.threads}),
            **settings.params,
        }
        self._data = self._rows(
            X, positive, weight, categorical_feature=list(settings.categorical), params=self._params
        )

    def grow(self, rounds: int, objective: RegionObjective | None) -> LightGBMEnsemble:
        """Grow trees for an objective, or for logloss, from the prior log-odds on."""
        own = None if objective is None else CustomObjective(objective, "lightgbm")
        booster = self._library.Booster({**self._params, "objective": "none" if own else "binary"}, self._data)
        with self._suppressing_no_columns():
            for _ in range(rounds):
                # A tree without a split is left out; the next may see other columns or rows, and have one.
                booster.update(fobj=own)
        return LightGBMEnsemble(booster.free_dataset(), rounds, self._offset)

    def best_rounds(self, X: Any, positive: Array, weight: Array | None, *, most: int, patience: int) -> int:
        """Grow trees for logloss until that of other rows has not fallen for some rounds, and say when it was least."""
        others = self._rows(X, positive, weight, reference=self._data)
        params = {**self._params, "objective": "binary", "metric": "binary_logloss"}
        stopping = self._library.early_stopping(patience, verbose=False)
        best = 1
        with self._suppressing_no_columns():
            best = self._library.train(
                params, self._data, most, valid_sets=[others], callbacks=[stopping]
            ).best_iteration
        return int(best)

    def _rows(self, X: Any, positive: Array, weight: Array | None, **about: Any) -> Any:
        start = np.full(len(positive), self._offset)
        return self._library.Dataset(X, label=positive.astype(np.float32), weight=weight, init_score=start, **about)

    @contextmanager
    def _suppressing_no_columns(self) -> Iterator[None]:
        """Leave the block where LightGBM stumbles over columns none of which varies: the prior remains."""
        try:
            yield
        except self._library.basic.LightGBMError as error:
            if "num_features()) > (0)" not in str(error):
                raise
