"""The PAUCI loss: partial AUC, instance by instance."""

import math
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn

from pauci.errors import InputError, RegionError
from pauci.losses.attach import AttachGradients
from pauci.losses.inputs import Batch, read_batch
from pauci.losses.moments import Choice, Inner, Settled, Shape, array_moments, settle, tensor_moments
from pauci.losses.reduction import sum_over_ranks, world_size
from pauci.losses.schedule import Schedule, value_at
from pauci.region import Region

Selector = Literal["softplus", "hinge", "dual", "topk"]

#: Boxes of the inner variables in the paper's order (a, b, s, s', theta_a, theta_b), and gamma's.
_LOW = (0.0, 0.0, -4.0, 0.0, 0.0, 0.0)
_HIGH = (1.0, 1.0, 1.0, 5.0, 1e9, 1e9)
_GAMMA = (-1.0, 1.0)
#: The inner optimum of a model that scores everything 0.5: where training begins.
_START = (0.5, 0.5, -1.0, 1.0, 0.0, 0.0)


def _variable(row: int, doc: str) -> Any:
    """Name one inner variable: row of `descent`, or gamma behind the last."""

    def read(self: "PAUCILoss") -> Tensor:
        return self.ascent.detach() if row == len(_START) else self.descent.detach()[row]

    def write(self: "PAUCILoss", value: float | Tensor) -> None:
        with torch.no_grad():
            read(self).copy_(torch.as_tensor(value))

    return property(read, write, doc=doc)


class PAUCILoss(nn.Module):
    """Squared pairwise risk inside a region of the ROC plane, in O(n) and without pairs or sorting.

    The paper's G^{kappa,omega} plus 1: with exact selection and omega 0 its saddle value is the mean of
    ``(1 - (f_i - f_j))^2`` over the positives and negatives of the region.

    Parameters
    ----------
    region : Region, optional
        What to train for; or give `max_fpr` and `min_tpr`.
    max_fpr, min_tpr : float
        The region's edges, when `region` is not given.
    kappa : float or schedule, default 4.0
        Sharpness of the softplus selector.
    omega : float or schedule, default 1.0
        Weight of gamma's regulariser, which makes the objective concave in gamma.
    omega_c : float, default 0.1
        Softness of the dual selector.
    selector : {"softplus", "hinge", "dual", "topk"}, default "softplus"
        How instances are selected: the paper's smooth selector, the exact hinge, the smoothed hinge of its
        successor, or the ranks of the batch.
    from_logits : bool, default True
        Whether scores are logits; otherwise they must lie in [0, 1].
    batch_prior : float, optional
        Positive share of the batches, for the paper's y/p form; by default each class is averaged by itself.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K), each with inner variables of its own; the loss is their
        mean.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> loss = PAUCILoss(max_fpr=0.3)
    >>> score = torch.tensor([2.0, -1.0, 0.5, -0.5], requires_grad=True)
    >>> loss(score, torch.tensor([1, 0, 1, 0])).backward()
    >>> score.grad.sign()
    tensor([-1.,  1., -1.,  1.])
    """

    descent: Tensor
    ascent: Tensor
    _shape: Tensor
    _step: Tensor

    a = _variable(0, "Mean score of the selected positives, as learned.")
    b = _variable(1, "Mean score of the selected negatives, as learned.")
    s_pos = _variable(2, "The paper's s: threshold on the positives' loss.")
    s_neg = _variable(3, "The paper's s': threshold on the negatives' loss.")
    theta_a = _variable(4, "Multiplier of the constraint gamma >= -a.")
    theta_b = _variable(5, "Multiplier of the constraint gamma >= b - 1.")
    gamma = _variable(6, "The ascent variable; (b - a) / (1 + omega) at the optimum.")

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        kappa: float | Schedule = 4.0,
        omega: float | Schedule = 1.0,
        omega_c: float = 0.1,
        selector: Selector = "softplus",
        from_logits: bool = True,
        batch_prior: float | None = None,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__()
        self.region = _region(region, max_fpr, min_tpr, selector)
        self.num_labels = num_labels
        self.validate = validate
        self._choice = Choice(
            positives=(1.0 - self.region.max_tpr, self.region.alpha),
            negatives=(self.region.min_fpr, self.region.beta),
            selector=selector,
            logits=from_logits,
            prior=_prior(batch_prior),
        )
        self._schedules = (kappa, omega, omega_c)
        labels = () if num_labels is None else (num_labels,)
        start = torch.tensor(_START).view(6, *(1 for _ in labels)).expand(6, *labels)
        self.descent = nn.Parameter(start.clone())
        self.ascent = nn.Parameter(torch.zeros(labels))
        self.register_buffer("_shape", torch.empty(3), persistent=False)
        self.register_buffer("_step", torch.zeros((), dtype=torch.long))
        self._seek(0)
        self._last: Batch | None = None

    def forward(
        self, y_score: Tensor, y_true: Tensor, index: Any = None, *, sample_weight: Tensor | None = None
    ) -> Tensor:
        """Objective plus 1 on a batch.

        Parameters
        ----------
        y_score : Tensor
            Scores of shape (N,) or (N, 1), or (N, K) with `num_labels`.
        y_true : Tensor
            Labels of the same shape: bool, {0, 1} or {-1, 1}.
        index : object, optional
            Ignored: dataset indices, for training loops that pass them.
        sample_weight : Tensor, optional
            Non-negative weights, per instance or per score.

        Returns
        -------
        Tensor
            A scalar. The gradient it leaves at gamma is reversed, so that every optimiser ascends there.
        """
        batch = read_batch(
            y_score,
            y_true,
            sample_weight,
            num_labels=self.num_labels,
            probabilities=not self._choice.logits,
            validate=self.validate,
        )
        score = batch.score
        self._last = Batch(score.detach(), batch.positive, batch.weight)
        descent, ascent = self.descent, self.ascent
        on_host = score.device.type == "cpu" and score.ndim == 1 and not self._choice.exact
        if on_host and not torch.compiler.is_compiling():
            gradients = self._host_pass(self._last, descent, ascent)
        else:
            with torch.no_grad():
                gradients = self._tensor_pass(self._last, descent, ascent)
        result: Tensor = AttachGradients.apply(score, descent, ascent, *gradients)  # type: ignore[no-untyped-call]
        return result

    @property
    def kappa(self) -> float:
        """Sharpness of the softplus selector now."""
        return self._numbers.kappa  # type: ignore[no-any-return]

    @property
    def omega(self) -> float:
        """Weight of gamma's regulariser now."""
        return self._numbers.omega  # type: ignore[no-any-return]

    def advance(self) -> None:
        """Move the schedules of kappa and omega on by one step; call it once per batch or per epoch."""
        self._step += 1
        self._seek(self._position + 1)

    def param_groups(self) -> list[dict[str, Any]]:
        """Inner variables as parameter groups for an optimiser.

        Returns
        -------
        list of dict
            Groups with the keys `role` ("min" or "max") and `domain` (box); gamma's has ``reversed=True``: its
            gradient already points downwards. None of them is decayed.
        """
        shape = (6,) if self.num_labels is None else (6, 1)
        low, high = (torch.tensor(edge).to(self.descent).view(shape) for edge in (_LOW, _HIGH))
        return [
            {"params": [self.descent], "role": "min", "domain": (low, high), "weight_decay": 0.0},
            {"params": [self.ascent], "role": "max", "domain": _GAMMA, "reversed": True, "weight_decay": 0.0},
        ]

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"{self.region}, selector={self._choice.selector!r}, kappa={self.kappa:g}, omega={self.omega:g}"

    def _seek(self, position: int) -> None:
        self._position = position
        self._numbers = _shape_at(self._schedules, position)
        self._shape.copy_(torch.tensor(self._numbers))

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._seek(int(self._step))

    def _host_pass(self, batch: Batch, descent: Tensor, ascent: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        inner = _project_numbers(descent, ascent)
        score = batch.score if batch.score.dtype in (torch.float32, torch.float64) else batch.score.float()
        probability = (torch.sigmoid(score) if self._choice.logits else score).numpy()
        weight = None if batch.weight is None else batch.weight.to(score.dtype).numpy()
        positive = batch.positive.numpy()
        sums, slope = array_moments(probability, positive, weight, inner, self._numbers, self._choice)
        ranks = world_size()
        if ranks > 1:
            sum_over_ranks(torch.from_numpy(sums))
        settled = settle(sums.tolist(), inner, self._numbers, self._choice)
        if not math.isfinite(settled.value):
            raise InputError(
                f"the loss is {settled.value}: an inner variable is not finite ({inner}). "
                "An optimiser step diverged; lower the learning rate of loss.parameters()."
            )
        kind = slope.dtype.type
        scale_pos, scale_neg = settled.factors
        slope *= np.where(positive, kind(ranks * scale_pos), kind(ranks * scale_neg))
        return (
            torch.tensor(settled.value, dtype=score.dtype),
            torch.from_numpy(slope).to(batch.score.dtype),
            torch.tensor(settled.descent, dtype=descent.dtype),
            torch.tensor(-settled.ascent, dtype=ascent.dtype),
        )

    def _tensor_pass(self, batch: Batch, descent: Tensor, ascent: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        shape = (6,) if self.num_labels is None else (6, 1)
        descent.clamp_(descent.new_tensor(_LOW).view(shape), descent.new_tensor(_HIGH).view(shape))
        ascent.clamp_(*_GAMMA)
        score = batch.score if batch.score.dtype in (torch.float32, torch.float64) else batch.score.float()
        probability = torch.sigmoid(score) if self._choice.logits else score
        weight = None if batch.weight is None else batch.weight.to(score.dtype)
        if weight is not None and weight.ndim < score.ndim:
            weight = weight.unsqueeze(-1)
        inner = Inner(*descent.to(score.dtype).unbind(), ascent.to(score.dtype))
        numbers = Shape(*self._shape.to(score.dtype).unbind())
        sums, slope = tensor_moments(probability, batch.positive, weight, inner, numbers, self._choice)
        ranks = world_size()
        if ranks > 1:
            sum_over_ranks(sums)
        settled: Settled = settle([row.unbind() for row in sums.unbind()], inner, numbers, self._choice)
        labels = 1 if self.num_labels is None else self.num_labels
        slope = slope * torch.where(batch.positive, *settled.factors) * (ranks / labels)
        return (
            settled.value.mean(),
            slope.to(batch.score.dtype),
            (torch.stack(settled.descent) / labels).to(descent.dtype),
            (-settled.ascent / labels).to(ascent.dtype),
        )


def _project_numbers(descent: Tensor, ascent: Tensor) -> Inner:
    values = [*descent.tolist(), ascent.item()]
    boxed = [
        low if value < low else high if value > high else value
        for value, low, high in zip(values, (*_LOW, _GAMMA[0]), (*_HIGH, _GAMMA[1]), strict=True)
    ]
    if boxed != values and not any(map(math.isnan, values)):
        with torch.no_grad():
            descent.copy_(torch.tensor(boxed[:-1]))
            ascent.fill_(boxed[-1])
    return Inner(*boxed)


def _shape_at(schedules: tuple[float | Schedule, ...], position: int) -> Shape:
    kappa, omega, omega_c = (value_at(schedule, position) for schedule in schedules)
    for name, value in (("kappa", kappa), ("omega_c", omega_c)):
        if not 0 < value < math.inf:
            raise InputError(f"{name}={value!r} must be positive and finite; use selector='hinge' for exact selection.")
    if not 0 <= omega < math.inf:
        raise InputError(f"omega={omega!r} must be at least 0 and finite.")
    return Shape(kappa, omega, omega_c)


def _prior(batch_prior: float | None) -> float | None:
    if batch_prior is not None and not 0 < batch_prior < 1:
        raise InputError(f"batch_prior={batch_prior!r} must lie strictly between 0 and 1: the positive share of the batches.")
    return batch_prior


def _region(region: Region | None, max_fpr: float, min_tpr: float, selector: str) -> Region:
    if selector not in get_args(Selector):
        raise InputError(f"selector={selector!r} is not known; use one of {', '.join(get_args(Selector))}.")
    if region is None:
        region = Region(max_fpr=max_fpr, min_tpr=min_tpr)
    elif (max_fpr, min_tpr) != (1.0, 0.0):
        raise RegionError(f"give either region={region!r} or max_fpr and min_tpr, not both.")
    if (region.min_fpr > 0 or region.max_tpr < 1) and selector in ("softplus", "dual"):
        raise RegionError(
            f"region {region} is a band: the {selector} selector knows max_fpr and min_tpr only. "
            "Use selector='topk', which takes any rectangle."
        )
    return region
