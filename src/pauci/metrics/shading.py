"""The region of interest as a shaded rectangle."""

from typing import TYPE_CHECKING

from pauci.region import Region

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch


def shade(ax: "Axes", region: Region) -> "Patch":
    """Shade a region, once per axes however many displays draw there.

    Parameters
    ----------
    ax : Axes
        A ROC plane.
    region : Region
        The rectangle.

    Returns
    -------
    Patch
        The rectangle drawn, now or before.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> shade(ax, Region(max_fpr=0.1)) is shade(ax, Region(max_fpr=0.1))
    True
    """
    from matplotlib.patches import Rectangle

    for patch in ax.patches:
        if patch.get_gid() == str(region):
            return patch
    corner = (region.min_fpr, region.min_tpr)
    rectangle = Rectangle(corner, region.width, region.height, facecolor="0.94", edgecolor="0.6", zorder=0)
    rectangle.set(gid=str(region), linestyle="--", linewidth=0.8, label=_in_words(region))
    return ax.add_patch(rectangle)


def _in_words(region: Region) -> str:
    text = str(region).upper().replace("<=", " \u2264 ").replace(">=", " \u2265 ").replace(",", ", ")
    return "whole plane" if region.is_full else f"region {text}"
