"""Reading labels, scores and weights: everything a metric needs to know before it may return a number."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from pauci.errors import InputError, LabelError, ScoreError
from pauci.missing import missing_labels
from pauci.rounding import LARGEST_WHOLE

Array: TypeAlias = npt.NDArray[Any]
ArrayLike: TypeAlias = npt.ArrayLike | torch.Tensor


@dataclass(frozen=True)
class BinaryScores:
    """Scores of the two classes, apart: owned copies, which metrics may reorder.

    Attributes
    ----------
    positives, negatives : ndarray of shape (n_positive,) and (n_negative,)
        Finite scores of their original type, as read in their original order; both have at least one entry.
        Without weights, selecting the highest negatives (`top_negatives`) reorders them in place; nothing may
        rely on their order afterwards.
    positive_weight, negative_weight : ndarray or None
        Non-negative float64 weights, or None when every instance counts once.
    """

    positives: Array
    negatives: Array
    positive_weight: Array | None = None
    negative_weight: Array | None = None


def read_binary(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> BinaryScores:
    """Check labels, scores and weights, and take the two classes apart.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels: bool, {0, 1} or {-1, 1}; anything else needs `pos_label`.
    y_score : array-like of shape (n,) or (n, 1)
        Scores, higher for positives. Any real type; tensors are read on the CPU.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights.
    pos_label : object, optional
        The label of the positive class; all others are negative (one against the rest).

    Returns
    -------
    BinaryScores
        The scores of either class.

    Raises
    ------
    LabelError
        Unknown or missing labels, one class only, or a length that does not match the scores.
    ScoreError
        Scores that are not numbers, not finite or not one-dimensional.

    Examples
    --------
    >>> read_binary([0, 1, 0], [0.1, 0.9, 0.4]).negatives
    array([0.1, 0.4])
    """
    scores = read_scores(y_score)
    positive = read_labels(y_true, pos_label=pos_label)
    check_length("y_true", positive, scores)
    n_positive = int(np.count_nonzero(positive))
    if n_positive in (0, positive.size):
        only = "positives" if n_positive else "negatives"
        raise LabelError(
            f"y_true holds only {only} ({positive.size} of them): a ROC curve needs both classes. "
            "Check the label column, or evaluate on a larger sample."
        )
    negative = ~positive
    if sample_weight is None:
        return BinaryScores(scores[positive], scores[negative])
    weight = read_weight(sample_weight, scores)
    for name, members in (("positives", positive), ("negatives", negative)):
        if not weight[members].any():
            raise InputError(f"sample_weight is zero for all {name}; at least one must count.")
    return BinaryScores(scores[positive], scores[negative], weight[positive], weight[negative])


def read_scores(y_score: ArrayLike, *, name: str = "y_score") -> Array:
    """Return scores as a one-dimensional array of finite real numbers."""
    scores: Array = column(to_numpy(y_score))
    if scores.ndim != 1:
        raise ScoreError(
            f"{name} has shape {scores.shape}, expected (n,): for several classes or labels use partial_auc_score "
            "with multi_class= or two-dimensional labels; for binary predict_proba output pass its column 1."
        )
    if scores.dtype.kind == "b":
        return scores.astype(np.uint8)
    if scores.dtype.kind not in "iuf":
        raise ScoreError(f"{name} has type {scores.dtype}, expected real numbers; convert the scores to float first.")
    if scores.dtype.kind == "f":
        _check_finite(scores, name)
    return scores


def read_labels(y_true: ArrayLike, *, pos_label: Any = None) -> npt.NDArray[np.bool_]:
    """Return a boolean array that is true for the positives.

    With `pos_label`, every other label is negative: of three or more labels, one against the rest.
    """
    labels: Array = column(read_classes(y_true))
    if labels.ndim != 1:
        raise LabelError(f"y_true has shape {labels.shape}, expected (n,).")
    if labels.size == 0:
        raise LabelError("y_true is empty: there is nothing to evaluate.")
    if pos_label is not None:
        positive = labels == pos_label
        if not isinstance(positive, np.ndarray) or positive.shape != labels.shape or not positive.any():
            raise LabelError(f"pos_label={pos_label!r} does not occur in y_true, which holds {_some(labels)}.")
        return positive.astype(bool, copy=False)
    if labels.dtype == object and all(isinstance(label, Real | np.bool_) for label in labels):
        labels = labels.astype(np.float64)
    if labels.dtype.kind == "b":
        return labels
    if labels.dtype.kind in "iuf":
        positive = labels > 0
        if np.array_equal(labels, positive) or np.array_equal(labels, np.where(positive, 1, -1)):
            return positive
    scores = labels.dtype.kind == "f" and bool((labels != np.round(labels)).any())
    remedy = (
        "Are y_true and y_score in each other's place?"
        if scores
        else "Pass y_true == the positive class, or name that class with pos_label= where it is taken."
    )
    raise LabelError(f"y_true holds {_some(labels)}; expected bool, {{0, 1}} or {{-1, 1}}. {remedy}")


def read_classes(y_true: ArrayLike, *, name: str = "y_true") -> Array:
    """Return labels of any kind and shape as an array in which none is missing."""
    labels = to_numpy(y_true)
    missing = missing_labels(y_true, labels)
    if missing.any():
        raise LabelError(
            f"{name} holds {missing.sum()} missing label(s) (NaN, NaT or None), the first at position "
            f"{np.flatnonzero(missing)[0]}. They are neither positive nor negative; drop these rows first."
        )
    return labels


def read_weight(sample_weight: ArrayLike, like: Array) -> npt.NDArray[np.float64]:
    """Return finite, non-negative float64 weights, one per score, of which the largest is at least 1/2 and below 1.

    Weights count by their ratios; brought to this size, neither their sums nor their squares leave the range of
    numbers. It is done by a power of 2, which changes no digit.
    """
    weight = to_numpy(sample_weight)
    if weight.ndim != 1 or weight.dtype.kind not in "biuf":
        raise InputError(
            f"sample_weight has shape {weight.shape} and type {weight.dtype}, expected numbers of shape (n,)."
        )
    check_length("sample_weight", weight, like)
    weight = weight.astype(np.float64)
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise InputError("sample_weight holds negative, NaN or infinite values; weights must be finite and at least 0.")
    scaled: npt.NDArray[np.float64] = np.ldexp(weight, -np.frexp(weight.max(initial=0.0))[1])
    return scaled


def check_as_thresholds(scores: BinaryScores | Array) -> None:
    """Raise where thresholds, which are floats, could not tell integer scores apart."""
    classes = (scores.positives, scores.negatives) if isinstance(scores, BinaryScores) else (scores,)
    if classes[0].dtype.kind not in "iu":
        return
    if max(abs(int(end)) for values in classes for end in (values.min(), values.max())) <= LARGEST_WHOLE:
        return
    distinct = np.unique(np.concatenate(classes))
    if len(np.unique(distinct.astype(np.float64))) < len(distinct):
        raise ScoreError(
            "y_score holds integers beyond 2**53 so close to each other that a threshold, which is a float, cannot "
            "tell them apart; subtract an offset first, or pass ranks."
        )


def check_length(name: str, values: Array, scores: Array, *, of: str = "y_score") -> None:
    """Raise unless `values` has one entry per score."""
    if len(values) != len(scores):
        raise LabelError(f"{name} has {len(values)} entries but {of} has {len(scores)}; they must match one to one.")


def check_probability(name: str, value: Any) -> None:
    """Raise unless `value` is a number strictly between 0 and 1."""
    if not isinstance(value, float | np.floating) or not 0 < value < 1:
        raise InputError(f"{name}={value!r} must be a number above 0 and below 1: 1% is 0.01.")


def column(values: Any) -> Any:
    """Return the only column of an array or tensor of shape (n, 1), and anything else as it is."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def to_numpy(values: ArrayLike) -> Array:
    """Return an array, from a tensor of any type and device or from anything numpy understands."""
    if isinstance(values, torch.Tensor):
        tensor = values.detach().cpu()
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    if np.ma.is_masked(values):
        # An array would bring what lies behind the mask to light again.
        raise InputError("a masked array holds masked entries, which are missing; drop these rows everywhere first.")
    array = np.asarray(values)
    # Extended precision has no place on a GPU or in a file; nobody's ranking depends on it.
    return array.astype(np.float64) if array.dtype == np.longdouble else array


def _check_finite(scores: Array, name: str) -> None:
    # A finite sum proves finite scores in one pass without a temporary; an overflowing one proves nothing.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(scores.sum()):
            return
    bad = np.flatnonzero(~np.isfinite(scores))
    if bad.size:
        raise ScoreError(
            f"{name} holds {bad.size} NaN or infinite value(s), the first at position {bad[0]}: {scores[bad[0]]}. "
            "A model that diverged or log(0) are the usual causes; drop or repair these rows first."
        )


def _some(labels: Array) -> str:
    # Mixed objects cannot be sorted, so order them by their text.
    listed = labels[:10_000].tolist()
    values = sorted({str(value) for value in listed})
    types = ", ".join(sorted({type(value).__name__ for value in listed}))
    return f"the values {', '.join(values[:5])}{', ...' if len(values) > 5 else ''} of type {types}"
