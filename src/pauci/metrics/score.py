"""`partial_auc_score`: the reference implementation of partial AUC."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy.typing as npt
import torch

from pauci.errors import InputError
from pauci.metrics.area import Ties, polyline_area
from pauci.metrics.device import partial_auc_on_device
from pauci.metrics.inputs import ArrayLike, read_binary
from pauci.metrics.pairs import pair_share
from pauci.metrics.several import Average, MultiClass, multiclass_scores, multilabel_scores
from pauci.region import Cut, Region

Scale = Literal["normalized", "mcclish", "area"]
Convention = Literal["paper", "sklearn"]
Scorer: TypeAlias = Callable[[Any, Any, Any], float]

_CONVENTIONS: dict[Convention, tuple[Scale, Cut, Ties]] = {
    "paper": ("normalized", "floor", "correct"),
    "sklearn": ("mcclish", "interpolate", "half"),
}
_DEFAULT: tuple[Scale, Cut, Ties] = ("normalized", "interpolate", "half")


def partial_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    region: Region | None = None,
    max_fpr: float = 1.0,
    min_tpr: float = 0.0,
    min_fpr: float = 0.0,
    max_tpr: float = 1.0,
    scale: Scale = "normalized",
    cut: Cut = "interpolate",
    ties: Ties = "half",
    convention: Convention | None = None,
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass | None = None,
    average: Average | None = None,
    pos_label: Any = None,
) -> float | npt.NDArray[Any]:
    """Area under the ROC curve inside a region of the ROC plane.

    Parameters
    ----------
    y_true : array-like or Tensor of shape (n,) or (n, n_labels)
        Labels: bool, {0, 1} or {-1, 1}; class labels with `multi_class`; an indicator matrix for multilabel.
    y_score : array-like or Tensor of shape (n,), (n, n_classes) or (n, n_labels)
        Scores, higher for positives. Floating point of any width or integers. Tensors on an accelerator are
        evaluated there, with one transfer to the host per score.
    region : Region, optional
        The rectangle. Instead of it, its edges may be given:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    scale : {"normalized", "mcclish", "area"}
        Share of the region's area (1 is perfect); McClish's standardisation (0.5 is random, 1 is perfect; as in
        scikit-learn); or the raw area.
    cut : {"interpolate", "floor"}
        Area under the ROC polyline up to the exact edges; or a count of pairs over whole instances, where
        ``floor(n x)`` instances lie inside.
    ties : {"half", "correct"}
        A tie between a positive and a negative counts one half, or as correctly ranked.
    convention : {"paper", "sklearn"}, optional
        Shorthand for ``cut="floor", ties="correct"`` (the PAUCI paper's estimator), or for ``scale="mcclish"``
        (what `sklearn.metrics.roc_auc_score` returns for its `max_fpr`).
    sample_weight : array-like of shape (n,), optional
        Weights; only with ``cut="interpolate"``.
    multi_class : {"ovr", "ovo"}, optional
        For more than two classes: each class against the rest, or each pair of classes in both directions.
    average : {"macro", "weighted", "micro"}, optional
        How several scores become one number: their mean; weighted by prevalence; or all decisions pooled
        (multilabel and "ovr"). None returns them all, one per class, pair or label.
    pos_label : optional
        The positive class when labels are neither bool, {0, 1} nor {-1, 1}.

    Returns
    -------
    float or ndarray
        The score; an array where there are several and `average` is None.

    Raises
    ------
    ScoreError, LabelError, RegionError, InputError
        NaN or infinite scores, one class only, unknown labels, mismatched lengths, an empty region, a region
        without a whole instance under ``cut="floor"``: an error, never a number.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> s = [0.9, 0.8, 0.6, 0.6, 0.3, 0.7, 0.6, 0.5, 0.4, 0.35, 0.2, 0.15, 0.1, 0.05, 0.01]
    >>> round(partial_auc_score(y, s, max_fpr=0.3), 4)
    0.6
    >>> round(partial_auc_score(y, s, max_fpr=0.3, convention="sklearn"), 4)
    0.7647
    >>> round(partial_auc_score(y, s, max_fpr=0.3, min_tpr=0.4, convention="paper"), 4)
    0.4444
    """
    region = _one_region(region, Region(max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr))
    scale, cut, ties = _resolve(convention, scale, cut, ties)
    if cut == "floor" and sample_weight is not None:
        raise InputError("sample_weight cannot be combined with cut='floor', which counts whole instances; drop one.")

    def score(labels: Any, scores: Any, weight: Any) -> float:
        share = _won_share(labels, scores, weight, region, cut=cut, ties=ties, pos_label=pos_label)
        return rescale(share, region, scale=scale)

    if multi_class is not None:
        return multiclass_scores(score, y_true, y_score, sample_weight, multi_class=multi_class, average=average)
    if getattr(y_true, "ndim", 1) == 2 and y_true.shape[1] > 1:  # type: ignore[union-attr]
        return multilabel_scores(score, y_true, y_score, sample_weight, average=average)
    return score(y_true, y_score, sample_weight)


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
    if not chance < 1:
        raise InputError(f"scale='mcclish' is undefined for {region}: chance already covers the whole region.")
    return (1 + (share - chance) / (1 - chance)) / 2


def _won_share(labels: Any, scores: Any, weight: Any, region: Region, *, cut: Cut, ties: Ties, pos_label: Any) -> float:
    tensors = [values for values in (labels, scores, weight) if isinstance(values, torch.Tensor)]
    on_device = len(tensors) == (2 if weight is None else 3) and {t.device.type for t in tensors} != {"cpu"}
    if on_device and pos_label is None and scores.ndim == 1 and labels.shape == scores.shape:
        return partial_auc_on_device(labels, scores.detach(), region, cut=cut, ties=ties, sample_weight=weight)
    both = read_binary(labels, scores, sample_weight=weight, pos_label=pos_label)
    if cut == "floor":
        return pair_share(both, region, ties=ties)
    return polyline_area(both, region, ties=ties) / region.area


def _one_region(region: Region | None, edges: Region) -> Region:
    if region is None:
        return edges
    if not isinstance(region, Region):
        raise InputError(f"region={region!r} must be a pauci.Region, for example Region(max_fpr=0.05).")
    if not edges.is_full:
        raise InputError(f"region={region!r} was given together with edges {edges}; give one or the other.")
    return region


def _resolve(convention: Convention | None, scale: Scale, cut: Cut, ties: Ties) -> tuple[Scale, Cut, Ties]:
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
