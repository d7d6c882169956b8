"""AUC, one-way and two-way partial AUC as areas under one curve: the figure the method's paper opens with."""

from typing import TYPE_CHECKING

import numpy as np

from pauci.metrics.curve import Floats, partial_roc_curve
from pauci.metrics.inputs import ArrayLike
from pauci.metrics.score import partial_auc_score
from pauci.region import Region
from pauci.report.figures.style import BLUE, GREEN, GREY, VERMILION, canvas, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled()
def regions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    one_way: Region = Region(max_fpr=0.3),  # noqa: B008 - frozen
    two_way: Region = Region(max_fpr=0.5, min_tpr=0.5),  # noqa: B008
    title: str | None = None,
) -> "Figure":
    """Draw what AUC, one-way and two-way partial AUC measure of the same scores.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and scores.
    one_way, two_way : Region
        The regions of the second and the third panel.
    title : str, optional
        Above all panels.

    Returns
    -------
    Figure
        Three panels, each with its region and the share of it that lies under the curve.

    Examples
    --------
    >>> figure = regions([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.9])
    >>> [ax.get_title().split(" = ")[0] for ax in figure.axes]
    ['AUC', 'OPAUC', 'TPAUC']
    """
    figure = canvas(9.6, 3.6 if title is None else 3.9, title)
    panels = figure.subplots(1, 3, sharey=True)
    kinds = (("AUC", Region(), GREEN), ("OPAUC", one_way, BLUE), ("TPAUC", two_way, VERMILION))
    fpr, tpr, _ = partial_roc_curve(y_true, y_score)
    for ax, (name, region, color) in zip(panels, kinds, strict=True):
        _fill(ax, *partial_roc_curve(y_true, y_score, region=region)[:2], region, color)
        ax.plot(fpr, tpr, color="black", linewidth=1.4)
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        ax.set_title(f"{name} = {partial_auc_score(y_true, y_score, region=region):.3f}", color=color)
        ax.set(xlabel="false positive rate", xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), box_aspect=1)
    panels[0].set_ylabel("true positive rate")
    return figure


def _fill(ax: "Axes", fpr: Floats, tpr: Floats, region: Region, color: str) -> None:
    from matplotlib.patches import Rectangle

    inside = np.clip(tpr, region.min_tpr, region.max_tpr)
    ax.fill_between(fpr, region.min_tpr, inside, color=color, alpha=0.3, linewidth=0)
    frame = Rectangle((region.min_fpr, region.min_tpr), region.width, region.height, fill=False, edgecolor=color)
    frame.set(linestyle="--", linewidth=1.2)
    ax.add_patch(frame)
