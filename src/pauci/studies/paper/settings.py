"""What trials of other settings say of the strong protocol, and which they choose."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.protocols import TUNED
from pauci.studies.paper.tables import markdown
from pauci.studies.paper.trials import (
    COMMON,
    METRICS,
    Trials,
    comparable,
    metric_words,
    setting_name,
    trial_differences,
)


def best_setting(lines: Sequence[Mapping[str, Any]], method: str) -> dict[str, Any]:
    """Choose a setting, by its changes: the best of those that were tried on most seeds."""
    settings = comparable(lines, method)[-1]
    best, _ = max(settings.items(), key=lambda entry: _mean(entry[1], METRICS[0]))
    of_method = (line["changes"] for line in lines if line["method"] == method)
    return next(dict(changes) for changes in of_method if setting_name(changes) == best)


def tried(lines: Sequence[Mapping[str, Any]], method: str) -> int:
    """Count the settings of a method that were tried on all tasks."""
    rounds = comparable(lines, method)
    return len(rounds[0]) if rounds else 0


def settings_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Write the mean over tasks for every method and setting: first on one seed, then of the best on more.

    Empty if there is nothing.
    """
    rows = []
    for method in dict.fromkeys(line["method"] for line in lines):
        for seeds, settings in enumerate(comparable(lines, method), start=1):
            for setting, trials in sorted(settings.items(), key=lambda entry: -_mean(entry[1], METRICS[0])):
                values = [f"{_mean(trials, metric):.4f}" for metric in METRICS]
                rows.append([METHODS[method].title, setting, str(seeds), *values])
    head = ["method", "setting", "seeds", *(metric_words(metric) for metric in METRICS)]
    return markdown(head, rows) if rows else ""


def same_settings_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Compare methods at the settings that every one of them was tried with, on the first seed.

    Methods with solvers of their own are left out. The last column is what the best of these settings is above the
    common one. Empty unless there is something to compare.
    """
    alike = [method for method, info in METHODS.items() if not info.has_own_solver and tried(lines, method)]
    found = {method: comparable(lines, method)[0] for method in alike}
    everywhere = set.intersection(*map(set, found.values())) if found else set()
    if len(found) < 2 or len(everywhere) < 2 or COMMON not in everywhere:
        return ""
    shared = [COMMON, *sorted(everywhere - {COMMON})]
    means = {method: [_mean(settings[name], METRICS[0]) for name in shared] for method, settings in found.items()}
    rows = [
        [METHODS[method].title, *(f"{value:.4f}" for value in values), f"{max(values) - values[0]:+.3f}"]
        for method, values in sorted(means.items(), key=lambda entry: -max(entry[1]))
    ]
    return markdown(["method", *shared, f"best minus {COMMON}"], rows)


def settings_sentence(lines: Sequence[Mapping[str, Any]]) -> str:
    """Say which settings were chosen, and what remains of the difference between ours and cross-entropy with them.

    Empty unless these two have trials.
    """
    if not (tried(lines, "ce") and tried(lines, "ours")):
        return ""
    first, last = ({method: comparable(lines, method)[k] for method in ("ce", "ours")} for k in (0, -1))
    best = {method: setting_name(best_setting(lines, method)) for method in TUNED if tried(lines, method)}
    tasks = {task for task, _ in last["ce"][best["ce"]]}
    chosen = "; ".join(f"`{name}` for {METHODS[m].title}, of {tried(lines, m)}" for m, name in best.items())
    return (
        f"Trials on validation data of {len(tasks)} tasks chose the settings of the tuned protocol: {chosen}. There "
        f"ours minus CE is {trial_differences(last['ours'][best['ours']], last['ce'][best['ce']])}; with the common "
        f"setting it is {trial_differences(first['ours'][COMMON], first['ce'][COMMON])}."
    )


def _mean(trials: Trials, metric: str) -> float:
    return statistics.fmean(values[metric] for values in trials.values())
