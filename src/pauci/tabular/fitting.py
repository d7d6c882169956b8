"""Fit an estimator so that breaking it off keeps the best so far, and judge it on rows it has not seen."""

import copy
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pauci.boosting import PartialAUCBooster
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.anchored import Anchored, Observer

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
        The estimator with the model of its first fold.
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
        Whether it was fitted in full. Otherwise it is the best candidate so far, the mean of as many models as there
        were; its threshold comes from the rows that were held out from them.
    held_out : HeldOut or None
        None if it was broken off, or if there were too few rows to hold any out.
    """

    complete: bool
    held_out: HeldOut | None


def fit_watched(
    estimator: Estimator, X: Array, y: Array, observe: Observer = lambda *_: None, *, groups: Array | None = None
) -> Fitted:
    """Fit an estimator; Ctrl-C ends the fit early, with the best candidate so far if there is one.

    Parameters
    ----------
    estimator : PartialAUCClassifier or PartialAUCBooster
        The estimator, which is fitted in place, in this process.
    X, y : ndarray
        Rows and labels.
    observe : callable
        Called after each step with the number of steps done and the total number of steps.
    groups : ndarray, optional
        What rows that are not independent belong to.

    Returns
    -------
    Fitted
        How the fit ended.

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
    result = estimator.fit_observed(X, y, groups=groups, observe=observe)
    return Fitted(result.complete, _held_out(estimator, result) if result.complete and result.fits.parts else None)


def _held_out(estimator: Estimator, result: Anchored) -> HeldOut:
    fits, choice = result.fits, result.choice
    twin = copy.copy(estimator)
    twin.scorer_ = fits.first(choice.kept)
    chosen = result.held_out.scores
    plain = chosen if choice.is_anchor else fits.honest((0,), result.anchor).scores
    return HeldOut(fits.rows, plain, chosen, twin, fits.unseen)
