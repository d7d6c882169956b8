"""Two classes sorted once, so that the partial AUC of many re-weightings of them costs a cumulative sum each."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pauci.metrics.area import Ties, segment_areas
from pauci.metrics.inputs import Array
from pauci.region import Cut, Region


@dataclass(frozen=True)
class Ranking:
    """Where the instances lie relative to the distinct positive scores, highest first.

    Only there does the curve rise, so how many instances lie above and at each of these scores is all that a
    partial AUC depends on.

    Attributes
    ----------
    positive_order, negative_order : ndarray
        Instances of either class from the highest score down.
    at_or_above : ndarray of shape (k + 1,)
        Number of positives at or above each distinct positive score, after a leading 0.
    negatives_above, negatives_at_or_above : ndarray of shape (k,)
        Number of negatives above, and at or above, each distinct positive score.

    Examples
    --------
    >>> ranking = Ranking.of(np.array([0.9, 0.4]), np.array([0.1, 0.7, 0.4]))
    >>> ranking.negatives_above, ranking.negatives_at_or_above
    (array([0, 1]), array([0, 2]))
    >>> twice_the_best = np.array([[2.0, 1.0]])
    >>> ranking.shares(twice_the_best, np.ones((1, 3)), Region()).round(4)
    array([0.8333])
    """

    positive_order: Array
    negative_order: Array
    at_or_above: Array
    negatives_above: Array
    negatives_at_or_above: Array

    @classmethod
    def of(cls, positives: Array, negatives: Array) -> Self:
        """Sort the scores of either class."""
        positive_order = np.argsort(positives)[::-1]
        negative_order = np.argsort(negatives)[::-1]
        ordered, ascending = positives[positive_order], negatives[negative_order[::-1]]
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        values = ordered[last]
        return cls(
            positive_order=positive_order,
            negative_order=negative_order,
            at_or_above=np.concatenate([[0], last + 1]),
            negatives_above=len(negatives) - np.searchsorted(ascending, values, side="right"),
            negatives_at_or_above=len(negatives) - np.searchsorted(ascending, values, side="left"),
        )

    @property
    def tied(self) -> Array:
        """Which distinct positive scores are also scores of negatives."""
        return np.flatnonzero(self.negatives_at_or_above > self.negatives_above)

    def totals(self, positive_weight: Array, negative_weight: Array) -> tuple[Array, Array]:
        """Weight of the highest 0, 1, 2, ... instances of either class, for each row of weights."""
        positives = running_totals(positive_weight[:, self.positive_order])
        return positives, running_totals(negative_weight[:, self.negative_order])

    def shares(
        self,
        positive_weight: Array,
        negative_weight: Array,
        region: Region,
        *,
        cut: Cut = "interpolate",
        ties: Ties = "half",
        totals: tuple[int, int] | None = None,
    ) -> Array:
        """Share of the region won under each row of weights.

        Parameters
        ----------
        positive_weight, negative_weight : ndarray of shape (rows, n_positive) and (rows, n_negative)
            Weight of each instance, in the order in which the scores came.
        region, cut, ties
            As in `partial_auc_score`.
        totals : tuple of int, optional
            Number of positives and of negatives, if not all of them are ranked here, and for ``cut="floor"``;
            by default the sum of the weights.

        Returns
        -------
        ndarray of shape (rows,)
            What `partial_auc_score` returns for the same weights.
        """
        true_positives, false_positives = self.totals(positive_weight, negative_weight)
        return won_shares(
            true_positives[:, self.at_or_above],
            false_positives[:, self.negatives_above],
            false_positives[:, self.negatives_at_or_above[self.tied]],
            self.tied,
            totals or (true_positives[:, -1:], false_positives[:, -1:]),
            region,
            cut=cut,
            ties=ties,
        )


def won_shares(
    true_positives: Array,
    above: Array,
    at_or_above: Array,
    tied: Array,
    totals: tuple[Any, Any],
    region: Region,
    *,
    cut: Cut,
    ties: Ties,
) -> Array:
    """Share of the region won, from what lies above each distinct positive score.

    Parameters
    ----------
    true_positives : ndarray of shape (rows, k + 1)
        Weight of the positives at or above each score, highest first, after a leading 0.
    above : ndarray of shape (rows, k)
        Weight of the negatives above each score.
    at_or_above : ndarray of shape (rows, len(tied))
        Weight of the negatives at or above those scores that negatives share.
    tied : ndarray of int
        Which scores these are.
    totals : tuple
        Weight of all positives and all negatives: numbers, or arrays of shape (rows, 1).
    region, cut, ties
        As in `partial_auc_score`.

    Returns
    -------
    ndarray of shape (rows,)
        The shares.
    """
    n_positive, n_negative = totals
    counts = region.counts(n_positive, n_negative, cut=cut)
    low, high = (n_positive - edge for edge in reversed(counts.positives))
    left, right = counts.negatives
    heights = np.diff(np.clip(true_positives, low, high), axis=1)
    reach = np.subtract(right, np.clip(above, left, right), dtype=np.float64)
    diagonal: Array | float = 0.0
    if ties == "half" and len(tied):
        if cut == "floor":
            reach[:, tied] = (reach[:, tied] + right - np.clip(at_or_above, left, right)) / 2
        else:
            # A tie is a diagonal, which the region's edges may cut anywhere.
            reach[:, tied] = 0.0
            rates = (true_positives[:, tied] / n_positive, true_positives[:, tied + 1] / n_positive)
            areas = segment_areas(np, *rates, above[:, tied] / n_negative, at_or_above / n_negative, region, ties=ties)
            diagonal = areas.sum(axis=1) / region.area
    pairs = (high - low) * (right - left)
    shares: Array = diagonal + np.einsum("rk,rk->r", heights, reach) / np.reshape(pairs, -1)
    return shares


def running_totals(weight: Array) -> Array:
    """Cumulative sum along rows, after a leading 0.

    Examples
    --------
    >>> running_totals(np.array([[1, 2, 3]]))
    array([[0, 1, 3, 6]])
    """
    totals = np.zeros((len(weight), weight.shape[1] + 1), dtype=weight.dtype)
    np.cumsum(weight, axis=1, out=totals[:, 1:])
    return totals


def rank_alike(one: Array, other: Array) -> bool:
    """Whether two scores put all instances into the same order, ties included.

    Examples
    --------
    >>> first = np.array([0.1, 0.5, 0.5, 0.9])
    >>> rank_alike(first, 2 * first), rank_alike(first, np.arange(4.0))
    (True, False)
    """
    ranks, others = (np.unique(scores, return_inverse=True)[1] for scores in (one, other))
    return np.array_equal(ranks, others)
