"""Choosing among candidates by their partial AUC on rows they were not fitted on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import ndtr, stdtrit

from pauci.errors import InputError
from pauci.estimators.choice import LEVEL, NO_GAIN, Choice
from pauci.metrics.comparison import Comparison, student_comparison
from pauci.metrics.inputs import Array, ArrayLike, to_numpy
from pauci.metrics.sample import Sample
from pauci.metrics.standard_error import StandardError, independent_effects
from pauci.region import Region


def choose(
    y_true: ArrayLike,
    scores: Sequence[ArrayLike],
    *,
    region: Region,
    parts: ArrayLike,
    names: Sequence[str],
    support: Region | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    average: bool = False,
) -> Choice:
    """Keep what is not worse than the best candidate by more than one standard error.

    Of these either the one nearest to the anchor is kept, which is the anchor unless something was seen to be better;
    or all, for the mean of their scores, which varies less than they do. Two standard errors would keep more of what is
    as good as the best, but with few positives also what has failed.

    The standard error is that of the paired difference between the two, which is far smaller than that of either: the
    same rows are hard for both. With few instances inside the region it is enlarged as Student's distribution says. A
    difference without any spread counts as chance for candidates nearer to the anchor than the best.

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
    support : Region, optional
        A wider region that counts as much as the target in choosing: what is better there, where more instances lie,
        is more surely better in the target. Scores and gain are those of the target in any case.
    sample_weight, groups : array-like of shape (n,), optional
        As in `partial_auc_interval`.
    average : bool, default False
        Whether to keep all of them.

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
    regions = [region] if support is None else [region, support]
    judged = [
        _judged(labels, columns, np.flatnonzero(part == number), regions, sample_weight, groups)
        for number in range(part.max() + 1)
    ]
    if len(judged) < 2:
        raise InputError(f"parts names {len(judged)} part(s); one is to judge what others chose, so two are needed.")
    # What is known of a spread rests on the scarcer class inside the region.
    freedom = max(1.0, sum(each.inside for each in judged) - len(judged))
    target = _Estimates.stacked([each.target for each in judged])
    criterion = _Estimates.stacked([each.criterion for each in judged])
    kept = _kept(criterion, freedom, average=average)
    choice = Choice(
        kept,
        tuple(names),
        tuple(target.mean.tolist()),
        tuple(_error(target.covariance, j, 0) for j in range(len(names))),
        NO_GAIN,
    )
    if choice.is_anchor:
        return choice
    # Each part is judged for what the others would keep.
    pairs = []
    for number in range(len(judged)):
        others = _kept(criterion.without(number), freedom * (1 - 1 / len(judged)), average=average)
        pair = np.stack([columns[0], columns[list(others)].mean(axis=0)])
        rows = np.flatnonzero(part == number)
        pairs.append(_judged(labels, pair, rows, [region], sample_weight, groups).target)
    return replace(choice, gain=_gain(pairs, freedom))


@dataclass(frozen=True)
class _Estimates:
    """Shares won by the candidates, and how these vary together: in one part, or stacked for several."""

    shares: Array
    covariances: Array

    @classmethod
    def stacked(cls, parts: Sequence[Self]) -> Self:
        """Put the estimates of several parts on top of each other."""
        return cls(np.stack([each.shares for each in parts]), np.stack([each.covariances for each in parts]))

    @property
    def mean(self) -> Array:
        """Mean over parts."""
        mean: Array = self.shares.mean(axis=0)
        return mean

    @property
    def covariance(self) -> Array:
        """Covariance of the mean over parts."""
        covariance: Array = self.covariances.sum(axis=0) / len(self.covariances) ** 2
        return covariance

    def without(self, part: int) -> "_Estimates":
        """All parts but one."""
        return _Estimates(np.delete(self.shares, part, axis=0), np.delete(self.covariances, part, axis=0))


@dataclass(frozen=True)
class _Judged:
    """What one part shows: of the target, and of what is chosen by."""

    target: _Estimates
    criterion: _Estimates
    inside: float


def _judged(
    labels: Array,
    columns: Array,
    rows: Array,
    regions: Sequence[Region],
    weight: ArrayLike | None,
    groups: ArrayLike | None,
) -> _Judged:
    sample = Sample.read(
        labels[rows],
        {f"scores[{index}]": column[rows] for index, column in enumerate(columns)},
        sample_weight=None if weight is None else to_numpy(weight)[rows],
        groups=None if groups is None else to_numpy(groups)[rows],
    )
    sizes = sample.sizes(regions[0])
    shares = [np.array(sample.shares(region)) for region in regions]
    effects = [independent_effects(sample, region) for region in regions]
    return _Judged(
        _Estimates(shares[0], _covariance(effects[0], sizes)),
        _Estimates(
            np.mean(shares, axis=0), _covariance([np.mean(each, axis=0) for each in zip(*effects, strict=True)], sizes)
        ),
        min(sizes),
    )


def _covariance(effects: Sequence[Array], sizes: Sequence[float]) -> Array:
    # As in `standard_error`: a few inside the region show less spread than there is.
    parts = [of @ of.T * size / (size - 1) for of, size in zip(effects, sizes, strict=True)]
    covariance: Array = np.sum(parts, axis=0)
    return covariance


def _kept(criterion: _Estimates, freedom: float, *, average: bool) -> tuple[int, ...]:
    """Apply the rule to the mean over parts."""
    mean, covariance = criterion.mean, criterion.covariance
    best = int(mean.argmax())
    factor = float(stdtrit(freedom, ndtr(1.0)))
    errors = [_error(covariance, best, index) for index in range(len(mean))]
    near = [
        index
        for index, error in enumerate(errors)
        if mean[best] - mean[index] <= factor * error or (error == 0 and index < best)
    ]
    return tuple(near if average else near[:1])


def _gain(pairs: Sequence[_Estimates], freedom: float) -> Comparison:
    """Mean difference over parts; in each, the anchor comes first and what is compared with it second."""
    differences = [float(pair.shares[1] - pair.shares[0]) for pair in pairs]
    variance = sum(_error(pair.covariances, 1, 0) ** 2 for pair in pairs)
    error = StandardError(math.sqrt(variance) / len(pairs), freedom)
    return student_comparison(float(np.mean(differences)), error, level=LEVEL)


def _error(covariance: Array, one: int, other: int) -> float:
    """Return the standard error of the difference of two candidates; 0 where only rounding is left of it."""
    variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    return math.sqrt(variance) if variance > 1e-18 else 0.0
