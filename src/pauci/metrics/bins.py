"""Scores counted in bins: an order-preserving grid over all real numbers, and what it still tells of the region."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pauci.errors import LabelError
from pauci.metrics.area import Ties, polyline_area
from pauci.metrics.inputs import Array, BinaryScores
from pauci.metrics.pairs import whole_ranks
from pauci.region import Cut, Region


@dataclass(frozen=True)
class BinnedShare:
    """Share of the region won, when scores in one bin count as tied.

    It is `low` if every positive lost against the negatives in its bin, and `high` if it won; that of the original
    scores lies between them.
    """

    value: float
    low: float
    high: float


def bin_of(scores: torch.Tensor, bits: int) -> torch.Tensor:
    """Bin of each finite score, from 0 to ``2**bits - 1``: the leading bits of its single precision, made monotone.

    Of these 9 are sign and exponent, the others refine every octave. Scores beyond single precision fall into the
    outermost bin.

    Examples
    --------
    >>> bin_of(torch.tensor([-1e9, -1.0, 0.0, 1.0, 1.001, 1e9]), 12).tolist()
    [793, 1031, 2048, 3064, 3064, 3302]
    """
    largest = torch.finfo(torch.float32).max
    single = scores.float().clamp(-largest, largest) + 0.0  # -0.0 becomes 0.0, with which it is tied
    pattern = single.view(torch.int32)
    # Negative numbers are stored as sign and magnitude: flipping the magnitude makes them rise with their pattern.
    ordered = pattern ^ ((pattern >> 31) & 0x7FFFFFFF)
    bins: torch.Tensor = (ordered >> (32 - bits)) + 2 ** (bits - 1)
    return bins.long()


def binned_share(positives: Array, negatives: Array, region: Region, *, cut: Cut, ties: Ties) -> BinnedShare:
    """Share of the region's area (or pairs) won, from the number of positives and negatives in each bin, lowest first.

    Examples
    --------
    >>> binned_share(np.array([0, 1, 1]), np.array([2, 2, 0]), Region(), cut="interpolate", ties="half")
    BinnedShare(value=0.875, low=0.75, high=1.0)
    """
    for name, counts in (("positives", positives), ("negatives", negatives)):
        if not counts.any():
            raise LabelError(f"there are no {name} yet: a ROC curve needs both classes.")
    share = _area_share if cut == "interpolate" else _pair_share
    low, half, high = (share(positives, negatives, region, edge) for edge in (-1, 0, 1))
    return BinnedShare(half if ties == "half" else high, low, high)


def _area_share(positives: Array, negatives: Array, region: Region, edge: int) -> float:
    """Positives are moved by a third of a bin, so that they lose to, tie with or beat the negatives in it."""
    at_positive, at_negative = np.flatnonzero(positives), np.flatnonzero(negatives)
    scores = BinaryScores(3 * at_positive + edge, 3 * at_negative, positives[at_positive], negatives[at_negative])
    return polyline_area(scores, region) / region.area


def _pair_share(positives: Array, negatives: Array, region: Region, edge: int) -> float:
    low, high, left, right = whole_ranks(region, int(positives.sum()), int(negatives.sum()))
    inside_positive = _between(positives, low, high)
    inside_negative = _between(negatives[::-1], left, right)[::-1]
    below = np.cumsum(inside_negative) - inside_negative
    won = inside_positive @ (below + inside_negative * (1 + edge) / 2)
    # In floating point: integers hold no more than some billions of each class.
    return float(won / (float(inside_positive.sum()) * float(inside_negative.sum())))


def _between(counts: Array, first: int, end: int) -> Any:
    """How many of each bin have a rank in [first, end), counted from the first bin on."""
    return np.diff(np.clip(np.cumsum(counts), first, end), prepend=first)
