"""ROC curves of a region on matplotlib axes: curves, bands, operating points, and what surrounds them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pauci.metrics.curve_style import curve_styles, unabbreviated
from pauci.metrics.plot_text import literal
from pauci.metrics.region_curve import RegionCurve, surroundings
from pauci.region import Region

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


def draw_curves(
    ax: "Axes",
    curves: Sequence[RegionCurve],
    *,
    curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
) -> "tuple[list[Line2D], list[Artist], list[Line2D]]":
    """Draw curves with their bands and points; a single one tells its threshold in the legend, about.

    `curve_kwargs` are passed to matplotlib's `plot`: for all curves, or some for each.

    Returns
    -------
    lines, bands, points : list of artists
        A line and a point for each curve, and a band for those that have one.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> curve = RegionCurve.of([0, 0, 1], [0.1, 0.7, 0.3], Region(), n_resamples=0)
    >>> [len(artists) for artists in draw_curves(Figure().subplots(), [curve])]
    [1, 0, 1]
    """
    lines: list[Line2D] = []
    bands: list[Artist] = []
    points: list[Line2D] = []
    before = sum(line.get_gid() == "curve" for line in ax.lines)
    for curve, style in zip(curves, curve_styles(curves, curve_kwargs, drawn_before=before), strict=True):
        lines += ax.plot(curve.fpr, curve.tpr, **style)
        color = lines[-1].get_color()
        if curve.band is not None:
            bands.append(ax.fill_between(*curve.band, color=color, alpha=0.18, linewidth=0))
        point, label = curve.point, None
        if len(curves) == 1:
            label = f"threshold {_shortened(point.threshold)}: TPR {point.tpr:.3f} at FPR {point.fpr:.3g}"
        marker: dict[str, Any] = {"markersize": 6, "color": color, "markeredgecolor": "white"}
        points += ax.plot([point.fpr], [point.tpr], "o", label=label, zorder=3, **marker)
    return lines, bands, points


def _shortened(threshold: float) -> str:
    """Write a threshold with few digits for a narrow legend, and say where there are more."""
    short = f"{threshold:.4g}"
    return short if float(short) == threshold else f"\u2248 {short}"


def draw_chance(ax: "Axes", options: Mapping[str, Any] | None) -> "Line2D":
    """Draw the diagonal; options are passed to matplotlib's `plot`."""
    diagonal = {"color": "0.3", "linestyle": ":", "label": "chance", **unabbreviated(options or {})}
    (line,) = ax.plot((0, 1), (0, 1), **diagonal)
    return line


def finish_axes(ax: "Axes", curves: Sequence[RegionCurve], region: Region, pos_label: Any) -> None:
    """Zoom to the region, name the axes, and put the legend where curves leave room."""
    positive = "" if pos_label is None else f" (Positive label: {literal(str(pos_label))})"
    xlim, ylim = surroundings(region)
    ax.set(xlabel="False Positive Rate" + positive, xlim=xlim)
    ax.set(ylabel="True Positive Rate" + positive, ylim=ylim)
    is_high = min(curve.point.tpr for curve in curves) > region.min_tpr + region.height / 2
    ax.legend(loc="lower right" if is_high else "upper left", fontsize="small")
