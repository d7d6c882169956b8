"""A ROC curve with all that is known of it in a region: interval, operating point and bootstrap band."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from pauci.metrics.band import roc_band
from pauci.metrics.convention import Convention
from pauci.metrics.curve import corners, roc_points
from pauci.metrics.inputs import Array, ArrayLike, read_binary
from pauci.metrics.interval import Interval, partial_auc_interval
from pauci.metrics.plot_text import literal
from pauci.metrics.recall_threshold import threshold_at_tpr
from pauci.metrics.sample import Sample
from pauci.metrics.score import partial_auc_score
from pauci.metrics.standard_error import Method
from pauci.metrics.threshold import Threshold, threshold_at_fpr
from pauci.region import Region

#: Points at which the bootstrap band is evaluated: finer than a picture shows.
_GRID = 201


@dataclass(frozen=True, kw_only=True)
class RegionCurve:
    """A ROC curve and its summary in a region: partial AUC, interval, operating point and bootstrap band.

    Attributes
    ----------
    fpr, tpr : ndarray
        The whole curve.
    partial_auc : float
        Share of the region's area below the curve, or its value in the requested convention.
    point : Threshold
        The point at which one would operate (see `operating_point`).
    interval : Interval or None
        Confidence interval of the partial AUC.
    band : tuple of ndarray or None
        False positive rates, and the lower and upper end of the bootstrap band there.
    name : str or None
        Name of the curve.

    Examples
    --------
    >>> curve = RegionCurve.of([0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.9, 0.5], Region(max_fpr=0.3), n_resamples=0)
    >>> curve.point.fpr, curve.point.tpr
    (0.25, 1.0)
    >>> curve.label
    'pAUC 0.583'
    """

    fpr: Array
    tpr: Array
    partial_auc: float
    point: Threshold
    interval: Interval | None = None
    band: tuple[Array, Array, Array] | None = None
    name: str | None = None

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        region: Region,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        convention: Convention | None = None,
        level: float = 0.95,
        method: Method = "bootstrap",
        n_resamples: int = 1000,
        seed: int = 0,
        name: str | None = None,
    ) -> Self:
        """Compute everything from labels and scores; without resamples there is neither interval nor band.

        `method` concerns the interval; the band is always a bootstrap.
        """
        given: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
        points = roc_points(read_binary(y_true, y_score, **given))
        fpr, tpr, _ = points[:, corners(points)]
        curve = cls(
            fpr=fpr,
            tpr=tpr,
            partial_auc=float(partial_auc_score(y_true, y_score, region=region, convention=convention, **given)),
            point=operating_point(y_true, y_score, region, groups=groups, **given),
            name=name,
        )
        if n_resamples == 0:
            return curve
        drawn: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "seed": seed}
        interval = partial_auc_interval(
            y_true, y_score, region=region, convention=convention, groups=groups, method=method, **given, **drawn
        )
        sample = Sample.read(y_true, {"y_score": y_score}, groups=groups, **given)
        left, right = np.clip(surroundings(region)[0], 0.0, 1.0)
        grid = np.linspace(left, right, _GRID)
        return replace(curve, interval=interval, band=(grid, *roc_band(sample, grid, **drawn)))

    @property
    def label(self) -> str:
        """Name and partial AUC, with its interval."""
        value = f"pAUC {self.partial_auc:.3f}"
        if self.interval is not None:
            value += f" [{self.interval.low:.3f}, {self.interval.high:.3f}]"
        return self.titled(value)

    def titled(self, text: str) -> str:
        """Return the text with the curve's name before it, which matplotlib takes literally."""
        return text if self.name is None else f"{literal(self.name)}: {text}"


def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    region: Region,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Any = None,
) -> Threshold:
    """Return the point at which one would operate in a region.

    Parameters
    ----------
    y_true, y_score : array-like or Tensor of shape (n,)
        Binary labels and scores.
    region : Region
        If it bounds the FPR, the point is the smallest threshold within that budget. If it only asks for a TPR, the
        point is the largest threshold that reaches it.
    sample_weight, pos_label
        As in `partial_auc_score`.
    groups : array-like of shape (n,), optional
        What was sampled independently, if not every instance by itself.

    Returns
    -------
    Threshold
        The threshold and the rates it has on this sample. It has no upper bound on the FPR where the TPR decides, and
        none with groups, since negatives of one group are not binomial.

    Examples
    --------
    >>> y, s = [0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.9, 0.5]
    >>> operating_point(y, s, Region(min_tpr=0.9))
    Threshold(threshold=0.5, fpr=0.25, tpr=1.0, fpr_upper=None)
    >>> operating_point(y, s, Region(max_fpr=0.1, min_tpr=0.4)).tpr
    0.5
    """
    given: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    if region.max_fpr < 1 or region.min_tpr == 0:
        point = threshold_at_fpr(y_true, y_score, max_fpr=region.max_fpr, **given)
        return point if groups is None else replace(point, fpr_upper=None)
    found = threshold_at_tpr(y_true, y_score, min_tpr=region.min_tpr, **given)
    return Threshold(found.threshold, fpr=found.fpr, tpr=found.tpr, fpr_upper=None)


def surroundings(region: Region) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of FPR and TPR that show a region with a margin around it.

    Examples
    --------
    >>> surroundings(Region(max_fpr=0.1))
    ((-0.002, 0.112), (-0.02, 1.02))
    """

    def widened(low: float, high: float) -> tuple[float, float]:
        margin, hair = 0.12 * (high - low), 0.02 * (high - low)
        return (
            round(low - (margin if low > 0 else hair), 12),
            round(high + (margin if high < 1 else hair), 12),
        )

    return widened(region.min_fpr, region.max_fpr), widened(region.min_tpr, region.max_tpr)
