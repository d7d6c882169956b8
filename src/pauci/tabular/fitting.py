"""Fit an estimator so that breaking it off keeps the best so far, and judge it on rows it has not seen."""

import copy
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pauci.boosting import PartialAUCBooster
from pauci.estimators import PartialAUCClassifier, Report
from pauci.region import Region
from pauci.tabular.watching import Kept, Observer, WatchedPath

Array = NDArray[Any]
Estimator = PartialAUCClassifier | PartialAUCBooster


@dataclass(frozen=True)
class HeldOut:
    """What models that have not seen some rows make of them.

    Attributes
    ----------
    rows : ndarray of int
        The rows that were judged.
    plain, chosen : ndarray
        Their scores by cross-entropy alone, and by the candidate that was chosen.
    twin : PartialAUCClassifier or PartialAUCBooster
        The estimator as fitted without some of these rows.
    unseen : ndarray of int
        The rows that the twin has not seen.
    """

    rows: Array
    plain: Array
    chosen: Array
    twin: Estimator
    unseen: Array


@dataclass(frozen=True)
class Fitted:
    """How a fit ended.

    Attributes
    ----------
    complete : bool
        Whether it was fitted in full. Otherwise it is the best candidate so far, by a model that has seen all rows but
        one part; its threshold comes from that part alone.
    held_out : HeldOut or None
        None if it was broken off, or if there were too few rows to hold any out.
    """

    complete: bool
    held_out: HeldOut | None


def fit_watched(estimator: Estimator, X: Array, y: Array, observe: Observer = lambda *_: None) -> Fitted:
    """Fit an estimator; Ctrl-C ends it early, with the best candidate so far if there is one.

    Parameters
    ----------
    estimator : PartialAUCClassifier or PartialAUCBooster
        Fitted in place, in this process.
    X, y : ndarray
        Rows and labels.
    observe : callable
        Called after each step with the steps done and the number of steps in all.

    Returns
    -------
    Fitted
        How it ended.

    Raises
    ------
    KeyboardInterrupt
        If there was nothing to keep.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(200.0)[:, None] % 37, np.arange(200) % 37 > 20
    >>> fit_watched(PartialAUCClassifier(max_fpr=0.3, confidence=None, shares=(1.0,)), X, y).complete
    True
    """
    make, watched = estimator._path, list[WatchedPath]()

    def path(argument: int) -> WatchedPath:
        watched.append(WatchedPath(make(argument), observe))
        return watched[-1]

    estimator._path = path  # type: ignore[method-assign, assignment]  # of this one object, while it is fitted
    try:
        estimator.fit(X, y)
    except KeyboardInterrupt:
        kept = watched[-1].best_so_far(estimator.region) if watched else None
        if kept is None:
            raise
        _conclude(estimator, kept, y, watched[-1].region)
        return Fitted(False, None)
    finally:
        del estimator._path
    if isinstance(estimator, PartialAUCClassifier):
        _adopt(estimator, estimator.anchor_.scorer, estimator.scorer_.scorer)
    return Fitted(True, _held_out(estimator, watched[-1]) if estimator.report_.folds else None)


def _held_out(estimator: Estimator, path: WatchedPath) -> HeldOut:
    index = estimator.report_.choice.index
    rows, (plain, chosen) = path.held_out(0, index)
    scorer, unseen = path.first_fold(index)
    twin = copy.copy(estimator)
    _adopt(twin, scorer, scorer)
    return HeldOut(rows, plain, chosen, twin, unseen)


def _conclude(estimator: Estimator, kept: Kept, y: Array, train_region: Region) -> None:
    """Finish an estimator with what is left of its fit."""
    _adopt(estimator, kept.anchor, kept.scorer)
    estimator._conclude(y[kept.rows] == estimator.classes_[1], kept.scores, held_out=True)
    name = estimator.base if isinstance(estimator, PartialAUCBooster) else estimator.architecture
    estimator.report_ = Report(
        f"{name}, broken off", estimator.region, train_region, kept.choice, estimator.threshold_, kept.parts
    )


def _adopt(estimator: Estimator, anchor: Any, scorer: Any) -> None:
    if isinstance(estimator, PartialAUCBooster):
        estimator.ensemble_ = scorer.kept()
    else:
        estimator.anchor_, estimator.scorer_ = anchor, scorer
