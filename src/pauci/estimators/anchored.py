"""Fit candidates around cross-entropy, judge them on rows they have not seen, keep what pays."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from pauci.errors import InputError
from pauci.estimators.choice import Choice
from pauci.estimators.cross_fit import CrossFit, HonestScores, Scorer
from pauci.estimators.fingerprint import apart_if_common, row_fingerprints
from pauci.estimators.folds import Folds, make_folds
from pauci.estimators.weights import Counted, weights_of
from pauci.region import Region

Array = NDArray[Any]
#: Called with the steps done and the number of steps in all.
Observer = Callable[[int, int], None]


class Path(Protocol):
    """Fits a model by cross-entropy, and on from there with growing shares of a surrogate."""

    @property
    def region(self) -> Region:
        """What the surrogate is trained on."""

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Return a path whose regularisation suits the data."""

    def fit(
        self,
        X: Any,
        positive: Array,
        weight: Array | None,
        *,
        shares: Sequence[float],
        start: Any,
        seed: int,
        groups: Array | None,
    ) -> Sequence[Scorer]:
        """Fit one scorer for cross-entropy alone, and one for each share; rows of a group belong together."""

    def mean(self, scorers: Sequence[Any]) -> Scorer:
        """Return one scorer whose scores are the mean of those of several that it has fitted."""


@dataclass(frozen=True)
class Anchored:
    """What came of it.

    Attributes
    ----------
    anchor, scorer : Scorer
        The model of cross-entropy alone, and what was chosen.
    members : int
        How many models the second is the mean of.
    choice : Choice
        How the choice was made.
    fits : CrossFit
        The candidates of the folds.
    held_out : HonestScores
        What the choice's models make of the rows they have not seen.
    complete : bool
        Whether it came to its end.
    """

    anchor: Scorer
    scorer: Scorer
    members: int
    choice: Choice
    fits: CrossFit
    held_out: HonestScores
    complete: bool


def fit_anchored(
    path: Path,
    X: Any,
    counted: Counted,
    *,
    region: Region,
    shares: Sequence[float],
    names: tuple[str, str],
    fit_weight: Array | None,
    average: bool,
    seed: int,
    start: Any = None,
    n_jobs: int | None = 1,
    observe: Observer | None = None,
) -> Anchored:
    """Fit, judge and choose.

    Parameters
    ----------
    path : Path
        What fits.
    X : ndarray or sparse matrix of shape (n, d)
        Rows as the path takes them.
    counted : Counted
        What they are, with their weights in judging. Equal rows are known by how they came: scaling rounds differently
        with weights than with repetitions. Groups stay together however many rows they have.
    region : Region
        What is judged.
    shares : sequence of float
        Candidates besides cross-entropy.
    names : tuple of str
        Names of cross-entropy and of the surrogate.
    fit_weight : ndarray of shape (n,), optional
        Weights in fitting.
    average : bool
        Whether to keep the mean of the folds' models, where there are several, and of all candidates within a
        standard error of the best; or a model of one candidate fitted on all rows. Of a hold-out it is the model of one
        candidate that the rows held out are new to, unless there is a start.
    seed : int
        Of the folds and of the fits.
    start : Scorer, optional
        Where the fit on all rows begins. It may have seen any of them, and so is no start for folds.
    n_jobs : int or None, default 1
        Processes that fit folds side by side; None leaves it to joblib.
    observe : callable, optional
        Called after tuning and after each candidate of each fold; what remains is the choice. With it, a
        KeyboardInterrupt ends the fit early, with the mean of what the folds have fitted so far.

    Raises
    ------
    KeyboardInterrupt
        If there is no observer, or nothing was fitted yet.
    """
    rows, positive, groups, weight = counted
    fingerprints = row_fingerprints(rows if groups is None else groups[:, None], seed=seed)
    together = None if groups is None else fingerprints
    apart = apart_if_common(fingerprints, positive) if groups is None else fingerprints
    folds = make_folds(positive, apart, weight=weight)
    candidates = [names[0], *(f"{names[0]} + {share:g} x {names[1]}" for share in shares)]
    splits, fits = list(folds), CrossFit(X, positive, weight, folds, candidates, common=apart != fingerprints)
    steps, number = itertools.count(1), 2 + len(splits) * len(candidates)
    # A mean gains from models that differ; those that stand for a model of all rows had better be like it.
    seeds = itertools.count(seed, step=1 if average else 0)

    def advance() -> None:
        if observe is not None:
            observe(next(steps), number)

    def concluded(
        choice: Choice, plain: Sequence[Scorer], kept: Sequence[Scorer], *, aligned: bool = False, complete: bool = True
    ) -> Anchored:
        anchor = path.mean(plain)
        scorer = anchor if choice.is_anchor else path.mean(kept)
        held_out = fits.honest(choice.kept, scorer, aligned=aligned)
        return Anchored(anchor, scorer, len(kept), choice, fits, held_out, complete)

    def of_folds(*, complete: bool) -> Anchored:
        choice = fits.choose(region, support=path.region, groups=apart, average=len(splits) > 1)
        return concluded(choice, fits.models((0,)), fits.models(choice.kept), complete=complete)

    try:
        path = path.tuned(X, positive, fit_weight, folds)
        advance()
        for fitted in Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(path.fit)(
                X[rest],
                positive[rest],
                weights_of(fit_weight, rest),
                shares=shares,
                start=None,
                seed=own,
                groups=None if together is None else together[rest],
            )
            for (rest, _), own in zip(splits, seeds, strict=False)
        ):
            fits.add(fitted, advance)
        # What was held out judges the single model of a hold-out exactly, and a model of all rows not at all.
        if (average and len(splits) > 1) or (start is None and len(splits) == 1):
            return of_folds(complete=True)
        choice = fits.choose(region, support=path.region, groups=apart, average=False)
        until = shares[: choice.kept[0]]
        final = path.fit(X, positive, fit_weight, shares=until, start=start, seed=seed, groups=together)
        return concluded(choice, final[:1], final[-1:], aligned=True)
    except KeyboardInterrupt:
        if observe is None or not fits.drop_unfinished():
            raise
        return of_folds(complete=False)


def increasing_shares(shares: Any) -> tuple[float, ...]:
    """Return shares of a surrogate as an estimator was given them, checked.

    Examples
    --------
    >>> increasing_shares([1, 4])
    (1.0, 4.0)
    """
    try:
        values = tuple(map(float, shares))
    except (TypeError, ValueError):
        raise InputError(f"shares={shares!r} must be a sequence of numbers, such as (1.0, 4.0).") from None
    if any(not 0 < share < math.inf for share in values) or list(values) != sorted(set(values)):
        raise InputError(f"shares={shares!r} must be positive, finite and increasing, away from cross-entropy.")
    return values
