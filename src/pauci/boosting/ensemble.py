"""Growing trees and scoring by them, the same way with either library."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from pauci.boosting.gradients import RegionObjective
from pauci.boosting.objectives import Library
from pauci.boosting.workers import Array


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """How trees are grown.

    Attributes
    ----------
    learning_rate : float
        Shrinkage of every tree.
    params : dict
        Further parameters of the library, which win over ours.
    categorical : tuple of int
        Columns of codes: whole numbers from 0, NaN where missing.
    threads : int or None
        How many; None leaves it to the library.
    seed : int
        Of whatever is random in `params`.
    """

    learning_rate: float
    params: dict[str, Any] = field(default_factory=dict)
    categorical: tuple[int, ...] = ()
    threads: int | None = None
    seed: int = 0


class Ensemble(Protocol):
    """Grown trees."""

    @property
    def offset(self) -> float:
        """Score without any tree."""

    @property
    def rounds(self) -> int:
        """How many trees score."""

    def __call__(self, X: Any) -> Array:
        """Return the raw scores of rows."""

    def shortened(self, rounds: int) -> "Ensemble":
        """Return the ensemble of the first trees only."""

    def importances(self) -> Array:
        """Return the total gain of every column's splits."""

    def to_bytes(self) -> bytes:
        """Return the library's own file of the model."""


class Nursery(Protocol):
    """Rows in the library's own form, on which any number of ensembles may be grown."""

    def grow(self, rounds: int, objective: RegionObjective | None) -> Ensemble:
        """Grow trees for an objective, or for logloss, from the prior log-odds on."""

    def best_rounds(self, X: Any, positive: Array, weight: Array | None, *, most: int, patience: int) -> int:
        """Grow trees for logloss until that of other rows has not fallen for some rounds, and say when it was least."""


def plant(library: Library, X: Any, positive: Array, weight: Array | None, settings: TreeSettings) -> Nursery:
    """Hand rows to a library: numbers, NaN where missing.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(100.0)[:, None]
    >>> rows = plant("lightgbm", X, X[:, 0] > 60, None, TreeSettings(learning_rate=0.1, threads=1))
    >>> scores = rows.grow(10, None)(X)
    >>> bool(scores[80] > scores[20])
    True
    """
    if library == "lightgbm":
        from pauci.boosting.lightgbm_trees import LightGBMNursery

        return LightGBMNursery(X, positive, weight, settings)
    from pauci.boosting.xgboost_trees import XGBoostNursery

    return XGBoostNursery(X, positive, weight, settings)
