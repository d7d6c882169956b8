"""One score from many: several classes or several labels."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from pauci.errors import InputError, LabelError
from pauci.metrics.inputs import Array, ArrayLike, to_numpy

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

    Parameters
    ----------
    score : callable
        ``score(labels, scores, weight)`` for two classes.
    y_true, y_score, sample_weight
        Class labels, one column of scores per class in sorted order, weights.
    multi_class : {"ovr", "ovo"}
        How classes are set against each other.
    average : {"macro", "weighted", "micro"} or None
        As in `partial_auc_score`.

    Returns
    -------
    float or ndarray
        One number, or all of them.

    Examples
    --------
    >>> from pauci import partial_auc_score
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]]
    >>> partial_auc_score([0, 1, 2, 2], scores, multi_class="ovr")
    array([1., 1., 1.])
    """
    labels = to_numpy(y_true)
    scores = _columns(y_score, len(labels))
    classes = np.unique(labels)
    if len(classes) != scores.shape[1]:
        raise LabelError(
            f"y_true holds {len(classes)} classes but y_score has {scores.shape[1]} columns; "
            "every class needs a column, in the sorted order of the labels."
        )
    if multi_class == "ovr":
        indicator = labels[:, None] == classes[None, :]
        return multilabel_scores(score, indicator, scores, sample_weight, average=average)
    if multi_class != "ovo":
        raise InputError(f"multi_class={multi_class!r} is not known; use 'ovr' or 'ovo'.")
    if average == "micro":
        raise InputError("average='micro' is not defined for multi_class='ovo'; use 'macro' or 'weighted'.")
    if sample_weight is not None:
        raise InputError("sample_weight is not defined for multi_class='ovo'; use 'ovr'.")
    values, prevalences = [], []
    for first in range(len(classes)):
        for second in range(first + 1, len(classes)):
            pair = (labels == classes[first]) | (labels == classes[second])
            is_first = labels[pair] == classes[first]
            # A pair is judged by either class's own column, each seeing the other as the negatives.
            forward = score(is_first, scores[pair, first], None)
            backward = score(~is_first, scores[pair, second], None)
            values.append((forward + backward) / 2)
            prevalences.append(pair.mean())
    return _averaged(np.array(values), np.array(prevalences), average)


def multilabel_scores(
    score: BinaryScore,
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    average: Average | None,
) -> float | npt.NDArray[Any]:
    """Apply a binary score to each column of an indicator matrix.

    Parameters
    ----------
    score, y_score, sample_weight, average
        As in `multiclass_scores`.
    y_true : array-like of shape (n, n_labels)
        Labels of each column.

    Returns
    -------
    float or ndarray
        One number, or one per label.

    Examples
    --------
    >>> from pauci import partial_auc_score
    >>> import numpy as np
    >>> y = np.array([[0, 1], [1, 0], [1, 1]])
    >>> partial_auc_score(y, np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.1]]), average="macro")
    0.75
    """
    labels, scores = _matrix(y_true), _matrix(y_score)
    if labels.shape != scores.shape:
        raise LabelError(f"y_true has shape {tuple(labels.shape)} but y_score {tuple(scores.shape)}; they must match.")
    n_labels = labels.shape[1]
    if average == "micro":
        weight = None if sample_weight is None else np.repeat(to_numpy(sample_weight), n_labels)
        return score(labels.reshape(-1), scores.reshape(-1), weight)
    values = np.array([score(labels[:, k], scores[:, k], sample_weight) for k in range(n_labels)])
    positives = to_numpy(labels) > 0
    weights = positives.sum(axis=0) if sample_weight is None else to_numpy(sample_weight) @ positives
    return _averaged(values, weights, average)


def _averaged(values: Array, weights: Array, average: Average | None) -> float | npt.NDArray[Any]:
    if average is None:
        return values
    if average == "macro":
        return float(values.mean())
    if average == "weighted":
        return float(np.average(values, weights=weights))
    raise InputError(f"average={average!r} is not known; use 'macro', 'weighted', 'micro' or None.")


def _columns(y_score: ArrayLike, rows: int) -> Array:
    scores = to_numpy(y_score)
    if scores.ndim != 2 or len(scores) != rows:
        raise LabelError(f"y_score has shape {scores.shape}, expected ({rows}, n_classes) for multi_class.")
    return scores


def _matrix(values: ArrayLike) -> Any:
    return values if isinstance(values, torch.Tensor) else np.asarray(values)
