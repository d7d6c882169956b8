"""What other settings of a protocol would do, on validation data: trials of `benchmarks/strong_settings.py`."""

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.paired import mean_over_cells
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.tables import interval, markdown

#: By what settings are compared. The first chooses epochs, and the best setting.
METRICS: tuple[str, ...] = ("opauc@0.3", "opauc@0.05")

#: The setting without changes.
SHIPPED = "shipped"

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
        "task", "method", "seed", "changes" (dotted path to value; empty for the shipped setting), "epoch" and
        "val_metrics".
    """
    append_line(_path(folder, protocol), line)


def read_trials(folder: Path, protocol: str) -> list[dict[str, Any]]:
    """Read what `add_trial` wrote; empty where there is nothing."""
    return read_lines(_path(folder, protocol))


def settings_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Write the mean over tasks for every method and setting.

    Parameters
    ----------
    lines : sequence of mapping
        As `add_trial` takes them.

    Returns
    -------
    str
        Markdown; empty if there is nothing.
    """
    rows = [
        [METHODS[method].title, setting, *(f"{_mean(trials, metric):.4f}" for metric in METRICS), str(len(trials))]
        for method, settings in _by_method(lines).items()
        for setting, trials in settings.items()
    ]
    head = ["method", "setting", *(_words(metric) for metric in METRICS), "runs"]
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
    found = _by_method(lines)
    if not {"ce", "ours"} <= found.keys():
        return ""
    best = {method: max(found[method], key=lambda s: _mean(found[method][s], METRICS[0])) for method in ("ce", "ours")}
    shipped = dict.fromkeys(best, SHIPPED)
    tasks = {task for task, _ in found["ce"][best["ce"]]}
    tried = " and ".join(f"`{best[m]}` for {METHODS[m].title}, of {len(found[m])} tried" for m in best)
    return (
        "CE and ours have the same learning rate and weight decay here, tuned for neither. In trials on validation "
        f"data of {len(tasks)} tasks the best setting is {tried}: with these, ours minus CE is "
        f"{_differences(found, best)}; with the shipped one it is {_differences(found, shipped)} in the same trials."
    )


def _path(folder: Path, protocol: str) -> Path:
    return folder / "settings" / f"{protocol}.jsonl"


def _by_method(lines: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, _Trials]]:
    found: dict[str, dict[str, dict[tuple[str, int], Mapping[str, float]]]] = {}
    for line in lines:
        setting = " ".join(f"{path}={value}" for path, value in sorted(line["changes"].items())) or SHIPPED
        trials = found.setdefault(line["method"], {}).setdefault(setting, {})
        trials[line["task"], line["seed"]] = line["val_metrics"]
    # Settings that were not tried on all tasks cannot be compared with those that were.
    whole: dict[str, dict[str, _Trials]] = {}
    for method, settings in found.items():
        tasks = {task for trials in settings.values() for task, _ in trials}
        whole[method] = {s: trials for s, trials in settings.items() if {task for task, _ in trials} == tasks}
    return whole


def _mean(trials: _Trials, metric: str) -> float:
    """Mean over tasks of the means over seeds."""
    tasks = dict.fromkeys(task for task, _ in trials)
    return statistics.fmean(statistics.fmean(v[metric] for (t, _), v in trials.items() if t == task) for task in tasks)


def _differences(found: Mapping[str, Mapping[str, _Trials]], chosen: Mapping[str, str]) -> str:
    ours, ce = (found[method][chosen[method]] for method in ("ours", "ce"))
    parts = []
    for metric in METRICS:
        cells: dict[str, list[float]] = {}
        for place in ours.keys() & ce.keys():
            cells.setdefault(place[0], []).append(ours[place][metric] - ce[place][metric])
        parts.append(f"{interval(mean_over_cells(cells))} at {_words(metric)}")
    return " and ".join(parts)


def _words(metric: str) -> str:
    return f"FPR <= {metric.partition('@')[2]}"
