"""Which part of each class a region selects."""

from dataclasses import dataclass
from typing import Literal

from pauci.errors import RegionError
from pauci.region import Region


@dataclass(frozen=True)
class Side:
    """The selected part of one class, as an interval of ranks with the largest loss first.

    Attributes
    ----------
    low, high : float
        Ends of the interval, as shares of the class: ``Side(0, 0.3)`` is the 30% with the largest losses.

    Examples
    --------
    >>> Side(0.0, 0.3).kind, Side(0.0, 1.0).kind, Side(0.25, 1.0).share
    ('top', 'whole', 0.75)
    """

    low: float
    high: float

    @property
    def share(self) -> float:
        """Share of the class that is selected."""
        return self.high - self.low

    @property
    def kind(self) -> Literal["whole", "top", "bottom", "band"]:
        """Where the part lies: ``"whole"`` needs no selector, ``"band"`` two cuts."""
        if self.low == 0.0:
            return "whole" if self.high == 1.0 else "top"
        return "bottom" if self.high == 1.0 else "band"

    @property
    def sign(self) -> int:
        """Sign under which the part is a top: 1, or -1 for a bottom, which is the top of the negated losses."""
        return -1 if self.kind == "bottom" else 1


def selected_sides(region: Region) -> tuple[Side, Side]:
    """Return the selected part of the positives and of the negatives.

    The loss of a positive falls with its score. So a region above `min_tpr` holds the largest losses of the positives
    (their lowest scores, a ``"top"``), one below `max_tpr` the smallest (their highest scores, a ``"bottom"``).

    Parameters
    ----------
    region : Region
        The rectangle.

    Returns
    -------
    tuple of Side
        The selected parts of the positives and of the negatives.

    Examples
    --------
    >>> selected_sides(Region(max_fpr=0.3, min_tpr=0.5))
    (Side(low=0.0, high=0.5), Side(low=0.0, high=0.3))
    >>> selected_sides(Region(max_tpr=0.75))[0].kind
    'bottom'
    """
    return Side(1.0 - region.max_tpr, region.alpha), Side(region.min_fpr, region.max_fpr)


def refuse_band(side: Side) -> None:
    """Raise where a selector with one threshold is given a part of a class that takes two.

    Examples
    --------
    >>> refuse_band(Side(0.1, 0.5))
    Traceback (most recent call last):
    pauci.errors.RegionError: the region selects the ranks from 0.1 to 0.5 of a class, a band, ...
    """
    if side.kind == "band":
        raise RegionError(
            f"the region selects the ranks from {side.low:g} to {side.high:g} of a class, a band, which one threshold "
            "cannot cut out. Use selector='topk' of PAUCILoss, selection='exact' of a boosting objective, or a region "
            "that reaches to one end of the class (min_fpr=0 or max_fpr=1; min_tpr=0 or max_tpr=1)."
        )
