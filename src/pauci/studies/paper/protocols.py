"""The protocols of the study, and the recipe of a run under one of them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pauci.data.tasks import TASKS
from pauci.errors import InputError
from pauci.region import Region
from pauci.studies.paper.methods import METHODS, METRIC, ONE_WAY
from pauci.training import Recipe, load_recipe
from pauci.training.recipe_file import with_changes

#: Settings of a method's own, as trials chose them: changes to the common one of the strong protocol.
TUNED: dict[str, dict[str, Any]] = {
    "ce": {"optimizer.lr": 0.2},
    "ours": {"loss.ce_weight": 0.8, "optimizer.lr": 0.2},
    "sopa": {"optimizer.lr": 0.2},
    "focal": {"optimizer.lr": 0.2},
    "pauci-sgd": {"optimizer.lr": 0.2},
}

#: Cross-entropy before methods that have none in them; under the strong protocol these epochs count among its 60.
_WARMUP_EPOCHS = 10


def study_recipe(
    protocol: str,
    *,
    task: str,
    variant: str,
    method: str,
    region: str,
    seed: int,
    settings: Mapping[str, Any] | None = None,
) -> Recipe:
    """Build the recipe of a run from those that ship with the package.

    Parameters
    ----------
    protocol : {"strong", "tuned", "paper", "miniature"}
        How well is trained.
    region : str
        The target.
    settings : mapping, optional
        Dotted path to value: what tuning chose.

    Examples
    --------
    >>> facts = {"task": "cifar10-lt-3", "variant": "clean", "region": "fpr<=0.3", "seed": 1}
    >>> study_recipe("paper", method="pauci", **facts).optimizer.options["m"]
    500.0
    >>> study_recipe("strong", method="sopa", **facts).loss
    LossSpec(name='sopa', options={}, region='target', ce_weight=0.0)
    """
    for name, value, known in (("task", task, TASKS), ("method", method, METHODS), ("protocol", protocol, _PROTOCOLS)):
        if value not in known:
            raise InputError(f"{name}={value!r} is not known; use one of {', '.join(known)}.")
    chosen = METHODS[method]
    if region not in chosen.losses:
        raise InputError(
            f"method={method!r} is not defined for region={region!r}; it knows {', '.join(chosen.losses)}."
        )
    changes = {
        "data.task": task,
        "data.variant": variant,
        "loss": dict(chosen.losses[region]),
        **_PROTOCOLS[protocol](task, method),
        **(settings or {}),
    }
    base = _base(f"paper-{TASKS[task].dataset}" if protocol == "paper" else "strong-ce")
    return with_changes(base, changes).replace(
        name=f"{protocol} {task} {method}", region=Region.parse(region), seed=seed
    )


@cache
def _base(name: str) -> Recipe:
    return load_recipe(name)


def _strong(task: str, method: str) -> dict[str, Any]:
    chosen = METHODS[method]
    changes = dict(chosen.changes)
    if not chosen.has_own_solver:
        changes |= _COMMON
    if TASKS[task].dataset == "tiny-imagenet":
        changes["model.stem"] = "stride2"
    if chosen.is_region_free:
        # One epoch for both regions, and so one training.
        changes["selection.metric"] = METRIC[str(ONE_WAY)]
    if chosen.needs_warmup:
        # The same number of epochs for all methods.
        changes["warmup"] = {"epochs": _WARMUP_EPOCHS, "optimizer": _WARMUP_SGD}
        changes["epochs"] = 60 - _WARMUP_EPOCHS
    if changes.pop("optimizer.name", None) == "asgda":
        changes["optimizer"] = {"name": "asgda", **_base("paper-cifar10-lt").optimizer.options}
    return changes


def _tuned(task: str, method: str) -> dict[str, Any]:
    if method not in TUNED:
        raise InputError(
            f"method={method!r} has no settings of its own, so there is no protocol='tuned' for it; "
            f"use one of {', '.join(TUNED)}, or protocol='strong'."
        )
    return _strong(task, method) | TUNED[method]


#: Of all methods that use SGD, under the strong protocol.
_COMMON: dict[str, Any] = {"optimizer.lr": 0.1, "optimizer.weight_decay": 2e-3}
_WARMUP_SGD = {"name": "sgd", "lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 5e-4}


def _paper(_: str, method: str) -> dict[str, Any]:
    """Everything warms up for 10 epochs and goes on for 50; all but PAUCI with plain SGD, as in the appendix."""
    changes = dict(METHODS[method].changes)
    if not METHODS[method].has_own_solver:
        changes["optimizer"] = {"name": "sgd", "lr": 0.01, "momentum": 0.9, "weight_decay": 1e-4}
    return changes


def _miniature(task: str, method: str) -> dict[str, Any]:
    changes = _strong(task, method)
    if "warmup" in changes:
        changes["warmup"] = {**changes["warmup"], "epochs": 1}
    if "warmup" in next(iter(METHODS[method].losses.values())):
        changes["loss.warmup"] = 0
    return {
        **changes,
        "model": {"name": "resnet18", "stem": "stride2", "width": 2},
        "epochs": 1,
        "batch_size": 32,
        "precision": "fp32",
    }


#: "strong" has one setting for all methods, "tuned" is the same with settings that trials chose for each.
#: "miniature" is the same study in seconds, on made-up images: it shows that everything works, and nothing else.
_PROTOCOLS = {"strong": _strong, "tuned": _tuned, "paper": _paper, "miniature": _miniature}
