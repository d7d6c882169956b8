"""What the choice of the epoch would change: convergence curves on validation data, at their best and at their end."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pauci.metrics.comparison import Comparison
from pauci.studies.paired import differences, mean_over_cells

#: Task to seed to value.
_Values = dict[str, dict[int, float]]


def gain_at_best_epochs(curves: Sequence[Mapping[str, Any]], method: str, other: str) -> Comparison | None:
    """Compare two methods on validation data, each run at the best epoch of its curve.

    Both choose by what they are compared on, so that both look better than they would on new data; nothing says that
    one gains more by that than the other.

    Parameters
    ----------
    curves : sequence of mapping
        Of one protocol, as they stand in the store's folder ``history``; regions of a run are averaged.
    method, other : str
        What is compared.

    Returns
    -------
    Comparison or None
        Mean over tasks of method minus other, paired over seeds; None where they have no run in common.

    Examples
    --------
    >>> curve = {"task": "birds", "seed": 0, "val": {"auc": [0.7, 0.9, 0.8]}}
    >>> both = [{**curve, "method": "ours"}, {**curve, "method": "ce", "val": {"auc": [0.5, 0.6, 0.7]}}]
    >>> round(gain_at_best_epochs(both, "ours", "ce").difference, 3)
    0.2
    """
    best, others = (_values(curves, name, max) for name in (method, other))
    pairs = {task: differences(values, others.get(task, {})) for task, values in best.items()}
    common = {task: found for task, found in pairs.items() if found}
    return mean_over_cells(common) if common else None


def lost_after_best(curves: Sequence[Mapping[str, Any]], method: str) -> float:
    """Return how far runs of a method end below the best epoch of their curves, mean over tasks.

    Parameters
    ----------
    curves, method
        As for `gain_at_best_epochs`; there must be a run.

    Returns
    -------
    float
        Not negative.
    """
    best, last = _values(curves, method, max), _values(curves, method, lambda curve: curve[-1])
    return statistics.fmean(statistics.fmean(differences(best[task], last[task])) for task in best)


def _values(curves: Sequence[Mapping[str, Any]], method: str, pick: Callable[[Sequence[float]], float]) -> _Values:
    values: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for curve in curves:
        if curve["method"] == method:
            values[curve["task"]][curve["seed"]] += map(pick, curve["val"].values())
    return {task: {seed: statistics.fmean(found) for seed, found in seeds.items()} for task, seeds in values.items()}
