"""What settings are chosen by."""

from typing import Any

from numpy.typing import NDArray

from pauci.metrics import partial_auc_score
from pauci.region import Region

Array = NDArray[Any]


def criterion(positive: Array, scores: Array, *, region: Region, support: Region, weight: Array | None) -> float:
    """Return the mean of two partial AUCs: in the target and in a wider region, which more rows vouch for.

    No model behind the scores has seen the rows.

    Examples
    --------
    >>> import numpy as np
    >>> y, s = np.array([True, True, False, False]), np.array([3.0, 1.0, 2.0, 0.0])
    >>> criterion(y, s, region=Region(max_fpr=0.5), support=Region(), weight=None)
    0.625
    """
    won = [partial_auc_score(positive, scores, region=each, sample_weight=weight) for each in (region, support)]
    return float(sum(won) / len(won))
