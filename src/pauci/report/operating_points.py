"""The operating points a report walks through: budgets of false alarms, and what each of them buys."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauci.metrics.inputs import Array
from pauci.metrics.operating_point import fpr_at_tpr
from pauci.metrics.precision import precision_at_threshold
from pauci.metrics.threshold import Threshold, threshold_at_fpr
from pauci.region import Region
from pauci.report.scored_model import ScoredModel
from pauci.rounding import ROUNDING, lowered, raised

#: Most stops of the slider: more cannot be told apart by hand, and every one has numbers of its own.
_STOPS = 240


@dataclass(frozen=True)
class OperatingPoint:
    """One model at one budget, with the numbers of negatives and of positives at or above the threshold."""

    #: What `threshold_at_fpr` returns for the budget, or, where ties leave part of it unused, for the rest.
    at: Threshold
    false_alarms: int
    found: int
    #: Interval of the precision e if both classes were equally common, from which that at any other prevalence p
    #: follows, p e / (p e + (1 - p) (1 - e)); None where no score reaches the threshold, or cases come in groups.
    even_precision: tuple[float, float] | None


def alert_budgets(models: Sequence[ScoredModel], region: Region) -> Array:
    """Choose the false positive rates that a slider stops at, ascending: those at which thresholds change, thinned.

    The numbers of negatives decide which rates there are. Of those between the region's edges 240 are kept, half of
    them evenly spread, half on a logarithmic scale. Beside them its upper edge always is, and, where it asks for a TPR
    only, the rate at which each model reaches that.

    Examples
    --------
    >>> model = ScoredModel("a", [0] * 20 + [1] * 2, range(22))
    >>> alert_budgets([model], Region(max_fpr=0.12))
    array([0.  , 0.05, 0.1 , 0.12])
    """
    rates = [np.array([region.max_fpr])]
    for negatives in {model.n_negative for model in models}:
        first = math.ceil(lowered(negatives * region.min_fpr))
        last = math.floor(raised(negatives * region.max_fpr))
        rates.append(np.arange(first, last + 1) / negatives)
    levels = np.unique(np.clip(np.concatenate(rates), region.min_fpr, region.max_fpr))
    if len(levels) <= _STOPS:
        return levels
    half = _STOPS // 2
    even = np.linspace(0, len(levels) - 1, half)
    logarithmic = np.geomspace(1, len(levels), half) - 1
    kept: Array = levels[np.concatenate([even, logarithmic]).round().astype(np.intp)]
    # A model may reach its TPR before the region begins.
    return np.unique(np.maximum(np.concatenate([kept, _reaching(models, region)]), region.min_fpr))


def _reaching(models: Sequence[ScoredModel], region: Region) -> list[float]:
    """List the rates at which the models reach the TPR asked for, where nothing else is."""
    if region.max_fpr < 1 or region.min_tpr == 0:
        return []
    return [fpr_at_tpr(model.y_true, model.y_score, min_tpr=region.min_tpr) for model in models]


def distinct(points: Sequence[Sequence[OperatingPoint]]) -> Array:
    """Mask of the budgets at which at least one model operates elsewhere than at the next; the last always counts."""
    counts = np.array([[(point.false_alarms, point.found) for point in each] for each in points])
    changes: Array = (np.diff(counts, axis=1) != 0).any(axis=(0, 2))
    return np.append(changes, True)


def operating_points(model: ScoredModel, budgets: Array, *, level: float) -> list[OperatingPoint]:
    """Operate a model within each budget of false positives; the level is that of the precision's interval.

    Examples
    --------
    >>> model = ScoredModel("a", [0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.5, 0.9])
    >>> [(point.false_alarms, point.found) for point in operating_points(model, np.array([0.0, 0.25]), level=0.95)]
    [(0, 1), (1, 2)]
    """
    return [_operate(model, float(budget), level) for budget in budgets]


def first_stop(points: Sequence[OperatingPoint], region: Region) -> int:
    """Where the slider begins: at the whole budget, or where the TPR asked for is reached, or else far from chance.

    Examples
    --------
    >>> model = ScoredModel("a", [0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.5, 0.9])
    >>> points = operating_points(model, np.array([0.0, 0.25, 1.0]), level=0.95)
    >>> first_stop(points, Region(max_fpr=0.3)), first_stop(points, Region(min_tpr=0.4)), first_stop(points, Region())
    (2, 0, 1)
    """
    if region.max_fpr < 1:
        return len(points) - 1
    if region.min_tpr > 0:
        return next(i for i, point in enumerate(points) if point.at.tpr >= region.min_tpr - ROUNDING)
    return max(range(len(points)), key=lambda i: points[i].at.tpr - points[i].at.fpr)


def _operate(model: ScoredModel, budget: float, level: float) -> OperatingPoint:
    at = threshold_at_fpr(model.y_true, model.y_score, max_fpr=budget)
    if at.fpr < budget:
        # The same threshold: but its bound on the true rate is about the budget, of which ties may leave much unused.
        at = threshold_at_fpr(model.y_true, model.y_score, max_fpr=at.fpr)
    false_alarms, found = round(at.fpr * model.n_negative), round(at.tpr * model.n_positive)
    even = None
    # Cases of one account rise and fall together: intervals that count each of them would promise too much.
    if false_alarms + found and model.groups is None:
        interval = precision_at_threshold(model.y_true, model.y_score, threshold=at, prevalence=0.5, level=level)
        even = interval.low, interval.high
    return OperatingPoint(at, false_alarms, found, even)
