"""Tuning every method alike: as many trials each, judged on validation data, the shipped settings among them."""

import json
import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pauci.errors import DivergedError, FileFormatError
from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.paper.methods import METRIC
from pauci.studies.paper.plan import Run, Tuned
from pauci.studies.paper.training import Machine, OutOfTimeError, side_by_side_on, study_inputs, train_in_turns
from pauci.training import Recipe
from pauci.training.files import write_bytes
from pauci.training.lanes import Steps
from pauci.training.recipe_file import with_changes
from pauci.training.sitting import Sitting
from pauci.training.space import Choice, Range, Space, drawn, paper_space

#: Seed of all trials; no run of the study has it.
SEED = 1000

#: Told of a run, the number of the trial that it belongs to, and what it reached on validation data (None: diverged).
Report = Callable[[Run, int, float | None], None]


def tune_study(
    runs: Sequence[Run],
    folder: Path,
    machine: Machine,
    *,
    trials: int,
    lanes: int = 1,
    budget: float = math.inf,
    report: Report | None = None,
) -> None:
    """Search settings for the methods of some runs, once per protocol, method and region.

    Trial 0 is the shipped setting, the others are drawn at random from the paper's ranges: trial k from seed k, so
    that an interrupted search goes on as it would have. A trial is one run on every task among `runs`, and worth their
    mean: a setting that helps one task and harms another is not chosen. All methods get a trial before any gets the
    next, so that whenever time is up their chances were equal.

    Parameters
    ----------
    runs : sequence of Run
        What is to be run later.
    folder : Path
        Of the store; trials go to its folder ``tuning``, the best of them to ``tuned.json``.
    machine : Machine
        Where and how.
    trials : int
        For each method.
    lanes : int, default 1
        Runs that are made in turns, side by side on the device.
    budget : float
        Seconds.
    report : callable, optional
        Called after each run.
    """
    deadline = time.time() + budget
    machine = replace(machine, deadline=deadline)
    known = {(*_place(line), line["number"]) for line in _lines(folder)}
    samples = dict.fromkeys(replace(run, seed=SEED) for run in runs)
    waiting = [
        _Trial(run, number)
        for number in range(trials)
        for run in samples
        if (run.setting, run.task, run.variant, number) not in known
    ]
    steps = (partial(_judge, trial, machine) for trial in _in_time(waiting, deadline, lanes))
    try:
        for trial, value in side_by_side_on(machine, steps, lanes=lanes):
            append_line(folder / "tuning" / f"{trial.run.protocol}.jsonl", trial.line(value))
            if report is not None:
                report(trial.run, trial.number, value)
    except OutOfTimeError:
        pass  # what is finished is written down; the next call goes on from there
    _choose(folder)


def read_tuned(folder: Path) -> Tuned:
    """Read ``tuned.json`` of a store's folder: "changes", "value" and "trials" by `Run.setting`; empty without it."""
    path = folder / "tuned.json"
    if not path.exists():
        return {}
    try:
        tuned = json.loads(path.read_text(encoding="utf-8"))
        if not all({"changes", "value", "trials"} <= entry.keys() for entry in tuned.values()):
            raise ValueError("an entry lacks changes, value or trials")
    except (ValueError, AttributeError) as error:
        raise FileFormatError(f"{path} is not what tuning writes ({error}); remove it and tune again.") from error
    return tuned  # type: ignore[no-any-return]


def study_space(recipe: Recipe, protocol: str) -> Space:
    """Return the ranges that are searched: the paper's, and where cross-entropy is mixed in, its share and the region.

    Except under the paper's protocol, learning rate and weight decay lie around those of the recipe, which the paper's
    ranges do not reach.
    """
    space = paper_space(recipe)
    if recipe.loss.ce_weight > 0:
        space["loss.ce_weight"] = Range(0.3, 0.9)
        space["loss.region"] = Choice(("fpr<=0.1", "fpr<=0.2", "fpr<=0.3", "fpr<=0.5"))
    if protocol != "paper" and "optimizer.lr" in space:
        rate, decay = recipe.optimizer.options["lr"], recipe.optimizer.options["weight_decay"]
        space["optimizer.lr"] = Range(rate / 3, rate * 2, log=True)
        space["optimizer.weight_decay"] = Range(decay / 2, decay * 4, log=True)
    return space


@dataclass(frozen=True)
class _Trial:
    """A setting on one task."""

    run: Run
    number: int

    @property
    def changes(self) -> dict[str, Any]:
        return drawn(study_space(self.run.recipe(), self.run.protocol), self.number) if self.number else {}

    def line(self, value: float | None) -> dict[str, Any]:
        run = self.run
        facts = {"setting": run.setting, "number": self.number, "changes": self.changes, "value": value}
        return {**facts, "task": run.task, "variant": run.variant, "seed": run.seed}


def _judge(trial: _Trial, machine: Machine, here: Sitting) -> Steps[tuple[_Trial, float | None]]:
    recipe = with_changes(trial.run.recipe(), trial.changes)
    # Without the test part: it is looked at once, by the runs themselves.
    inputs = replace(study_inputs(trial.run, recipe, machine), test=None)
    try:
        result = yield from train_in_turns(inputs, recipe, machine, here)
    except DivergedError:
        return trial, None
    return trial, statistics.fmean(result.val_metrics[METRIC[region]] for region in trial.run.regions)


def _in_time(trials: Sequence[_Trial], deadline: float, lanes: int) -> Iterator[_Trial]:
    """Yield trials that probably end in time: as long as the slowest before."""
    begun: list[float] = []
    for trial in trials:
        now = time.time()
        # A lane is free again when the run begun `lanes` ago has ended.
        longest = max((end - start for start, end in zip(begun, begun[lanes:], strict=False)), default=0.0)
        if now + longest > deadline:
            return
        begun.append(now)
        yield trial


def _lines(folder: Path) -> list[Mapping[str, Any]]:
    return [line for path in sorted((folder / "tuning").glob("*.jsonl")) for line in read_lines(path)]


def _place(line: Mapping[str, Any]) -> tuple[str, str, str]:
    return line["setting"], line["task"], line["variant"]


def _choose(folder: Path) -> None:
    """Keep the best of the trials that have run wherever any trial of their setting has."""
    found: dict[str, dict[int, dict[tuple[str, str, str], Mapping[str, Any]]]] = {}
    for line in _lines(folder):
        found.setdefault(line["setting"], {}).setdefault(line["number"], {})[_place(line)] = line
    tuned = {setting: _best(list(trials.values())) for setting, trials in found.items()}
    if tuned:
        write_bytes(folder / "tuned.json", (json.dumps(tuned, indent=2, sort_keys=True) + "\n").encode())


def _best(trials: Sequence[Mapping[tuple[str, str, str], Mapping[str, Any]]]) -> dict[str, Any]:
    places = set().union(*trials)
    whole = [list(trial.values()) for trial in trials if trial.keys() == places]
    best: dict[str, Any] = {"changes": {}, "value": None, "trials": len(whole)}
    for lines in whole:
        values = [line["value"] for line in lines]
        if None not in values and (best["value"] is None or statistics.fmean(values) > best["value"]):
            best |= {"changes": lines[0]["changes"], "value": statistics.fmean(values)}
    return best
