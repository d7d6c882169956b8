"""What the functions that return numbers, not tensors, demand of scores and weights."""

from typing import Any

import torch
from torch import Tensor

from pauci.errors import InputError, LabelError, ScoreError


def check_scores(
    positives: Tensor,
    negatives: Tensor,
    *,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> None:
    """Raise unless both classes are there, scores are numbers in [0, 1], and weights are non-negative numbers.

    Examples
    --------
    >>> check_scores(torch.tensor([0.9]), torch.tensor([0.1, 2.0]))
    Traceback (most recent call last):
    pauci.errors.ScoreError: negatives hold the score 2, outside [0, 1]; pass probabilities, for instance ...
    """
    _check_class("positives", positives, "positive_weight", positive_weight)
    _check_class("negatives", negatives, "negative_weight", negative_weight)


def _check_class(name: str, scores: Any, weight_name: str, weights: Any) -> None:
    given = {name: scores} if weights is None else {name: scores, weight_name: weights}
    for argument, values in given.items():
        if not isinstance(values, Tensor):
            kind = type(values).__name__
            raise InputError(f"{argument}: expected a Tensor, not a {kind}; use torch.as_tensor({argument}).")
    if scores.ndim != 1:
        raise ScoreError(f"{name} have the shape {tuple(scores.shape)}; pass the scores of one class as a vector.")
    if scores.numel() == 0:
        raise LabelError(f"there are no {name}; the objective compares the two classes and needs both.")
    outside = ~((scores >= 0) & (scores <= 1))
    if outside.any():
        raise ScoreError(
            f"{name} hold the score {scores[outside][0].item():g}, outside [0, 1]; "
            "pass probabilities, for instance torch.sigmoid(logits)."
        )
    if weights is None:
        return
    if weights.shape != scores.shape:
        raise InputError(
            f"{weight_name} has the shape {tuple(weights.shape)}, but there are {scores.numel()} {name}; "
            "pass one weight per score."
        )
    if not (torch.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InputError(f"{weight_name} must hold finite numbers of at least 0, not all of them 0.")
