"""DeLong's variance for partial areas: what each instance contributes to the value."""

import numpy as np

from pauci.metrics.area import Ties
from pauci.metrics.inputs import Array, BinaryScores
from pauci.region import Cut, Region


def influences(
    scores: BinaryScores, region: Region, *, cut: Cut = "interpolate", ties: Ties = "half"
) -> tuple[Array, Array]:
    """First-order effect of each instance on the share of the region won.

    Let the curve cross the region from FPR l to FPR u, and from TPR R(l) to TPR R(u). Moving a positive changes
    the area through its own placement among the negatives, clipped to [l, u]. A negative changes it through the
    thresholds that belong to each FPR, the region's edges included; weighted by the curve's slope, which turns
    the integral over FPR into one over TPR, this is its placement among the positives, clipped to [R(l), R(u)].
    No density needs to be estimated. In the whole plane this gives the variance of DeLong et al. (1988), up to the
    factor m / (m - 1) for a class of m.

    Parameters
    ----------
    scores : BinaryScores
        The two classes.
    region, cut, ties
        As in `partial_auc_score`.

    Returns
    -------
    tuple of ndarray
        Effects of the positives and of the negatives; each sums to 0. The sum of their squares is the variance
        of the share.

    Examples
    --------
    >>> influences(BinaryScores(np.array([0.9, 0.4]), np.array([0.1, 0.7])), Region())
    (array([ 0.125, -0.125]), array([ 0.125, -0.125]))
    """
    values = np.unique(scores.positives)
    of_positive, of_negative = _piece(scores.positives, values), _piece(scores.negatives, values)
    weights = _shares(scores.positive_weight, of_positive), _shares(scores.negative_weight, of_negative)
    tpr = _rates(of_positive, weights[0], 2 * len(values) + 1)
    fpr = _rates(of_negative, weights[1], 2 * len(values) + 1)
    horizontal, vertical = _placements(fpr, tpr, region, cut=cut, ties=ties)
    positives = -_centred(horizontal[of_positive], weights[0]) / region.area
    negatives = _centred(vertical[of_negative], weights[1]) / region.area
    return positives, negatives


def _piece(scores: Array, values: Array) -> Array:
    """Piece of the curve, counted from the top: even between two of the sorted values, odd at one of them."""
    first = np.searchsorted(values, scores)
    tied = values[np.minimum(first, len(values) - 1)] == scores
    piece: Array = 2 * (len(values) - first) - tied
    return piece


def _shares(weight: Array | None, like: Array) -> Array:
    return np.full(len(like), 1 / len(like)) if weight is None else weight / weight.sum()


def _rates(piece: Array, weight: Array, pieces: int) -> Array:
    """Share of a class up to the end of each piece of the curve, after a leading 0."""
    rates = np.concatenate([[0.0], np.cumsum(np.bincount(piece, weights=weight, minlength=pieces))])
    rates /= rates[-1]
    return rates


def _centred(placement: Array, weight: Array) -> Array:
    centred: Array = weight * (placement - weight @ placement)
    return centred


def _placements(fpr: Array, tpr: Array, region: Region, *, cut: Cut, ties: Ties) -> tuple[Array, Array]:
    """Mean FPR and mean TPR of each piece of the curve, clipped to the part of the curve inside the region."""
    edges_x, edges_y = (region.min_fpr, region.max_fpr), (region.min_tpr, region.max_tpr)
    if ties == "half" and cut == "interpolate":
        (left, right), (low, high) = _crossings(tpr, fpr, edges_y), _crossings(fpr, tpr, edges_x)
        horizontal = _clipped_mean(fpr, max(edges_x[0], left), min(edges_x[1], right))
        vertical = _clipped_mean(tpr, max(edges_y[0], low), min(edges_y[1], high))
        return horizontal, vertical
    # Pairs are counted: an edge takes a part of the instances tied at it, but all of them are worth the same.
    x, y = np.clip(fpr, *edges_x), np.clip(tpr, *edges_y)
    horizontal = x[:-1] if ties == "correct" else (x[:-1] + x[1:]) / 2
    vertical = y[1:] if ties == "correct" else (y[:-1] + y[1:]) / 2
    return np.clip(horizontal, *horizontal[_pieces(tpr, edges_y)]), np.clip(vertical, *vertical[_pieces(fpr, edges_x)])


def _pieces(rates: Array, edges: tuple[float, float]) -> Array:
    """First and last piece of the curve between two edges of the rates."""
    first = np.searchsorted(rates, edges[0], side="right") - 1
    last = np.searchsorted(rates, edges[1], side="left") - 1
    return np.array([first, last])


def _crossings(rates: Array, others: Array, edges: tuple[float, float]) -> tuple[float, float]:
    """Rate of the other class where the curve crosses each edge."""
    piece = _pieces(rates, edges)
    part = (np.array(edges) - rates[piece]) / (rates[piece + 1] - rates[piece])
    first, last = others[piece] + part * (others[piece + 1] - others[piece])
    return float(first), float(last)


def _clipped_mean(rates: Array, low: float, high: float) -> Array:
    """Mean of a rate clipped to an interval, along each piece of the curve."""
    high = max(low, high)  # of a curve that passes the region by, no part is inside
    start, stop = rates[:-1], rates[1:]
    run = stop - start
    below = np.minimum(stop, low) - np.minimum(start, low)
    beyond = np.maximum(stop, high) - np.maximum(start, high)
    inner_start, inner_stop = np.clip(start, low, high), np.clip(stop, low, high)
    area = below * low + (inner_stop - inner_start) * (inner_start + inner_stop) / 2 + beyond * high
    return np.where(run > 0, area / np.where(run > 0, run, 1.0), inner_start)
