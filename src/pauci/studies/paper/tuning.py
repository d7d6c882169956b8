"""Tuning every method alike: as many trials each, judged on validation data, the shipped settings among them."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pauci.errors import DivergedError, FileFormatError
from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.paper.methods import METRIC
from pauci.studies.paper.plan import Run, Tuned
from pauci.studies.paper.training import Machine, OutOfTimeError, study_inputs, train_on
from pauci.training import Recipe
from pauci.training.checkpoint import write_bytes
from pauci.training.recipe_file import with_changes
from pauci.training.space import Choice, Range, Space, paper_space

#: Seed of all trials; no run of the study has it.
SEED = 1000

#: Told of a setting, the number of a trial, and what it reached on validation data (None: diverged).
Report = Callable[[str, int, float | None], None]


def tune_study(
    runs: Sequence[Run],
    folder: Path,
    machine: Machine,
    *,
    trials: int,
    budget: float | None = None,
    report: Report | None = None,
) -> Tuned:
    """Search settings for the methods of some runs, once per protocol, data set and region.

    Trial 0 is the shipped setting, the others are drawn at random from the paper's ranges: trial k from seed k, so
    that an interrupted search goes on as it would have. Trials run on the first task of a data set among `runs`.

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
    budget : float, optional
        Seconds.
    report : callable, optional
        Called after each trial.

    Returns
    -------
    dict
        All that was ever tuned in this folder, by `Run.setting`: "changes", "value", "trials".
    """
    deadline = None if budget is None else time.time() + budget
    machine = replace(machine, deadline=deadline)
    samples = {run.setting: replace(run, seed=SEED) for run in reversed(runs)}
    try:
        for setting in dict.fromkeys(run.setting for run in runs):
            _search(samples[setting], folder, machine, trials, report)
    except OutOfTimeError:
        pass  # what is finished is written down; the next call goes on from there
    return _choose(folder)


def read_tuned(folder: Path) -> Tuned:
    """Read ``tuned.json`` of a store; empty where nothing was tuned.

    Parameters
    ----------
    folder : Path
        Of the store.

    Returns
    -------
    dict
        As `tune_study` returns it.
    """
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
    """Return the ranges that are searched.

    Parameters
    ----------
    recipe : Recipe
        Of the method.
    protocol : str
        Under the strong one, learning rates lie around its own, which the paper's range does not reach.

    Returns
    -------
    dict
        Dotted path to range: the paper's, and where cross-entropy is mixed in, its share and the region trained on.
    """
    space = paper_space(recipe)
    if recipe.loss.ce_weight > 0:
        space["loss.ce_weight"] = Range(0.2, 0.8)
        space["loss.region"] = Choice(("fpr<=0.1", "fpr<=0.2", "fpr<=0.3"))
    if protocol != "paper" and "optimizer.lr" in space:
        rate = recipe.optimizer.options["lr"]
        space["optimizer.lr"] = Range(rate / 10, rate * 3, log=True)
    return space


def _search(run: Run, folder: Path, machine: Machine, trials: int, report: Report | None) -> None:
    path = folder / "tuning" / f"{run.protocol}.jsonl"
    base = run.recipe()
    space = study_space(base, run.protocol)
    known = {line["number"] for line in read_lines(path) if line["setting"] == run.setting}
    longest = 0.0
    for number in range(trials):
        if number in known:
            continue
        start = time.time()
        if machine.deadline is not None and start + longest > machine.deadline:
            raise OutOfTimeError
        changes = _draw(space, number)
        value = _judge(run, with_changes(base, changes), machine)
        line = {"setting": run.setting, "number": number, "changes": changes, "value": value}
        append_line(path, {**line, "task": run.task, "variant": run.variant, "seed": run.seed})
        longest = max(longest, time.time() - start)
        if report is not None:
            report(run.setting, number, value)


def _draw(space: Space, number: int) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    return {name: entry.draw(rng) for name, entry in space.items()} if number else {}


def _judge(run: Run, recipe: Recipe, machine: Machine) -> float | None:
    # Without the test part: it is looked at once, by the runs themselves.
    inputs = replace(study_inputs(run, recipe, machine), test=None)
    try:
        reached = train_on(inputs, recipe, machine).val_metrics
    except DivergedError:
        return None
    return float(np.mean([reached[METRIC[region]] for region in run.regions]))


def _choose(folder: Path) -> Tuned:
    tuned: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / "tuning").glob("*.jsonl")):
        for line in read_lines(path):
            entry = tuned.setdefault(line["setting"], {"changes": {}, "value": None, "trials": 0})
            entry["trials"] += 1
            if line["value"] is not None and (entry["value"] is None or line["value"] > entry["value"]):
                entry |= {"changes": line["changes"], "value": line["value"]}
    if tuned:
        write_bytes(folder / "tuned.json", (json.dumps(tuned, indent=2, sort_keys=True) + "\n").encode())
    return tuned
