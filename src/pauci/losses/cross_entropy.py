"""Binary cross-entropy: the anchor every other loss is mixed with and compared to."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from pauci.losses.checks import check_index, check_num_labels, check_positive
from pauci.losses.inputs import read_batch, widened
from pauci.losses.reduction import sum_over_ranks, world_size


class CrossEntropyLoss(nn.Module):
    """Binary cross-entropy of logits.

    Parameters
    ----------
    pos_weight : float, default 1.0
        Factor on the positives.
    balanced : bool, default False
        Whether both classes weigh the same, whatever the batch's class ratio. By default all instances weigh the same.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> loss = CrossEntropyLoss()
    >>> loss(torch.tensor([0.0, 0.0, 0.0]), torch.tensor([1, 0, 0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        *,
        pos_weight: float = 1.0,
        balanced: bool = False,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__()
        check_num_labels(num_labels)
        check_positive(pos_weight=pos_weight)
        self.pos_weight = pos_weight
        self.balanced = balanced
        self.num_labels = num_labels
        self.validate = validate

    def forward(
        self,
        y_score: Tensor,
        y_true: Tensor,
        index: Any = None,
        *,
        sample_weight: Tensor | None = None,
    ) -> Tensor:
        """Mean cross-entropy of a batch.

        Parameters
        ----------
        y_score, y_true : Tensor
            Logits and labels, of shape (N,) or (N, 1), or (N, K) for K labels.
        index : object, optional
            Dataset indices, for training loops that pass them; ignored.
        sample_weight : Tensor, optional
            Non-negative weights, per instance or per score.

        Returns
        -------
        Tensor
            A scalar: the mean over instances (balanced: the mean of the class means; a class that is absent adds
            nothing). In a distributed run, averaging over the processes gives the mean over the instances of all of
            them. After ``loss.eval()`` each process averages its own instances, and may call the loss alone.
        """
        check_index(index)
        batch = read_batch(y_score, y_true, sample_weight, num_labels=self.num_labels, validate=self.validate)
        logits = widened(y_score.reshape(batch.score.shape))
        weight = torch.ones_like(batch.score, dtype=logits.dtype) if batch.weight is None else batch.weight.to(logits)
        ranks = world_size() if self.training else 1
        if self.balanced:
            sums = _total(ranks, torch.stack((weight * batch.positive, weight * ~batch.positive)).sum(1))
            of_positives, of_negatives = (2 * (sums + (sums == 0))).unbind()
            weight = weight / torch.where(batch.positive, of_positives, of_negatives)
        else:
            total = _total(ranks, weight.sum(0))
            weight = weight / (total + (total == 0))
        if self.pos_weight != 1:
            weight = torch.where(batch.positive, self.pos_weight * weight, weight)
        labels = logits.shape[1] if logits.ndim == 2 else 1
        return self._weighted_sum(logits, batch.positive, weight) * (ranks / labels)

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"pos_weight={self.pos_weight:g}, balanced={self.balanced}"

    def _weighted_sum(self, logits: Tensor, positive: Tensor, weight: Tensor) -> Tensor:
        return binary_cross_entropy_with_logits(logits, positive.to(logits), weight, reduction="sum")


def _total(ranks: int, sums: Tensor) -> Tensor:
    return sum_over_ranks(sums) if ranks > 1 else sums
