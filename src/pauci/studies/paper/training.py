"""One run of the study: train, judge, and write down what tables and figures need."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch.utils.flop_counter import FlopCounterMode

from pauci.data.tasks import load_task
from pauci.errors import DivergedError
from pauci.studies.paper.methods import METRIC
from pauci.studies.paper.miniature import miniature_task
from pauci.studies.paper.plan import Run
from pauci.studies.store import Record
from pauci.training import Observer, Recipe, Result, load_inputs
from pauci.training.capture import is_capturable
from pauci.training.inputs import Inputs
from pauci.training.lanes import Steps, side_by_side
from pauci.training.objective import build_objective
from pauci.training.phases import run_steps
from pauci.training.ranks import local_device
from pauci.training.sitting import Sitting, sitting
from pauci.training.specs import REGIONS, DataSpec

T = TypeVar("T")

#: Points of a convergence curve that are kept.
_POINTS = 20


@dataclass(frozen=True)
class Machine:
    """Where and how runs are made; nothing here changes what they find, up to rounding.

    Attributes
    ----------
    device : str
        As for `train`.
    compiled, graphs : bool
        As for `train`.
    warmups : Path
        Folder in which runs share their warm-ups.
    deadline : float
        `time.time` at which a run that is not finished is given up.
    """

    device: str
    compiled: bool
    graphs: bool
    warmups: Path
    deadline: float = math.inf

    def sitting(self) -> AbstractContextManager[Sitting]:
        """Make this process ready for runs on the device."""
        return sitting(local_device(self.device))


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind.

    Attributes
    ----------
    records : list of Record
        Lines for the store, one per region.
    history : dict
        Line for the file of convergence curves; empty if the run diverged.
    images : int
        Trained on, each as often as it was seen.
    flops : float
        Of the network's matrix products over the whole run, in training passes.
    """

    records: list[Record]
    history: dict[str, Any]
    images: int
    flops: float


class OutOfTimeError(Exception):
    """The deadline passed in the middle of a run."""


def run_in_turns(
    run: Run, recipe: Recipe, machine: Machine, here: Sitting, *, details: dict[str, Any] | None = None
) -> Steps[Outcome]:
    """Train and judge, with a pause after every step.

    Returns
    -------
    Outcome
        A run that diverged has no metrics, and says so.

    Raises
    ------
    OutOfTimeError
        The deadline passed; there is no result.
    """
    start = time.perf_counter()
    inputs = study_inputs(run, recipe, machine)
    known = {"setup": recipe.replace(seed=0).hash, "rows": len(inputs.train), **(details or {})}
    try:
        result = yield from train_in_turns(inputs, recipe, machine, here)
    except DivergedError as error:
        known |= {"diverged": str(error), "wall": round(time.perf_counter() - start, 2)}
        return Outcome(_records(run, recipe, here.device_name, known), {}, 0, 0.0)
    images = result.history[-1]["step"] * recipe.batch_size
    flops = 3 * images * _passes(recipe) * _forward_flops(recipe, inputs)
    known |= {
        "epoch": result.best_epoch,
        "images_per_second": round(images / result.seconds),
        "tflops": round(flops / result.seconds / 1e12, 4),
        "wall": round(time.perf_counter() - start, 2),
    }
    return Outcome(_records(run, recipe, result.device, known, result), _history(run, result), images, flops)


def study_inputs(run: Run, recipe: Recipe, machine: Machine) -> Inputs:
    """Load the data of a run on its device; the last few are kept."""
    return _inputs(recipe.data, machine.device, run.protocol == "miniature")


def side_by_side_on(machine: Machine, runs: Iterable[Callable[[Sitting], Steps[T]]], *, lanes: int) -> Iterator[T]:
    """Make runs in turns in this process, each begun only when a lane is free; yield what they return as they end."""
    with machine.sitting() as here:
        yield from side_by_side((run(here) for run in runs), lanes=lanes, device=here.device)
        if here.stop.asked:  # when no step was left to stop before
            raise KeyboardInterrupt


def train_in_turns(inputs: Inputs, recipe: Recipe, machine: Machine, here: Sitting) -> Steps[Result]:
    """Train until the deadline, with a pause after every step; without graphs where these cannot hold the loss."""
    return (
        yield from run_steps(
            recipe,
            inputs,
            here,
            compiled=machine.compiled,
            graphs=machine.graphs and is_capturable(build_objective(recipe), recipe.batch_size),
            warmups=machine.warmups,
            observers=[_Deadline(machine.deadline)],
        )
    )


class _Deadline(Observer):
    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def step(self, done: int) -> None:  # noqa: ARG002
        # Asking the run to stop would leave a warm-up that others take for a whole one.
        if time.time() > self._deadline:
            raise OutOfTimeError


@lru_cache(maxsize=4)
def _inputs(spec: DataSpec, device: str, is_miniature: bool) -> Inputs:
    task = miniature_task(spec.task) if is_miniature else load_task(spec.task, variant=spec.variant)  # type: ignore[arg-type]
    return load_inputs(task, spec, device=local_device(device))


def _records(
    run: Run, recipe: Recipe, device: str, details: dict[str, Any], result: Result | None = None
) -> list[Record]:
    return [
        Record(
            task=run.task,
            variant=run.variant,
            protocol=run.protocol,
            method=run.method,
            region=region,
            seed=run.seed,
            metrics=_rounded(result.test_metrics) if result else {},
            val_metrics=_rounded(result.val_metrics) if result else {},
            seconds=round(result.seconds, 3) if result else 0.0,
            device=device,
            recipe=recipe.hash,
            details=details,
        )
        for region in run.regions
    ]


def _rounded(metrics: dict[str, float]) -> dict[str, float]:
    """Without "target", which is one of the others and depends on who asks."""
    return {name: round(metrics[name], 6) for name in REGIONS}


def _history(run: Run, result: Result) -> dict[str, Any]:
    epochs = _thinned(result.history)
    return {
        "task": run.task,
        "variant": run.variant,
        "protocol": run.protocol,
        "method": run.method,
        "regions": list(run.regions),
        "seed": run.seed,
        "recipe": result.recipe.hash,
        "warmup": result.recipe.warmup.epochs,
        "epoch": [record["epoch"] for record in epochs],
        "seconds": [round(record["seconds"], 2) for record in epochs],
        "val": {
            METRIC[region]: [round(record["val"][METRIC[region]], 4) for record in epochs] for region in run.regions
        },
    }


def _thinned(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """First and last epoch and some between, evenly."""
    last = len(history) - 1
    count = min(_POINTS, len(history))
    return [history[round(k * last / max(1, count - 1))] for k in range(count)]


def _passes(recipe: Recipe) -> int:
    """Count passes through the network per batch: Algorithm 1 evaluates each at two points."""
    return 2 if recipe.optimizer.name == "asgda" else 1


def _forward_flops(recipe: Recipe, inputs: Inputs) -> float:
    """Of one image; a training pass, forward and backward, has three times as many."""
    shape = inputs.train.pick(torch.zeros(1, dtype=torch.long, device=inputs.train.y.device)).shape
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        network = recipe.model.build("model", in_features=inputs.features, in_channels=inputs.features).eval()
        network(torch.zeros(shape))
    return float(counter.get_total_flops())
