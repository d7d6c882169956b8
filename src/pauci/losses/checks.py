"""What a batch may hold: finite scores, two labels, weights that are not negative."""

import math
import operator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pauci.errors import InputError, LabelError, ScoreError

Array = np.ndarray[Any, np.dtype[Any]]

#: Share of the largest number that weights may add up to: they are yet to be multiplied by terms of a loss. Those of a
#: class, which they are divided by, must be as far from the smallest.
_ROOM = 2.0**-20


def check_index(index: Any) -> None:
    """Refuse weights in the place of dataset indices: a loss that needs no index would lose them without a word.

    Examples
    --------
    >>> check_index(torch.tensor([4, 2]))
    """
    if index is None:
        return
    if isinstance(index, Tensor):
        dtype: Any = index.dtype
        is_index = not (index.is_floating_point() or index.is_complex() or dtype is torch.bool)
    else:
        dtype = np.asarray(index).dtype
        is_index = dtype.kind not in "fcb"
    if not is_index:
        raise InputError(
            f"index has dtype {dtype}; it holds dataset indices, which are integers. Weights are passed by name: "
            "sample_weight=..."
        )


def as_number(value: Any) -> float:
    """Return a number of any kind as a float, and NaN, for which no comparison holds, in the place of anything else.

    Examples
    --------
    >>> as_number(torch.tensor(0.5)), as_number("0.5")
    (0.5, nan)
    >>> as_number(torch.ones(2)), as_number(10**400)
    (nan, nan)
    """
    try:
        return float(value) if hasattr(value, "__float__") else math.nan
    except (TypeError, ValueError, OverflowError, RuntimeError):  # several numbers, or one that no float can hold
        return math.nan


def check_positive(**options: Any) -> None:
    """Raise unless options of a loss are positive, finite numbers."""
    for name, value in options.items():
        if not 0 < as_number(value) < math.inf:
            raise InputError(f"{name}={value!r} must be positive and finite.")


def check_not_negative(**options: Any) -> None:
    """Raise unless options of a loss are finite numbers of at least 0."""
    for name, value in options.items():
        if not 0 <= as_number(value) < math.inf:
            raise InputError(f"{name}={value!r} must be at least 0 and finite.")


def check_whole(hint: str = "", *, least: int = 1, **options: Any) -> None:
    """Raise unless options of a loss are whole numbers, large enough; a hint ends the message.

    Examples
    --------
    >>> check_whole(", or None", num_labels=2.5)
    Traceback (most recent call last):
    pauci.errors.InputError: num_labels=2.5 must be a whole number of at least 1, or None.
    """
    for name, value in options.items():
        try:
            is_enough = not isinstance(value, bool) and operator.index(value) >= least
        except TypeError:
            is_enough = False
        if not is_enough:
            raise InputError(f"{name}={value!r} must be a whole number of at least {least}{hint}.")


def check_num_labels(num_labels: Any) -> None:
    """Raise unless a number of labels is one, or not told."""
    if num_labels is not None:
        check_whole(", or None for that of the scores", num_labels=num_labels)


def check_momentum(momentum: Any) -> None:
    """Raise unless a number is the share of the newest batch in an average."""
    if not 0 < as_number(momentum) <= 1:
        raise InputError(f"momentum={momentum!r} must lie in (0, 1]: the share of the newest batch.")


def check_differentiated_once() -> None:
    """Refuse, in a backward pass, to leave gradients that look as if they could be differentiated again."""
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():
        raise InputError(
            "create_graph=True asks for gradients that can be differentiated again, which this loss does not have. "
            "Leave its gradient out of the penalty, or take the penalty's gradient in a separate backward pass."
        )


def check_values(score: Tensor, y_true: Tensor, weight: Tensor | None, *, probabilities: bool) -> Array:
    """Look at the values of a batch, and return the mask of the positives.

    Examples
    --------
    >>> check_values(torch.tensor([0.5, 2.0]), torch.tensor([-1, 1]), None, probabilities=False)
    array([False,  True])
    """
    _check_scores(as_array(score), probabilities)
    positive = _check_labels(as_array(y_true))
    if weight is not None:
        _check_weights(as_array(weight), positive, np.float64 if score.dtype is torch.float64 else np.float32)
    return positive


def as_array(tensor: Tensor) -> Array:
    """Return a tensor's values, without a copy for ordinary CPU tensors."""
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.float()
    try:
        return tensor.numpy() if tensor.is_cpu else tensor.cpu().numpy()
    except RuntimeError as error:
        raise InputError(
            f"a tensor of the batch cannot be read here ({error}), as inside torch.func.grad and vmap. validate=False "
            "leaves values unread; losses that still need them, as PAUCILoss does, work with backward() and "
            "torch.autograd.grad instead."
        ) from error


def _check_scores(scores: Array, probabilities: bool) -> None:
    if not scores.size:
        return
    # A finite sum of squares proves all values finite in one cheap pass.
    if not probabilities and math.isfinite(np.vdot(scores, scores)):
        return
    low, high = scores.min(), scores.max()
    if not -math.inf < low <= high < math.inf:
        bad = scores.size - np.count_nonzero(np.isfinite(scores))
        raise ScoreError(
            f"y_score holds {bad} value(s) that are NaN or infinite out of {scores.size}: training has diverged, or "
            "the inputs hold NaN. Lower the learning rate, clip gradients, or check the data."
        )
    if probabilities and not 0 <= low <= high <= 1:
        raise ScoreError(
            f"y_score lies in [{low:g}, {high:g}] but from_logits=False expects [0, 1]; "
            "pass logits with from_logits=True, or apply a sigmoid first."
        )


def _check_labels(labels: Array) -> Array:
    """Return the mask of the positives."""
    # Of {0, 1} those that are not 0; small arrays count faster than they reduce.
    positive: Array = labels.astype(bool, copy=False)
    if np.count_nonzero(labels == positive) == labels.size:
        return positive
    if (np.abs(labels) == 1).all():
        return labels > 0
    odd = labels[(labels != 0) & (np.abs(labels) != 1)]
    raise LabelError(
        f"y_true holds {odd.flat[0] if odd.size else 'a mix of -1, 0 and 1'}; labels are bool, {{0, 1}} or {{-1, 1}}. "
        "Binarise them first, or pass validate=False if positive simply means greater than 0."
    )


def _check_weights(weights: Array, positive: Array, computed_in: type[np.floating[Any]]) -> None:
    if not weights.size:
        return
    total, smallest, floats = weights.sum(dtype=np.float64), weights.min(), np.finfo(computed_in)
    if not (smallest >= 0 and total < _ROOM * floats.max):
        if not (smallest >= 0 and np.isfinite(weights).all()):
            raise InputError(
                "sample_weight holds negative, NaN or infinite values; weights must be finite and at least 0."
            )
        raise InputError(
            f"sample_weight adds up to {total:.3g}, too much for {computed_in.__name__}. Their ratios alone count: "
            "divide them by the largest."
        )
    if smallest >= floats.tiny / _ROOM:
        return
    for name, members in (("positives", positive), ("negatives", ~positive)):
        # Several times faster than a sum with `where`.
        of_class = np.multiply(weights, members).sum(axis=0, dtype=np.float64)
        too_small = (of_class > 0) & (of_class < floats.tiny / _ROOM)
        if too_small.any():
            raise InputError(
                f"sample_weight of the {name} adds up to {of_class[too_small].min():.3g}, too little for "
                f"{computed_in.__name__}. Their ratios alone count: divide all weights by the largest."
            )
