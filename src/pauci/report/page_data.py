"""What the script of the page is told, as plain data."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pauci.metrics.region_curve import surroundings
from pauci.report.curves import Band
from pauci.report.judgement import JudgedModel, Judgement
from pauci.report.operating_points import OperatingPoint, first_stop
from pauci.report.run_folder import TrainingRun


def page_data(
    judgement: Judgement | None, runs: Sequence[TrainingRun], *, prevalence: float, volume: float
) -> dict[str, Any]:
    """Collect what charts and slider need.

    Counts stand for rates: the page divides them as Python does, so that it shows the same numbers.
    """
    data: dict[str, Any] = {"prevalence": prevalence, "volume": volume, "models": [], "runs": [*map(_run, runs)]}
    if judgement is not None:
        region = judgement.region
        edges = {name: getattr(region, name) for name in ("min_fpr", "max_fpr", "min_tpr", "max_tpr")}
        view_fpr, view_tpr = surroundings(region)
        data |= {
            "region": edges,
            "view": {"fpr": view_fpr, "tpr": view_tpr},
            "budgets": judgement.budgets.tolist(),
            "start": first_stop(judgement.models[0].points, region),
            "models": [*map(_model, judgement.models)],
        }
    return data


def _model(judged: JudgedModel) -> dict[str, Any]:
    false_alarms, found = judged.curve
    histogram, band = judged.histogram, judged.band
    stops = np.searchsorted(band.fpr, [point.at.fpr for point in judged.points])
    return {
        "name": judged.model.name,
        "positives": judged.model.n_positive,
        "negatives": judged.model.n_negative,
        "curve": {"false_alarms": false_alarms.tolist(), "found": found.tolist()},
        "band": _band(band),
        "points": [
            _point(point, float(band.low[stop]), float(band.high[stop]), grouped=judged.model.groups is not None)
            for point, stop in zip(judged.points, stops, strict=True)
        ],
        "histogram": {
            "edges": histogram.edges.tolist(),
            "positives": histogram.positives.tolist(),
            "negatives": histogram.negatives.tolist(),
        },
        "versus": None if judged.versus is None else _band(judged.versus.band),
    }


def _point(point: OperatingPoint, low: float, high: float, *, grouped: bool) -> dict[str, Any]:
    return {
        # All digits that tell a threshold from its neighbours; a script may drop some.
        "threshold": repr(point.at.threshold),
        "false_alarms": point.false_alarms,
        "found": point.found,
        "tpr_low": low,
        "tpr_high": high,
        "fpr_upper": None if grouped else point.at.fpr_upper,
        "even": point.even_precision,
    }


def _band(band: Band) -> dict[str, list[float]]:
    return {name: getattr(band, name).tolist() for name in ("fpr", "value", "low", "high")}


def _run(run: TrainingRun) -> dict[str, Any]:
    return {
        "warmup": run.recipe.warmup.epochs,
        "best": None if run.summary is None else run.summary["best_epoch"],
        "epochs": [record["epoch"] for record in run.history],
        "loss": [record["loss"] for record in run.history],
        "target": [record["val"]["target"] for record in run.history],
    }
