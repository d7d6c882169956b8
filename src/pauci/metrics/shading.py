"""The region of interest as a shaded rectangle."""

from typing import TYPE_CHECKING

from pauci.region import Region

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch


def shade(ax: "Axes", region: Region) -> "Patch":
    """Shade a region, once per axes however many displays draw there; return the rectangle drawn, now or before.

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
    corner, name = (region.min_fpr, region.min_tpr), in_words(region)
    rectangle = Rectangle(corner, region.width, region.height, facecolor="0.94", edgecolor="0.6", zorder=0)
    rectangle.set(gid=str(region), linestyle="--", linewidth=0.8, label=name if region.is_full else f"region {name}")
    return ax.add_patch(rectangle)


def in_words(region: Region) -> str:
    """Name a region for people: with the signs of mathematics.

    Examples
    --------
    >>> in_words(Region(max_fpr=0.5, min_tpr=0.5))
    'FPR \u2264 0.5, TPR \u2265 0.5'
    """
    text = str(region).upper().replace("<=", " \u2264 ").replace(">=", " \u2265 ").replace(",", ", ")
    return "whole plane" if region.is_full else text
