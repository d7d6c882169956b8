"""Convergence curves on validation data: at their best and at their end, and those that fell between."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any


def lost_after_best(curves: Sequence[Mapping[str, Any]], method: str) -> float:
    """Return how far runs of a method end below the best epoch of their curves, mean over tasks.

    Parameters
    ----------
    curves : sequence of mapping
        Of one protocol, as they stand in the store's folder ``history``; regions and seeds of a task are averaged.
    method : str
        Whose runs; there must be one.

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


def collapsed(curve: Mapping[str, Any]) -> bool:
    """Return whether a run fell below half of the best that it had reached until then, in some region.

    Parameters
    ----------
    curve : mapping
        As it stands in the store's folder ``history``: of some epochs only, so that a short fall may be missed.

    Examples
    --------
    >>> collapsed({"val": {"auc": [0.7, 0.3, 0.8]}}), collapsed({"val": {"auc": [0.7, 0.4, 0.8]}})
    (True, False)
    """
    return any(
        value < best / 2
        for values in curve["val"].values()
        for value, best in zip(values, accumulate(values, max), strict=True)
    )
