"""What the choice of the epoch changes: convergence curves on validation data, at their best and at their end."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any


def lost_after_best(curves: Sequence[Mapping[str, Any]], method: str) -> float:
    """Return how far runs of a method end below the best epoch of their curves, mean over tasks.

    Parameters
    ----------
    curves : sequence of mapping
        Of one protocol, as they stand in the store's folder ``history``; regions and seeds of a task are averaged.
    method : str
        Whose runs; there must be one.

    Returns
    -------
    float
        Not negative.

    Examples
    --------
    >>> curve = {"task": "birds", "method": "ce", "val": {"auc": [0.7, 0.9, 0.8]}}
    >>> round(lost_after_best([curve], "ce"), 3)
    0.1
    """
    lost: dict[str, list[float]] = defaultdict(list)
    for curve in curves:
        if curve["method"] == method:
            lost[curve["task"]] += [max(values) - values[-1] for values in curve["val"].values()]
    return statistics.fmean(map(statistics.fmean, lost.values()))
