"""Bootstrap of the partial AUC: instances are drawn again as counts, while the scores stay sorted."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from pauci.metrics.area import Ties, top_negatives
from pauci.metrics.draws import chunks, draw_counts, instance_weights
from pauci.metrics.inputs import Array, BinaryScores
from pauci.metrics.ranking import Ranking, running_totals, won_shares
from pauci.metrics.sample import Sample
from pauci.region import Cut, Region


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
    for rows in chunks(n_resamples, max(gaps.positives.size, gaps.negatives.size)):
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
    for rows in chunks(n_resamples, max(map(len, ones))):
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
