"""The part of the ROC curve that counts: a rectangle on the ROC plane."""

import dataclasses
import math
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, Self

from pauci.errors import RegionError
from pauci.region_text import read_edges
from pauci.rounding import raised

Cut = Literal["interpolate", "floor"]

#: Shares of a smaller area cannot be computed.
_SMALLEST_AREA = 1e-300


@dataclass(frozen=True, kw_only=True, repr=False)
class Region:
    """A rectangle on the ROC plane, given by the rates it allows.

    Parameters
    ----------
    max_fpr : float, default 1.0
        Largest false positive rate of interest: the share of negatives one can afford to act on.
    min_tpr : float, default 0.0
        Smallest true positive rate of interest: the share of positives that must be found.
    min_fpr : float, default 0.0
        Smallest false positive rate of interest; above 0 the region is a band.
    max_tpr : float, default 1.0
        Largest true positive rate of interest; below 1 the region stops short of the hardest positives.

    Examples
    --------
    >>> Region(max_fpr=0.05)
    Region(max_fpr=0.05)
    >>> Region(max_fpr=0.5, min_tpr=0.5).area
    0.25
    >>> Region.parse("fpr<=5%, tpr>=0.5")
    Region(max_fpr=0.05, min_tpr=0.5)
    """

    max_fpr: float = 1.0
    min_tpr: float = 0.0
    min_fpr: float = 0.0
    max_tpr: float = 1.0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, read_rate(field.name, getattr(self, field.name)))
        for low, high in (("min_fpr", "max_fpr"), ("min_tpr", "max_tpr")):
            bottom, top = getattr(self, low), getattr(self, high)
            if bottom < top:
                continue
            # An edge at the border of the plane is a default, and not what the caller gave.
            if bottom == 0:
                raise RegionError(f"{high}=0 must be above 0: this region is empty. Raise {high}.")
            if top == 1:
                raise RegionError(f"{low}=1 must be below 1: this region is empty. Lower {low}.")
            raise RegionError(
                f"{low}={bottom:g} must be smaller than {high}={top:g}: this region is empty. "
                f"Lower {low} or raise {high}."
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a region from text such as ``"fpr<=0.05,tpr>=0.5"``.

        Parameters
        ----------
        text : str
            Conditions on `fpr` and `tpr`, separated by commas. Per cent signs and the signs ≤ and ≥ are understood.
            ``"all"`` is the whole plane.

        Returns
        -------
        Region
            The rectangle in which every condition holds.

        Examples
        --------
        >>> Region.parse("0.01 <= fpr <= 0.1")
        Region(max_fpr=0.1, min_fpr=0.01)
        >>> str(Region.parse("tpr>=80%"))
        'tpr>=0.8'
        """
        edges = read_edges(text)
        try:
            return cls(**edges)
        except RegionError as error:
            raise RegionError(f"region {text!r}: {error}") from None

    @property
    def alpha(self) -> float:
        """Share of positives at or below the region's lower edge in TPR (the paper's alpha, 1 - min_tpr)."""
        return 1.0 - self.min_tpr

    @property
    def beta(self) -> float:
        """Share of negatives up to the region's right edge (the paper's beta, max_fpr)."""
        return self.max_fpr

    @property
    def width(self) -> float:
        """Extent in false positive rate."""
        return self.max_fpr - self.min_fpr

    @property
    def height(self) -> float:
        """Extent in true positive rate."""
        return self.max_tpr - self.min_tpr

    @property
    def area(self) -> float:
        """Area of the rectangle: the partial area of a perfect ranking."""
        return self.width * self.height

    @property
    def chance_area(self) -> float:
        """Area under the diagonal inside the rectangle: the partial area of random scores."""

        def below(fpr: float) -> float:
            inside = min(max(fpr - self.min_tpr, 0.0), self.height)
            return inside**2 / 2 + self.height * max(fpr - self.max_tpr, 0.0)

        return below(self.max_fpr) - below(self.min_fpr)

    @property
    def is_full(self) -> bool:
        """Whether this is the whole plane, so that partial AUC is AUC."""
        return self == Region()

    def counts(self, n_positive: int, n_negative: int, *, cut: Cut = "floor") -> "Counts":
        """Return the ranks of each class that the region covers.

        Parameters
        ----------
        n_positive, n_negative : int
            Class sizes.
        cut : {"floor", "interpolate"}
            Whole instances, rounded down as in the paper, or exact fractions of instances.

        Returns
        -------
        Counts
            Half-open rank intervals: positives from the lowest score up, negatives from the highest down.

        Examples
        --------
        >>> Region(max_fpr=0.29).counts(10, 100)
        Counts(positives=(0, 10), negatives=(0, 29))
        >>> Region(max_fpr=0.25, min_tpr=0.5).counts(5, 10, cut="interpolate")
        Counts(positives=(0.0, 2.5), negatives=(0.0, 2.5))
        """
        for name, size in (("n_positive", n_positive), ("n_negative", n_negative)):
            # Resampling passes the sizes of many samples at once, as an array.
            if (size.min() if hasattr(size, "min") else size) < 0:
                raise RegionError(f"{name}={size!r} must be at least 0: it is the size of a class.")
        positives = (n_positive * (1.0 - self.max_tpr), n_positive * self.alpha)
        negatives = (n_negative * self.min_fpr, n_negative * self.max_fpr)
        if cut == "interpolate":
            return Counts(positives=positives, negatives=negatives)
        if cut == "floor":
            return Counts(positives=_floor(positives), negatives=_floor(negatives))
        raise RegionError(f"cut={cut!r} is not known; use 'interpolate' or 'floor'.")

    def widened(self, factor: float) -> Self:
        """Return a region `factor` times as wide in FPR, to train on when this one is the target.

        Training on a region somewhat wider than the target is more robust, because more negatives take part. The right
        edge moves to ``factor * max_fpr`` (at most 1), the left edge of a band to ``min_fpr / factor``. The TPR edges
        stay.

        Parameters
        ----------
        factor : float
            At least 1.

        Returns
        -------
        Region
            The wider region.

        Examples
        --------
        >>> Region(max_fpr=0.05).widened(3)
        Region(max_fpr=0.15)
        """
        given: Any = factor
        if not isinstance(given, Real) or not float(given) >= 1:
            raise RegionError(f"factor={factor!r} must be a number of at least 1; widening never narrows a region.")
        # In decimals: 3 * 0.05 is not the float nearest to 0.15, and would be written with all its digits.
        times, low, high = (Decimal(repr(float(number))) for number in (given, self.min_fpr, self.max_fpr))
        return dataclasses.replace(self, max_fpr=min(1.0, float(times * high)), min_fpr=float(low / times))

    def __repr__(self) -> str:
        return f"Region({', '.join(f'{name}={edge}' for name, edge in self._given().items())})"

    def __str__(self) -> str:
        texts = {"max_fpr": "fpr<=", "min_tpr": "tpr>=", "min_fpr": "fpr>=", "max_tpr": "tpr<="}
        return ",".join(f"{texts[name]}{edge}" for name, edge in self._given().items()) or "all"

    def _given(self) -> dict[str, str]:
        """Write the edges that are not at the border of the plane."""
        edges = {field.name: (getattr(self, field.name), field.default) for field in dataclasses.fields(self)}
        return {name: repr(edge) for name, (edge, default) in edges.items() if edge != default}


@dataclass(frozen=True)
class Counts:
    """Half-open rank intervals of a region for given class sizes (see `Region.counts`).

    Attributes
    ----------
    positives : tuple of float
        First and end rank among the positives, lowest score first.
    negatives : tuple of float
        First and end rank among the negatives, highest score first.
    """

    positives: tuple[float, float]
    negatives: tuple[float, float]


def one_region(region: Any, **edges: float) -> Region:
    """Return the region that an argument gives as such, or others by its edges, but never both.

    Examples
    --------
    >>> one_region(None, max_fpr=0.1)
    Region(max_fpr=0.1)
    """
    by_edges = Region(**edges)
    if region is None:
        region, by_edges = by_edges, Region()
    if not isinstance(region, Region):
        instead = "for example Region(max_fpr=0.05) or Region.parse('fpr<=0.05')."
        if isinstance(region, Real):
            instead = f"did you mean max_fpr={region!r}, or Region(max_fpr={region!r})?"
        raise RegionError(f"region={region!r} must be a pauci.Region; {instead}")
    if not by_edges.is_full:
        raise RegionError(f"region={region!r} was given together with edges {by_edges}; give one or the other.")
    if region.area < _SMALLEST_AREA:
        raise RegionError(f"{region!r} has an area of {region.area:g}, too small to compute with; widen its edges.")
    return region


def read_rate(name: str, value: Any) -> float:
    """Return a number from 0 to 1 in double precision: in less, products with a number of instances go wrong.

    Examples
    --------
    >>> read_rate("max_fpr", 1 / 2)
    0.5
    """
    try:
        rate = float(value)
    except (TypeError, ValueError, OverflowError):
        rate = math.nan
    is_bool = isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool")
    if is_bool or isinstance(value, str) or not 0.0 <= rate <= 1.0:
        raise RegionError(
            f"{name}={value!r} must be a number between 0 and 1: it is a rate, not a count or a per cent."
        )
    return rate


def _floor(interval: tuple[float, float]) -> tuple[int, int]:
    first, end = interval
    return math.floor(raised(first)), math.floor(raised(end))
