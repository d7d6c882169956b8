"""Thresholds that keep a promise: on false positives, or on the number of alerts."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pauci.errors import InputError
from pauci.metrics.budget import cases_within, upper_rate, within_budget
from pauci.metrics.inputs import Array, ArrayLike, check_as_thresholds, read_binary, read_scores
from pauci.region import read_rate


@dataclass(frozen=True)
class Threshold:
    """A threshold on scores; the decision is ``score >= threshold``.

    Attributes
    ----------
    threshold : float
        The threshold.
    fpr, tpr : float
        False and true positive rate on the sample that the threshold was chosen on.
    fpr_upper : float or None
        Upper bound on the true false positive rate, at the requested confidence (0.95 if none was requested). None with
        weights.

    Examples
    --------
    >>> found = threshold_at_fpr([0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.5, 0.9], max_fpr=0.25)
    >>> [score >= found.threshold for score in (0.3, 0.5)], found.fpr, found.tpr
    ([False, True], 0.25, 1.0)
    """

    threshold: float
    fpr: float
    tpr: float
    fpr_upper: float | None


@dataclass(frozen=True)
class AlertThreshold:
    """A threshold on scores, chosen without labels; the decision is ``score >= threshold``.

    Attributes
    ----------
    threshold : float
        The threshold.
    rate : float
        Share of alerts among the cases that the threshold was chosen on.
    rate_upper : float
        Upper bound on the true share of alerts, at the requested confidence (0.95 if none was requested).

    Examples
    --------
    >>> found = threshold_at_alert_rate(range(1000), alerts=5, per_cases=100)
    >>> found.rate, round(found.rate_upper, 3)
    (0.05, 0.063)
    """

    threshold: float
    rate: float
    rate_upper: float


def threshold_at_fpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float,
    confidence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> Threshold:
    """Return the smallest threshold that keeps the false positive rate within a budget.

    Act on a case when ``score >= threshold``. The threshold is the next number above a negative's score in the scores'
    own type, so ties fall on the safe side, also ties with future scores.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores.
    max_fpr : float
        The budget, between 0 and 1.
    confidence : float, optional
        Without it, the rate on this sample is within the budget, but the true rate exceeds it about every second time.
        With it, the *true* rate is within the budget with at least this probability over samples, whatever the
        distribution of the scores: the threshold is an order statistic of the negatives, chosen by the exact binomial
        distribution. Ties make it more careful, never less.
    sample_weight : array-like of shape (n,), optional
        Weights; not with `confidence`, since weighted negatives do not follow a binomial distribution.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.

    Returns
    -------
    Threshold
        The threshold, the rates it has on this sample, and an upper bound on the true false positive rate.

    Raises
    ------
    TooFewSamplesError
        If no threshold can be guaranteed with so few negatives; the message says how many are needed.

    See Also
    --------
    threshold_at_alert_rate : For a limited number of alerts; needs no labels.
    threshold_at_tpr : For a share of the positives that must be found.
    precision_at_threshold : The share of the alerts that are right.
    tpr_at_fpr : The share of the positives that is found within the budget.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 1000])
    >>> s = rng.normal(size=1100) + 2 * y
    >>> plain = threshold_at_fpr(y, s, max_fpr=0.05)
    >>> plain.fpr, plain.tpr, round(plain.fpr_upper, 3)
    (0.05, 0.68, 0.063)
    >>> safe = threshold_at_fpr(y, s, max_fpr=0.05, confidence=0.95)
    >>> safe.fpr, safe.tpr, round(safe.fpr_upper, 3)
    (0.038, 0.61, 0.05)
    """
    scores = read_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    max_fpr = read_rate("max_fpr", max_fpr)
    check_as_thresholds(scores)
    allowed, upper = within_budget(
        scores.negatives, scores.negative_weight, max_fpr, confidence, promise=f"max_fpr={max_fpr:g}", cases="negatives"
    )
    lowest = min(scores.positives.min(), scores.negatives.min())
    threshold = _next_to(scores.negatives, allowed, y_score, lowest=lowest)
    return Threshold(
        threshold,
        fpr=rate_at(scores.negatives, threshold, scores.negative_weight),
        tpr=rate_at(scores.positives, threshold, scores.positive_weight),
        fpr_upper=upper,
    )


def threshold_at_alert_rate(
    y_score: ArrayLike, *, alerts: float, per_cases: float, confidence: float | None = None
) -> AlertThreshold:
    """Return the smallest threshold that raises at most `alerts` alerts per `per_cases` cases.

    No labels are needed: the budget is what a desk can look at, divided by what arrives. An alert is
    ``score >= threshold``.

    Parameters
    ----------
    y_score : array-like or Tensor of shape (n,)
        Scores of cases as they arrive, in their natural mix of classes.
    alerts, per_cases : float
        At most `alerts` alerts among `per_cases` cases.
    confidence : float, optional
        Without it, the rate on these cases is within the budget. With it, the true rate is within the budget with at
        least this probability (see `threshold_at_fpr`).

    Returns
    -------
    AlertThreshold
        The threshold, its rate on these cases, and an upper bound on the true rate.

    See Also
    --------
    threshold_at_fpr : For a limited share of the negatives.
    precision_at_threshold : The share of the alerts that are right.

    Examples
    --------
    >>> threshold_at_alert_rate(range(1000), alerts=20, per_cases=1000).threshold
    980.0
    """
    scores = read_scores(y_score)
    for name, value in (("alerts", alerts), ("per_cases", per_cases)):
        if not isinstance(value, int | float | np.number) or not 0 <= value < math.inf:
            raise InputError(f"{name}={value!r} must be a finite number of at least 0.")
    if not per_cases > 0 or alerts > per_cases:
        raise InputError(
            f"alerts={alerts!r} per_cases={per_cases!r}: there must be cases, and no more alerts than cases."
        )
    if not len(scores):
        raise InputError("y_score is empty: there is nothing to choose a threshold from.")
    check_as_thresholds(scores)
    share = float(alerts) / float(per_cases)
    allowed = cases_within(len(scores), share, confidence, promise=f"alerts / per_cases={share:g}", cases="cases")
    threshold = _next_to(scores, allowed, y_score, lowest=scores.min())
    upper = upper_rate(allowed, len(scores), confidence)
    return AlertThreshold(threshold, rate=rate_at(scores, threshold), rate_upper=upper)


def rate_at(scores: Array, threshold: float, weight: Array | None = None) -> float:
    """Share of the scores at or above a threshold.

    Examples
    --------
    >>> rate_at(np.array([0.1, 0.4, 0.9, 0.9]), 0.9)
    0.5
    """
    return float(np.average(scores >= threshold, weights=weight))


def _next_to(scores: Array, allowed: int, like: ArrayLike, *, lowest: Any) -> float:
    """Smallest threshold with at most `allowed` scores at or above it; `lowest` if all may be."""
    if allowed >= len(scores):
        return float(lowest)
    excluded = np.partition(scores, len(scores) - 1 - allowed)[len(scores) - 1 - allowed]
    if isinstance(like, torch.Tensor) and like.dtype == torch.bfloat16:
        # numpy has no such type: the next number in float32 would be rounded back when compared.
        return float(torch.nextafter(torch.tensor(excluded).bfloat16(), torch.tensor(math.inf).bfloat16()))
    if scores.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return float(np.nextafter(excluded, scores.dtype.type(np.inf)))
    return max(float(excluded) + 1, math.nextafter(float(excluded), math.inf))
