"""Fitting that can be watched and broken off: what was fitted before counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pauci.estimators.alignment import align
from pauci.estimators.anchored import Path, Scorer
from pauci.estimators.folds import Folds
from pauci.estimators.selection import Choice, choose, unjudged
from pauci.region import Region

Array = NDArray[Any]
#: Two values of mean 0 and standard deviation 1.
_UNIT = np.array([-1.0, 1.0])
#: Called with the steps done and the number of steps in all.
Observer = Callable[[int, int], None]


class WatchedScorer:
    """A candidate that says when it is fitted: at once, or, if it only promises a model, when first used.

    Parameters
    ----------
    scorer : Scorer
        The candidate.
    step : callable
        Called once, when it is fitted.
    """

    def __init__(self, scorer: Scorer, step: Callable[[], None]) -> None:
        self.scorer = scorer
        self._step = step
        self.fitted = False
        if not hasattr(scorer, "kept"):
            self._finish()

    def __call__(self, X: Any) -> Array:
        """Score rows."""
        scores = self.scorer(X)
        self._finish()
        return scores

    def kept(self) -> Any:
        """Return the model that was promised."""
        return self.scorer.kept()  # type: ignore[attr-defined]

    def _finish(self) -> None:
        if not self.fitted:
            self.fitted = True
            self._step()


@dataclass(frozen=True)
class Kept:
    """What is left of a fit that was broken off: models of some of the rows, and rows they have not seen.

    Attributes
    ----------
    anchor, scorer : Scorer
        The model of cross-entropy alone, and the best candidate, both fitted on one part of the rows.
    choice : Choice
        How it was chosen.
    rows : ndarray of int
        Rows that neither has seen.
    scores : ndarray
        Scores of these rows.
    parts : int
        In how many parts the candidates were judged; 0 if they were not.
    """

    anchor: Scorer
    scorer: Scorer
    choice: Choice
    rows: Array
    scores: Array
    parts: int


class WatchedPath:
    """A path (see `pauci.estimators.anchored.Path`) that counts its steps and remembers what it has fitted.

    Parameters
    ----------
    path : Path
        What fits.
    observe : callable
        Called after each step.
    """

    def __init__(self, path: Path, observe: Observer) -> None:
        self._path = path
        self._observe = observe
        self._done = 0
        self._splits: list[tuple[Array, Array]] = []
        self._fits: list[list[WatchedScorer]] = []
        self._shares: Sequence[float] = ()

    @property
    def region(self) -> Region:
        """What is trained on."""
        return self._path.region

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Tune the path, and remember what will be judged."""
        self._X, self._positive, self._folds, self._splits = X, positive, folds, list(folds)
        self._path = self._path.tuned(X, positive, weight, folds)
        self._step()
        return self

    def fit(
        self, X: Any, positive: Array, weight: Array | None, *, shares: Sequence[float], start: Any, seed: int
    ) -> list[WatchedScorer]:
        """Fit the candidates on some rows: first those of each fold in turn, at last all of them."""
        in_fold = len(self._fits) < len(self._splits)
        if in_fold:
            self._shares = shares
        found = self._path.fit(X, positive, weight, shares=shares, start=start, seed=seed)
        scorers = [WatchedScorer(scorer, self._step if in_fold else lambda: None) for scorer in found]
        if in_fold:
            self._fits.append(scorers)
        return scorers

    def best_so_far(self, region: Region) -> Kept | None:
        """Return the best model there is, by what was fitted of the folds; None if there is none yet.

        It is a model of the first fold, so that its scores of the rows it was not fitted on are honest as they are.
        """
        complete = [scorers for scorers in self._fits if all(scorer.fitted for scorer in scorers)]
        complete = complete or [scorers for scorers in self._fits[:1] if scorers[0].fitted]
        if not complete:
            return None
        number = sum(scorer.fitted for scorer in complete[0])  # candidates are fitted in their order
        names = ["plain", *(f"share {share:g}" for share in self._shares)][:number]
        judged = [rows for (_, rows), _ in zip(self._splits, complete, strict=False)]
        rows, parts = np.concatenate(judged), len(np.unique(self._folds.part[np.concatenate(judged)]))
        choice, judging = unjudged(names), parts > 1 and number > 1
        if judging:
            scores = [
                np.concatenate(
                    [scorers[place].scorer(self._X[some]) for some, scorers in zip(judged, complete, strict=True)]
                )
                for place in range(number)
            ]
            which = np.unique(self._folds.part[rows], return_inverse=True)[1]
            choice = choose(self._positive[rows], scores, region=region, parts=which, names=names, support=self.region)
        chosen = complete[0][choice.index].scorer
        scores_of_first = chosen(self._X[judged[0]])
        return Kept(complete[0][0].scorer, chosen, choice, judged[0], scores_of_first, parts if judging else 0)

    def held_out(self, *places: int) -> tuple[Array, list[Array]]:
        """Return the rows that were judged, and their scores by some of the candidates, none of which has seen them.

        Scores of different folds are brought to one scale: that of the negatives that a model was fitted on.
        """
        rows = np.concatenate([judged for _, judged in self._splits])
        scores: list[list[Array]] = [[] for _ in places]
        for (fitted, judged), scorers in zip(self._splits, self._fits, strict=True):
            negatives = fitted[~self._positive[fitted]]
            for place, parts in zip(places, scores, strict=True):
                found = scorers[place].scorer(self._X[judged])
                if len(self._splits) > 1:
                    found = align(found, scorers[place].scorer(self._X[negatives]), _UNIT)
                parts.append(found)
        return rows, [np.concatenate(parts) for parts in scores]

    def first_fold(self, place: int) -> tuple[Scorer, Array]:
        """Return a candidate of the first fold, and the rows it has not seen."""
        return self._fits[0][place].scorer, self._splits[0][1]

    def _step(self) -> None:
        self._done += 1
        candidates = len(self._shares) + 1
        # Tuning, the candidates of every fold, and the final model.
        self._observe(self._done, max(self._done, 2 + len(self._splits) * candidates))
