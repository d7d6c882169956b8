"""Precision at an operating point, with an interval, also where positives are rarer or more common than here."""

import math
from typing import Any

import numpy as np
import torch
from scipy.special import betaincinv

from pauci.errors import InputError, TooFewSamplesError
from pauci.metrics.inputs import ArrayLike, check_probability, read_binary
from pauci.metrics.interval import Interval
from pauci.metrics.recall_threshold import RecallThreshold
from pauci.metrics.share_ends import wilson_interval
from pauci.metrics.threshold import AlertThreshold, Threshold


def precision_at_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    threshold: float | torch.Tensor | Threshold | RecallThreshold | AlertThreshold,
    prevalence: float | None = None,
    level: float = 0.95,
    pos_label: Any = None,
) -> Interval:
    """Share of positives among the cases with ``score >= threshold``, with its interval.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores, of cases other than those the threshold was chosen on.
    threshold : float, Tensor of one number, Threshold, RecallThreshold or AlertThreshold
        The operating point: a number, or what `threshold_at_fpr`, `threshold_at_tpr` or `threshold_at_alert_rate`
        returns.
    prevalence : float, optional
        Share of positives where the threshold will be used. Without it, the result is the precision on cases like
        these, with the exact interval of Clopper and Pearson. With it, the result is what the rates measured here
        amount to there, ``p TPR / (p TPR + (1 - p) FPR)``. Its interval combines the score intervals of both rates for
        their ratio by Donner and Zou's rule, and also holds where one of the rates is 0.
    level : float
        Confidence level.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.

    Returns
    -------
    Interval
        The precision.

    Raises
    ------
    TooFewSamplesError
        If no case reaches the threshold, because then nothing is known about precision.

    See Also
    --------
    threshold_at_fpr : Finds a threshold for a budget of false positives.
    threshold_at_tpr : Finds one for a share of positives.
    threshold_at_alert_rate : Finds one for a number of alerts.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [200, 2000])
    >>> s = rng.normal(size=2200) + 2 * y
    >>> here = precision_at_threshold(y, s, threshold=2.0)
    >>> there = precision_at_threshold(y, s, threshold=2.0, prevalence=0.01)
    >>> round(here.estimate, 2), round(there.estimate, 2)
    (0.71, 0.2)
    """
    check_probability("level", level)
    cutoff = _number(threshold)
    if prevalence is not None:
        check_probability("prevalence", prevalence)
    scores = read_binary(y_true, y_score, pos_label=pos_label)
    hits = int(np.count_nonzero(scores.positives >= cutoff))
    false_alarms = int(np.count_nonzero(scores.negatives >= cutoff))
    if hits + false_alarms == 0:
        raise TooFewSamplesError(
            f"threshold={cutoff:g}: no score reaches it, so precision is unknown. Lower it, or add cases."
        )
    if prevalence is None:
        low, high = exact_interval(hits, hits + false_alarms, level)
        return Interval(hits / (hits + false_alarms), low, high, float(level))
    rates = (hits / len(scores.positives), false_alarms / len(scores.negatives))
    bounds = (
        _score_interval(hits, len(scores.positives), level),
        _score_interval(false_alarms, len(scores.negatives), level),
    )
    low, high = _ratio_interval(rates, bounds)
    odds = prevalence / (1 - prevalence)
    estimate, low, high = (_from_odds(odds * ratio) for ratio in (_ratio(*rates), low, high))
    return Interval(estimate, low, high, float(level))


def _number(threshold: Any) -> Any:
    number = threshold.threshold if isinstance(threshold, Threshold | RecallThreshold | AlertThreshold) else threshold
    if isinstance(number, torch.Tensor) and number.numel() == 1:
        number = number.item()
    if not isinstance(number, int | float | np.number) or math.isnan(number):
        raise InputError(f"threshold={threshold!r} must be a number, or what threshold_at_fpr and its like return.")
    return number


def exact_interval(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a proportion; of cases that are worth fewer, in fractions of cases."""
    tail = (1 - level) / 2
    low = float(betaincinv(successes, trials - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 1 - tail)) if successes < trials else 1.0
    return low, high


def _score_interval(successes: int, trials: int, level: float) -> tuple[float, float]:
    """Wilson's interval, which rounding must not take off the estimate or out of [0, 1]."""
    share = successes / trials
    low, high = wilson_interval(share, trials, level)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def _ratio_interval(
    rates: tuple[float, float], bounds: tuple[tuple[float, float], tuple[float, float]]
) -> tuple[float, float]:
    """Donner and Zou's interval of a ratio, from the intervals of its parts."""
    (top, bottom), ((low_top, high_top), (low_bottom, high_bottom)) = rates, bounds
    product = top * bottom
    # Neither is below 0, but for rounding where the intervals are hardly wider than a point.
    low_root = max(0.0, product**2 - low_top * (2 * top - low_top) * high_bottom * (2 * bottom - high_bottom))
    high_root = max(0.0, product**2 - high_top * (2 * top - high_top) * low_bottom * (2 * bottom - low_bottom))
    low = low_top * (2 * top - low_top) / (product + math.sqrt(low_root)) if top > 0 else 0.0
    high = (product + math.sqrt(high_root)) / (low_bottom * (2 * bottom - low_bottom)) if bottom > 0 else math.inf
    return low, high


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom > 0 else math.inf


def _from_odds(odds: float) -> float:
    return 1.0 if math.isinf(odds) else odds / (1 + odds)
