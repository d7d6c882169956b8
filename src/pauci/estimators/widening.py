"""The region to train on when another one is judged."""

import dataclasses

from pauci.region import Region

#: What the FPR, and the share of positives next to the lower edge in TPR, are multiplied by.
_FPR_FACTOR = 3.0
_ALPHA_FACTOR = 2.0


def training_region(target: Region) -> Region:
    """Widen a target region, so that more instances take part in training.

    It becomes three times as wide in FPR. If the target has a `min_tpr`, the share of positives below it is doubled,
    too.

    Examples
    --------
    >>> training_region(Region(max_fpr=0.05))
    Region(max_fpr=0.15)
    >>> training_region(Region(min_tpr=0.8))
    Region(min_tpr=0.6)
    """
    wider = target.widened(_FPR_FACTOR)
    return dataclasses.replace(wider, min_tpr=round(max(0.0, 1 - _ALPHA_FACTOR * target.alpha), 12))
