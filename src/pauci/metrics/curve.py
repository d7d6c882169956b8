"""The ROC curve inside a region, with vertices exactly on the region's edges."""

from typing import Any

import numpy as np
import numpy.typing as npt

from pauci.metrics.inputs import Array, ArrayLike, BinaryScores, check_as_thresholds, read_binary
from pauci.region import Region, one_region

Floats = npt.NDArray[np.float64]


def partial_roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    region: Region | None = None,
    max_fpr: float = 1.0,
    min_tpr: float = 0.0,
    min_fpr: float = 0.0,
    max_tpr: float = 1.0,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    drop_intermediate: bool = True,
) -> tuple[Floats, Floats, Floats]:
    """ROC curve between the region's false positive rates, with vertices where it crosses the region's edges.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels: bool, {0, 1} or {-1, 1}; anything else needs `pos_label`.
    y_score : array-like of shape (n,)
        Scores, higher for positives.
    region : Region, optional
        The rectangle. Alternatively, give its edges:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    sample_weight : array-like of shape (n,), optional
        Non-negative weights.
    pos_label : object, optional
        The positive class when labels are neither bool, {0, 1} nor {-1, 1}.
    drop_intermediate : bool, default True
        Whether to leave out thresholds whose point lies on the straight line between its neighbours.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_points,)
        The curve from ``min_fpr`` to ``max_fpr``. ``np.trapezoid(np.clip(tpr, min_tpr, max_tpr) - min_tpr, fpr)``
        is exactly the area that `partial_auc_score` reports.
    thresholds : ndarray of shape (n_points,)
        Threshold of each point: calling every score of at least this positive gives the point. Infinite at (0, 0). NaN
        where the point was interpolated on an edge, because no single threshold reaches it.

    See Also
    --------
    PartialROCDisplay : Draws it, with operating point and bootstrap band.
    partial_auc_score : The area below it.

    Examples
    --------
    >>> y = [0, 0, 0, 0, 1, 1]
    >>> s = [0.1, 0.2, 0.3, 0.8, 0.9, 0.5]
    >>> fpr, tpr, thresholds = partial_roc_curve(y, s, max_fpr=0.4)
    >>> fpr
    array([0.  , 0.  , 0.25, 0.25, 0.4 ])
    >>> tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.5, nan])
    """
    region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    both = read_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    check_as_thresholds(both)
    points = roc_points(both)
    if drop_intermediate:
        points = points[:, corners(points)]
    for rate, edges in ((0, (region.min_fpr, region.max_fpr)), (1, (region.min_tpr, region.max_tpr))):
        for edge in edges:
            points = _with_vertex_at(points, rate, edge)
    fpr, tpr, thresholds = points[:, (points[0] >= region.min_fpr) & (points[0] <= region.max_fpr)]
    return fpr, tpr, thresholds


def roc_points(scores: BinaryScores) -> Floats:
    """Every vertex of the ROC polyline, as rows of false positive rates, true positive rates and thresholds.

    Examples
    --------
    >>> roc_points(read_binary([0, 1], [0.2, 0.7]))
    array([[0. , 0. , 1. ],
           [0. , 1. , 1. ],
           [inf, 0.7, 0.2]])
    """
    values = np.concatenate([scores.positives, scores.negatives])
    counts = np.zeros((2, len(values)))
    counts[1, : len(scores.positives)] = 1.0 if scores.positive_weight is None else scores.positive_weight
    counts[0, len(scores.positives) :] = 1.0 if scores.negative_weight is None else scores.negative_weight
    order = np.argsort(values, kind="stable")[::-1]
    ordered = values[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    sums = np.cumsum(counts[:, order], axis=1)[:, last]
    rates = np.concatenate([[[0.0], [0.0]], sums / sums[:, -1:]], axis=1)
    # What weighs nothing, or so little that it is lost beside the others, moves nothing.
    moved = np.append(True, np.diff(rates).any(axis=0))
    return np.vstack([rates, np.append(np.inf, ordered[last].astype(np.float64))])[:, moved]


def interpolated_tpr(scores: BinaryScores, fpr: Array) -> Array:
    """Read the true positive rates off the polyline at given false positive rates; at a jump its upper end.

    Examples
    --------
    >>> interpolated_tpr(read_binary([0, 0, 1], [0.2, 0.9, 0.7]), np.array([0.25, 0.5]))
    array([0., 1.])
    """
    points = roc_points(scores)
    rates: Array = np.interp(fpr, points[0], points[1])
    return rates


def corners(points: Floats) -> Array:
    """Mask of the points that do not lie on the straight line between their neighbours."""
    step_fpr, step_tpr = np.diff(points[:2])
    turn = step_fpr[:-1] * step_tpr[1:] - step_tpr[:-1] * step_fpr[1:]
    return np.concatenate([[True], turn != 0, [True]])


def _with_vertex_at(points: Floats, rate: int, edge: float) -> Floats:
    """Insert the point at which the curve's `rate` (0 is the FPR, 1 the TPR) passes `edge`, unless it is there."""
    after = int(np.searchsorted(points[rate], edge))
    if points[rate, after] == edge:
        return points
    start, stop = points[:, after - 1], points[:, after]
    share = (edge - start[rate]) / (stop[rate] - start[rate])
    vertex = np.append(start[:2] + share * (stop[:2] - start[:2]), np.nan)
    vertex[rate] = edge
    return np.insert(points, after, vertex, axis=1)
