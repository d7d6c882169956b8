"""`partial_auc_score`: the reference implementation of partial AUC."""

from typing import Any

import numpy as np
import torch

from pauci.errors import InputError
from pauci.metrics.area import Ties, polyline_area
from pauci.metrics.convention import Convention, Scale, check_whole, rescale, resolve
from pauci.metrics.device import on_one_device, partial_auc_on_device
from pauci.metrics.inputs import ArrayLike, BinaryScores, column, read_binary
from pauci.metrics.pairs import pair_share
from pauci.metrics.several import Average, MultiClass, check_several, multiclass_scores, multilabel_scores
from pauci.region import Cut, Region, one_region


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
) -> float | Any:
    """Area under the ROC curve inside a region of the ROC plane.

    Parameters
    ----------
    y_true : array-like or Tensor of shape (n,), (n, 1) or (n, n_labels)
        Labels: bool, {0, 1} or {-1, 1}; class labels with `multi_class`; an indicator matrix for multilabel.
    y_score : array-like or Tensor of shape (n,), (n, n_classes) or (n, n_labels)
        Scores, higher for positives. Floating point of any width, or integers. Tensors on an accelerator are evaluated
        there if their labels are there, too, with one transfer to the host per score (unless `pos_label` is given).
    region : Region, optional
        The rectangle. Alternatively, give its edges:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    scale : {"normalized", "mcclish", "area"}
        "normalized" is the share of the region's area (1 is perfect). "mcclish" is McClish's standardisation, as in
        scikit-learn (0.5 is random, 1 is perfect). "area" is the raw area.
    cut : {"interpolate", "floor"}
        "interpolate" is the area under the ROC polyline up to the exact edges. "floor" is a count of pairs over whole
        instances, where ``floor(n x)`` instances lie inside.
    ties : {"half", "correct"}
        Whether a tie between a positive and a negative counts one half, or as correctly ranked.
    convention : {"paper", "sklearn"}, optional
        Shorthand for ``cut="floor", ties="correct"`` (the PAUCI paper's estimator), or for ``scale="mcclish"`` (what
        `sklearn.metrics.roc_auc_score` returns for its `max_fpr`). It overrides the defaults of `scale`, `cut` and
        `ties`, also where one is written out; any other value beside it is an error.
    sample_weight : array-like of shape (n,), optional
        Weights; only with ``cut="interpolate"``.
    multi_class : {"ovr", "ovo"}, optional
        For more than two classes: each class against the rest, or each pair of classes in both directions.
    average : {"macro", "weighted", "micro"}, optional
        How several scores become one number: "macro" is their mean, "weighted" their mean weighted by prevalence, and
        "micro" pools all decisions (multilabel and "ovr"). None returns all scores, one per class, pair or label.
    pos_label : object, optional
        The positive class when labels are neither bool, {0, 1} nor {-1, 1}. All other labels are negative; of three or
        more labels, one is set against the rest. Only for binary scores.

    Returns
    -------
    float or ndarray
        The score; an array where there are several and `average` is None.

    Raises
    ------
    ScoreError, LabelError, RegionError, InputError
        For NaN or infinite scores, one class only, unknown labels, mismatched lengths, an empty region, or a region
        without a whole instance under ``cut="floor"``: an error, never a number.

    See Also
    --------
    partial_auc_interval : The same with a confidence interval.
    compare_partial_auc : Whether one score beats another on the same instances.
    partial_auc_scorer : For scikit-learn's model selection.
    StreamingPartialAUC : For scores that arrive in batches, on one or several ranks.
    PartialROCDisplay : The curve behind the number.

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
    region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    scale, cut, ties = resolve(convention, scale, cut, ties)
    check_whole(cut, sample_weight=sample_weight)
    check_several(multi_class, average)
    labels = column(y_true if isinstance(y_true, torch.Tensor) else np.asarray(y_true))
    if pos_label is not None and (multi_class is not None or labels.ndim > 1):
        raise InputError(
            f"pos_label={pos_label!r} is for binary labels; with multi_class or two-dimensional labels every class "
            "is positive in its turn. Drop pos_label."
        )

    def score(labels: Any, scores: Any, weight: Any) -> float:
        share = _read_and_score(labels, scores, weight, region, cut=cut, ties=ties, pos_label=pos_label)
        return rescale(share, region, scale=scale)

    if multi_class is not None:
        return multiclass_scores(score, y_true, y_score, sample_weight, multi_class=multi_class, average=average)
    if labels.ndim == 2:
        return multilabel_scores(score, y_true, y_score, sample_weight, average=average)
    return score(y_true, y_score, sample_weight)


def won_share(scores: BinaryScores, region: Region, *, cut: Cut, ties: Ties) -> float:
    """Share of the region won by scores that were read before; their negatives are reordered in place.

    Examples
    --------
    >>> won_share(read_binary([0, 0, 1], [0.1, 0.7, 0.3]), Region(), cut="interpolate", ties="half")
    0.5
    """
    if cut == "floor":
        return pair_share(scores, region, ties=ties)
    return polyline_area(scores, region, ties=ties) / region.area


def _read_and_score(
    labels: Any, scores: Any, weight: Any, region: Region, *, cut: Cut, ties: Ties, pos_label: Any
) -> float:
    if pos_label is None and _on_accelerator(labels, scores, weight):
        labels, scores = column(labels), column(scores.detach())
        # Anything of another shape is left to the reader below, which knows what to say about it.
        if scores.ndim == 1 and labels.shape == scores.shape and (weight is None or weight.shape == scores.shape):
            return partial_auc_on_device(labels, scores, region, cut=cut, ties=ties, sample_weight=weight)
    both = read_binary(labels, scores, sample_weight=weight, pos_label=pos_label)
    return won_share(both, region, cut=cut, ties=ties)


def _on_accelerator(labels: Any, scores: Any, weight: Any) -> bool:
    return on_one_device(labels, scores, weight) and scores.device.type != "cpu"
