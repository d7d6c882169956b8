"""SOPA-S: partial AUC with soft selection, one-way and two-way."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from pauci.losses.checks import check_momentum, check_positive
from pauci.losses.memory import Memory
from pauci.losses.pair_loss import PairLoss
from pauci.losses.pair_rows import pair_row_sums
from pauci.losses.pairs import Pairs


class SOPASLoss(PairLoss):
    """Mean over positives of soft maxima of squared hinge losses against negatives (SOPA-S, SOTA-s; Zhu et al. 2022).

    The soft maximum of a positive is ``g_i = lam log mean_j exp(l_ij / lam)`` with
    ``l_ij = (margin - (f_i - f_j))_+^2``. It ranges from the mean of the losses (large lam, AUC) to their maximum
    (small lam, the lowest false positive rates). The one-way loss averages g_i over the positives. The two-way loss,
    ``tau log mean_i exp(g_i / tau)``, weighs the hardest positives most.

    With dataset indices, ``u_i = mean_j exp(l_ij / lam)`` is a moving average for every positive, and
    ``v = mean_i u_i^(lam / tau)`` is one, too; both are kept as logarithms. They begin as the values of the batch.
    Without indices nothing is remembered: the batch's own values are used, and the gradient is that of the batch's
    risk.

    Parameters
    ----------
    temperature : float, default 1.0
        lam: the softness of the selection of negatives.
    positive_temperature : float, optional
        tau: the softness of the selection of positives. If given, the loss is two-way.
    momentum : float, default 0.9
        Share of the newest batch in u_i and v.
    margin : float, default 1.0
        Smallest difference of scores at which a pair costs nothing.
    from_logits : bool, default True
        Whether to apply a sigmoid first. Otherwise scores are compared as they are, probabilities or not.
    data_size : int, optional
        Number of instances of the dataset. By default the memory grows with the indices it meets.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> loss = SOPASLoss(temperature=0.1, from_logits=False)
    >>> loss(torch.tensor([0.75, 0.5, 0.25]), torch.tensor([1, 0, 0]))
    tensor(0.4975)
    """

    remembers = True

    def __init__(
        self,
        *,
        temperature: float = 1.0,
        positive_temperature: float | None = None,
        momentum: float = 0.9,
        margin: float = 1.0,
        from_logits: bool = True,
        data_size: int | None = None,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(num_labels=num_labels, validate=validate, data_size=data_size)
        check_positive(temperature=temperature, margin=margin)
        if positive_temperature is not None:
            check_positive(positive_temperature=positive_temperature)
        check_momentum(momentum)
        self.temperature = temperature
        self.positive_temperature = positive_temperature
        self.momentum = momentum
        self.margin = margin
        self.from_logits = from_logits
        self.log_u = Memory(-math.inf, data_size, num_labels)
        self.log_v = Memory(-math.inf, 1, num_labels)  # one number per label

    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Objective at the moving averages, which already include the batch."""
        f_pos, f_neg, p, q, rows, label, own = pairs
        lam, tau = self.temperature, self.positive_temperature
        # What has no weight must not be the largest of a row either.
        f_neg = torch.where(q > 0, f_neg, f_neg.detach().amin())
        # The largest exponent of each row keeps exp from overflowing; it cancels.
        top = (f_neg.detach().max() - f_pos.detach()).add_(self.margin).clamp_(min=0)
        new_u = top**2 / lam + pair_row_sums(_ExpSquaredHinge(self.margin, lam), f_pos, f_neg, q, top).log()
        log_u = new_u.detach()
        if rows is not None:
            log_u = self._average(self.log_u.read(rows, label), log_u)
            self.log_u.write(rows, log_u, label, only=own)
        if tau is None:
            value, gain = lam * (p @ log_u), new_u.detach() - log_u
        else:
            ratio = lam / tau
            log_v = torch.logsumexp(p.log() + ratio * log_u, 0)
            if rows is not None:
                first = rows.new_zeros(1)
                log_v = self._average(self.log_v.read(first, label)[0], log_v)
                self.log_v.write(first, log_v[None], label, only=pairs.are_there)
            value, gain = tau * log_v, (ratio - 1) * log_u + new_u.detach() - log_v
        slope = lam * ((p.log() + gain).exp() @ new_u)
        return value + (slope - slope.detach())

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"temperature={self.temperature}, positive_temperature={self.positive_temperature}"

    def _average(self, old: Tensor, new: Tensor) -> Tensor:
        """Average exp(old) and exp(new); all three are logarithms."""
        old = old.to(new.dtype)
        share = torch.full((), self.momentum, dtype=new.dtype, device=new.device)
        return torch.where(old.isinf(), new, torch.logaddexp(old + torch.log1p(-share), new + share.log()))


@dataclass(frozen=True)
class _ExpSquaredHinge:
    """exp((h^2 - c^2) / lam) with the hinge h = (margin + t)_+, and its largest value c in the row."""

    margin: float
    lam: float

    def value(self, t: Tensor, c: Tensor) -> Tensor:
        return self._value(t.add_(self.margin).clamp_(min=0), c)

    def slope(self, t: Tensor, c: Tensor) -> Tensor:
        hinge = t.add_(self.margin).clamp_(min=0)
        return self._value(hinge, c).mul_(hinge).mul_(2 / self.lam)

    def _value(self, hinge: Tensor, c: Tensor) -> Tensor:
        # As a product it is 0 at c and never above, however large the squares.
        return (hinge - c).mul_(hinge + c).mul_(1 / self.lam).exp_()
