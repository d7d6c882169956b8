"""What a partial AUC means: on which scale, cut and tied how."""

from typing import Any, Literal

from pauci.errors import InputError
from pauci.metrics.area import Ties
from pauci.region import Cut, Region

Scale = Literal["normalized", "mcclish", "area"]
Convention = Literal["paper", "sklearn"]

_CONVENTIONS: dict[Convention, tuple[Scale, Cut, Ties]] = {
    "paper": ("normalized", "floor", "correct"),
    "sklearn": ("mcclish", "interpolate", "half"),
}
_DEFAULT: tuple[Scale, Cut, Ties] = ("normalized", "interpolate", "half")


def resolve(convention: Convention | None, scale: Scale, cut: Cut, ties: Ties) -> tuple[Scale, Cut, Ties]:
    """Check scale, cut and tie rule, and let a convention set all three.

    A convention wins over the defaults of the three, also where a default was written out beside it, which
    cannot be told from leaving it away; anything else beside a convention is an error.

    Examples
    --------
    >>> resolve("paper", "normalized", "interpolate", "half")
    ('normalized', 'floor', 'correct')
    """
    known = {"scale": ("normalized", "mcclish", "area"), "cut": ("interpolate", "floor"), "ties": ("half", "correct")}
    for name, value in (("scale", scale), ("cut", cut), ("ties", ties)):
        if value not in known[name]:
            raise InputError(f"{name}={value!r} is not known; use one of {', '.join(map(repr, known[name]))}.")
    if convention is None:
        return scale, cut, ties
    if convention not in _CONVENTIONS:
        raise InputError(f"convention={convention!r} is not known; use 'paper', 'sklearn' or None.")
    if (scale, cut, ties) not in (_DEFAULT, _CONVENTIONS[convention]):
        raise InputError(f"convention={convention!r} already sets scale, cut and ties; do not pass others beside it.")
    return _CONVENTIONS[convention]


def check_whole(cut: Cut, **given: Any) -> None:
    """Raise if what treats instances unequally was given beside ``cut="floor"``.

    Examples
    --------
    >>> check_whole("interpolate", sample_weight=[1.0, 2.0])
    """
    for name, value in given.items():
        if cut == "floor" and value is not None:
            raise InputError(f"{name} cannot be combined with cut='floor', which counts whole instances; drop one.")


def rescale(share: float, region: Region, *, scale: Scale) -> float:
    """Convert a share of the region's area to another scale.

    Examples
    --------
    >>> rescale(0.15, Region(max_fpr=0.3), scale="mcclish")
    0.5
    """
    if scale == "normalized":
        return share
    if scale == "area":
        return share * region.area
    chance = region.chance_area / region.area
    # Random scores already win the whole region when it lies below the diagonal; nothing is left to standardise.
    # The edges decide that: the two areas may differ by rounding. They may also round to the same number.
    if region.min_fpr >= region.max_tpr or not chance < 1:
        raise InputError(f"scale='mcclish' is undefined for {region}: chance already covers the whole region.")
    return (1 + (share - chance) / (1 - chance)) / 2
