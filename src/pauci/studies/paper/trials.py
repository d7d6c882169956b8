"""Trials of other settings on validation data, as `benchmarks/strong_settings.py` writes them down."""

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pauci.errors import FileFormatError
from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.paired import mean_over_cells
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.tables import interval

#: By what settings are compared. The first chooses epochs, and the best setting.
METRICS: tuple[str, ...] = ("opauc@0.3", "opauc@0.05")

#: The setting without changes, which all methods of a protocol have but for solvers of their own.
COMMON = "common"

#: Task and seed to values on validation data.
Trials = Mapping[tuple[str, int], Mapping[str, float]]


def add_trial(folder: Path, protocol: str, line: Mapping[str, Any]) -> None:
    """Write down a trial.

    Parameters
    ----------
    folder : Path
        Of the store; trials go to its folder ``settings``.
    protocol : str
        Whose settings were changed.
    line : mapping
        "task", "method", "seed", "changes" (dotted path to value; empty for the common setting), "epoch" and
        "val_metrics".
    """
    append_line(_path(folder, protocol), line)


def read_trials(folder: Path, protocol: str) -> list[dict[str, Any]]:
    """Read what `add_trial` wrote; empty where there is nothing."""
    path = _path(folder, protocol)
    lines = read_lines(path)
    for number, line in enumerate(lines, start=1):
        if missing := sorted({"task", "method", "seed", "changes", "val_metrics"} - line.keys()):
            raise FileFormatError(f"{path}, line {number} lacks {', '.join(missing)}.")
        if line["method"] not in METHODS:
            known = ", ".join(METHODS)
            raise FileFormatError(f"{path}, line {number}: method={line['method']!r} is not known; use one of {known}.")
    return lines


def comparable(lines: Sequence[Mapping[str, Any]], method: str) -> list[dict[str, Trials]]:
    """List settings with all tasks and the first seed, then those with the first two, and so on: only these compare.

    For each number of seeds, there are settings with their values by task and seed; nothing where there are no trials.
    """
    made: dict[str, dict[tuple[str, int], list[Mapping[str, float]]]] = {}
    for line in lines:
        if line["method"] == method:
            trials = made.setdefault(setting_name(line["changes"]), {})
            trials.setdefault((line["task"], line["seed"]), []).append(line["val_metrics"])
    # On a GPU the same trial ends a little differently each time; made twice, it counts with its mean.
    found = {
        setting: {
            place: {metric: statistics.fmean(values[metric] for values in repeats) for metric in METRICS}
            for place, repeats in trials.items()
        }
        for setting, trials in made.items()
    }
    places = {place for trials in found.values() for place in trials}
    seeds = sorted({seed for _, seed in places})
    rounds: list[dict[str, Trials]] = []
    for count in range(1, len(seeds) + 1):
        needed = {(task, seed) for task, _ in places for seed in seeds[:count]}
        rounds.append({s: {p: trials[p] for p in needed} for s, trials in found.items() if needed <= trials.keys()})
    return [settings for settings in rounds if settings]


def trial_differences(first: Trials, second: Trials) -> str:
    """Say for every metric how far one setting is above another, in the mean over tasks, with its interval.

    Places that only one of them has are left out.
    """
    parts = []
    for metric in METRICS:
        cells: dict[str, list[float]] = {}
        for place in sorted(first.keys() & second.keys()):
            cells.setdefault(place[0], []).append(first[place][metric] - second[place][metric])
        parts.append(f"{interval(mean_over_cells(cells))} at {metric_words(metric)}")
    return " and ".join(parts)


def setting_name(changes: Mapping[str, Any]) -> str:
    """Name a setting by its changes."""
    return " ".join(f"{path}={value}" for path, value in sorted(changes.items())) or COMMON


def metric_words(metric: str) -> str:
    """Say where a metric of trials looks."""
    return f"FPR <= {metric.partition('@')[2]}"


def _path(folder: Path, protocol: str) -> Path:
    return folder / "settings" / f"{protocol}.jsonl"
