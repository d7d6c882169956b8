"""The picture of `pauci fit`: curves of rows not fitted on, and what they rest on."""

from typing import TYPE_CHECKING

from pauci.cli.fit_report import FitReport
from pauci.metrics.display import PartialROCDisplay
from pauci.metrics.plot_text import literal
from pauci.metrics.region_curve import RegionCurve
from pauci.report.figures.style import BLUE, GREY, canvas, line_style, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Columns that are shown.
_SHOWN = 15
#: Resamples behind the bands.
_RESAMPLES = 200
#: Longest name of a column that is shown in full.
_LONGEST = 24


@styled()
def draw_fit(report: FitReport) -> "Figure":
    """Draw the curves of plain cross-entropy and of what was chosen, the candidates, and the columns.

    Without scores of rows that were not fitted on there are no curves.
    """
    figure = canvas(12.0, 4.6)
    curves, candidates, columns = figure.subplots(1, 3, width_ratios=(2.0, 1.3, 1.2))
    _draw_curves(curves, report)
    _draw_candidates(candidates, report)
    _draw_columns(columns, report)
    return figure


def _draw_curves(axes: "Axes", report: FitReport) -> None:
    if (held_out := report.fitted.held_out) is None:
        axes.set_axis_off()
        return
    choice, region, labels = report.report.choice, report.report.region, report.table.y[held_out.rows]
    groups = None if report.groups is None else report.groups[held_out.rows]
    chosen = choice.name if len(choice.kept) == 1 else f"mean of {len(choice.kept)}"
    scores = {choice.names[0]: held_out.plain, chosen: held_out.chosen}
    drawn = [
        RegionCurve.of(labels, values, region, groups=groups, method="delong", n_resamples=_RESAMPLES, name=name)
        for name, values in scores.items()
    ]
    styles = [line_style(number) for number in range(len(drawn))]
    display = PartialROCDisplay(curves=drawn, region=region).plot(axes, curve_kwargs=styles)
    for point in display.point_:
        point.remove()  # thresholds of models of a part of the rows; the model's own is the one to show
    threshold = report.report.threshold
    kept = "guaranteed" if threshold.guaranteed else "approximate" if threshold.approximate else "not guaranteed"
    axes.plot(threshold.fpr, threshold.tpr, "k*", markersize=10, linestyle="", label=f"threshold ({kept})")
    axes.legend(loc="best")
    # The legend's numbers are of these curves; those of candidates are means over parts, and others.
    axes.set_title("rows not fitted on, all parts pooled")


def _draw_candidates(axes: "Axes", report: FitReport) -> None:
    found = report.candidates
    for place, each in enumerate(found):
        colour = BLUE if each.chosen else GREY
        axes.plot([each.low, each.high], [place, place], color=colour)
        axes.plot(each.difference, place, "o", color=colour)
    axes.axvline(0.0, color=GREY, linewidth=1, zorder=1)
    # "logloss + 2 x sigmoid": the first is on the axis already.
    plain = found[0].name
    names = [each.name.removeprefix(f"{plain} ") + " (taken)" * each.chosen for each in found]
    axes.set_yticks(range(len(found)), names)
    _lay_out(axes, len(found))
    axes.set_xlabel(f"partial AUC minus that of {plain}")
    axes.set_title("means over parts, 95% intervals")


def _draw_columns(axes: "Axes", report: FitReport) -> None:
    shown = report.importances[:_SHOWN]
    errors = [each.error for each in shown]
    axes.barh(range(len(shown)), [each.loss for each in shown], xerr=errors, color=BLUE, ecolor="0.2")
    axes.axvline(0.0, color=GREY, linewidth=1, zorder=1)
    axes.set_yticks(range(len(shown)), [literal(_shortened(each.name)) for each in shown])
    _lay_out(axes, len(shown))
    axes.set_xlabel("partial AUC lost when shuffled")
    axes.set_title("columns")


def _lay_out(axes: "Axes", rows: int) -> None:
    """Rows from top to bottom, with room around even a few, and not too many numbers below."""
    axes.set_ylim(max(rows, 4) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.locator_params(axis="x", nbins=5)


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."
