"""`partial_auc_interval`: a partial AUC and how far the truth may be from it."""

from dataclasses import dataclass
from typing import Any

from pauci.metrics.area import Ties
from pauci.metrics.convention import Convention, Scale, rescale, resolve
from pauci.metrics.inputs import ArrayLike, check_probability
from pauci.metrics.sample import Sample
from pauci.metrics.share_ends import down_to_the_corner, logit_ends, within_reach_of_coins
from pauci.metrics.standard_error import Method, standard_error
from pauci.region import Cut, Region, one_region

#: A share this close to 0 or 1 is 0 or 1.
_ROUNDING = 1e-12
#: Degrees of freedom of a spread that enough instances carry: about twice as many as there are of them.
_MANY = 20.0


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate : float
        The value on this sample.
    low, high : float
        Ends of the interval.
    level : float
        Confidence level: how often such intervals cover the true value.

    Examples
    --------
    >>> partial_auc_interval([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9]).estimate
    1.0
    >>> interval = Interval(estimate=0.8, low=0.7, high=0.87, level=0.95)
    >>> interval.low <= 0.75 <= interval.high
    True
    """

    estimate: float
    low: float
    high: float
    level: float


def partial_auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
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
) -> Interval:
    """Partial AUC with a confidence interval.

    The interval is symmetric on the logit scale of the share of the region won, so it stays inside the possible values.
    `method` decides where its standard error comes from. Student's distribution widens the interval where few instances
    or groups lie inside the region, or where a few badly ranked ones carry most of the variance. The lower end may be 0
    for a two-way region that the curve hardly reaches.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores, with at least two instances of each class.
    region : Region, optional
        The rectangle. Alternatively, give its edges:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    scale, cut, ties, convention : str, optional
        As in `partial_auc_score`.
    sample_weight : array-like of shape (n,), optional
        Weights. A weight counts as part of its instance and is resampled with it.
    groups : array-like of shape (n,), optional
        What was sampled independently (patients, accounts), if not the single instances. Instances with the same group
        label stay together. A group may hold both classes. Not with ``cut="floor"``.
    pos_label : object, optional
        The positive class, as in `partial_auc_score`.
    level : float
        Confidence level.
    method : {"bootstrap", "delong"}
        "bootstrap" is stratified, and resamples whole groups if there are any. "delong" is the asymptotic variance of
        DeLong et al., carried over to regions: as good, and much faster, for continuous scores. With few distinct
        scores and a region's edge next to one of them, the bootstrap is the safer choice.
    n_resamples, seed : int
        Number of bootstrap resamples, and the seed of their generator.

    Returns
    -------
    Interval
        Estimate, ends and level, on the requested scale.

    Raises
    ------
    ScoreError, LabelError, RegionError, InputError, TooFewSamplesError
        As for `partial_auc_score`, and with fewer than two instances, or groups, of a class.

    See Also
    --------
    partial_auc_score : The estimate alone, also for several classes or labels.
    compare_partial_auc : Interval and p-value of a difference; two intervals that overlap say little about it.

    Notes
    -----
    With at least 20 instances of each class inside the region (``n * height`` positives, ``n * width`` negatives), an
    interval at level 0.95 covered the truth of simulated normal scores in 94 or more of 100 samples
    (``python benchmarks/coverage.py``). This also held where the true curve only cuts a corner of a two-way region and
    leaves little of it, or nothing; with weights as uneven as a log-normal distribution's; and with 10 to 50 groups of
    about 20 cases, even or uneven (93 where groups score the higher, the larger they are). With few instances inside,
    the promise is not quite kept: 5 positives reach 0.92 (0.89 if the scores are nearly perfect), 3 reach 0.93 by
    bootstrap and 0.89 by DeLong, and 2 reach 0.88 and 0.83. Fewer than two do not show how they vary; by Kish's rule,
    unevenly weighted instances count as fewer than they are there. The interval is then almost everything,
    ``[q share, 1 - q (1 - share)]`` with ``q = (1 - level) / 2``, which Markov's inequality allows.

    Large groups of which both classes score high, or low, together are another matter: a few of them fill a narrow
    region, and the next sample has others. Where groups make up half of the variance, 88 of 100 intervals for
    FPR <= 0.1 or TPR >= 0.9 covered the truth with 10 or 20 groups of 200 cases, 92 with 50 of them, 93 with 10 groups
    of 60, but 96 with 200 groups of 50. The truth they miss lies below them. For the whole plane 99 covered it, and
    `compare_partial_auc` found a difference where there is none in 1 to 6 of 100.

    Weights that grow where scores call a case harmless leave few instances that carry the spread. Where one in ten of
    the harmless cases is verified, and counts for ten, 80 of 100 intervals for TPR >= 0.9 covered the truth with 1,000
    cases (200 positives) and 88 with 4,000; for the whole plane, 88 with 1,000. The truth they miss lies below them. At
    FPR <= 0.02, where the weights are small, 95 covered it.

    A sample whose value has no spread at all (scores that separate the classes perfectly, or constant ones) says little
    about the spread of the next sample. Its interval allows for what m independent pairs of a positive and a negative
    inside the region could all have missed: with probability at least ``q = ((1 - level) / 2) ** (1 / m)`` the next
    pair is like them, so the share lies in ``[q share, 1 - q (1 - share)]``. For 100 positives and many negatives, a
    perfect 1.0 at level 0.95 gets a lower end of 0.964. Where fewer than ten badly ranked instances carry the spread,
    the interval allows for a part of that. The fewer they are, the larger the part: one wrong pair makes a perfect
    sample hardly more certain. With 20 positives of which one in 20 looks like a negative, 97 of 100 intervals covered
    the truth. One wrong pair does not make the sample much less certain, either: the end that is farther from 0 or 1 is
    never farther from the estimate than if each pair inside the region were right or wrong by the toss of a coin, half
    of them independently of the others. With groups, which may be of any size, there is no such limit.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 1000])
    >>> s = rng.normal(size=1100) + 2 * y
    >>> result = partial_auc_interval(y, s, max_fpr=0.1)
    >>> round(result.estimate, 2), round(result.low, 2), round(result.high, 2)
    (0.64, 0.55, 0.72)
    """
    region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    scale, cut, ties = resolve(convention, scale, cut, ties)
    check_probability("level", level)
    sample = Sample.read(
        y_true, {"y_score": y_score}, cut=cut, sample_weight=sample_weight, groups=groups, pos_label=pos_label
    )
    (share,) = sample.shares(region, cut=cut, ties=ties)
    error = standard_error(sample, [1.0], region, cut=cut, ties=ties, method=method, n_resamples=n_resamples, seed=seed)
    pairs = sample.independent_pairs(region)
    unlike = 1 - ((1 - level) / 2) ** (1 / pairs)
    ends = share, share
    if error.value > 0 and _ROUNDING < share < 1 - _ROUNDING:
        half_width = error.half_width(level)
        ends = logit_ends(share, half_width)
        if sample.groups is None:
            ends = within_reach_of_coins(share, ends, coins=pairs / 2, level=level)
        ends = down_to_the_corner(share, ends, half_width=half_width, region=region)
        unlike *= max(0.0, 1 - error.freedom / max(1.0, min(_MANY, pairs - 1)))
    low, high = min(ends[0], (1 - unlike) * share), max(ends[1], share + unlike * (1 - share))
    estimate, low, high = (rescale(value, region, scale=scale) for value in (share, low, high))
    return Interval(estimate, low, high, float(level))
