"""Static figures in one style: they take plain data and return a matplotlib figure (extra `plot`)."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.report.figures.convergence_curves import Curve, convergence
    from pauci.report.figures.cost_lines import CostLine, CostPanel, cost
    from pauci.report.figures.forest_plot import ForestRow, forest
    from pauci.report.figures.heat_map import heatmap
    from pauci.report.figures.opening import regions
    from pauci.report.figures.roc_plane import roc
    from pauci.report.figures.run_history import history
    from pauci.report.figures.saving import save

__all__ = [
    "CostLine",
    "CostPanel",
    "Curve",
    "ForestRow",
    "convergence",
    "cost",
    "forest",
    "heatmap",
    "history",
    "regions",
    "roc",
    "save",
]

# No module is named after a function: importing it would put the module in the function's place.
__getattr__, __dir__ = attach(
    __name__,
    {
        "convergence_curves": ["Curve", "convergence"],
        "cost_lines": ["CostLine", "CostPanel", "cost"],
        "forest_plot": ["ForestRow", "forest"],
        "heat_map": ["heatmap"],
        "opening": ["regions"],
        "roc_plane": ["roc"],
        "run_history": ["history"],
        "saving": ["save"],
    },
)
