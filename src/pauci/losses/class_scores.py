"""A batch split by label and class, for mathematics that is written so."""

from typing import NamedTuple

from torch import Tensor

from pauci.losses.inputs import Batch


class ClassScores(NamedTuple):
    """Scores of each class of one label, as `pauci.objectives` takes them.

    Attributes
    ----------
    positives, negatives : Tensor
        Scores of each class.
    weights : dict
        The keyword arguments `positive_weight` and `negative_weight`.
    """

    positives: Tensor
    negatives: Tensor
    weights: dict[str, Tensor | None]

    @property
    def has_pairs(self) -> bool:
        """Whether both classes are there, with a weight that is not 0."""
        of_positives, of_negatives = self.weights["positive_weight"], self.weights["negative_weight"]
        return all(
            scores.numel() > 0 and (weight is None or bool(weight.any()))
            for scores, weight in ((self.positives, of_positives), (self.negatives, of_negatives))
        )


def by_label(batch: Batch) -> list[ClassScores]:
    """Split a batch by class, for each label. This copies, and waits for the device.

    Examples
    --------
    >>> import torch
    >>> from pauci.losses.inputs import read_batch
    >>> [part] = by_label(read_batch(torch.tensor([0.5, -1.0]), torch.tensor([1, 0])))
    >>> part.negatives
    tensor([-1.])
    """
    score, positive, weight = batch
    if score.ndim == 1:
        score, positive = score.unsqueeze(1), positive.unsqueeze(1)
        weight = None if weight is None else weight.unsqueeze(1)
    parts = []
    for label in range(score.shape[1]):
        f, p, w = score[:, label], positive[:, label], None if weight is None else weight[:, label].to(score.dtype)
        weights = {"positive_weight": None if w is None else w[p], "negative_weight": None if w is None else w[~p]}
        parts.append(ClassScores(f[p], f[~p], weights))
    return parts
