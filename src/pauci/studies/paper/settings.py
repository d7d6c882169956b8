"""Other settings of the strong protocol on validation data: what trials of `benchmarks/strong_settings.py` say."""

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pauci.errors import FileFormatError
from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.paired import mean_over_cells
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.tables import interval, markdown

#: By what settings are compared. The first chooses epochs, and the best setting.
METRICS: tuple[str, ...] = ("opauc@0.3", "opauc@0.05")

#: The setting without changes, which all methods of the strong protocol have.
COMMON = "common"

#: Task and seed to values on validation data.
_Trials = Mapping[tuple[str, int], Mapping[str, float]]


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


def best_setting(lines: Sequence[Mapping[str, Any]], method: str) -> dict[str, Any]:
    """Choose a setting: the best of those that were tried on most seeds.

    Parameters
    ----------
    lines : sequence of mapping
        As `add_trial` takes them.
    method : str
        Whose trials.

    Returns
    -------
    dict
        Its changes.
    """
    settings = _rounds(lines, method)[-1]
    best, _ = max(settings.items(), key=lambda entry: _mean(entry[1], METRICS[0]))
    return next(dict(line["changes"]) for line in lines if (line["method"], _named(line["changes"])) == (method, best))


def tried(lines: Sequence[Mapping[str, Any]], method: str) -> int:
    """Count the settings of a method that were tried on all tasks."""
    rounds = _rounds(lines, method)
    return len(rounds[0]) if rounds else 0


def settings_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Write the mean over tasks for every method and setting: first on one seed, then of the best on more.

    Parameters
    ----------
    lines : sequence of mapping
        As `add_trial` takes them.

    Returns
    -------
    str
        Markdown; empty if there is nothing.
    """
    rows = []
    for method in dict.fromkeys(line["method"] for line in lines):
        for seeds, settings in enumerate(_rounds(lines, method), start=1):
            for setting, trials in sorted(settings.items(), key=lambda entry: -_mean(entry[1], METRICS[0])):
                values = [f"{_mean(trials, metric):.4f}" for metric in METRICS]
                rows.append([METHODS[method].title, setting, str(seeds), *values])
    head = ["method", "setting", "seeds", *(_words(metric) for metric in METRICS)]
    return markdown(head, rows) if rows else ""


def settings_sentence(lines: Sequence[Mapping[str, Any]]) -> str:
    """Say what remains of the difference between ours and cross-entropy when each has its best setting.

    Parameters
    ----------
    lines : sequence of mapping
        As `add_trial` takes them.

    Returns
    -------
    str
        A sentence or two; empty unless both methods have trials.
    """
    methods = ("ce", "ours")
    if not all(any(line["method"] == method for line in lines) for method in methods):
        return ""
    first, last = ({m: _rounds(lines, m)[k] for m in methods} for k in (0, -1))
    best = {method: _named(best_setting(lines, method)) for method in methods}
    common = dict.fromkeys(methods, COMMON)
    tasks = {task for task, _ in last["ce"][best["ce"]]}
    chosen = " and ".join(f"`{best[m]}` for {METHODS[m].title}, of {tried(lines, m)}" for m in methods)
    return (
        f"Trials on validation data of {len(tasks)} tasks chose the settings of the tuned protocol: {chosen}. There "
        f"ours minus CE is {_differences(last, best)}; with the common setting it is {_differences(first, common)}."
    )


def _named(changes: Mapping[str, Any]) -> str:
    return " ".join(f"{path}={value}" for path, value in sorted(changes.items())) or COMMON


def _path(folder: Path, protocol: str) -> Path:
    return folder / "settings" / f"{protocol}.jsonl"


def _rounds(lines: Sequence[Mapping[str, Any]], method: str) -> list[dict[str, _Trials]]:
    """List settings with all tasks and the first seed, then those with the first two, and so on: only these compare."""
    made: dict[str, dict[tuple[str, int], list[Mapping[str, float]]]] = {}
    for line in lines:
        if line["method"] == method:
            trials = made.setdefault(_named(line["changes"]), {})
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
    rounds: list[dict[str, _Trials]] = []
    for count in range(1, len(seeds) + 1):
        needed = {(task, seed) for task, _ in places for seed in seeds[:count]}
        rounds.append({s: {p: trials[p] for p in needed} for s, trials in found.items() if needed <= trials.keys()})
    return [settings for settings in rounds if settings]


def _mean(trials: _Trials, metric: str) -> float:
    return statistics.fmean(values[metric] for values in trials.values())


def _differences(found: Mapping[str, Mapping[str, _Trials]], chosen: Mapping[str, str]) -> str:
    ours, ce = (found[method][chosen[method]] for method in ("ours", "ce"))
    parts = []
    for metric in METRICS:
        cells: dict[str, list[float]] = {}
        for place in sorted(ours.keys() & ce.keys()):
            cells.setdefault(place[0], []).append(ours[place][metric] - ce[place][metric])
        parts.append(f"{interval(mean_over_cells(cells))} at {_words(metric)}")
    return " and ".join(parts)


def _words(metric: str) -> str:
    return f"FPR <= {metric.partition('@')[2]}"
