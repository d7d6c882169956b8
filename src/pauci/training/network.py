"""Building the network, its objective and its solver for a device."""

import copy
import hashlib
import re

import torch
from torch import nn
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from pauci.errors import InputError
from pauci.training.averaging import WeightAverage
from pauci.training.inputs import Inputs
from pauci.training.objective import build_objective
from pauci.training.ranks import Ranks
from pauci.training.recipe import Recipe
from pauci.training.state import State, check_has_tensors_alone


def build_state(
    recipe: Recipe, model: nn.Module, *, device: torch.device, steps_per_epoch: int, data_size: int, ranks: Ranks
) -> State:
    """Create everything that a run changes, in its initial state, on its device.

    `model` has the weights to start from; the record of losses is `steps_per_epoch` long.
    """
    check_has_tensors_alone("model", model.state_dict())
    _check_can_be_trained(model)
    model = model.to(device)
    loss = build_objective(recipe, data_size=data_size).to(device)
    # A network that was passed may have been made with random numbers that differ between processes.
    ranks.share_([tensor for part in (model, loss) for tensor in (*part.parameters(), *part.buffers())])
    if all(p.ndim < 5 for p in model.parameters()):
        model = model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = WeightAverage(model, recipe.ema) if recipe.ema > 0 else None
    if ranks.size > 1 and device.type == "cuda":
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # type: ignore[no-untyped-call]
    return State(
        model=model,
        loss=loss,
        optimizer=_build_optimizer(recipe, model, loss, device),
        average=average,
        scaler=torch.amp.GradScaler(device.type, enabled=recipe.precision == "fp16"),
        losses=torch.zeros(steps_per_epoch, device=device),
    )


def build_model(recipe: Recipe, features: int) -> nn.Module:
    """Create the network of a recipe on the CPU, with weights that depend on the seed alone.

    The first layer takes as many columns or channels as there are `features`.
    """
    torch.default_generator.manual_seed(recipe.seed)
    with torch.device("cpu"):  # also where the default device is another, which draws from another generator
        made = recipe.model.build("model", in_features=features, in_channels=features)
    return check_is_network(made, f"model.name={recipe.model.name!r} makes")


def blank_model(recipe: Recipe, inputs: Inputs, model: nn.Module | None) -> nn.Module:
    """Return the network that a run starts from: a copy of the one that was given, or else the recipe's."""
    return build_model(recipe, inputs.features) if model is None else copy.deepcopy(model)


def check_is_network(model: object, told: str = "model is") -> nn.Module:
    """Return the network; what is none is refused, in words that begin with `told`."""
    if isinstance(model, nn.Module):
        return model
    what = f"the class {model.__name__}" if isinstance(model, type) else f"an object of type {type(model).__name__}"
    hint = "make one of it, with its arguments" if isinstance(model, type) else "pass an nn.Module"
    raise InputError(f"{told} {what}, not a network; {hint}, such as nn.Linear(columns, 1).")


def layers_digest(model: nn.Module) -> str:
    """Digest of what a network is made of, and of which part of it is trained; not of its weights."""
    # Functions and such show where they are in memory.
    told = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(model))
    told += "".join(f"\n{name} is frozen" for name, p in model.named_parameters() if not p.requires_grad)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _check_can_be_trained(model: nn.Module) -> None:
    if any(map(is_lazy, model.parameters())):
        raise InputError("model: the network does not know its sizes yet; score a few rows with it first.")
    if not any(p.requires_grad for p in model.parameters()):
        raise InputError("model: no parameter of the network can be trained; set requires_grad of those that shall be.")


def _build_optimizer(recipe: Recipe, model: nn.Module, loss: nn.Module, device: torch.device) -> Optimizer:
    groups = [{"params": [p for p in model.parameters() if p.requires_grad]}]
    own_groups = getattr(loss, "param_groups", None)
    groups += own_groups() if callable(own_groups) else [{"params": list(loss.parameters())}]
    groups = [group for group in groups if group["params"]]
    supplied = {"loss": loss, "max_norm": recipe.clip or None, **({"fused": True} if device.type == "cuda" else {})}
    optimizer = recipe.optimizer.build("optimizer", groups, **supplied)
    if not isinstance(optimizer, Optimizer):
        raise InputError(
            f"optimizer.name={recipe.optimizer.name!r} makes an object of type {type(optimizer).__name__}, not a "
            "torch.optim.Optimizer."
        )
    for group in optimizer.param_groups:
        group["highest_lr"] = group["lr"]
    return optimizer
