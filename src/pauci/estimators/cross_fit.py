"""Candidates fitted on parts of the rows, and what they make of the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pauci.estimators.alignment import align
from pauci.estimators.choice import Choice, unjudged
from pauci.estimators.folds import Folds
from pauci.estimators.selection import choose
from pauci.estimators.weights import weights_of
from pauci.region import Region

Array = NDArray[Any]


class Scorer(Protocol):
    """From rows to scores."""

    def __call__(self, X: Any) -> Array:
        """Score rows."""


class CrossFit:
    """The candidates of each fold, with the scores of rows that they have not seen.

    `weight` is that in judging; `common` tells the rows that equal others on both sides of the folds (see
    `apart_if_common`).

    Examples
    --------
    >>> X, positive = np.arange(8.0)[:, None], np.arange(8) % 2 > 0
    >>> fits = CrossFit(X, positive, None, Folds(np.arange(8) // 4), ["CE"])
    >>> for slope in (1.0, 2.0):
    ...     fits.add([lambda X, slope=slope: slope * X[:, 0]])
    >>> fits.honest((0,), lambda X: 3 * X[:, 0], aligned=True).scores
    array([ 0.,  3.,  6.,  9., 12., 15., 18., 21.])
    """

    def __init__(
        self,
        X: Any,
        positive: Array,
        weight: Array | None,
        folds: Folds,
        names: Sequence[str],
        *,
        common: Array | None = None,
    ) -> None:
        self._X, self._positive, self._weight, self._part = X, positive, weight, folds.part
        self._common = np.empty(0, dtype=np.intp) if common is None else np.flatnonzero(common)
        self._names = tuple(names)
        self._scores = np.zeros((len(names), len(positive)))
        self._splits = list(folds)
        self._fits: list[list[Scorer]] = []

    def add(self, candidates: Sequence[Scorer], advance: Callable[[], None] = lambda: None) -> None:
        """Score the rows of the next fold by the candidates that were fitted without them; `advance` follows each."""
        judged = self._splits[len(self._fits)][1]
        self._fits.append([])
        for place, scorer in enumerate(candidates):
            self._scores[place, judged] = scorer(self._X[judged])
            self._fits[-1].append(scorer)
            advance()

    def drop_unfinished(self) -> bool:
        """Forget folds that were broken off, or if there is no other, candidates; say whether anything is left."""
        complete = [scorers for scorers in self._fits if len(scorers) == len(self._names)]
        self._fits = complete or [scorers for scorers in self._fits[:1] if scorers]
        self._splits = self._splits[: len(self._fits)]
        self._names = self._names[: len(self._fits[0])] if self._fits else ()
        return bool(self._fits)

    @property
    def rows(self) -> Array:
        """The rows that were held out; all of them if none could be."""
        held_out = [judged for _, judged in self._splits] or [np.arange(len(self._part))]
        return np.sort(np.concatenate(held_out))

    @property
    def unseen(self) -> Array:
        """The rows that the first fold was fitted without."""
        return self._splits[0][1]

    @property
    def parts(self) -> int:
        """In how many parts rows are judged; 0 if none are held out."""
        return len(np.unique(self._part[self.rows])) if self._splits else 0

    def models(self, kept: Sequence[int]) -> list[Scorer]:
        """Return candidates as each fold fitted them: fold by fold."""
        return [scorers[place] for scorers in self._fits for place in kept]

    def first(self, kept: Sequence[int]) -> Scorer:
        """Return the mean of candidates as the first fold fitted them, which `unseen` tells the rows for."""
        return partial(_mean, [self._fits[0][place] for place in kept])

    def choose(self, region: Region, *, support: Region, groups: Array, average: bool) -> Choice:
        """Keep candidates (see `pauci.estimators.selection.choose`): the first where there is nothing to compare."""
        if self.parts < 2:
            return unjudged(self._names)
        rows = self.rows
        return choose(
            self._positive[rows],
            list(self._scores[: len(self._names), rows]),
            region=region,
            parts=self._part[rows],
            names=self._names,
            support=support,
            sample_weight=weights_of(self._weight, rows),
            groups=groups[rows],
            average=average,
        )

    def honest(self, kept: Sequence[int], scorer: Scorer, *, aligned: bool = False) -> "HonestScores":
        """Return what the models of candidates make of the rows they have not seen.

        Parameters
        ----------
        kept : sequence of int
            The candidates, of which the mean is taken.
        scorer : Scorer
            The final model.
        aligned : bool, default False
            Whether to bring scores to the scale of the final model: right for a model of all rows. Their mean lies
            where they lie, and its scores vary less than theirs, so that a threshold from them keeps its budget. On
            rows that models were fitted on the two cannot be compared: each is new to one of the mean's members.

        Returns
        -------
        HonestScores
            Of `rows`; those of `scorer` itself if none could be held out.
        """
        own = scorer(self._X)
        if not self._splits:
            return HonestScores(own, own, own)
        scores: Array = self._scores[list(kept)].mean(axis=0)
        unaligned = scores.copy()
        if aligned:
            for (fitted, judged), scorers in zip(self._splits, self._fits, strict=True):
                negatives = fitted[~self._positive[fitted]]
                scale = _mean([scorers[place] for place in kept], self._X[negatives]), own[negatives]
                scores[judged] = align(scores[judged], *scale, weight=weights_of(self._weight, negatives))
        cautious = _worse(self._positive, scores, unaligned)
        if len(common := self._common):
            cautious[common] = _worse(self._positive[common], own[common], cautious[common])
            scores[common] = own[common]
        rows = self.rows
        return HonestScores(scores[rows], cautious[rows], own[rows])


@dataclass(frozen=True)
class HonestScores:
    """Scores of rows that were held out.

    Attributes
    ----------
    scores : ndarray
        Of common rows by the final model, which will know them when they come again: all that are equal lie on one side
        of any threshold, as they will.
    cautious : ndarray
        For thresholds, which of two scores take the worse, the higher one of negatives. Of common rows: that of the
        final model, which has ranked them by their own labels, and that of a model without them. Where scores were
        brought to another scale: before and after, since the rows that scales are compared on were fitted on.
    own : ndarray
        By the final model, which has seen the rows.
    """

    scores: Array
    cautious: Array
    own: Array


def _worse(positive: Array, first: Array, second: Array) -> Array:
    """Return the lower scores of positives, and the higher ones of negatives."""
    return np.where(positive, np.minimum(first, second), np.maximum(first, second))


def _mean(scorers: Sequence[Scorer], X: Any) -> Array:
    mean: Array = np.mean([scorer(X) for scorer in scorers], axis=0)
    return mean
