"""The picture of `pauci fit`: curves of rows not fitted on, and what they rest on."""

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from numpy.typing import NDArray

from pauci.cli.fit_report import FitReport
from pauci.metrics.display import PartialROCDisplay
from pauci.metrics.region_curve import RegionCurve
from pauci.tabular.fitting import HeldOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Columns that are shown.
_SHOWN = 15
#: Resamples behind the bands.
_RESAMPLES = 200


def draw_fit(report: FitReport, y: NDArray[Any], held_out: HeldOut | None) -> Figure:
    """Draw the curves of plain cross-entropy and of what was chosen, the candidates, and the columns.

    Parameters
    ----------
    report : FitReport
        What was found.
    y : ndarray of shape (n,)
        The labels.
    held_out : HeldOut or None
        Scores of rows that were not fitted on; without them there are no curves.

    Returns
    -------
    Figure
        Not shown anywhere yet.
    """
    figure = Figure(layout="constrained", figsize=(12.0, 5.2))
    curves, candidates, columns = figure.subplots(1, 3, width_ratios=(2.0, 1.4, 1.2))
    _draw_curves(curves, report, y, held_out)
    _draw_candidates(candidates, report)
    _draw_columns(columns, report)
    return figure


def _draw_curves(axes: "Axes", report: FitReport, y: NDArray[Any], held_out: HeldOut | None) -> None:
    if held_out is None:
        axes.set_axis_off()
        return
    choice, region = report.report.choice, report.report.region
    scores = {choice.names[0]: held_out.plain, choice.name: held_out.chosen}
    drawn = [
        RegionCurve.of(y[held_out.rows], values, region, method="delong", n_resamples=_RESAMPLES, name=name)
        for name, values in scores.items()
    ]
    display = PartialROCDisplay(curves=drawn, region=region).plot(axes)
    for point in display.point_:
        point.remove()  # thresholds of models of a part of the rows; the model's own is the one to show
    threshold = report.report.threshold
    axes.plot(threshold.fpr, threshold.tpr, "k*", markersize=10, label=f"threshold for {threshold.promise}")
    axes.legend(loc="best", fontsize="small")
    axes.set_title("rows not fitted on")


def _draw_candidates(axes: "Axes", report: FitReport) -> None:
    found = report.candidates
    for place, each in enumerate(found):
        colour = "C0" if each.chosen else "0.5"
        axes.plot([each.low, each.high], [place, place], color=colour)
        axes.plot(each.difference, place, "o", color=colour)
    axes.axvline(0.0, color="0.8", zorder=0)
    axes.set_yticks(range(len(found)), [each.name for each in found])
    axes.invert_yaxis()
    axes.set_xlabel(f"partial AUC minus that of {found[0].name}")
    axes.set_title("candidates, 0.95 intervals")


def _draw_columns(axes: "Axes", report: FitReport) -> None:
    shown = report.importances[:_SHOWN]
    axes.barh(range(len(shown)), [each.loss for each in shown], xerr=[each.error for each in shown], color="C0")
    axes.set_yticks(range(len(shown)), [each.name for each in shown])
    axes.invert_yaxis()
    axes.set_xlabel("partial AUC lost when shuffled")
    axes.set_title("columns")
