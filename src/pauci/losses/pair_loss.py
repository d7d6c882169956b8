"""What losses over pairs of a positive and a negative have in common."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from pauci.losses.checks import check_index, check_num_labels
from pauci.losses.inputs import read_batch, widened
from pauci.losses.memory import read_index
from pauci.losses.pairs import Pairs, split_pairs, whole_pairs
from pauci.losses.reduction import gather_rows, scaled_for_mean, world_size


class PairLoss(nn.Module, ABC):
    """Base of the losses that are a mean over pairs: reads the batch and splits it into classes.

    While training in a distributed run the scores of all processes are gathered, so that every process returns the
    loss of all instances together; the gradients of its own scores are scaled for the mean that data-parallel training
    takes.
    A batch without one class has no pairs: its loss is 0, and so are its gradients.
    Inside of `torch.compile` the loss itself runs eagerly, between the graphs of what is around it. On a GPU, batches
    of up to 4,096 instances are not split but taken whole, with weights 0 for the other class: the host need not know
    how many there are of each, and a CUDA graph can hold the loss.

    Parameters
    ----------
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    data_size : int, optional
        Number of instances of the dataset, for losses that remember something of each positive.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.
    """

    #: Whether the loss has a use for dataset indices.
    remembers = False
    capturable = True
    #: Whether scores are logits, of which the loss compares the probabilities; None where it compares any scores.
    from_logits: bool | None = None
    #: Instances of a batch on a GPU up to which it is taken whole, so that a graph can hold it.
    largest_captured = 4096

    def __init__(self, *, num_labels: int | None, validate: bool | None, data_size: int | None = None) -> None:
        super().__init__()
        check_num_labels(num_labels)
        self.num_labels = num_labels
        self.validate = validate
        self.data_size = data_size

    # How many instances each class has differs from batch to batch, and whether there are any decides the way: a
    # compiler makes about ten fragments of it and, where pairs are taken in chunks, new ones for every batch.
    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def forward(
        self, y_score: Tensor, y_true: Tensor, index: Any = None, *, sample_weight: Tensor | None = None
    ) -> Tensor:
        """Loss of a batch.

        Parameters
        ----------
        y_score, y_true : Tensor
            Scores and labels, of shape (N,) or (N, 1), or (N, K) for K labels.
        index : Tensor, optional
            Dataset index of every instance. Losses that remember something about each positive need it while training.
            Without it, and when evaluating, they solve for those values on the batch. Other losses ignore it.
        sample_weight : Tensor, optional
            Non-negative weights, per instance or per score.

        Returns
        -------
        Tensor
            A scalar.
        """
        check_index(index)
        batch = read_batch(y_score, y_true, sample_weight, num_labels=self.num_labels, validate=self.validate)
        score = widened(y_score.reshape(batch.score.shape))
        rows = None
        if self.remembers and index is not None and self.training and torch.is_grad_enabled():
            rows = read_index(index, len(score), self.data_size, score.device)
        # Sums over pairs need their digits, also where autocast would take products in half precision.
        with torch.autocast(score.device.type, enabled=False):
            if score.ndim == 1:
                return self._label_loss(score, batch.positive, batch.weight, rows, 0)
            weight = batch.weight
            losses = [
                self._label_loss(score[:, k], batch.positive[:, k], None if weight is None else weight[:, k], rows, k)
                for k in range(score.shape[1])
            ]
            return torch.stack(losses).mean()

    @abstractmethod
    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Loss of one label.

        Parameters
        ----------
        pairs : Pairs
            Positives and negatives, of which there are some; probabilities in the place of logits.

        Returns
        -------
        Tensor
            A scalar.
        """

    def _label_loss(
        self, score: Tensor, positive: Tensor, weight: Tensor | None, index: Tensor | None, label: int
    ) -> Tensor:
        ranks = world_size() if self.training else 1
        if ranks > 1:
            score, positive, weight, index = _gather(score, positive, weight, index)
        weight = torch.ones_like(score) if weight is None else weight.to(score.dtype)
        pairs = (whole_pairs if self._takes_whole(score) else split_pairs)(score, positive, weight, index, label)
        if pairs is None:
            return score[:0].sum()
        if self.from_logits:
            pairs = pairs._replace(positives=pairs.positives.sigmoid(), negatives=pairs.negatives.sigmoid())
        loss = self.pair_loss(pairs)
        if (are_there := pairs.are_there) is not None:
            loss = loss * are_there
        return scaled_for_mean(loss, ranks)

    def _takes_whole(self, score: Tensor) -> bool:
        """Whether all pairs of instances cost less than to ask the device which are pairs of both classes."""
        return score.is_cuda and 0 < len(score) <= self.largest_captured


def _gather(
    score: Tensor, positive: Tensor, weight: Tensor | None, index: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
    """All processes' instances; this process's own scores stay differentiable."""
    optional = [column for column in (weight, index) if column is not None]
    # float64 holds indices up to 2^53 exactly.
    columns, own = gather_rows(torch.stack([column.detach().double() for column in (score, positive, *optional)], 1))
    others = columns[:, 0].to(score)
    score = torch.cat((others[: own.start], score, others[own.stop :]))
    return (
        score,
        columns[:, 1] > 0,
        None if weight is None else columns[:, 2].to(score),
        None if index is None else columns[:, -1].long(),
    )
