"""The candidates of boosting: logloss, and logloss blended with growing shares of a surrogate."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pauci.boosting.ensemble import Ensemble, Nursery, TreeSettings, plant
from pauci.boosting.gradients import RegionObjective, Surrogate
from pauci.boosting.mean import mean_ensemble
from pauci.boosting.objectives import Library
from pauci.boosting.workers import Array
from pauci.estimators.criterion import criterion
from pauci.estimators.folds import Folds
from pauci.estimators.weights import weights_of
from pauci.region import Region

#: Multiples of the rounds at which logloss is least, among which those of logloss are chosen by partial AUC.
_MULTIPLES = (1, 2, 4)
#: What candidates with a surrogate have at least: it slows down the fit to the rest of the plane.
_LEAST = 2
#: Rounds where no rows can be held out to choose them by.
_UNTUNED = 100
#: From so many rows on, half of them tell how many rounds are best.
_MANY = 250_000


@dataclass(kw_only=True)
class BoostingPath:
    """What `fit_anchored` fits when trees are boosted: logloss, and logloss beside growing shares of a surrogate.

    All are grown from the prior log-odds. The rounds of logloss are one, two or four times those at which it is least
    on held-out rows, whichever has the largest partial AUC there: a ranking at the top often gains from more rounds
    than probabilities do. The others have as many, or twice those at which logloss is least, if that is more.

    Attributes
    ----------
    library : {"lightgbm", "xgboost"}
        What grows the trees.
    target, region : Region
        What is judged, and what is trained for.
    surrogate, temperature
        As for `RegionObjective`.
    settings : TreeSettings
        How trees are grown.
    max_rounds, patience : int
        Most rounds; and for how many logloss on held-out rows may fail to fall.
    rounds : tuple of int, optional
        Those of logloss and those of the others, once tuned.
    """

    library: Library
    target: Region
    region: Region
    surrogate: Surrogate
    temperature: float
    settings: TreeSettings
    max_rounds: int
    patience: int
    rounds: tuple[int, int] | None = None

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Return a path with the rounds that suit the data."""
        step = 2 if len(positive) >= _MANY else 1
        held_out = [(self._plant(X, positive, weight, fitted[::step]), judged) for fitted, judged in folds]
        if not held_out:
            return self
        least = [
            rows.best_rounds(
                X[judged], positive[judged], weights_of(weight, judged), most=self.max_rounds, patience=self.patience
            )
            for rows, judged in held_out
        ]
        base = max(1, round(np.median(least)))
        stages = sorted({min(multiple * base, self.max_rounds) for multiple in _MULTIPLES})
        shares = np.zeros(len(stages))
        for rows, judged in held_out:
            grown = rows.grow(stages[-1], None)
            shares += [
                criterion(
                    positive[judged],
                    grown.shortened(stage)(X[judged]),
                    region=self.target,
                    support=self.region,
                    weight=weights_of(weight, judged),
                )
                for stage in stages
            ]
        plain = stages[int(shares.argmax())]
        return dataclasses.replace(self, rounds=(plain, max(plain, min(_LEAST * base, self.max_rounds))))

    def fit(
        self,
        X: Any,
        positive: Array,
        weight: Array | None,
        *,
        shares: Sequence[float],
        start: Any,
        seed: int,
        groups: Array | None = None,
    ) -> list["Promise"]:
        """Promise one ensemble for logloss alone, and one for each share: only those are grown that are asked for."""
        # Trees start from nothing; what is random about them is settled in the settings, and nothing is set aside.
        del start, seed, groups
        rows = self._plant(X, positive, weight, np.arange(len(positive)))
        plain, blended = self.rounds or (min(_UNTUNED, self.max_rounds),) * 2
        return [
            Promise(functools.partial(rows.grow, plain, None)),
            *(Promise(functools.partial(rows.grow, blended, self._objective(share))) for share in shares),
        ]

    def mean(self, scorers: Sequence["Promise"]) -> Ensemble:
        """Return the ensemble whose scores are the mean of those of several."""
        return mean_ensemble([scorer.kept() for scorer in scorers])

    def _plant(self, X: Any, positive: Array, weight: Array | None, chosen: Array) -> Nursery:
        return plant(self.library, X[chosen], positive[chosen], weights_of(weight, chosen), self.settings)

    def _objective(self, share: float) -> RegionObjective:
        return RegionObjective(
            region=self.region, surrogate=self.surrogate, anchor=1 / share, temperature=self.temperature
        )


class Promise:
    """An ensemble that is grown when it is first asked for."""

    def __init__(self, grow: Callable[[], Ensemble]) -> None:
        self._grow = grow

    def kept(self) -> Ensemble:
        """Return the ensemble."""
        grown = self._grow()
        # The rows behind it are let go as soon as nobody needs them any more.
        self._grow = lambda: grown
        return grown

    def __call__(self, X: Any) -> Array:
        """Return the raw scores of rows."""
        return self.kept()(X)
