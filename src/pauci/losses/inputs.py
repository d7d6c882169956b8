"""What a loss is called with: scores, labels and weights, read once and the same way by every loss."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from pauci.errors import InputError, LabelError, ScoreError
from pauci.losses.checks import Array, as_array, check_values


class Batch(NamedTuple):
    """A batch as every loss sees it.

    Attributes
    ----------
    score : Tensor
        Scores of shape (N,), or (N, K) for K labels, detached.
    positive : Tensor
        Boolean, of the same shape.
    weight : Tensor or None
        Non-negative weights, of the same shape; `None` when all instances count the same.
    """

    score: Tensor
    positive: Tensor
    weight: Tensor | None

    def tensors(self) -> "Batch":
        """Return the batch itself: it is made of tensors."""
        return self


def read_batch(
    y_score: Tensor,
    y_true: Tensor,
    sample_weight: Tensor | None = None,
    *,
    num_labels: int | None = None,
    probabilities: bool = False,
    validate: bool | None = None,
) -> Batch:
    """Check a loss's arguments, which its `forward` describes, and bring them to one shape.

    Parameters
    ----------
    y_score, y_true, sample_weight : Tensor
        As the loss was given them.
    num_labels : int, optional
        Number of labels that a multilabel loss expects; by default that of the batch.
    probabilities : bool, default False
        Whether the scores must lie in [0, 1].
    validate : bool, optional
        Whether to look at the values. By default on the CPU only: elsewhere it would make the host wait.

    Examples
    --------
    >>> read_batch(torch.tensor([[0.5], [-1.0]]), torch.tensor([1, -1])).positive
    tensor([ True, False])
    """
    aligned = align(y_score, y_true, sample_weight, num_labels=num_labels)
    return tensor_batch(*aligned, probabilities=probabilities, validate=validate)


class HostBatch(NamedTuple):
    """A batch of one label in the host's memory.

    Attributes
    ----------
    score : Tensor
        Scores of shape (N,), detached.
    positive : array
        Boolean, of the same shape.
    weight : array or None
        Non-negative weights, of the same shape.
    """

    score: Tensor
    positive: Array
    weight: Array | None

    def tensors(self) -> Batch:
        """Return the same batch as other places take it."""
        weight = None if self.weight is None else torch.from_numpy(self.weight)
        return Batch(self.score, torch.from_numpy(self.positive), weight)


def tensor_batch(
    score: Tensor, y_true: Tensor, weight: Tensor | None, *, probabilities: bool, validate: bool | None
) -> Batch:
    """Read a batch of any shape on any device from what `align` returned."""
    if (score.is_cpu and not torch.compiler.is_compiling()) if validate is None else validate:
        positive = check_values(score, y_true, weight, probabilities=probabilities)
        if score.is_cpu:
            # Small arrays compare several times faster than small tensors.
            return Batch(score, torch.from_numpy(positive), weight)
    return Batch(score, y_true if y_true.dtype is torch.bool else y_true > 0, weight)


def host_batch(
    score: Tensor, y_true: Tensor, weight: Tensor | None, *, probabilities: bool, validate: bool | None
) -> HostBatch:
    """Read a batch of one label on the CPU, shape (N,), into arrays from what `align` returned."""
    if validate is None or validate:
        positive = check_values(score, y_true, weight, probabilities=probabilities)
    else:
        positive = as_array(y_true) > 0
    return HostBatch(score, positive, None if weight is None else as_array(weight))


def align(
    y_score: Tensor, y_true: Tensor, sample_weight: Tensor | None, *, num_labels: int | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Check what arguments of `read_batch` are, not what they hold, and bring them to one shape.

    Returns
    -------
    tuple of Tensor, Tensor and Tensor or None
        Scores, (N,) or (N, K); labels and weights to match. All are detached.
    """
    if not (
        isinstance(y_score, Tensor)
        and isinstance(y_true, Tensor)
        and (sample_weight is None or isinstance(sample_weight, Tensor))
    ):
        raise _not_a_tensor(y_score=y_score, y_true=y_true, sample_weight=sample_weight)
    if not y_score.is_floating_point():
        raise ScoreError(
            f"y_score has dtype {y_score.dtype}; a loss needs floating point scores, straight from the model."
        )
    score = y_score.detach()
    if score.ndim != 1 or num_labels is not None:
        score = _columns(score, y_true, num_labels)
    if y_true.requires_grad:
        y_true = y_true.detach()
    if y_true.shape != score.shape:
        y_true = _same_shape(y_true, score, "y_true")
    if sample_weight is not None:
        if sample_weight.requires_grad and torch.is_grad_enabled():
            raise InputError(
                "sample_weight requires a gradient, but losses take weights as constants and would leave it none; pass "
                "sample_weight.detach()."
            )
        sample_weight = sample_weight.detach()
        if score.ndim == 2 and sample_weight.shape == (len(score),):
            sample_weight = sample_weight.unsqueeze(1).expand_as(score)
        sample_weight = _same_shape(sample_weight, score, "sample_weight")
    if not score.is_cpu:
        _check_devices(score, y_true=y_true, sample_weight=sample_weight)
    return score, y_true, sample_weight


def widened(score: Tensor) -> Tensor:
    """Return half-precision scores in single precision: a loss is an fp32 island."""
    return score if score.dtype in (torch.float32, torch.float64) else score.float()


def check_loss_device(score: Tensor, own: Tensor) -> None:
    """Refuse scores that are on another device than a loss's own variables."""
    if own.device != score.device:
        raise InputError(
            f"the loss is on {own.device} but y_score on {score.device}; move the loss like the model: "
            "loss.to(y_score.device)."
        )


def _check_devices(score: Tensor, **others: Tensor | None) -> None:
    for name, value in others.items():
        if value is not None and value.device != score.device:
            error = LabelError if name == "y_true" else InputError
            raise error(
                f"{name} is on {value.device} but y_score on {score.device}; move it there: {name}.to(y_score.device)."
            )


def _not_a_tensor(**arguments: Any) -> InputError:
    errors = {"y_score": ScoreError, "y_true": LabelError}
    name, value = next((name, value) for name, value in arguments.items() if not isinstance(value, Tensor))
    message = f"{name} is a {type(value).__name__}; a loss needs tensors: use torch.as_tensor({name})."
    return errors.get(name, InputError)(message)


def _columns(score: Tensor, y_true: Tensor, num_labels: int | None) -> Tensor:
    shape = tuple(score.shape)
    if num_labels is None:
        if len(shape) == 2 and shape[1] == 1:
            return score.squeeze(1)
        if len(shape) == 2 and shape[1] > 0 and y_true.shape == score.shape:
            return score
        raise ScoreError(
            f"y_score has shape {shape}, expected (N,) or (N, 1); or (N, K) beside labels of the same shape. "
            "Of a two-column output pass the logit of the positive class, scores[:, 1] - scores[:, 0]."
        )
    if len(shape) != 2 or shape[1] != num_labels:
        raise ScoreError(
            f"y_score has shape {shape}, expected (N, {num_labels}): the loss has num_labels={num_labels}, which was "
            "given or is that of its first batch."
        )
    return score


def _same_shape(values: Tensor, score: Tensor, name: str) -> Tensor:
    if values.shape == score.shape:
        return values
    if score.ndim == 1 and values.shape == (len(score), 1):
        return values.squeeze(1)
    error = LabelError if name == "y_true" else InputError
    raise error(
        f"{name} has shape {tuple(values.shape)} but y_score {tuple(score.shape)}: "
        "they must describe the same instances in the same order."
    )
