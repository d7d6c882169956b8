"""The cost study as a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pauci.extras import require
from pauci.studies.cost import Cost
from pauci.studies.cost_targets import PUBLISHED, PUBLISHED_SIZES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_cost(costs: Sequence[Cost]) -> "Figure":
    """Draw milliseconds over batch size, one panel per region and kind of pass; dotted are the paper's numbers.

    Parameters
    ----------
    costs : sequence of Cost
        Of one run.

    Returns
    -------
    matplotlib.figure.Figure
        To be saved.
    """
    require("matplotlib", purpose="the figure of the cost study")
    from matplotlib.figure import Figure

    regions = list(dict.fromkeys(cost.region for cost in costs))
    passes = list(dict.fromkeys(cost.passes for cost in costs))
    methods = list(dict.fromkeys(cost.method for cost in costs))
    figure = Figure(figsize=(5.5 * len(regions), 4.2 * len(passes)), layout="constrained")
    panels = figure.subplots(len(passes), len(regions), squeeze=False, sharex=True, sharey=True)
    for row, kind in zip(panels, passes, strict=True):
        for panel, region in zip(row, regions, strict=True):
            for number, method in enumerate(methods):
                color = f"C{number}" if number < 10 else "black"
                line = [c for c in costs if (c.region, c.passes, c.method) == (region, kind, method)]
                if line:
                    sizes = [c.size for c in line]
                    panel.plot(sizes, [c.milliseconds for c in line], marker="o", ms=3, color=color, label=method)
                    panel.fill_between(sizes, [c.low for c in line], [c.high for c in line], color=color, alpha=0.2)
                if kind == "forward" and method in PUBLISHED[region]:
                    panel.plot(PUBLISHED_SIZES, PUBLISHED[region][method], ls=":", color=color)
            panel.set(xscale="log", yscale="log", title=f"{region}, {kind}")
            panel.set_xlabel("instances per class")
            panel.set_ylabel("milliseconds")
            panel.grid(alpha=0.3, which="both", lw=0.4)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", title="dotted: published")
    return figure
