"""The threshold that finds a share of the positives, on the sample or in truth."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci.errors import InputError
from pauci.metrics.budget import within_budget
from pauci.metrics.inputs import ArrayLike, check_as_thresholds, read_binary
from pauci.metrics.threshold import rate_at
from pauci.region import read_rate


@dataclass(frozen=True)
class RecallThreshold:
    """A threshold on scores that finds a share of the positives; the decision is ``score >= threshold``.

    Attributes
    ----------
    threshold : float
        The threshold.
    fpr, tpr : float
        False and true positive rate on the sample that the threshold was chosen on.
    tpr_lower : float or None
        Lower bound on the true share of positives found, at the requested confidence (0.95 if none was requested). None
        with weights.

    Examples
    --------
    >>> found = threshold_at_tpr([0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.5, 0.7, 0.9], min_tpr=0.75)
    >>> found.threshold, found.fpr, found.tpr
    (0.5, 0.3333333333333333, 0.75)
    """

    threshold: float
    fpr: float
    tpr: float
    tpr_lower: float | None


def threshold_at_tpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_tpr: float,
    confidence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> RecallThreshold:
    """Return the largest threshold that finds a share of the positives.

    Act on a case when ``score >= threshold``. The threshold is the score of a positive.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores.
    min_tpr : float
        Share of positives that must be found, above 0 and at most 1.
    confidence : float, optional
        Without it, this share of the sample's positives is found, but the true share is smaller about every second
        time. With it, the *true* share is at least `min_tpr` with at least this probability over samples, as in
        `threshold_at_fpr`: a missed positive is a false alarm of the reversed problem.
    sample_weight : array-like of shape (n,), optional
        Weights; not with `confidence`.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.

    Returns
    -------
    RecallThreshold
        The threshold, the rates it has on this sample, and a lower bound on the true share of positives found.

    Raises
    ------
    TooFewSamplesError
        If nothing can be guaranteed with so few positives; the message says how many are needed.

    See Also
    --------
    threshold_at_fpr : For a limited share of false positives.
    fpr_at_tpr : The false positive rate it costs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 1000])
    >>> s = rng.normal(size=1100) + 2 * y
    >>> plain = threshold_at_tpr(y, s, min_tpr=0.9)
    >>> plain.tpr, round(plain.tpr_lower, 3), plain.fpr
    (0.9, 0.836, 0.191)
    >>> safe = threshold_at_tpr(y, s, min_tpr=0.9, confidence=0.95)
    >>> safe.tpr, round(safe.tpr_lower, 3), safe.fpr
    (0.96, 0.911, 0.224)
    """
    scores = read_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    min_tpr = read_rate("min_tpr", min_tpr)
    if min_tpr == 0:
        raise InputError("min_tpr=0 is reached without any alert; ask for a share of positives above 0.")
    check_as_thresholds(scores)
    positives = scores.positives
    missed, upper = within_budget(
        -np.asarray(positives, dtype=np.float64),
        scores.positive_weight,
        1 - min_tpr,
        confidence,
        promise=f"min_tpr={min_tpr:g}",
        cases="positives",
    )
    if missed < len(positives):
        threshold = float(np.partition(positives, missed)[missed])
    else:  # of a share next to nothing, one is found that counts
        counts = slice(None) if scores.positive_weight is None else scores.positive_weight > 0
        threshold = float(positives[counts].max())
    return RecallThreshold(
        threshold,
        fpr=rate_at(scores.negatives, threshold, scores.negative_weight),
        tpr=rate_at(positives, threshold, scores.positive_weight),
        tpr_lower=None if upper is None else 1 - upper,
    )
