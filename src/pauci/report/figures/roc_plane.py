"""ROC curves on the whole plane, and enlarged where one will operate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pauci.errors import InputError
from pauci.metrics.display import PartialROCDisplay
from pauci.metrics.region_curve import RegionCurve
from pauci.metrics.shading import in_words, shade
from pauci.region import Region
from pauci.report.figures.style import GREY, canvas, line_style, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How much wider the enlarged panel is.
_ENLARGED = 1.45


@styled()
def roc(curves: Sequence[RegionCurve], *, region: Region, title: str | None = None) -> "Figure":
    """Draw ROC curves twice: on the whole plane with the region marked, and the region enlarged with bands.

    Parameters
    ----------
    curves : sequence of RegionCurve
        Curves from `RegionCurve.of`, each with a name of its own.
    region : Region
        The region they were computed for; for the whole plane one panel is drawn.
    title : str, optional
        Above the panels.

    Returns
    -------
    Figure
        The figure, to be saved with `save`.

    Examples
    --------
    >>> region = Region(max_fpr=0.5)
    >>> curve = RegionCurve.of([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.9], region, n_resamples=0, name="model")
    >>> len(roc([curve], region=region).axes)
    2
    """
    if not curves:
        raise InputError("curves is empty: there is nothing to draw.")
    if region.is_full:
        figure = canvas(6.4, 5.2, title)
        close = figure.subplots()
    else:
        figure = canvas(9.6, 4.2, title)
        whole, close = figure.subplots(1, 2, width_ratios=(1, _ENLARGED))
        close.set_box_aspect(1 / _ENLARGED)
        shade(whole, region)
        whole.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        for number, curve in enumerate(curves):
            whole.plot(curve.fpr, curve.tpr, linewidth=1.4, **line_style(number))
        whole.set(xlabel="False Positive Rate", ylabel="True Positive Rate", box_aspect=1)
        whole.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), title="the whole curve")
        close.set_title(f"enlarged: {in_words(region)}")
    PartialROCDisplay(curves=curves, region=region).plot(
        close, curve_kwargs=[line_style(n) for n in range(len(curves))]
    )
    return figure
