"""What settings are chosen by."""

from typing import Any

from numpy.typing import NDArray

from pauci.metrics import partial_auc_score
from pauci.region import Region

Array = NDArray[Any]


def criterion(positive: Array, scores: Array, *, region: Region, support: Region, weight: Array | None) -> float:
    """Judge scores in the target and in a wider region, which more rows vouch for.

    Parameters
    ----------
    positive, scores : ndarray of shape (n,)
        Of rows that no model behind the scores has seen.
    region, support : Region
        What is judged, and the wider one.
    weight : ndarray of shape (n,), optional
        Weights.

    Returns
    -------
    float
        Mean of the two partial AUCs.

    Examples
    --------
    >>> import numpy as np
    >>> y, s = np.array([True, True, False, False]), np.array([3.0, 1.0, 2.0, 0.0])
    >>> criterion(y, s, region=Region(max_fpr=0.5), support=Region(), weight=None)
    0.625
    """
    won = [partial_auc_score(positive, scores, region=each, sample_weight=weight) for each in (region, support)]
    return float(sum(won) / len(won))
