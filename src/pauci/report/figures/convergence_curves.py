"""Convergence: a measure over epochs or seconds, with the warm-up marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pauci.errors import InputError
from pauci.metrics.plot_text import literal
from pauci.report.figures.style import GREY, canvas, line_style, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Curve:
    """A measure over time.

    Attributes
    ----------
    label : str
        Name in the legend.
    x, y : sequence of float
        Epochs or seconds, and the measure.
    low, high : sequence of float or None
        A band around the curve, such as the quartiles over seeds.
    warmup_end : float or None
        Value of x at which the warm-up ended.

    Examples
    --------
    >>> Curve("PAUCI", x=[1, 2, 3], y=[0.5, 0.6, 0.65], warmup_end=1).label
    'PAUCI'
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    warmup_end: float | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise InputError(f"curve {self.label!r}: give both low and high, or neither.")
        for name in ("y", "low", "high"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.x):
                raise InputError(f"curve {self.label!r}: {name} has {len(values)} values, x has {len(self.x)}.")


@styled()
def convergence(
    curves: Sequence[Curve],
    *,
    title: str | None = None,
    xlabel: str = "epoch",
    ylabel: str = "validation partial AUC",
) -> "Figure":
    """Draw one line per curve, its band, and a dashed line where the warm-up ends.

    Parameters
    ----------
    curves : sequence of Curve
        At least one, each with at least one point.
    title, xlabel, ylabel : str
        Texts.

    Returns
    -------
    Figure
        The figure, to be saved with `save`.

    Examples
    --------
    >>> figure = convergence([Curve("PAUCI", [1, 2, 3], [0.6, 0.7, 0.75], warmup_end=1)])
    >>> figure.axes[0].get_xlabel()
    'epoch'
    """
    if not curves or not all(len(curve.x) for curve in curves):
        raise InputError("curves is empty, or one of them has no point: there is nothing to draw.")
    figure = canvas(7.2, 4.2, title)
    ax = figure.subplots()
    for number, curve in enumerate(curves):
        style = line_style(number)
        alone = "o" if len(curve.x) == 1 else None
        ax.plot(curve.x, curve.y, label=literal(curve.label), marker=alone, **style)
        if curve.low is not None and curve.high is not None:
            ax.fill_between(curve.x, curve.low, curve.high, color=style["color"], alpha=0.18, linewidth=0)
    ends = sorted({curve.warmup_end for curve in curves if curve.warmup_end is not None})
    for end in ends:
        ax.axvline(end, color=GREY, linestyle=(0, (4, 3)), linewidth=1)
    if ends:
        ax.text(
            ends[0],
            1.0,
            "warm-up ends ",
            transform=ax.get_xaxis_transform(),
            ha="right",
            va="top",
            color=GREY,
            size=8.5,
        )
    ax.margins(x=0.01)
    start = min(float(np.min(np.asarray(curve.x))) for curve in curves)
    if 0 <= start <= 1:
        ax.set_xlim(left=0)
    ax.set(xlabel=literal(xlabel), ylabel=literal(ylabel))
    ax.legend(loc="lower right" if _rises(curves) else "upper right")
    return figure


def _rises(curves: Sequence[Curve]) -> bool:
    """Whether the lines end higher than they begin, so that the corner below their end is free."""
    gains = [last - first for first, last in (np.asarray(curve.y)[[0, -1]] for curve in curves)]
    return bool(np.sign(gains).sum() >= 0)
