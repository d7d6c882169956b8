"""What an iteration costs over the size of a batch, in panels that share their axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pauci.errors import InputError
from pauci.metrics.plot_text import literal
from pauci.report.figures.style import canvas, line_style, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class CostLine:
    """One method in one panel.

    Attributes
    ----------
    label : str
        The method; it has the same colour in all panels.
    sizes, milliseconds : sequence of float
        Numbers of instances, and the time they take.
    low, high : sequence of float or None
        A band around the line.
    published : bool
        Whether the numbers were taken from elsewhere; such lines are thin and dotted.

    Examples
    --------
    >>> CostLine("PAUCI", sizes=[256, 512], milliseconds=[0.2, 0.3]).published
    False
    """

    label: str
    sizes: Sequence[float]
    milliseconds: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    published: bool = False


@dataclass(frozen=True)
class CostPanel:
    """A panel of the cost figure.

    Attributes
    ----------
    title : str
        What its lines have in common.
    lines : sequence of CostLine
        Its lines.

    Examples
    --------
    >>> len(CostPanel("one-way", [CostLine("PAUCI", sizes=[256, 512], milliseconds=[0.2, 0.3])]).lines)
    1
    """

    title: str
    lines: Sequence[CostLine]


@styled()
def cost(panels: Sequence[CostPanel], *, columns: int = 2, xlabel: str = "instances per class") -> "Figure":
    """Draw time over batch size, both logarithmic.

    Parameters
    ----------
    panels : sequence of CostPanel
        The panels, row by row.
    columns : int
        Number of panels in a row.
    xlabel : str
        What the sizes are.

    Returns
    -------
    Figure
        The figure, to be saved with `save`.

    Examples
    --------
    >>> measured = CostLine("PAUCI", [64, 128], [0.11, 0.12])
    >>> published = CostLine("PAUCI", [64, 128], [0.026, 0.029], published=True)
    >>> figure = cost([CostPanel("forward", [measured, published])], columns=1)
    >>> [line.get_linestyle() for line in figure.axes[0].lines]
    ['-', ':']
    """
    if not panels or columns < 1:
        raise InputError(f"panels has {len(panels)} entries and columns={columns!r}; both must be at least 1.")
    labels = list(dict.fromkeys(line.label for panel in panels for line in panel.lines))
    styles = {label: line_style(number) for number, label in enumerate(labels)}
    rows = -(-len(panels) // columns)
    figure = canvas(1.6 + 4.2 * columns, 3.4 * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    handles = {}
    for ax, panel in zip(axes.flat, panels, strict=False):
        for line in panel.lines:
            style = styles[line.label]
            if line.published:
                ax.plot(line.sizes, line.milliseconds, color=style["color"], linestyle=":", linewidth=1)
                continue
            (handles[line.label],) = ax.plot(line.sizes, line.milliseconds, marker="o", markersize=3, **style)
            if line.low is not None and line.high is not None:
                ax.fill_between(line.sizes, line.low, line.high, color=style["color"], alpha=0.18, linewidth=0)
        ax.set(xscale="log", yscale="log", title=literal(panel.title))
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel(literal(xlabel))
    for ax in axes[:, 0]:
        ax.set_ylabel("milliseconds")
    dotted = any(line.published for panel in panels for line in panel.lines)
    figure.legend(
        [handles[label] for label in labels if label in handles],
        [literal(label) for label in labels if label in handles],
        loc="outside right upper",
        title="dotted: published" if dotted else None,
    )
    return figure
