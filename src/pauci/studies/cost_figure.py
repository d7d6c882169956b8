"""The cost study as a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pauci.metrics.shading import in_words
from pauci.region import Region
from pauci.report.figures.cost_lines import CostLine, CostPanel, cost
from pauci.studies.cost import Cost
from pauci.studies.cost_targets import PUBLISHED, PUBLISHED_SIZES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_cost(costs: Sequence[Cost]) -> "Figure":
    """Draw milliseconds over batch size, one panel per region and kind of pass; dotted are the paper's numbers."""
    regions = list(dict.fromkeys(one.region for one in costs))
    passes = list(dict.fromkeys(one.passes for one in costs))
    panels = [
        CostPanel(
            f"{in_words(Region.parse(region))}, {kind}",
            _lines([c for c in costs if (c.region, c.passes) == (region, kind)]),
        )
        for kind in passes
        for region in regions
    ]
    return cost(panels, columns=len(regions))


def _lines(costs: Sequence[Cost]) -> list[CostLine]:
    lines = []
    for method in dict.fromkeys(one.method for one in costs):
        found = [one for one in costs if one.method == method]
        low, high = [one.low for one in found], [one.high for one in found]
        lines.append(CostLine(method, [one.size for one in found], [one.milliseconds for one in found], low, high))
        if found[0].passes == "forward" and method in PUBLISHED[found[0].region]:
            lines.append(CostLine(method, PUBLISHED_SIZES, PUBLISHED[found[0].region][method], published=True))
    return lines
