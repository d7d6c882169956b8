"""Choosing among candidates by their partial AUC on rows they were not fitted on, in favour of the first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr, stdtrit

from pauci.errors import InputError
from pauci.metrics import Comparison
from pauci.metrics.delong import influences
from pauci.metrics.inputs import Array, ArrayLike, to_numpy
from pauci.metrics.sample import Sample
from pauci.region import Region

_LEVEL = 0.95


@dataclass(frozen=True)
class Choice:
    """Which candidate was chosen, and why.

    Attributes
    ----------
    index : int
        The candidate chosen; 0 is the anchor.
    names : tuple of str
        The candidates, in order of their distance from the anchor.
    scores : tuple of float
        Partial AUC of each, share of the region, averaged over the parts; NaN where nothing could be judged.
    errors : tuple of float
        Standard error of each one's paired difference to the anchor; 0 for the anchor itself.
    gain : Comparison
        Partial AUC of the choice minus that of the anchor. Each part is judged for what the other parts choose, so
        that it is no better for having been looked for; 0 if the anchor was chosen.

    Examples
    --------
    >>> y, s = np.repeat([1, 0], [40, 160]), np.linspace(0, 3, 200) % 1
    >>> parts = np.arange(200) % 4
    >>> choice = choose(y, [s, s + 0.5 * y], region=Region(max_fpr=0.1), parts=parts, names=["CE", "other"])
    >>> choice.name, choice.gain.low > 0
    ('other', True)
    """

    index: int
    names: tuple[str, ...]
    scores: tuple[float, ...]
    errors: tuple[float, ...]
    gain: Comparison

    @property
    def name(self) -> str:
        """The candidate chosen."""
        return self.names[self.index]

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = []
        for index, (name, score, error) in enumerate(zip(self.names, self.scores, self.errors, strict=True)):
            difference = f"   {score - self.scores[0]:+.4f} +- {error:.4f}" if index else ""
            lines.append(f"{'*' if index == self.index else ' '} {name:<{width}}  {score:.4f}{difference}")
        gain = self.gain
        lines.append(f"gain over {self.names[0]}: {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]")
        return "\n".join(lines)


def choose(
    y_true: ArrayLike,
    scores: Sequence[ArrayLike],
    *,
    region: Region,
    parts: ArrayLike,
    names: Sequence[str],
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Choice:
    """Choose the candidate nearest to the anchor that is not worse than the best by more than one standard error.

    The standard error is that of the paired difference between the two, which is far smaller than that of either: the
    same rows are hard for both. With few instances inside the region it is enlarged as Student's distribution says. A
    difference without any spread counts as chance. So the anchor is kept unless something was seen to be better.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels.
    scores : sequence of array-like of shape (n,)
        Scores of every candidate by models that were fitted without these rows, first the anchor's, then in order of
        distance from it. Rows are compared within parts only: what belongs to different parts may be scored by
        different models.
    region : Region
        What is judged.
    parts : array-like of int of shape (n,)
        Part of each row, from 0; rows with -1 are left out. At least two, each with two instances of either class.
    names : sequence of str
        Names of the candidates.
    sample_weight, groups : array-like of shape (n,), optional
        As in `partial_auc_interval`.

    Returns
    -------
    Choice
        The choice and the numbers behind it.

    Examples
    --------
    >>> y, s = np.repeat([1, 0], [40, 160]), np.linspace(0, 3, 200) % 1 + np.repeat([0.5, 0.0], [40, 160])
    >>> print(choose(y, [s, -s], region=Region(max_fpr=0.5), parts=np.arange(200) % 4, names=["CE", "reversed"]))
    * CE        0.49...
      reversed  0.01...   -0.47... +- 0.08...
    gain over CE: +0.0000 [+0.0000, +0.0000]
    """
    if not scores or len(scores) != len(names):
        raise InputError(f"scores holds {len(scores)} candidates but names {len(names)}; every candidate has a name.")
    part, labels = to_numpy(parts), to_numpy(y_true)
    columns = np.stack([to_numpy(each) for each in scores])
    judged = [
        _judged(labels, columns, np.flatnonzero(part == number), region, sample_weight, groups)
        for number in range(part.max() + 1)
    ]
    if len(judged) < 2:
        raise InputError(f"parts names {len(judged)} part(s); one is to judge what others chose, so two are needed.")
    shares, covariances = np.stack([each.shares for each in judged]), np.stack([each.covariance for each in judged])
    # What is known of a spread rests on the scarcer class inside the region.
    freedom = max(1.0, sum(each.inside for each in judged) - len(judged))
    index = _nearest(shares, covariances, freedom)
    total = covariances.sum(axis=0) / len(judged) ** 2
    return Choice(
        index,
        tuple(names),
        tuple(shares.mean(axis=0).tolist()),
        tuple(_error(total, j, 0) for j in range(len(names))),
        _gain(shares, covariances, freedom) if index else Comparison(0.0, 0.0, 0.0, 1.0, _LEVEL),
    )


def unjudged(names: Sequence[str]) -> Choice:
    """Return the choice where there is too little to judge: the anchor.

    Parameters
    ----------
    names : sequence of str
        Names of the candidates.

    Returns
    -------
    Choice
        The anchor, without scores.

    Examples
    --------
    >>> unjudged(["CE", "lambda 1"]).name
    'CE'
    """
    nothing = (math.nan,) * len(names)
    return Choice(0, tuple(names), nothing, nothing, Comparison(0.0, 0.0, 0.0, 1.0, _LEVEL))


@dataclass(frozen=True)
class _Judged:
    """Shares of the region that the candidates win in one part, and how these vary together."""

    shares: Array
    covariance: Array
    inside: float


def _judged(
    labels: Array, columns: Array, rows: Array, region: Region, weight: ArrayLike | None, groups: ArrayLike | None
) -> _Judged:
    sample = Sample.read(
        labels[rows],
        {f"scores[{index}]": column[rows] for index, column in enumerate(columns)},
        sample_weight=None if weight is None else to_numpy(weight)[rows],
        groups=None if groups is None else to_numpy(groups)[rows],
    )
    effects = [np.stack(each) for each in zip(*(influences(scores, region) for scores in sample.scores), strict=True)]
    inside = [max(2.0, number) for number in sample.inside(region)]
    if (grouping := sample.groups) is not None:
        members = grouping.positives, grouping.negatives
        summed = [_summed(of, where, grouping.number) for of, where in zip(effects, members, strict=True)]
        effects = [summed[0] + summed[1]]
        inside = [min(inside)]
    # As in `standard_error`: a few inside the region show less spread than there is.
    covariance = sum(of @ of.T * size / (size - 1) for of, size in zip(effects, inside, strict=True))
    return _Judged(np.array(sample.shares(region)), np.asarray(covariance), min(inside))


def _summed(effects: Array, members: Array, number: int) -> Array:
    return np.stack([np.bincount(members, weights=row, minlength=number) for row in effects])


def _nearest(shares: NDArray[np.float64], covariances: NDArray[np.float64], freedom: float) -> int:
    """Apply the rule to the mean over some parts."""
    mean, covariance = shares.mean(axis=0), covariances.sum(axis=0) / len(covariances) ** 2
    best = int(mean.argmax())
    factor = float(stdtrit(freedom, ndtr(1.0)))
    for index in range(best):
        error = _error(covariance, best, index)
        if error == 0 or mean[best] - mean[index] <= factor * error:
            return index
    return best


def _gain(shares: NDArray[np.float64], covariances: NDArray[np.float64], freedom: float) -> Comparison:
    """Difference to the anchor, each part judged for the choice of the others."""
    number = len(shares)
    differences, variance = [], 0.0
    for part in range(number):
        others = np.arange(number) != part
        index = _nearest(shares[others], covariances[others], freedom * (number - 1) / number)
        differences.append(shares[part, index] - shares[part, 0])
        variance += _error(covariances[part], index, 0) ** 2
    difference, error = float(np.mean(differences)), math.sqrt(variance) / number
    reach = error * float(stdtrit(freedom, (1 + _LEVEL) / 2))
    p_value = 2 * float(stdtr(freedom, -abs(difference) / error)) if error > 0 else 1.0
    return Comparison(difference, difference - reach, difference + reach, p_value, _LEVEL)


def _error(covariance: Array, one: int, other: int) -> float:
    """Return the standard error of the difference of two candidates; 0 where only rounding is left of it."""
    variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    return math.sqrt(variance) if variance > 1e-18 else 0.0
