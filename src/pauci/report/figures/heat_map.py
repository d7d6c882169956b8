"""The table as a heat map, with marked cells."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from pauci.errors import InputError
from pauci.metrics.plot_text import literal
from pauci.report.figures.style import canvas, styled

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]

#: Ends of the scales: tints of vermilion and blue, light enough for black digits.
_LESS, _MORE, _MOST = "#EE9A63", "#6FB1DA", "#5AA5D3"
#: Letters that fit over a column, and the angle at which longer names stand side by side.
_FITTING, _SLANT = 12, 35


@styled()
def heatmap(
    table: npt.ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str | None = None,
    xlabel: str | None = None,
    center: float | None = None,
    shade: Literal["table", "column"] = "table",
    marked: npt.ArrayLike | None = None,
    form: str = ".3f",
) -> "Figure":
    """Draw a table whose cells are coloured by their value.

    Parameters
    ----------
    table : array-like of shape (r, c)
        Values; NaN where there is none.
    rows, columns : sequence of str
        Names of the rows and columns.
    title, xlabel : str, optional
        Texts.
    center : float, optional
        For differences: this value is white, above it is blue, below it is vermilion. Without it, darker is more.
    shade : {"table", "column"}
        Whether to colour by the range of the whole table, or of each column by itself, where columns are not
        comparable.
    marked : array-like of bool of shape (r, c), optional
        Cells to frame and print in bold, such as the best of each column or what is significant.
    form : str
        How to write a value, as in `format`.

    Returns
    -------
    Figure
        The figure, to be saved with `save`.

    Examples
    --------
    >>> figure = heatmap([[0.74, 0.94], [0.77, 0.97]], ["CE", "PAUCI"], ["C10-1", "C10-2"], shade="column")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.740', '0.940', '0.770', '0.970']
    """
    from matplotlib.patches import Rectangle

    values = np.asarray(table, dtype=np.float64)
    if values.shape != (len(rows), len(columns)) or values.size == 0:
        raise InputError(
            f"table has the shape {values.shape}, but there are {len(rows)} rows and {len(columns)} columns."
        )
    if np.isinf(values).any():
        raise InputError("table holds infinite values; a cell without a value is NaN.")
    frames = np.zeros(values.shape, dtype=bool) if marked is None else np.asarray(marked, dtype=bool)
    if frames.shape != values.shape:
        raise InputError(f"marked has the shape {frames.shape}, table {values.shape}; they must be the same.")
    shades = _shades(values, center, axis=0 if shade == "column" else None)
    widest = max(len(row) for row in rows)
    longest = max(len(line) for column in columns for line in column.split("\n"))
    slanted = longest > _FITTING
    height = 0.8 + 0.3 * len(rows) + (0.04 * longest if slanted else 0)
    figure = canvas(0.6 + 0.075 * widest + 0.78 * len(columns), height, title)
    ax = figure.subplots()
    ax.imshow(shades, cmap=_colors(center is not None), vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            weight = "bold" if frames[i, j] else "normal"
            ax.text(j, i, _written(value, form), ha="center", va="center", fontsize=8.5, weight=weight)
        if frames[i, j]:
            ax.add_patch(Rectangle((j - 0.46, i - 0.42), 0.92, 0.84, fill=False, edgecolor="0.1", linewidth=1.2))
    ax.set_xticks(range(len(columns)), [literal(name) for name in columns])
    ax.set_yticks(range(len(rows)), [literal(name) for name in rows])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    if slanted:
        for label in ax.get_xticklabels():
            label.set(rotation=_SLANT, ha="left", rotation_mode="anchor")
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    ax.tick_params(which="minor", length=0)
    ax.grid(visible=False, which="major")
    ax.grid(visible=True, which="minor", color="white", linewidth=1.5)
    ax.set_axisbelow(False)
    if xlabel is not None:
        ax.set_xlabel(literal(xlabel))
    return figure


def _shades(values: Floats, center: float | None, *, axis: int | None) -> Floats:
    """Where each value lies on the colour scale, from 0 to 1; the center at one half. NaN stays NaN."""
    with np.errstate(invalid="ignore"):
        if center is not None:
            reach = np.fmax.reduce(np.abs(values - center), axis=axis, keepdims=True)
            return 0.5 + (values - center) / np.where(reach > 0, 2 * reach, 1.0)
        low, high = (extreme.reduce(values, axis=axis, keepdims=True) for extreme in (np.fmin, np.fmax))
        return (values - low) / np.where(high > low, high - low, 1.0)


def _written(value: float, form: str) -> str:
    text = format(value, form)
    # What rounds to nothing has no sign.
    return format(0.0, form.replace("+", "")) if "%" not in text and float(text) == 0 else text


def _colors(diverging: bool) -> "Colormap":
    from matplotlib.colors import LinearSegmentedColormap

    ends = (_LESS, "white", _MORE) if diverging else ("white", _MOST)
    return LinearSegmentedColormap.from_list("pauci", list(ends)).with_extremes(bad="0.95")
