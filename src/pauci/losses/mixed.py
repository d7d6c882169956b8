"""Two losses as one."""

import inspect
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor, nn

from pauci.errors import InputError, LabelError
from pauci.losses.checks import check_index
from pauci.losses.cross_entropy import CrossEntropyLoss
from pauci.losses.schedule import Anneal, Schedule, value_at
from pauci.losses.state import with_memory

#: Losses of torch that tell the classes by sign.
_SIGNED = (nn.SoftMarginLoss, nn.HingeEmbeddingLoss)


class MixedLoss(nn.Module):
    """Convex combination of two losses, ``weight * first + (1 - weight) * second``.

    A partial-AUC loss trains more steadily with cross-entropy beside it. Alone, it is unstable in mini-batches.

    Parameters
    ----------
    first, second : nn.Module
        Losses that are called with scores and labels. Both must take logits, or both probabilities. One of torch's own,
        such as `torch.nn.BCEWithLogitsLoss`, gets no `index`, and the labels as floats of the scores' shape: 0 and 1,
        or -1 and 1 for `SoftMarginLoss` and `HingeEmbeddingLoss`.
    weight : float or schedule, default 0.5
        Share of the first loss, in [0, 1].

    See Also
    --------
    PAUCILoss : Partial AUC, instance by instance.
    losses.CrossEntropyLoss : The usual second loss.

    Examples
    --------
    >>> from pauci.losses import CrossEntropyLoss, PAUCILoss
    >>> loss = MixedLoss(PAUCILoss(max_fpr=0.1), CrossEntropyLoss(), weight=0.5)
    >>> score, label = torch.tensor([1.0, -1.0]), torch.tensor([1, 0])
    >>> torch.testing.assert_close(loss(score, label), (loss.first(score, label) + loss.second(score, label)) / 2)
    """

    capturable = True
    _weight: Tensor
    _step: Tensor

    def __init__(self, first: nn.Module, second: nn.Module, weight: float | Schedule = 0.5) -> None:
        super().__init__()
        _check_modules(first=first, second=second)
        _check_scores_suit(first, second)
        self.first = first
        self.second = second
        self._schedule = weight
        # A tensor, so that a compiled loss is not compiled anew for every step of a schedule.
        self.register_buffer("_weight", torch.zeros(()), persistent=False)
        self.register_buffer("_step", torch.zeros((), dtype=torch.long))
        if isinstance(weight, Anneal):
            self._weight_at(weight.steps)  # where it will end
        self._seek(0)

    def forward(
        self, y_score: Tensor, y_true: Tensor, index: Any = None, *, sample_weight: Tensor | None = None
    ) -> Tensor:
        """Weighted sum of both losses.

        Parameters
        ----------
        y_score, y_true : Tensor
            Scores and labels.
        index : object, optional
            Passed to the losses that take it.
        sample_weight : Tensor, optional
            Passed to both losses, which must take it.

        Returns
        -------
        Tensor
            A scalar.
        """
        first, second = (_call(loss, y_score, y_true, index, sample_weight) for loss in (self.first, self.second))
        return torch.lerp(second.to(first), first, self._weight.to(first))

    @property
    def weight(self) -> float:
        """Share of the first loss now."""
        return self._weight_at(self._position)

    def advance(self) -> None:
        """Advance the schedule of the weight, and those of both losses, by one step."""
        self._weight_at(self._position + 1)  # first: what a schedule may not say changes nothing
        for loss in (self.first, self.second):
            if callable(advance := getattr(loss, "advance", None)):
                advance()
        self._seek(self._position + 1)

    def param_groups(self) -> list[dict[str, Any]]:
        """Parameter groups of both losses; a loss without `param_groups` adds its parameters as a group to minimise.

        Returns
        -------
        list of dict
            Groups for an optimiser.
        """
        groups: list[dict[str, Any]] = []
        for loss in (self.first, self.second):
            if callable(own := getattr(loss, "param_groups", None)):
                groups += own()
            elif parameters := list(loss.parameters()):
                groups.append({"params": parameters, "role": "min"})
        return groups

    def extra_repr(self) -> str:
        """Return the weight, for `repr`."""
        return f"weight={self.weight:g}"

    def _seek(self, position: int) -> None:
        weight = self._weight_at(position)
        # The host's copy of _step: to read the buffer would wait for the device.
        self._position = position
        self._step.fill_(position)
        self._weight = with_memory(self._weight, self._step)
        self._weight.fill_(weight)

    def _weight_at(self, position: int) -> float:
        weight = value_at(self._schedule, position, name="weight")
        if not 0 <= weight <= 1:
            raise InputError(f"weight={weight!r} must lie in [0, 1]: it is the share of the first loss.")
        return weight

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._seek(int(self._step))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        # Cast from single precision, the weight would not be the number that was asked for.
        self._seek(self._position)
        return self


def _check_modules(**losses: Any) -> None:
    for name, loss in losses.items():
        if not isinstance(loss, nn.Module):
            called = f"; create it, {loss.__name__}(...)" if isinstance(loss, type) else ""
            raise InputError(f"{name}={loss!r} must be a loss, an instance of torch.nn.Module{called}.")


def _check_scores_suit(first: nn.Module, second: nn.Module) -> None:
    """Refuse losses that would read one and the same score differently."""
    if any(isinstance(loss, nn.CrossEntropyLoss) for loss in (first, second)):
        raise InputError(
            "torch.nn.CrossEntropyLoss compares scores of several classes, and would take the instances of a batch for "
            "them; use pauci.losses.CrossEntropyLoss."
        )
    if {_takes_logits(first), _takes_logits(second)} >= {True, False}:
        logits, other = (first, second) if _takes_logits(first) else (second, first)
        says, remedy = "has from_logits=False", "leave out from_logits=False"
        if isinstance(other, nn.BCELoss):
            says, remedy = "takes probabilities", "use BCEWithLogitsLoss"
        raise InputError(
            f"{type(other).__name__} {says} but {type(logits).__name__} takes logits, so that it would apply the "
            f"sigmoid a second time; {remedy} and pass the model's logits."
        )


def _takes_logits(loss: nn.Module) -> bool | None:
    """Whether a loss takes logits; None where it does not tell."""
    if isinstance(loss, CrossEntropyLoss | nn.BCEWithLogitsLoss):
        return True
    return False if isinstance(loss, nn.BCELoss) else getattr(loss, "from_logits", None)


def _call(loss: nn.Module, y_score: Tensor, y_true: Tensor, index: Any, sample_weight: Tensor | None) -> Tensor:
    known = inspect.signature(loss.forward).parameters
    anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    if not anything and "sample_weight" not in known:
        if sample_weight is not None:
            raise InputError(
                f"sample_weight was given, but {type(loss).__name__} does not take it, so that half of the mixture "
                "would ignore it; use pauci.losses.CrossEntropyLoss, which does."
            )
        if y_true.numel() == y_score.numel():
            if y_true.squeeze().shape != y_score.squeeze().shape:
                raise LabelError(
                    f"y_true has shape {tuple(y_true.shape)} but y_score {tuple(y_score.shape)}: they must describe "
                    "the same instances in the same order."
                )
            y_true = y_true.to(y_score.dtype).view_as(y_score)
            y_true = torch.where(y_true > 0, y_true, -1.0 if isinstance(loss, _SIGNED) else 0.0)
    named: dict[str, Any] = {} if sample_weight is None else {"sample_weight": sample_weight}
    if anything or "index" in known:
        named |= {} if index is None else {"index": index}
    else:
        check_index(index)
    value: Tensor = loss(y_score, y_true, **named)
    return value
