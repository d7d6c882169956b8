"""Bootstrap of the partial AUC: instances are drawn again as counts, while the scores stay sorted."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pauci.errors import InputError
from pauci.metrics.area import Ties, top_negatives
from pauci.metrics.groups import Groups
from pauci.metrics.inputs import Array, BinaryScores
from pauci.metrics.ranking import Ranking, running_totals, won_shares
from pauci.metrics.sample import Sample
from pauci.region import Cut, Region

#: Numbers held per array while resampling: resamples are worked off in chunks that fit a processor's cache.
_CHUNK = 2**15


def bootstrap_shares(
    sample: Sample,
    region: Region,
    *,
    cut: Cut = "interpolate",
    ties: Ties = "half",
    n_resamples: int = 1000,
    seed: int = 0,
) -> Array:
    """Shares of the region that scores win in bootstrap resamples of their instances.

    Parameters
    ----------
    sample : Sample
        The instances. Drawn are its groups as a whole; without groups, as many of either class as there are.
    region, cut, ties
        As in `partial_auc_score`.
    n_resamples, seed : int
        Number of resamples; seed of the generator.

    Returns
    -------
    ndarray of shape (n_resamples, n_scores)
        One row per resample.

    Examples
    --------
    >>> sample = Sample.read([0, 0, 1, 1], {"y_score": [0.1, 0.7, 0.4, 0.9]})
    >>> sorted(set(bootstrap_shares(sample, Region())[:, 0].tolist()))
    [0.0, 0.5, 0.75, 1.0]
    """
    rng = np.random.default_rng(seed)
    first, *others = sample.scores
    if sample.groups is None and first.positive_weight is None:
        if others:
            return _paired_shares(sample, region, n_resamples, rng, cut=cut, ties=ties)
        return _gap_shares(first, region, n_resamples, rng, cut=cut, ties=ties)[:, None]
    rankings = [Ranking.of(each.positives, each.negatives) for each in sample.scores]
    shares = [
        [each.shares(*weights, region, cut=cut, ties=ties) for each in rankings]
        for weights in instance_weights(sample, n_resamples, rng)
    ]
    return np.concatenate(shares, axis=1).T


def check_draws(n_resamples: Any, seed: Any) -> None:
    """Raise unless there are at least two resamples and a seed that a generator takes."""
    for name, value, least, usual in (("n_resamples", n_resamples, 2, 1000), ("seed", seed, 0, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name}={value!r} must be a whole number of at least {least}; {usual} is usual.")


def draw_counts(rng: np.random.Generator, sizes: Array, total: int, rows: int) -> Array:
    """How many of `total` draws with replacement from `total` instances fall into each cell.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    sizes : ndarray of int, shape (cells,)
        Instances in each cell; together at most `total`, the rest being of no interest.
    total : int
        Number of instances, and of draws.
    rows : int
        Number of resamples.

    Returns
    -------
    ndarray of int, shape (rows, cells)
        The counts.

    Examples
    --------
    >>> draw_counts(np.random.default_rng(0), np.array([3, 1]), 4, 2).sum(axis=1)
    array([4, 4])
    """
    inside, cells = int(sizes.sum()), len(sizes)
    missing = rng.binomial(total, inside / total, size=rows)
    counts: Array | int = 0
    # Given their sum, Poisson counts are multinomial. Their rate makes the sum stay just short of what is needed,
    # so that few single draws remain; a Poisson count costs as much as about eight of them.
    if inside > 8 * cells:
        rates = np.outer((missing - 4 * np.sqrt(missing)).clip(0) / inside, sizes)
        counts = rng.poisson(rates)
        while (over := counts.sum(axis=1) > missing).any():
            counts[over] = rng.poisson(rates[over])
        missing = missing - counts.sum(axis=1)
    cell = np.repeat(np.arange(cells), sizes)[rng.integers(0, max(inside, 1), size=missing.sum())]
    cell += np.repeat(np.arange(rows) * cells, missing)
    return counts + np.bincount(cell, minlength=rows * cells).reshape(rows, cells)


@dataclass(frozen=True)
class Gaps:
    """The runs of instances that no resample can tell apart, highest score first.

    Attributes
    ----------
    positives : ndarray of int, shape (k,)
        Positives at each distinct positive score that can matter.
    negatives : ndarray of int, shape (k,) or (2 k,)
        Negatives in the gap above each of these scores; alternating with the negatives at them if there are ties.
    tied : ndarray of int
        The scores at which there are negatives.
    """

    positives: Array
    negatives: Array
    tied: Array

    @classmethod
    def of(cls, scores: BinaryScores, region: Region) -> Self:
        """Find the gaps among those instances that can come to lie inside the region in a resample."""
        top = scores.negatives[_reachable(scores.negatives, region.max_fpr)]
        ranking = Ranking.of(scores.positives, top)
        kept = int(np.searchsorted(ranking.negatives_above, len(top), side="left"))
        above, at_or_above = ranking.negatives_above[:kept], ranking.negatives_at_or_above[:kept]
        tied = ranking.tied[: np.searchsorted(ranking.tied, kept)]
        ends = np.stack([above, at_or_above], axis=1).ravel() if len(tied) else above
        return cls(np.diff(ranking.at_or_above[: kept + 1]), np.diff(ends, prepend=0), tied)

    def shares(
        self, positives: Array, negatives: Array, totals: tuple[int, int], region: Region, *, cut: Cut, ties: Ties
    ) -> Array:
        """Shares won by rows of counts per gap."""
        true_positives = running_totals(positives)
        false_positives = np.cumsum(negatives, axis=1)
        step = 2 if len(self.tied) else 1
        above, at_or_above = false_positives[:, ::step], false_positives[:, 2 * self.tied + 1]
        return won_shares(true_positives, above, at_or_above, self.tied, totals, region, cut=cut, ties=ties)


def _gap_shares(
    scores: BinaryScores, region: Region, n_resamples: int, rng: np.random.Generator, *, cut: Cut, ties: Ties
) -> Array:
    gaps = Gaps.of(scores, region)
    totals = len(scores.positives), len(scores.negatives)
    shares = []
    for rows in _chunks(n_resamples, max(gaps.positives.size, gaps.negatives.size)):
        positives = draw_counts(rng, gaps.positives, totals[0], rows)
        negatives = draw_counts(rng, gaps.negatives, totals[1], rows)
        shares.append(gaps.shares(positives, negatives, totals, region, cut=cut, ties=ties))
    return np.concatenate(shares)


def _paired_shares(
    sample: Sample, region: Region, n_resamples: int, rng: np.random.Generator, *, cut: Cut, ties: Ties
) -> Array:
    kept = np.any([_reachable(each.negatives, region.max_fpr) for each in sample.scores], axis=0)
    rankings = [Ranking.of(each.positives, each.negatives[kept]) for each in sample.scores]
    totals = len(sample.scores[0].positives), len(kept)
    ones = np.ones(totals[0], dtype=np.intp), np.ones(np.count_nonzero(kept), dtype=np.intp)
    shares = []
    for rows in _chunks(n_resamples, max(map(len, ones))):
        positives, negatives = (draw_counts(rng, one, total, rows) for one, total in zip(ones, totals, strict=True))
        shares.append(
            [each.shares(positives, negatives, region, cut=cut, ties=ties, totals=totals) for each in rankings]
        )
    return np.concatenate(shares, axis=1).T


def _reachable(negatives: Array, max_fpr: float) -> Array:
    """Which negatives are high enough to matter: they fill the region in all but one in 10^13 resamples.

    With m = x + 8 sqrt(x) + 64 of them, x = n max_fpr, a resample holds fewer than x with probability at most
    exp(-(m - x)^2 / (2 m)) <= exp(-32) by Chernoff's bound. Ties with the last one belong to them.
    """
    inside = len(negatives) * max_fpr
    count = min(math.ceil(inside + 8 * math.sqrt(inside) + 64), len(negatives))
    reachable: Array = negatives >= top_negatives(negatives.copy(), count)[0]
    return reachable


def instance_weights(sample: Sample, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield chunks of what each positive and each negative weighs in a resample."""
    scores = sample.scores[0]
    for positives, negatives in instance_counts(sample, n_resamples, rng):
        if scores.positive_weight is None or scores.negative_weight is None:
            yield positives, negatives
        else:
            yield positives * scores.positive_weight, negatives * scores.negative_weight


def instance_counts(sample: Sample, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield chunks of how often each positive and each negative is drawn."""
    groups, sizes = sample.groups, (len(sample.scores[0].positives), len(sample.scores[0].negatives))
    for rows in _chunks(n_resamples, max(sizes)):
        if groups is None:
            positives, negatives = (draw_counts(rng, np.ones(n, dtype=np.intp), n, rows) for n in sizes)
            yield positives, negatives
            continue
        units = np.ones(groups.number, dtype=np.intp)
        drawn = draw_counts(rng, units, groups.number, rows)
        # A resample without one of the classes has no ROC curve and is drawn again.
        while (missing := ~_has_both(drawn, groups)).any():
            drawn[missing] = draw_counts(rng, units, groups.number, int(missing.sum()))
        yield drawn[:, groups.positives], drawn[:, groups.negatives]


def _has_both(drawn: Array, groups: Groups) -> Array:
    return np.logical_and(drawn[:, groups.positives].any(axis=1), drawn[:, groups.negatives].any(axis=1))


def _chunks(total: int, numbers_each: int) -> Iterator[int]:
    """Split `total` resamples so that a chunk holds a bounded number of numbers."""
    rows = max(1, _CHUNK // max(1, numbers_each))
    for start in range(0, total, rows):
        yield min(rows, total - start)
