"""The forest plot: one difference with its interval per row."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from pauci.errors import InputError
from pauci.metrics.plot_text import literal
from pauci.report.figures.style import BLUE, GREY, VERMILION, canvas, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ForestRow:
    """One row of a forest plot.

    Attributes
    ----------
    label : str
        What was measured.
    estimate, low, high : float
        The value and its interval.
    group : str or None
        Rows of one group follow each other below its name.
    significant : bool or None
        Whether the difference counts as real, where something other than its own interval decides, such as a correction
        for many comparisons. With None, it counts if the interval excludes the reference.

    Examples
    --------
    >>> ForestRow("w8a", estimate=0.019, low=0.011, high=0.027).differs_from(0.0)
    True
    """

    label: str
    estimate: float
    low: float
    high: float
    group: str | None = None
    significant: bool | None = None

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.low, self.estimate, self.high))) or self.low > self.high:
            raise InputError(
                f"row {self.label!r}: low={self.low!r}, estimate={self.estimate!r}, high={self.high!r} must be finite, "
                "and low at most high."
            )

    def differs_from(self, reference: float) -> bool:
        """Whether this row counts as different.

        Parameters
        ----------
        reference : float
            The value to differ from.

        Returns
        -------
        bool
            What `significant` says, or else whether the interval excludes the reference.
        """
        if self.significant is not None:
            return self.significant
        return not self.low <= reference <= self.high


@styled()
def forest(
    rows: Sequence[ForestRow],
    *,
    title: str | None = None,
    xlabel: str = "difference in partial AUC",
    reference: float = 0.0,
) -> "Figure":
    """Draw estimates with intervals, one row each; blue is above the reference, vermilion below, hollow neither.

    Parameters
    ----------
    rows : sequence of ForestRow
        Rows from top to bottom. Rows of one group are drawn together, at the place of the first of them.
    title, xlabel : str
        Texts.
    reference : float
        Value of the vertical line, which stands for no difference.

    Returns
    -------
    Figure
        The figure, to be saved with `save`.

    Examples
    --------
    >>> rows = [ForestRow("bank", 0.004, -0.001, 0.009), ForestRow("w8a", 0.019, 0.011, 0.027)]
    >>> [row.differs_from(0.0) for row in rows]
    [False, True]
    >>> figure = forest(rows, title="PAUCI + CE minus CE")
    """
    if not rows:
        raise InputError("rows is empty: there is nothing to draw.")
    places = _places(rows)
    last = max(y for _, y in places)
    figure = canvas(7.2, 0.9 + 0.27 * (last + 1), title)
    ax = figure.subplots()
    for row, y in places:
        if isinstance(row, ForestRow):
            _draw(ax, row, y, reference)
        else:
            ax.text(-0.01, y, literal(row), transform=ax.get_yaxis_transform(), ha="right", va="center", weight="bold")
    ax.axvline(reference, color=GREY, linewidth=1, zorder=1)
    labels = {y: row.label for row, y in places if isinstance(row, ForestRow)}
    ax.set_yticks(list(labels), [literal(label) for label in labels.values()])
    ax.set_ylim(last + 0.7, -0.7)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False, axis="y")
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(literal(xlabel))
    return figure


def _places(rows: Sequence[ForestRow]) -> list[tuple[ForestRow | str, float]]:
    """Rows and group names with their heights."""
    order = list(dict.fromkeys(row.group for row in rows))
    placed: list[tuple[ForestRow | str, float]] = []
    height = 0.0
    for group, members in groupby(sorted(rows, key=lambda row: order.index(row.group)), key=lambda row: row.group):
        if group is not None:
            height += 0.4 if placed else 0.0
            placed.append((group, height))
            height += 1
        for row in members:
            placed.append((row, height))
            height += 1
    return placed


def _draw(ax: "Axes", row: ForestRow, y: float, reference: float) -> None:
    differs = row.differs_from(reference)
    color = GREY if not differs else BLUE if row.estimate > reference else VERMILION
    ax.plot([row.low, row.high], [y, y], color=color, linewidth=1.6, solid_capstyle="butt", zorder=2)
    face = color if differs else "white"
    ax.plot([row.estimate], [y], marker="o", markersize=5.5, color=color, markerfacecolor=face, zorder=3)
    sign = "+" if reference == 0 else ""
    text = f"{row.estimate:{sign}.3f} [{row.low:{sign}.3f}, {row.high:{sign}.3f}]"
    ax.text(1.02, y, text, transform=ax.get_yaxis_transform(), va="center", fontsize=8.5, color="0.2")
