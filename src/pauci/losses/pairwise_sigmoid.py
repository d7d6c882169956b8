"""A bounded surrogate: the share of wrongly ordered pairs in a region, smoothed."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from pauci.errors import InputError
from pauci.losses.clock import Clock
from pauci.losses.pair_loss import PairLoss
from pauci.losses.pair_rows import pair_row_sums
from pauci.losses.pairs import Pairs, in_region, weighed
from pauci.losses.schedule import Anneal, Schedule, value_at
from pauci.region import Region, one_region


class PairwiseSigmoidLoss(PairLoss):
    """Mean of ``sigmoid((f_j - f_i) / temperature)`` over the pairs in a region of the batch.

    As the temperature falls, the loss becomes 1 minus the partial AUC of the batch. No pair costs more than 1, so
    hopeless positives do not drown the others, as they do under losses that grow without bound. The loss needs a good
    start: mix it with cross-entropy (`MixedLoss`), or begin with a high temperature.

    Parameters
    ----------
    region : Region, optional
        The region to train for, any rectangle. Alternatively, give `max_fpr` and `min_tpr`.
    max_fpr, min_tpr : float
        The region's edges, when `region` is not given.
    temperature : float or schedule, default 0.5
        Difference of scores at which a pair costs 0.73 or 0.27; a schedule moves with `advance`.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> loss = PairwiseSigmoidLoss(max_fpr=0.5, temperature=0.1)
    >>> loss(torch.tensor([2.0, 1.0, 2.0, 0.0]), torch.tensor([1, 1, 0, 0]))
    tensor(0.7500)
    """

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        temperature: float | Schedule = 0.5,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(num_labels=num_labels, validate=validate)
        self.region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr)
        self.clock = Clock()
        self._schedule = temperature
        for step in (0, temperature.steps) if isinstance(temperature, Anneal) else (0,):
            self._check(value_at(temperature, step, name="temperature"))

    @property
    def temperature(self) -> float:
        """The current temperature."""
        return value_at(self._schedule, self.clock.now, name="temperature")

    @property
    def capturable(self) -> bool:  # type: ignore[override]
        """Whether a CUDA graph can hold the loss: not with a changing temperature, which the host sets."""
        return not callable(self._schedule)

    def advance(self) -> None:
        """Advance the schedule of the temperature by one step; call it once per batch or once per epoch."""
        self._check(value_at(self._schedule, self.clock.now + 1, name="temperature"))
        self.clock.tick()

    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Mean over the selected pairs."""
        kept = weighed(in_region(pairs, self.region))
        return kept.p @ pair_row_sums(_Sigmoid(self.temperature), kept.positives, kept.negatives, kept.q)

    def _check(self, temperature: float) -> None:
        if not 0 < temperature < math.inf:
            raise InputError(
                f"temperature={temperature!r} must be positive and finite, at every step of a schedule: at 0 there is "
                "no gradient, and below the order is reversed."
            )

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"{self.region}, temperature={self.temperature:g}"


@dataclass(frozen=True)
class _Sigmoid:
    temperature: float

    def value(self, t: Tensor, c: Tensor) -> Tensor:  # noqa: ARG002 - needs nothing of its positive
        return t.div_(self.temperature).sigmoid_()

    def slope(self, t: Tensor, c: Tensor) -> Tensor:
        value = self.value(t, c)
        return torch.addcmul(value, value, value, value=-1).div_(self.temperature)
