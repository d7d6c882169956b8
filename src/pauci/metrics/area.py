"""Area under the ROC polyline inside a rectangle, exact for ties and for edges between instances."""

import math
from typing import Any, Literal

import numpy as np

from pauci.metrics.inputs import Array, BinaryScores
from pauci.region import Region

Ties = Literal["half", "correct"]


def polyline_area(scores: BinaryScores, region: Region, *, ties: Ties = "half") -> float:
    """Area between the ROC polyline and the rectangle's lower edge, inside the rectangle.

    The curve is read sideways, as the false positive rate needed for each true positive rate. Its corners
    lie at the positives, of which there are usually few; of the negatives only those above the region's
    right edge are ever sorted.

    Parameters
    ----------
    scores : BinaryScores
        The two classes.
    region : Region
        The rectangle.
    ties : {"half", "correct"}
        A tie between classes is a diagonal, or goes up before it goes right.

    Returns
    -------
    float
        At most `region.area`.

    Examples
    --------
    >>> from pauci.metrics.inputs import read_binary
    >>> polyline_area(read_binary([0, 0, 1], [0.1, 0.7, 0.3]), Region())
    0.5
    """
    values, tpr_low, tpr_high = _positive_groups(scores)
    fpr_low, fpr_high = _false_positive_rates(scores, values, region.max_fpr)
    area = float(segment_areas(np, tpr_low, tpr_high, fpr_low, fpr_high, region, ties=ties).sum())
    # A perfect ranking must not round to more than perfect.
    return min(area, region.area)


def segment_areas(
    xp: Any, tpr_low: Any, tpr_high: Any, fpr_low: Any, fpr_high: Any, region: Region, *, ties: Ties
) -> Any:
    """Area to the right of each rising piece of the curve, inside the rectangle.

    Each piece runs straight from ``(fpr_low, tpr_low)`` to ``(fpr_high, tpr_high)``; the area reaches from it
    to the rectangle's right edge. `xp` is numpy or torch; the other arguments are its arrays.
    """
    if ties == "correct":
        fpr_high = fpr_low
    height = tpr_high - tpr_low
    low = xp.clip(tpr_low, region.min_tpr, region.max_tpr)
    high = xp.clip(tpr_high, region.min_tpr, region.max_tpr)
    slope = (fpr_high - fpr_low) / xp.where(height > 0, height, 1.0)
    start = fpr_low + slope * (low - tpr_low)
    stop = fpr_low + slope * (high - tpr_low)
    left, right = region.min_fpr, region.max_fpr
    inner_start, inner_stop = xp.clip(start, left, right), xp.clip(stop, left, right)
    run = stop - start
    flat = run <= 0
    safe_run = xp.where(flat, 1.0, run)
    share_before = (xp.clip(stop, None, left) - xp.clip(start, None, left)) / safe_run
    share_inside = (inner_stop - inner_start) / safe_run
    mean_reach = share_before * (right - left) + share_inside * (right - (inner_start + inner_stop) / 2)
    return (high - low) * xp.where(flat, right - inner_start, mean_reach)


def top_negatives(negatives: Array, count: int) -> Array:
    """Return the `count` highest negatives in ascending order; `negatives` is reordered in place."""
    split = len(negatives) - count
    if split > 0:
        negatives.partition(split)
    top = negatives[split:]
    top.sort()
    return top


def _positive_groups(scores: BinaryScores) -> tuple[Array, Array, Array]:
    """Distinct positive scores, and the true positive rate just above and at each of them."""
    values, index, counts = _distinct(scores.positives)
    if scores.positive_weight is None:
        # Differences from 1 have steps of the same size everywhere, so that the heights of a perfect curve add up to 1.
        rates = 1.0 - np.append(0, np.cumsum(counts)) / len(index)
    else:
        rates = _shares_from(np.add.reduceat(scores.positive_weight[index], np.cumsum(counts) - counts))
    return values, rates[1:], rates[:-1]


def _shares_from(weight: Array) -> Array:
    """Share of the whole from each place of an ascending order upwards, down to 0: a small one keeps its digits."""
    sums = np.append(np.cumsum(weight[::-1])[::-1], 0)
    shares: Array = sums / sums[0]
    return shares


def _distinct(values: Array) -> tuple[Array, Array, Array]:
    index = np.argsort(values, kind="stable")
    ordered = values[index]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[first], index, np.diff(np.append(first, len(values)))


def _false_positive_rates(scores: BinaryScores, values: Array, max_fpr: float) -> tuple[Array, Array]:
    """Share of negatives above, and at or above, each value; anything beyond `max_fpr` stays beyond it."""
    negatives = scores.negatives
    if scores.negative_weight is not None:
        order = np.argsort(negatives)
        rates = _shares_from(scores.negative_weight[order])
        ordered = negatives[order]
        return rates[np.searchsorted(ordered, values, side="right")], rates[np.searchsorted(ordered, values)]
    count = math.ceil(len(negatives) * max_fpr)
    top = top_negatives(negatives, count)
    above = (count - np.searchsorted(top, values, side="right")).astype(np.float64)
    at_or_above = (count - np.searchsorted(top, values, side="left")).astype(np.float64)
    # Ties with the last negative inside may continue outside, and the diagonal runs to their end.
    outside = np.count_nonzero(negatives[: len(negatives) - count] == top[0])
    at_or_above[values == top[0]] += outside
    return above / len(negatives), at_or_above / len(negatives)
