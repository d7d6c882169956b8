"""All that changes while a run is under way, and its way into and out of a checkpoint."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from pauci.errors import CheckpointError, InputError
from pauci.rounding import is_number
from pauci.training.averaging import WeightAverage
from pauci.training.progress import Progress, read_progress


@dataclass
class State:
    """All that changes. Random numbers are a function of seed and step, and so are no part of it.

    Attributes
    ----------
    model, loss : nn.Module
        Network and objective.
    optimizer : Optimizer
        Over the parameters of both.
    average : WeightAverage or None
        Averaged weights.
    scaler : torch.amp.GradScaler
        Loss scaling, for fp16 only.
    losses : Tensor
        Loss of each step of the present epoch.
    best : dict of str to Tensor
        The weights kept so far; empty before the first epoch ends.
    progress : Progress
        Counters and records.
    """

    model: nn.Module
    loss: nn.Module
    optimizer: Optimizer
    average: WeightAverage | None
    scaler: torch.amp.GradScaler
    losses: Tensor
    best: dict[str, Tensor] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)

    @property
    def judged(self) -> nn.Module:
        """The network whose weights are evaluated and kept: the average if there is one."""
        return self.model if self.average is None else self.average.model

    def pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return the state as named tensors and plain facts."""
        tensors: dict[str, Tensor] = {"losses": self.losses}
        parts = {"model": self.model.state_dict(), "loss": self.loss.state_dict(), "best": self.best}
        if self.average is not None:
            parts["average"] = self.average.model.state_dict()
        for prefix, part in parts.items():
            check_has_tensors_alone(prefix, part)
            tensors |= {f"{prefix}.{name}": value for name, value in part.items()}
        optimizer = self.optimizer.state_dict()
        further = [name for name in optimizer if name not in ("state", "param_groups")]
        groups = optimizer["param_groups"]
        # Rates are set anew with every step.
        further += [k for group in groups for k, v in group.items() if isinstance(v, Tensor) and not k.endswith("lr")]
        if further:
            raise InputError(
                f"optimizer: {type(self.optimizer).__name__} keeps {further[0]!r} beside the state of the parameters, "
                "where checkpoints do not look; keep it there, choose another, or train without a folder."
            )
        numbers: dict[str, dict[str, Any]] = {}
        for index, entries in optimizer["state"].items():
            for name, value in entries.items():
                if isinstance(value, Tensor):
                    tensors[f"optimizer.{index}.{name}"] = value
                elif _is_plain(value):
                    numbers.setdefault(str(index), {})[name] = value
                else:
                    raise InputError(
                        f"optimizer: {type(self.optimizer).__name__} keeps a {type(value).__name__} in its state "
                        f"({name!r}), but checkpoints hold tensors and numbers only; choose another, or train without "
                        "a folder."
                    )
        groups = [{k: v for k, v in group.items() if _is_plain(v)} for group in groups]
        facts = {
            "progress": dataclasses.asdict(self.progress),
            "scaler": self.scaler.state_dict(),
            "optimizer": {"groups": groups, "state": numbers},
        }
        return tensors, facts

    def unpack(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Take over a state that `pack` returned; one of anything else is a `CheckpointError`."""
        try:
            self._unpack(tensors, facts)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and type(error) is not RuntimeError:
                raise  # of the device, such as too little memory: the checkpoint may be right
            raise CheckpointError(
                f"the checkpoint does not hold the state of this run: {error!r}; remove it, or start the run anew."
            ) from error

    def _unpack(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        self.model.load_state_dict(_part(tensors, "model"))
        self.loss.load_state_dict(_part(tensors, "loss"))
        if self.average is not None:
            self.average.model.load_state_dict(_part(tensors, "average"))
        device = self.losses.device
        self.best = {name: value.to(device) for name, value in _part(tensors, "best").items()}
        self.losses.copy_(tensors["losses"])
        self._unpack_optimizer(_part(tensors, "optimizer"), facts["optimizer"])
        if facts["scaler"]:
            self.scaler.load_state_dict(facts["scaler"])
        self.progress = read_progress(facts["progress"])
        if self.progress.best_epoch is not None and _shapes(self.best) != _shapes(self.judged.state_dict()):
            raise ValueError("the best weights are not those of the network")

    def _unpack_optimizer(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        groups = self.optimizer.state_dict()["param_groups"]
        for group, saved in zip(groups, facts["groups"], strict=True):
            if odd := [k for k, v in saved.items() if is_number(group.get(k)) and not is_number(v)]:
                raise ValueError(f"optimizer: {odd[0]} is {saved[odd[0]]!r}")
            group |= saved
        params = [p for group in self.optimizer.param_groups for p in group["params"]]
        state: dict[int, dict[str, Any]] = {int(index): dict(values) for index, values in facts["state"].items()}
        for path, value in tensors.items():
            index, _, name = path.partition(".")
            like = params[int(index)]
            # In the memory order of the parameter: files know none, and mixed orders are slow.
            kept = torch.empty_like(like, dtype=value.dtype).copy_(value) if value.shape == like.shape else value
            state.setdefault(int(index), {})[name] = kept
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})


def check_has_tensors_alone(name: str, state: Mapping[str, Any]) -> None:
    """Refuse the state of a network or a loss, of this name, in which something else than tensors is kept."""
    for key, value in state.items():
        if not isinstance(value, Tensor):
            raise InputError(
                f"{name}: {key} in its state is of type {type(value).__name__}, but a run keeps tensors only; let its "
                "get_extra_state return one."
            )


def copy_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of a network's weights and buffers, on their device."""
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(f"{prefix}."): t for name, t in tensors.items() if name.startswith(f"{prefix}.")}


def _shapes(weights: dict[str, Tensor]) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in weights.items()}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))
