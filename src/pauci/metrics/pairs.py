"""Partial AUC as a count of pairs over whole instances, the estimator of the papers."""

import numpy as np

from pauci.errors import RegionError
from pauci.metrics.area import Ties, top_negatives
from pauci.metrics.inputs import BinaryScores
from pauci.region import Region


def pair_share(scores: BinaryScores, region: Region, *, ties: Ties = "half") -> float:
    """Share of pairs ranked correctly, among the positives and negatives the region selects.

    Parameters
    ----------
    scores : BinaryScores
        The two classes, without weights.
    region : Region
        Selects the ``floor(n x)`` highest negatives and lowest positives.
    ties : {"half", "correct"}
        What a tied pair counts: one half, or one.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from pauci.metrics.inputs import read_binary
    >>> scores = read_binary([0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.9, 0.5])
    >>> pair_share(scores, Region(max_fpr=0.5))
    0.75
    """
    n_positive, n_negative = len(scores.positives), len(scores.negatives)
    low, high, left, right = whole_ranks(region, n_positive, n_negative)
    positives = np.sort(scores.positives)[low:high]
    top = top_negatives(scores.negatives, right)
    selected = top[: right - left]
    below = np.searchsorted(selected, positives, side="left").sum()
    not_above = np.searchsorted(selected, positives, side="right").sum()
    correct = (below + not_above) / 2 if ties == "half" else not_above
    return float(correct / (len(positives) * len(selected)))


def whole_ranks(region: Region, n_positive: int, n_negative: int) -> tuple[int, int, int, int]:
    """Ranks of the whole instances inside the region: lowest positives, then highest negatives.

    Raises
    ------
    RegionError
        If the region holds no whole instance of one class.
    """
    counts = region.counts(n_positive, n_negative, cut="floor")
    (low, high), (left, right) = counts.positives, counts.negatives
    for name, inside, total, extent in (
        ("negatives", right - left, n_negative, region.width),
        ("positives", high - low, n_positive, region.height),
    ):
        if inside < 1:
            raise RegionError(
                f"region {region} holds no whole instance of the {total} {name} (it covers {extent:g} of them). "
                "Use cut='interpolate', a wider region, or more data."
            )
    return int(low), int(high), int(left), int(right)
