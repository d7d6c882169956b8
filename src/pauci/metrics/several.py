"""One score from many: several classes or several labels."""

import itertools
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from pauci.errors import InputError, LabelError
from pauci.metrics.device import on_one_device
from pauci.metrics.inputs import Array, ArrayLike, column, read_classes, to_numpy

MultiClass = Literal["ovr", "ovo"]
Average = Literal["macro", "weighted", "micro"]
BinaryScore: TypeAlias = Callable[[Any, Any, Any], float]


def multiclass_scores(
    score: BinaryScore,
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    multi_class: MultiClass,
    average: Average | None,
) -> float | npt.NDArray[Any]:
    """Apply a binary score to each class against the rest ("ovr"), or to each pair of classes ("ovo").

    Scores have one column per class in sorted order. `score` is called with labels, scores and weights of two classes.

    Examples
    --------
    >>> from pauci import partial_auc_score
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]]
    >>> partial_auc_score([0, 1, 2, 2], scores, multi_class="ovr")
    array([1., 1., 1.])
    """
    xp, labels, scores, weight = _alike(y_true, y_score, sample_weight)
    labels = column(labels)
    if labels.ndim != 1:
        raise LabelError(f"y_true has shape {tuple(labels.shape)}, expected (n,) with multi_class.")
    if scores.ndim != 2 or len(scores) != len(labels):
        shape = tuple(scores.shape)
        raise LabelError(
            f"y_score has shape {shape}, expected ({len(labels)}, n_classes) for multi_class={multi_class!r}; for two "
            "classes with one score drop multi_class."
        )
    classes, sizes = xp.unique(labels, return_counts=True)
    if bool((classes != classes).any()):
        read_classes(y_true)  # raises, and says where labels are missing
    if len(classes) != scores.shape[1]:
        raise LabelError(
            f"y_true holds {len(classes)} classes but y_score has {scores.shape[1]} columns; "
            "every class needs a column, in the sorted order of the labels."
        )
    if len(classes) < 2:
        raise LabelError("y_true holds one class only: a ROC curve needs at least two.")
    if multi_class == "ovr":
        return multilabel_scores(score, labels[:, None] == classes[None, :], scores, weight, average=average)
    if weight is not None:
        raise InputError("sample_weight is not defined for multi_class='ovo'; use 'ovr'.")
    pairs = list(itertools.combinations(range(len(classes)), 2))
    values = []
    for first, second in pairs:
        chosen = (labels == classes[first]) | (labels == classes[second])
        is_first = labels[chosen] == classes[first]
        # A pair is judged by either class's own column, each seeing the other as the negatives.
        forward = score(is_first, scores[chosen, first], None)
        backward = score(~is_first, scores[chosen, second], None)
        values.append((forward + backward) / 2)
    return _averaged(np.array(values), average, lambda: to_numpy(sizes)[pairs].sum(axis=1))


def multilabel_scores(
    score: BinaryScore,
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    average: Average | None,
) -> float | npt.NDArray[Any]:
    """Apply a binary score to each column of an indicator matrix (see `multiclass_scores`).

    Examples
    --------
    >>> from pauci import partial_auc_score
    >>> import numpy as np
    >>> y = np.array([[0, 1], [1, 0], [1, 1]])
    >>> partial_auc_score(y, np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.1]]), average="macro")
    0.75
    """
    xp, labels, scores, weight = _alike(y_true, y_score, sample_weight)
    if labels.shape != scores.shape:
        raise LabelError(f"y_true has shape {tuple(labels.shape)} but y_score {tuple(scores.shape)}; they must match.")
    if weight is not None and tuple(weight.shape) != (len(labels),):
        raise InputError(f"sample_weight has shape {tuple(weight.shape)}, expected ({len(labels)},).")
    if average == "micro":
        repeated = None if weight is None else xp.broadcast_to(weight[:, None], labels.shape).reshape(-1)
        return score(labels.reshape(-1), scores.reshape(-1), repeated)
    values = np.array([_of_column(score, k, labels, scores, weight) for k in range(labels.shape[1])])
    share = 1 if weight is None else weight[:, None]
    return _averaged(values, average, lambda: to_numpy((share * (labels > 0)).sum(0)))


def check_several(multi_class: MultiClass | None, average: Average | None) -> None:
    """Raise unless the two are known and go together.

    Examples
    --------
    >>> check_several("ovr", "micro")
    """
    if multi_class not in (None, "ovr", "ovo"):
        raise InputError(f"multi_class={multi_class!r} is not known; use 'ovr', 'ovo' or None.")
    if average not in (None, "macro", "weighted", "micro"):
        raise InputError(f"average={average!r} is not known; use 'macro', 'weighted', 'micro' or None.")
    if multi_class == "ovo" and average == "micro":
        raise InputError("average='micro' is not defined for multi_class='ovo'; use 'macro' or 'weighted'.")


def _alike(y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Any, Any, Any, Any]:
    """Return torch and the tensors where they are, if they are together; otherwise numpy and arrays."""
    if on_one_device(y_true, y_score, sample_weight):
        return torch, y_true, y_score, sample_weight
    weight = None if sample_weight is None else to_numpy(sample_weight)
    return np, read_classes(y_true), to_numpy(y_score), weight


def _of_column(score: BinaryScore, k: int, labels: Any, scores: Any, weight: Any) -> float:
    try:
        return score(labels[:, k], scores[:, k], weight)
    except InputError as error:
        raise type(error)(f"column {k}: {error}") from error


def _averaged(values: Array, average: Average | None, weights: Callable[[], Array]) -> float | npt.NDArray[Any]:
    if average is None:
        return values
    return float(np.average(values, weights=weights() if average == "weighted" else None))
