"""What came of decisions that `pauci predict` wrote: their rates on rows whose labels are known by now."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pauci.metrics.inputs import Array
    from pauci.metrics.interval import Interval


@dataclass(frozen=True)
class Decisions:
    """How many rows were acted on, and how often rightly; no precision where none was."""

    acted: int
    rows: int
    fpr: "Interval"
    tpr: "Interval"
    precision: "Interval | None"


def as_decisions(column: "Array") -> "Array | None":
    """Read a column of zeros and ones as booleans; None if it holds anything else, and so no decisions."""
    if column.dtype.kind not in "bf" or not ((column == 0) | (column == 1)).all():
        return None
    acted: Array = column == 1
    return acted


def judge_decisions(positive: "Array", acted: "Array", *, level: float, groups: "Array | None" = None) -> Decisions:
    """Judge decisions by the labels, with the exact intervals of independent rows, or of as many as groups are worth.

    Examples
    --------
    >>> import numpy as np
    >>> found = judge_decisions(np.arange(100) < 20, np.arange(100) < 16, level=0.95)
    >>> found.acted, found.tpr.estimate, round(found.fpr.high, 3)
    (16, 0.8, 0.045)
    """
    from pauci.metrics.interval import Interval
    from pauci.metrics.precision import exact_interval
    from pauci.metrics.worth import independent_worth, worth_by_likeness

    def share(hits: "Array", among: "Array") -> "Interval":
        successes, trials = int(hits[among].sum()), int(among.sum())
        worth = float(trials)
        if groups is not None:
            cases = hits[among], groups[among]
            worth = min(independent_worth(*cases, confidence=(1 + level) / 2), worth_by_likeness(*cases))
        low, high = exact_interval(successes / trials * worth, worth, level)
        return Interval(successes / trials, low, high, level)

    return Decisions(
        acted=int(acted.sum()),
        rows=len(positive),
        fpr=share(acted, ~positive),
        tpr=share(acted, positive),
        precision=share(positive, acted) if acted.any() else None,
    )
