"""AGD-SBCD's objective: pairwise logistic loss over a range of false positive rates."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from pauci.errors import RegionError
from pauci.losses.checks import check_positive
from pauci.losses.memory import Memory
from pauci.losses.pair_loss import PairLoss
from pauci.losses.pair_rows import pair_row_sums
from pauci.losses.pairs import Pairs, in_region, weighed
from pauci.losses.sorted_pairs import share_above
from pauci.region import Region, one_region

Part = Literal["difference", "upper", "lower"]


class AGDSBCDLoss(PairLoss):
    """Logistic loss of the pairs with false positive rates in a range (Yao et al. 2022).

    The loss is ``(F^n - F^m) / (n - m)`` with ``F^l = mean_i [l lam_i + mean_j (s_ij - lam_i)_+]`` and
    ``s_ij = log(1 + exp(f_j - f_i))``. Here n and m are the largest and smallest false positive rate, and F^l is l
    times the mean of the largest share l of each positive's losses, once lam_i cuts it off. With dataset indices, the
    loss remembers lam_i for every positive, for n and for m, and moves it by one gradient step whenever it meets the
    positive. Without indices it remembers nothing: it cuts the losses off on the batch.

    Any optimiser can minimise it. The method's own is `pauci.optim.AGDSBCD`, which treats the difference of convex
    functions part by part.

    Parameters
    ----------
    region : Region, optional
        The region to train for, a range of false positive rates. Alternatively, give `max_fpr`.
    max_fpr : float
        n, when `region` is not given; then m is 0.
    threshold_lr : float, default 0.1
        Step length of lam_i.
    data_size : int, optional
        Number of instances of the dataset. By default the memory grows with the indices it meets.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> loss = AGDSBCDLoss(max_fpr=0.5)
    >>> loss(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1, 0, 0]))
    tensor(0.6931)
    """

    remembers = True

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        threshold_lr: float = 0.1,
        data_size: int | None = None,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(num_labels=num_labels, validate=validate, data_size=data_size)
        self.region = one_region(region, max_fpr=max_fpr)
        if self.region.height < 1:
            raise RegionError(
                f"region {self.region} bounds tpr, but AGD-SBCD knows ranges of fpr only; "
                "use STACOLoss for a region with tpr>=..., or MiniBatchLoss for any rectangle."
            )
        check_positive(threshold_lr=threshold_lr)
        self.threshold_lr = threshold_lr
        self.upper_thresholds = Memory(0.0, data_size, num_labels)
        self.lower_thresholds = Memory(0.0, data_size, num_labels)
        self._part: Part = "difference"

    @property
    def capturable(self) -> bool:  # type: ignore[override]
        """Whether a CUDA graph can hold the loss: not that of a band, where the host decides which part is computed."""
        return self.region.min_fpr == 0

    @contextmanager
    def only(self, part: Part) -> Iterator[None]:
        """Make the loss one part of the difference, over n - m, within the context.

        Parameters
        ----------
        part : {"difference", "upper", "lower"}
            F^n - F^m, F^n, or F^m.

        Yields
        ------
        None
            Nothing.
        """
        before, self._part = self._part, part
        try:
            yield
        finally:
            self._part = before

    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Sum of the requested parts."""
        low, high = self.region.min_fpr, self.region.max_fpr
        if pairs.rows is None and self._part == "difference":
            return _mean_logistic(in_region(pairs, self.region))
        loss = pairs.p.new_zeros(())
        if self._part != "lower":
            loss = loss + self._top(pairs, high, self.upper_thresholds)
        if self._part != "upper" and low > 0:
            top = self._top(pairs, low, self.lower_thresholds)
            loss = loss + top if self._part == "lower" else loss - top
        return loss / (high - low)

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"{self.region}, threshold_lr={self.threshold_lr:g}"

    def _top(self, pairs: Pairs, share: float, memory: Memory) -> Tensor:
        """F^l for l = share."""
        if pairs.rows is None:
            return share * _mean_logistic(in_region(pairs, Region(max_fpr=share)))
        lam = memory.read(pairs.rows, pairs.label).to(pairs.p.dtype)
        rows = pair_row_sums(_LogisticAbove(), pairs.positives, pairs.negatives, pairs.q, lam)
        above = share_above(pairs.negatives, pairs.q, pairs.positives.detach() + _difference(lam))
        memory.write(pairs.rows, lam - self.threshold_lr * (1 - above / share), pairs.label, only=pairs.own)
        return pairs.p @ (share * lam + rows)


def _mean_logistic(pairs: Pairs) -> Tensor:
    pairs = weighed(pairs)
    return pairs.p @ pair_row_sums(_LogisticAbove(), pairs.positives, pairs.negatives, pairs.q)


@dataclass(frozen=True)
class _LogisticAbove:
    """(log(1 + exp(t)) - c)_+."""

    def value(self, t: Tensor, c: Tensor) -> Tensor:
        return functional.softplus(t).sub_(c).clamp_(min=0)

    def slope(self, t: Tensor, c: Tensor) -> Tensor:
        return t.sigmoid().mul_(t > _difference(c))


def _difference(loss: Tensor) -> Tensor:
    """Return the difference of scores t at which log(1 + exp(t)) is a given loss; below 0 there is none."""
    return torch.where(loss > 0, loss + torch.log(-torch.expm1(-loss)), -torch.inf)
