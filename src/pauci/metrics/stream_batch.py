"""A batch of a stream: scores and labels that stay on their device, checked with one transfer to the host."""

from typing import NamedTuple

import torch

from pauci.errors import LabelError, ScoreError
from pauci.rounding import LARGEST_WHOLE

MIXED_CODING = (
    "target has labels -1 and, before or after, labels 0: one of them stands for negatives, the other perhaps for what "
    "is to be ignored. Leave such rows out, or pass target > 0."
)


class StreamBatch(NamedTuple):
    """A batch that was found to be in order.

    Attributes
    ----------
    scores : Tensor of shape (n,)
        Finite numbers.
    positive : Tensor of bool of shape (n,)
        Which of them are of positives.
    coding : Tensor of bool of shape (2,)
        Whether there are labels 0, and labels -1.
    """

    scores: torch.Tensor
    positive: torch.Tensor
    coding: torch.Tensor


def read_batch(preds: torch.Tensor, target: torch.Tensor, before: torch.Tensor) -> StreamBatch:
    """Check a batch.

    Parameters
    ----------
    preds, target : Tensor of shape (n,) or (n, 1)
        Scores and labels.
    before : Tensor of int of shape (2,)
        In how many batches there were labels 0, and labels -1.

    Returns
    -------
    StreamBatch
        Scores, labels, and how negatives are written.

    Raises
    ------
    ScoreError, LabelError
        Shapes that do not match; NaN, infinite or too large scores; unknown labels, or labels written in two ways.

    Examples
    --------
    >>> read_batch(torch.tensor([0.2, 0.7]), torch.tensor([-1, 1]), torch.zeros(2)).positive
    tensor([False,  True])
    """
    _check_shapes(preds, target)
    scores, labels = preds.detach().flatten(), target.detach().flatten()
    positive = labels > 0
    coding = torch.stack([(labels == value).any() for value in (0, -1)])
    known = (labels == positive).all() | (labels == torch.where(positive, 1, -1)).all()
    alike = ~(coding | (before > 0)).all()
    finite = torch.isfinite(scores).all()
    # Only 64 bits reach beyond what a float keeps apart; a narrower type would wrap the limit itself around.
    exact = finite if scores.dtype != torch.int64 else ((scores >= -LARGEST_WHOLE) & (scores <= LARGEST_WHOLE)).all()
    finite, known, alike, exact = torch.stack([finite, known, alike, exact]).tolist()
    if not finite:
        raise ScoreError("preds holds NaN or infinite values; a model that diverged or log(0) are the usual causes.")
    if not known:
        raise LabelError("target must hold bool, {0, 1} or {-1, 1} labels only.")
    if not alike:
        raise LabelError(MIXED_CODING)
    if not exact:
        raise ScoreError("preds holds integers beyond 2**53, which cannot all be kept apart; subtract an offset first.")
    return StreamBatch(scores, positive, coding)


def _check_shapes(preds: torch.Tensor, target: torch.Tensor) -> None:
    for name, given, error in (("preds", preds, ScoreError), ("target", target, LabelError)):
        if not isinstance(given, torch.Tensor):
            raise error(f"{name} is a {type(given).__name__}, expected a Tensor; pass torch.as_tensor({name}).")
    if preds.squeeze().shape != target.squeeze().shape:
        raise LabelError(
            f"preds has shape {tuple(preds.shape)} but target {tuple(target.shape)}; they must match one to one. "
            "For binary softmax output pass its column 1."
        )
    if preds.shape[1:].numel() != 1:
        raise ScoreError(
            f"preds has shape {tuple(preds.shape)}, expected (n,) or (n, 1): classes or labels are not pooled. "
            "Use one metric per column, or flatten both arguments if all entries are one task."
        )
    if preds.is_complex():
        raise ScoreError(f"preds has type {preds.dtype}, expected real numbers.")
