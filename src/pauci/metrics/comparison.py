"""`compare_partial_auc`: whether one score ranks better than another inside a region."""

import math
from dataclasses import dataclass
from typing import Any

from pauci.metrics.area import Ties
from pauci.metrics.convention import Convention, Scale, rescale, resolve
from pauci.metrics.inputs import ArrayLike, check_probability
from pauci.metrics.sample import Sample
from pauci.metrics.standard_error import Method, StandardError, standard_error
from pauci.region import Cut, Region, one_region


@dataclass(frozen=True)
class Comparison:
    """Difference between two scores of the same instances.

    Attributes
    ----------
    difference : float
        Value of the first score minus that of the second.
    low, high : float
        Ends of its confidence interval.
    p_value : float
        Two-sided p-value of no difference.
    level : float
        Confidence level of the interval.

    Examples
    --------
    >>> result = compare_partial_auc([0, 0, 0, 1, 1], [0.1, 0.2, 0.8, 0.7, 0.9], [0.1, 0.9, 0.4, 0.7, 0.3])
    >>> round(result.difference, 3), result.low < 0 < result.high, result.p_value > 0.05
    (0.333, True, True)
    """

    difference: float
    low: float
    high: float
    p_value: float
    level: float


def compare_partial_auc(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    region: Region | None = None,
    max_fpr: float = 1.0,
    min_tpr: float = 0.0,
    min_fpr: float = 0.0,
    max_tpr: float = 1.0,
    scale: Scale = "normalized",
    cut: Cut = "interpolate",
    ties: Ties = "half",
    convention: Convention | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Any = None,
    level: float = 0.95,
    method: Method = "bootstrap",
    n_resamples: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compare the partial AUC of two scores of the same instances.

    The comparison is paired, so what makes an instance hard for both scores cancels out. Interval and p-value come from
    the same standard error and Student's distribution, so the interval excludes 0 exactly when the p-value is below
    ``1 - level``. Where nothing varies, as between a perfect and a reversed ranking, there is no standard error, and
    each says what so few cases allow (see Notes).

    Parameters
    ----------
    y_true : array-like or Tensor of shape (n,)
        Binary labels.
    score_a, score_b : array-like or Tensor of shape (n,)
        The two scores; each may have a scale of its own.
    region : Region, optional
        The rectangle. Alternatively, give its edges:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    scale, cut, ties, convention : str, optional
        As in `partial_auc_score`.
    sample_weight, groups : array-like of shape (n,), optional
        Weights, and what was sampled independently, as in `partial_auc_interval`.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.
    level : float
        Confidence level.
    method : {"bootstrap", "delong"}
        As in `partial_auc_interval`.
    n_resamples, seed : int
        Number of bootstrap resamples, which are the same for both scores, and the seed of their generator.

    Returns
    -------
    Comparison
        ``score_a`` minus ``score_b``, with interval and p-value.

    See Also
    --------
    partial_auc_interval : Interval of either score alone.

    Notes
    -----
    If nothing varies (if both scores rank perfectly, say), the difference is as certain as m independent pairs of a
    positive and a negative inside the region can make it when all of them agree. Its interval reaches
    ``1 - ((1 - level) / 2) ** (1 / m)`` to either side, as in `partial_auc_interval`. Its p-value is that of a sign
    test, ``2 ** (1 - m)``, or 1 if there is no difference. The same holds with m = 1 where fewer than two positives, or
    negatives, or groups with them, lie inside the region, because they do not show how they vary.

    In simulations of equally good scores, 0 to 6 of 100 comparisons had a p-value below 0.05
    (``python benchmarks/coverage.py``): fewer than 5 where the scores leave little of the region, or nearly all of it.
    With two positives inside, up to 7 had one.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 1000])
    >>> hard = rng.normal(size=1100)
    >>> better, worse = hard + 2.0 * y, hard + 1.5 * y + 0.3 * rng.normal(size=1100)
    >>> result = compare_partial_auc(y, better, worse, max_fpr=0.1)
    >>> result.low > 0, result.p_value < 0.001
    (True, True)
    """
    region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    scale, cut, ties = resolve(convention, scale, cut, ties)
    check_probability("level", level)
    pair = {"score_a": score_a, "score_b": score_b}
    sample = Sample.read(y_true, pair, cut=cut, sample_weight=sample_weight, groups=groups, pos_label=pos_label)
    share_a, share_b = sample.shares(region, cut=cut, ties=ties)
    difference = share_a - share_b
    error = standard_error(
        sample, [1.0, -1.0], region, cut=cut, ties=ties, method=method, n_resamples=n_resamples, seed=seed
    )
    if error.value > 0:
        half_width, p_value = error.half_width(level), error.p_value(difference)
    else:
        pairs = sample.independent_pairs(region)
        half_width = 1 - ((1 - level) / 2) ** (1 / pairs)
        p_value = 1.0 if math.isclose(share_a, share_b, abs_tol=1e-9) else min(1.0, 2 ** (1 - pairs))
    low, high = max(difference - half_width, -1.0), min(difference + half_width, 1.0)
    unit = rescale(1.0, region, scale=scale) - rescale(0.0, region, scale=scale)
    return Comparison(difference * unit, low * unit, high * unit, p_value, float(level))


def student_comparison(difference: float, error: StandardError, *, level: float) -> Comparison:
    """Return a difference of any kind with the interval and the test of Student's distribution.

    Parameters
    ----------
    difference : float
        What was found.
    error : StandardError
        Of it; without any, the interval is a point and the p-value 1.
    level : float
        Of the interval.

    Examples
    --------
    >>> student_comparison(0.25, StandardError(0.0, freedom=1.0), level=0.95)
    Comparison(difference=0.25, low=0.25, high=0.25, p_value=1.0, level=0.95)
    """
    half = error.half_width(level)
    p_value = error.p_value(difference) if error.value > 0 else 1.0
    return Comparison(difference, difference - half, difference + half, p_value, level)
