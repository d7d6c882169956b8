"""How strong the penalty of a linear scorer should be: tried on rows that were left out."""

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.estimators.criterion import criterion
from pauci.estimators.folds import Folds
from pauci.estimators.linear import LinearScorer, fit_logistic
from pauci.estimators.weights import weights_of
from pauci.region import Region

Array = NDArray[Any]

#: Factor between the strengths that are tried, and the weakest and strongest.
_STEP = 10.0
_STRENGTHS = (1e-4, 1e5)
#: From so many rows on one fold is enough to tell where cross-entropy is least.
_MANY_ROWS = 20_000


class PenaltyTrials:
    """Logistic regressions of some folds, under penalties of several strengths.

    Folds leave something out at least once.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 3)), np.arange(400) < 100
    >>> trials = PenaltyTrials(X + y[:, None], y, None, Folds(np.arange(400) % 2))
    >>> strength = trials.least_loss(1.0)
    >>> strength <= trials.best_ranking(strength, region=Region(max_fpr=0.1), support=Region(max_fpr=0.3))
    True
    """

    def __init__(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> None:
        self._X, self._positive, self._weight, self._splits = X, positive, weight, list(folds)
        self._parts = [np.flatnonzero(folds.part == number) for number in range(folds.number)]
        self._scores: dict[tuple[float, int], Array] = {}
        self._last: dict[int, LinearScorer] = {}

    def least_loss(self, start: float) -> float:
        """Return the strength of least cross-entropy, going downhill from one."""
        best = start
        for factor in (1 / _STEP, _STEP):
            while _STRENGTHS[0] <= best * factor <= _STRENGTHS[1] and self._loss(best * factor) < self._loss(best):
                best *= factor
        return best

    def best_ranking(self, weakest: float, *, region: Region, support: Region) -> float:
        """Return the first strength, from `weakest` up, within a standard error of the largest partial AUC."""
        powers = (weakest * _STEP**power for power in itertools.count())
        strengths = list(itertools.takewhile(lambda strength: strength <= _STRENGTHS[1], powers))
        won = np.array([self._shares(strength, region, support) for strength in strengths])
        behind = won[won.mean(axis=1).argmax()] - won
        error = behind.std(axis=1, ddof=1) / math.sqrt(len(self._parts))
        return strengths[int((behind.mean(axis=1) <= error).argmax())]

    def _loss(self, strength: float) -> float:
        losses = []
        for place in range(1 if len(self._positive) >= _MANY_ROWS else len(self._splits)):
            scores, judged = self._held_out(strength, place), self._splits[place][1]
            entropy = np.logaddexp(0, scores) - self._positive[judged] * scores
            losses.append(np.average(entropy, weights=weights_of(self._weight, judged)))
        return float(np.mean(losses))

    def _shares(self, strength: float, region: Region, support: Region) -> list[float]:
        scores = np.full(len(self._positive), np.nan)
        for place, (_, judged) in enumerate(self._splits):
            scores[judged] = self._held_out(strength, place)
        return [
            criterion(
                self._positive[rows],
                scores[rows],
                region=region,
                support=support,
                weight=weights_of(self._weight, rows),
            )
            for rows in self._parts
        ]

    def _held_out(self, strength: float, place: int) -> Array:
        """Scores of the rows that a fold leaves out, by a fit that begins where its last one ended."""
        if (strength, place) not in self._scores:
            fitted, judged = self._splits[place]
            rows = self._X[fitted], self._positive[fitted], weights_of(self._weight, fitted)
            scorer = self._last[place] = fit_logistic(*rows, strength=strength, start=self._last.get(place))
            self._scores[strength, place] = scorer(self._X[judged])
        return self._scores[strength, place]
