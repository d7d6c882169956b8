"""How many cases may lie above a threshold, so that a rate keeps within its budget."""

import bisect
import math

import numpy as np
from scipy.special import bdtr, betaincinv

from pauci.errors import InputError, TooFewSamplesError
from pauci.metrics.inputs import Array, check_probability
from pauci.rounding import ROUNDING, raised

#: Confidence of the upper bound that is reported when none was asked for.
_REPORTED = 0.95


def within_budget(
    scores: Array, weight: Array | None, rate: float, confidence: float | None, *, promise: str, cases: str
) -> tuple[int, float | None]:
    """How many of the highest scores a budget allows, and an upper bound on the true rate of a threshold there.

    Parameters
    ----------
    scores, weight : ndarray of shape (n,)
        Of the cases that count; without weights the bound is exact, with them there is none.
    rate, confidence, promise, cases
        As in `cases_within`.

    Returns
    -------
    tuple of int and float or None
        The number and the bound.

    Examples
    --------
    >>> within_budget(np.arange(1000.0), None, 0.05, 0.95, promise="max_fpr=0.05", cases="negatives")[0]
    38
    """
    if weight is None:
        allowed = cases_within(len(scores), rate, confidence, promise=promise, cases=cases)
        return allowed, upper_rate(allowed, len(scores), confidence)
    if confidence is not None:
        raise InputError(
            f"sample_weight cannot be combined with confidence=: weighted {cases} are not binomial, so nothing exact "
            "can be promised. Drop the weights, or drop confidence= for the weighted empirical threshold."
        )
    return weight_within(scores, weight, rate), None


def cases_within(total: int, rate: float, confidence: float | None, *, promise: str, cases: str) -> int:
    """How many of the highest scores a budget allows.

    Parameters
    ----------
    total : int
        Cases in the sample.
    rate : float
        The budget, between 0 and 1.
    confidence : float or None
        Probability with which the true rate shall be within the budget; None keeps the sample's own rate within it.
    promise, cases : str
        What is promised, and of which cases, for messages.

    Returns
    -------
    int
        From 0 to `total`.

    Raises
    ------
    TooFewSamplesError
        If not even the highest score can be guaranteed to be rare enough.

    Notes
    -----
    The rate above the k-th highest of n scores follows Beta(k, n + 1 - k) if scores are continuous, and is smaller
    otherwise; P(Beta(k, n + 1 - k) <= rate) = P(Binomial(n, rate) >= k).

    Examples
    --------
    >>> cases_within(1000, 0.05, None, promise="max_fpr=0.05", cases="negatives")
    50
    >>> cases_within(1000, 0.05, 0.95, promise="max_fpr=0.05", cases="negatives")
    38
    """
    if rate == 1:
        return total
    if confidence is None:
        return min(int(raised(total * rate)), total)
    check_probability("confidence", confidence)
    # The tolerance takes in what equals the risk but for the rounding of the distribution function.
    reach = (1 - confidence) * (1 + 1e-12)
    allowed = bisect.bisect_right(range(total), reach, key=lambda above: float(bdtr(above, total, rate))) - 1
    if allowed >= 0:
        return allowed
    if rate == 0:
        raise InputError(f"{promise} cannot be guaranteed by any sample; promise a looser rate, or drop confidence=.")
    raise TooFewSamplesError(
        f"confidence={confidence:g} at {promise} needs at least {cases_needed(rate, confidence):.15g} {cases}, but "
        f"there are {total}. Collect more, or promise less: a looser rate, or less confidence."
    )


def upper_rate(allowed: int, total: int, confidence: float | None) -> float:
    """Upper bound on the true rate of a threshold with `allowed` of `total` cases above it.

    Examples
    --------
    >>> round(upper_rate(50, 1000, None), 3), upper_rate(1000, 1000, None)
    (0.063, 1.0)
    """
    return 1.0 if allowed >= total else float(betaincinv(allowed + 1, total - allowed, confidence or _REPORTED))


def weight_within(scores: Array, weight: Array, share: float) -> int:
    """How many of the highest scores weigh at most a share of the total.

    Examples
    --------
    >>> weight_within(np.array([0.1, 0.4, 0.9]), np.array([2.0, 1.0, 1.0]), 0.5)
    2
    """
    running = np.cumsum(weight[np.argsort(scores)[::-1]])
    return int(np.searchsorted(running, share * running[-1] * (1 + ROUNDING), side="right"))


def cases_needed(rate: float, confidence: float) -> float:
    """Return how many cases it takes to guarantee a rate between 0 and 1: a whole number, or infinity.

    Examples
    --------
    >>> cases_needed(0.05, confidence=0.95)
    59.0
    """
    return float(np.ceil(math.log(1 - confidence) / math.log1p(-rate)))
