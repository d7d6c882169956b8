"""Everything a report says about scored models, computed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci.errors import InputError
from pauci.metrics.comparison import Comparison, compare_partial_auc
from pauci.metrics.inputs import Array, to_numpy
from pauci.metrics.interval import Interval, partial_auc_interval
from pauci.metrics.ranking import rank_alike
from pauci.metrics.score import partial_auc_score
from pauci.region import Region
from pauci.report.curves import Band, curve_band, difference_band, drawing_grid, paired_tpr, thinned_curve
from pauci.report.histogram import Histogram, score_histogram
from pauci.report.operating_points import OperatingPoint, alert_budgets, distinct, operating_points
from pauci.report.scored_model import ScoredModel


@dataclass(frozen=True)
class Versus:
    """A model compared with the first one, on the same cases: in partial AUC, and in TPR over the FPR."""

    comparison: Comparison
    band: Band


@dataclass(frozen=True)
class JudgedModel:
    """One model and all that is known of it."""

    model: ScoredModel
    #: Of the partial AUC in the region.
    interval: Interval
    auc: float
    #: Thinned vertices, as counts (see `thinned_curve`).
    curve: tuple[Array, Array]
    #: The curve on a grid, with its band.
    band: Band
    #: One per budget.
    points: list[OperatingPoint]
    histogram: Histogram
    #: None for the first model, for models of other cases, and where there is nothing to compare.
    versus: Versus | None
    #: Whether there is nothing to compare, because it ranks the cases exactly as the first model does.
    alike: bool


@dataclass(frozen=True)
class Judgement:
    """All models in one region; others are compared with the first."""

    region: Region
    #: False positive rates the slider stops at.
    budgets: Array
    models: list[JudgedModel]
    level: float


def judge(
    models: Sequence[ScoredModel], region: Region, *, level: float = 0.95, n_resamples: int = 1000, seed: int = 0
) -> Judgement:
    """Judge models, each with a name of its own, in a region; all intervals and bands have the same level.

    Examples
    --------
    >>> y = np.repeat([1, 0], [50, 500])
    >>> scores = y + np.random.default_rng(0).normal(size=550)
    >>> found = judge([ScoredModel("a", y, scores)], Region(max_fpr=0.1), n_resamples=50)
    >>> len(found.budgets), found.models[0].points[-1].false_alarms
    (51, 50)
    """
    if not models:
        raise InputError("models is empty: there is nothing to report on; pass at least one ScoredModel.")
    names = [model.name for model in models]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"models: the name {repeated!r} occurs twice; give every model a name of its own.")
    drawn: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
    budgets = alert_budgets(models, region)
    points = [operating_points(model, budgets, level=level) for model in models]
    kept = np.flatnonzero(distinct(points))
    budgets = budgets[kept]
    grid = drawing_grid(budgets, region)
    same = [model for model in models[1:] if model.shares_cases_with(models[0])]
    alike = {each.name for each in same if rank_alike(to_numpy(each.y_score), to_numpy(models[0].y_score))}
    others = [model for model in same if model.name not in alike]
    versus = _versus(models[0], others, region, grid, level, drawn)
    judged = [
        JudgedModel(
            model=model,
            interval=partial_auc_interval(
                model.y_true, model.y_score, region=region, groups=model.groups, level=level, **drawn
            ),
            auc=float(partial_auc_score(model.y_true, model.y_score)),
            curve=thinned_curve(model, region),
            # Ties may keep a model below the budget: its band is needed where it operates.
            band=curve_band(model, np.union1d(grid, [at[i].at.fpr for i in kept]), level=level, **drawn),
            points=[at[i] for i in kept],
            histogram=score_histogram(model),
            versus=versus.get(model.name),
            alike=model.name in alike,
        )
        for model, at in zip(models, points, strict=True)
    ]
    return Judgement(region, budgets, judged, level)


def _versus(
    first: ScoredModel,
    others: Sequence[ScoredModel],
    region: Region,
    grid: Array,
    level: float,
    drawn: dict[str, Any],
) -> dict[str, Versus]:
    """Compare others, which share its cases, with the first model."""
    if not others:
        return {}
    of_first = paired_tpr(first, grid, **drawn)
    found = {}
    for model in others:
        comparison = compare_partial_auc(
            model.y_true, model.y_score, first.y_score, region=region, groups=model.groups, level=level, **drawn
        )
        draws = paired_tpr(model, grid, **drawn), of_first
        found[model.name] = Versus(comparison, difference_band(model, first, grid, draws, level=level))
    return found
