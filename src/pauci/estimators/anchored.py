"""Fit candidates around cross-entropy, judge them on rows they have not seen, keep the one that pays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from pauci.estimators.alignment import align
from pauci.estimators.folds import Folds, make_folds
from pauci.estimators.selection import Choice, choose, unjudged
from pauci.region import Region

Array = NDArray[Any]


class Scorer(Protocol):
    """From rows to scores."""

    def __call__(self, X: Any) -> Array:
        """Score rows."""


class Path(Protocol):
    """Fits a model by cross-entropy, and on from there with growing shares of a surrogate."""

    @property
    def region(self) -> Region:
        """What the surrogate is trained on."""

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Return a path whose regularisation suits the data."""

    def fit(
        self, X: Any, positive: Array, weight: Array | None, *, shares: Sequence[float], start: Any, seed: int
    ) -> Sequence[Scorer]:
        """Fit one scorer for cross-entropy alone, and one for each share."""


@dataclass(frozen=True)
class Anchored:
    """What came of it.

    Attributes
    ----------
    anchor, scorer : Scorer
        The model of cross-entropy alone, and the chosen one, both fitted on all rows.
    choice : Choice
        How the choice was made.
    folds : Folds
        What was judged.
    rows : ndarray of int
        The rows that were judged; all of them if none could be held out.
    scores : ndarray
        The scores of these rows by models that had not seen them, on the scale of the chosen model.
    """

    anchor: Scorer
    scorer: Scorer
    choice: Choice
    folds: Folds
    rows: Array
    scores: Array


def fit_anchored(
    path: Path,
    X: Any,
    positive: Array,
    fingerprints: NDArray[np.uint64],
    *,
    region: Region,
    shares: Sequence[float],
    names: Sequence[str],
    weight: Array | None,
    fit_weight: Array | None,
    start: Any,
    n_jobs: int | None,
    seed: int,
) -> Anchored:
    """Fit, judge and choose.

    Parameters
    ----------
    path : Path
        What fits.
    X : ndarray or sparse matrix of shape (n, d)
        Rows.
    positive : ndarray of bool of shape (n,)
        The positives.
    fingerprints : ndarray of uint64 of shape (n,)
        Of the rows as they came (`row_fingerprints`): scaling rounds differently with weights than with repetitions.
    region : Region
        What is judged.
    shares : sequence of float
        Candidates besides cross-entropy.
    names : sequence of str
        Names of all candidates.
    weight, fit_weight : ndarray of shape (n,), optional
        Weights in judging and in fitting.
    start : Scorer, optional
        Where fitting begins.
    n_jobs : int, optional
        Processes that fit folds side by side.
    seed : int
        Of the fits.

    Returns
    -------
    Anchored
        The models and how they were chosen.
    """
    folds = make_folds(positive, fingerprints, weight=weight)
    path = path.tuned(X, positive, fit_weight, folds)
    splits = list(folds)
    candidates = Parallel(n_jobs=n_jobs)(
        delayed(path.fit)(X[rows], positive[rows], _of(fit_weight, rows), shares=shares, start=start, seed=seed)
        for rows, _ in splits
    )
    choice = unjudged(names)
    rows = np.flatnonzero(folds.judged) if splits else np.arange(len(positive))
    if splits:
        scores = np.empty((len(names), len(positive)))
        for (_, judged), scorers in zip(splits, candidates, strict=True):
            scores[:, judged] = [scorer(X[judged]) for scorer in scorers]
        choice = choose(
            positive[rows],
            list(scores[:, rows]),
            region=region,
            parts=folds.part[rows],
            names=names,
            support=path.region,
            sample_weight=_of(weight, rows),
            groups=fingerprints[rows],
        )
    final = path.fit(X, positive, fit_weight, shares=shares[: choice.index], start=start, seed=seed)
    own = final[-1](X)
    honest = own.copy()
    for (fitted, judged), scorers in zip(splits, candidates, strict=True):
        scorer, negatives = scorers[choice.index], fitted[~positive[fitted]]
        honest[judged] = align(scorer(X[judged]), scorer(X[negatives]), own[negatives], weight=_of(weight, negatives))
    return Anchored(final[0], final[-1], choice, folds, rows, honest[rows])


def _of(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]
