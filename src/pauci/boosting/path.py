"""The candidates of boosting: logloss, more logloss, and logloss blended with growing shares of a surrogate."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np

from pauci.boosting.ensemble import Ensemble, TreeSettings, plant
from pauci.boosting.gradients import RegionObjective, Surrogate
from pauci.boosting.objectives import Library
from pauci.boosting.workers import Array
from pauci.estimators.folds import Folds
from pauci.region import Region

#: Rounds of all candidates but the first, as a multiple of those at which logloss is best.
_LONGER = 2


@dataclass(kw_only=True)
class BoostingPath:
    """What `fit_anchored` fits when trees are boosted.

    The anchor is logloss with as many rounds as are best for it. A partial AUC often gains from more, so that the
    other candidates have twice as many: logloss again (share 0), and logloss with each share of the surrogate beside
    it, all grown from the prior log-odds.

    Attributes
    ----------
    library : {"lightgbm", "xgboost"}
        What grows the trees.
    region : Region
        What is trained for.
    surrogate, temperature
        As for `RegionObjective`.
    settings : TreeSettings
        How trees are grown.
    max_rounds, patience : int
        Most rounds of logloss, and for how many it may fail to fall.
    """

    library: Library
    region: Region
    surrogate: Surrogate
    temperature: float
    settings: TreeSettings
    max_rounds: int
    patience: int

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Return a path with the rounds at which logloss on held-out rows is least: the median over the folds."""
        found = [
            plant(self.library, X[fitted], positive[fitted], _of(weight, fitted), self.settings).best_rounds(
                X[judged], positive[judged], _of(weight, judged), most=self.max_rounds, patience=self.patience
            )
            for fitted, judged in folds
        ]
        return dataclasses.replace(self, max_rounds=max(1, round(np.median(found)))) if found else self

    def fit(
        self, X: Any, positive: Array, weight: Array | None, *, shares: Sequence[float], start: Any, seed: int
    ) -> list["Promise"]:
        """Promise one ensemble for logloss alone, and one for each share: only those are grown that are asked for."""
        del start
        rows = plant(self.library, X, positive, weight, dataclasses.replace(self.settings, seed=seed))
        longer = _LONGER * self.max_rounds
        plain = Promise(lambda: rows.grow(longer if 0.0 in shares else self.max_rounds, None))
        return [
            Promise(lambda: plain.kept().shortened(self.max_rounds)),
            *(
                Promise(functools.partial(rows.grow, longer, self._objective(share))) if share else plain
                for share in shares
            ),
        ]

    def _objective(self, share: float) -> RegionObjective:
        return RegionObjective(
            region=self.region, surrogate=self.surrogate, anchor=1 / share, temperature=self.temperature
        )


class Promise:
    """An ensemble that is grown when it is first asked for.

    Parameters
    ----------
    grow : callable
        Grows it.
    """

    def __init__(self, grow: Callable[[], Ensemble]) -> None:
        self._grow: Callable[[], Ensemble] | None = grow
        self._grown: Ensemble | None = None

    def kept(self) -> Ensemble:
        """Return the ensemble."""
        grown = self._grown if self._grow is None else self._grow()
        # The rows behind it are let go as soon as nobody needs them any more.
        self._grow, self._grown = None, grown
        return cast(Ensemble, grown)

    def __call__(self, X: Any) -> Array:
        """Return the raw scores of rows."""
        return self.kept()(X)


def _of(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]
