"""What a ranking achieves at one point of its ROC curve."""

from typing import Any

from pauci.metrics.inputs import ArrayLike
from pauci.metrics.recall_threshold import threshold_at_tpr
from pauci.metrics.threshold import threshold_at_fpr


def tpr_at_fpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Largest true positive rate that a threshold reaches with a false positive rate of at most `max_fpr`.

    The rate belongs to a point at which one can operate, not to one interpolated between two such points. It is what
    `threshold_at_fpr` achieves. `tar_at_far` is the same function under the name it has in biometrics, where genuine
    pairs are the positives.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores.
    max_fpr : float
        The budget, between 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.

    Returns
    -------
    float
        The true positive rate.

    See Also
    --------
    fpr_at_tpr : The other way round.
    threshold_at_fpr : The threshold that achieves it, with or without a guarantee.
    partial_auc_score : The mean of this rate over a range of budgets.

    Examples
    --------
    >>> tpr_at_fpr([0, 0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.4, 0.7, 0.9], max_fpr=0.2)
    0.3333333333333333
    """
    point = threshold_at_fpr(y_true, y_score, max_fpr=max_fpr, sample_weight=sample_weight, pos_label=pos_label)
    return point.tpr


#: The true accept rate at a false accept rate: the same number in the words of biometrics.
tar_at_far = tpr_at_fpr


def fpr_at_tpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_tpr: float,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Smallest false positive rate of a threshold that finds at least `min_tpr` of the positives.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores.
    min_tpr : float
        Share of positives that must be found, above 0.
    sample_weight : array-like of shape (n,), optional
        Weights.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.

    Returns
    -------
    float
        The false positive rate.

    See Also
    --------
    tpr_at_fpr : The other way round.
    threshold_at_tpr : The threshold that achieves it, with or without a guarantee.

    Examples
    --------
    >>> fpr_at_tpr([0, 0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.4, 0.7, 0.9], min_tpr=0.5)
    0.25
    """
    found = threshold_at_tpr(y_true, y_score, min_tpr=min_tpr, sample_weight=sample_weight, pos_label=pos_label)
    return found.fpr
