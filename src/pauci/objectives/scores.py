"""What the functions that return numbers, not tensors, demand of scores."""

from torch import Tensor

from pauci.errors import LabelError, ScoreError


def check_scores(positives: Tensor, negatives: Tensor) -> None:
    """Raise unless both classes are there and all scores are numbers in [0, 1].

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class.

    Examples
    --------
    >>> import torch
    >>> check_scores(torch.tensor([0.9]), torch.tensor([0.1, 2.0]))
    Traceback (most recent call last):
    pauci.errors.ScoreError: negatives hold the score 2, outside [0, 1]; pass probabilities, for instance ...
    """
    for name, scores in (("positives", positives), ("negatives", negatives)):
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
