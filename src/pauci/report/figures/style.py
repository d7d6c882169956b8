"""The one style of all figures: colours that everyone tells apart, little ink, text taken literally."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pauci.extras import require
from pauci.metrics.curve_style import COLORS
from pauci.metrics.plot_text import literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, VERMILION, GREEN = COLORS[:3]
#: What is not the point: references, insignificant rows, frames.
GREY = "0.45"

_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "0.35",
    "axes.grid": True,
    "axes.labelsize": 9.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "figure.titlesize": 11.5,
    "figure.titleweight": "bold",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "grid.color": "0.88",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "xtick.color": "0.25",
    "xtick.labelsize": 8.5,
    "ytick.color": "0.25",
    "ytick.labelsize": 8.5,
}
_DASHES = ("-", "--", ":", "-.")


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the style of this package, and leave matplotlib's settings as they were.

    Examples
    --------
    >>> with styled():
    ...     canvas(4, 3).subplots().spines["top"].get_visible()
    False
    """
    with require("matplotlib", purpose="pauci.report.figures").rc_context(_STYLE):
        yield


def canvas(width: float, height: float, title: str | None = None) -> "Figure":
    """Return an empty figure of so many inches, which no window manager knows of."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    if title is not None:
        figure.suptitle(literal(title))
    return figure


def line_style(number: int) -> dict[str, Any]:
    """Colour and dashes of the line with this number; dashes change once the colours are used up.

    Examples
    --------
    >>> line_style(0), line_style(7)
    ({'color': '#0072B2', 'linestyle': '-'}, {'color': '#0072B2', 'linestyle': '--'})
    """
    return {"color": COLORS[number % len(COLORS)], "linestyle": _DASHES[number // len(COLORS) % len(_DASHES)]}
