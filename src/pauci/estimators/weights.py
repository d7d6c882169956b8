"""What rows weigh: those of weight 0 are not there, and classes may have factors of their own while fitting."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight

from pauci.errors import InputError, LabelError
from pauci.estimators.grouping import group_numbers

Array = NDArray[Any]

#: Least and largest mean of weights that are numbers of rows; beyond, their ratios alone count.
_MEANS = 1.0, 1e9


class Counted(NamedTuple):
    """Rows that weigh something.

    Attributes
    ----------
    rows : ndarray or sparse matrix of shape (n, d)
        The rows.
    positive : ndarray of bool of shape (n,)
        The positives.
    groups : ndarray of shape (n,) or None
        Numbers of what they belong to; None if every row is a case of its own.
    weight : ndarray of shape (n,) or None
        Their weights; None if all weigh the same.
    """

    rows: Any
    positive: Array
    groups: Array | None
    weight: Array | None


def counted_rows(X: Any, positive: Array, groups: Array | None, sample_weight: Any) -> Counted:
    """Keep the rows that weigh something.

    A weight of 2 is a row that is there twice, but weights of less than 1 in the mean, such as those that sum to 1, are
    brought to 1: no row is less than there. Those of more than 10^9 are brought to that: solvers lose their way among
    larger numbers.

    Raises
    ------
    LabelError
        If no row of a class weighs anything.

    Examples
    --------
    >>> counted_rows(np.arange(3.0)[:, None], np.array([True, True, False]), None, [0, 2, 2])[1:]
    (array([ True, False]), None, None)
    """
    if sample_weight is None:
        return Counted(X, positive, groups, None)
    if np.ma.is_masked(sample_weight):
        raise InputError("sample_weight is a masked array with masked entries, which are missing; drop these rows.")
    weight: Array = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = weight > 0
    if positive[kept].all() or not positive[kept].any():
        raise LabelError("sample_weight is 0 for all rows of a class; a classifier needs rows of both classes.")
    X, positive, weight = X[kept], positive[kept], weight[kept]
    # Numbered anew: those of groups that are not there would decide on folds.
    groups = None if groups is None else group_numbers(groups[kept], positive)
    if (weight == weight[0]).all():
        return Counted(X, positive, groups, None)
    # Their sum may be too large, or too small, for a number.
    largest = float(weight.max())
    mean = float((weight / largest).mean())
    brought = min(max(mean * largest, _MEANS[0]), _MEANS[1])
    return Counted(X, positive, groups, weight if brought == mean * largest else weight / largest / mean * brought)


def fit_weights(class_weight: Any, labels: Array, weight: Array | None) -> Array | None:
    """Weights while fitting: those of the rows, times those of their classes; None if all weigh the same.

    Raises
    ------
    InputError
        If a class would weigh nothing, or less.

    Examples
    --------
    >>> fit_weights("balanced", np.array([0, 0, 0, 1]), None).round(3)
    array([0.667, 0.667, 0.667, 2.   ])
    """
    if class_weight is None:
        return weight
    if class_weight == "balanced" and weight is not None:
        # A row of weight 2 is there twice.
        classes, places = np.unique(labels, return_inverse=True)
        class_weight = dict(zip(classes, weight.sum() / (len(classes) * np.bincount(places, weight)), strict=True))
    of_classes: Array = compute_sample_weight(class_weight, labels)
    if not (of_classes > 0).all():
        raise InputError(f"class_weight={class_weight!r} must be positive; a classifier needs both classes.")
    return of_classes if weight is None else of_classes * weight


def weights_of(weight: Array | None, rows: Array) -> Array | None:
    """Return the weights of some rows; None if all weigh the same.

    Examples
    --------
    >>> weights_of(np.array([1.0, 2.0, 3.0]), np.array([0, 2]))
    array([1., 3.])
    """
    return None if weight is None else weight[rows]


def prior_log_odds(positive: Array, weight: Array | None) -> float:
    """Return the log-odds of the positive class, by weight: where every ensemble starts, and linear models level out.

    Examples
    --------
    >>> round(prior_log_odds(np.array([True, False, False]), None), 6)
    -0.693147
    """
    share = float(np.average(positive, weights=weight))
    return float(np.log(share / (1 - share)))
