"""Soft selection by calibrated weights: the common part of AUC-poly and AUC-exp."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from pauci.losses.checks import check_index, check_num_labels, check_whole
from pauci.losses.clock import Clock
from pauci.losses.inputs import read_batch, widened
from pauci.losses.reduction import scaled_for_mean, sum_over_ranks, world_size

#: Probabilities are taken to be at least this large where a power of them has an infinite slope at 0.
_FLOOR = 1e-6


class WeightedAUCLoss(nn.Module, ABC):
    """Mean of ``w(e_i) w(e_j) (e_i + e_j)^2`` over all pairs, in O(n).

    The error of an instance is e_i = 1 - f_i for positives and e_j = f_j for negatives, so that the pair's squared
    loss ``(1 - (f_i - f_j))^2`` is ``(e_i + e_j)^2``; expanded, the sum over pairs is made of three weighted moments
    of each class. Subclasses say how an error becomes a weight, which is largest where the partial AUC is decided.
    Weights are differentiated, too.

    Parameters
    ----------
    two_way : bool
        Whether positives are weighted as well as negatives.
    warmup : int
        Calls of `advance` (once per epoch) during which all weights are 1: first AUC, then partial AUC.
    from_logits : bool
        Whether scores are logits; otherwise they must lie in [0, 1].
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.
    """

    capturable = True

    def __init__(
        self, *, two_way: bool, warmup: int, from_logits: bool, num_labels: int | None, validate: bool | None
    ) -> None:
        super().__init__()
        check_num_labels(num_labels)
        check_whole(": it is a number of epochs", least=0, warmup=warmup)
        self.two_way = two_way
        self.warmup = warmup
        self.from_logits = from_logits
        self.num_labels = num_labels
        self.validate = validate
        self.clock = Clock()

    @abstractmethod
    def weigh(self, error: Tensor, log_error: Tensor) -> Tensor:
        """Weights of instances with given errors in [0, 1]; `log_error` is finite also where the error is 0."""

    def advance(self) -> None:
        """Count an epoch of the warm-up."""
        self.clock.tick()

    def forward(
        self,
        y_score: Tensor,
        y_true: Tensor,
        index: Any = None,
        *,
        sample_weight: Tensor | None = None,
    ) -> Tensor:
        """Weighted squared risk of a batch.

        Parameters
        ----------
        y_score, y_true : Tensor
            Scores and labels, of shape (N,) or (N, 1), or (N, K) with `num_labels`.
        index : object, optional
            Dataset indices, for training loops that pass them; ignored.
        sample_weight : Tensor, optional
            Non-negative weights, per instance or per score.

        Returns
        -------
        Tensor
            A scalar, over the instances of all processes together; 0 if a class is absent.
        """
        check_index(index)
        batch = read_batch(
            y_score,
            y_true,
            sample_weight,
            num_labels=self.num_labels,
            probabilities=not self.from_logits,
            validate=self.validate,
        )
        score = widened(y_score.reshape(batch.score.shape))
        if self.from_logits:
            wrong = torch.where(batch.positive, -score, score)
            error, log_error = wrong.sigmoid(), functional.logsigmoid(wrong)
        else:
            error = torch.where(batch.positive, 1 - score, score)
            log_error = error.clamp(min=_FLOOR).log()
        ones = torch.ones_like(error)
        w = self.weigh(error, log_error)
        if self.warmup:
            # Asked on the device, where a recorded CUDA graph asks anew whenever it is replayed.
            w = torch.where(self.clock.count >= self.warmup, w, ones)
        if not self.two_way:
            w = torch.where(batch.positive, ones, w)
        moments = torch.stack((ones, w, w * error, w * error * error))
        if batch.weight is not None:
            moments = moments * batch.weight.to(error.dtype)
        classes = torch.where(batch.positive, moments, 0.0), torch.where(batch.positive, 0.0, moments)
        sums = torch.stack(classes).sum(2)
        ranks = world_size() if self.training else 1
        if ranks > 1:
            # Other processes' share is added as a constant.
            sums = sums + (sum_over_ranks(sums.detach().clone()) - sums.detach())
        # Means of each class, not sums over pairs: products of weights leave the range of numbers before they do.
        totals = sums[:, :1]
        (a0, a1, a2), (b0, b1, b2) = (sums[:, 1:] / (totals + (totals == 0))).unbind()
        loss = (a2 * b0 + 2 * a1 * b1 + a0 * b2).mean()
        return scaled_for_mean(loss, ranks)
