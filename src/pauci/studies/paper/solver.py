"""PAUCI's objective by other solvers than the paper's: what trials on validation data say."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.studies.paper.methods import METHODS, METRIC, ONE_WAY
from pauci.studies.paper.published import published
from pauci.studies.paper.trials import COMMON, METRICS, Trials, comparable, trial_differences


def solver_sentence(lines: Sequence[Mapping[str, Any]]) -> str:
    """Compare Algorithm 1 with other ways to train its objective, by trials of the paper's protocol.

    There is a sentence for every other solver; empty if there is none.
    """
    rounds = comparable(lines, "pauci")
    if not rounds or COMMON not in rounds[-1]:
        return ""
    by_solver = {setting: trials for setting, trials in rounds[-1].items() if setting.startswith("optimizer={")}
    return " ".join(_compared(setting, trials, rounds[-1][COMMON]) for setting, trials in by_solver.items())


def _compared(setting: str, trials: Trials, algorithm: Trials) -> str:
    tasks = sorted({task for task, _ in trials})
    reached = []
    for task in tasks:
        values = [found[METRICS[0]] for (place, _), found in trials.items() if place == task]
        number = published(str(ONE_WAY), "pauci", task)
        reached.append(f"{task} {statistics.fmean(values):.4f}" + (f", published {number:.4f}" if number else ""))
    seeds = len({seed for _, seed in trials})
    return (
        f"Under the paper's protocol, on validation data of {len(tasks)} tasks with {seeds} seeds, the same objective "
        f"trained with `{setting}` minus {METHODS['pauci'].title} is {trial_differences(trials, algorithm)}; its "
        f"{METRIC[str(ONE_WAY)]} there, beside what was published for test data: {'; '.join(reached)}."
    )
