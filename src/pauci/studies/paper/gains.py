"""Means over tasks: by how much methods differ, and where that was measured."""

from collections.abc import Collection, Mapping, Sequence

from pauci.data.tasks import TASKS
from pauci.metrics.comparison import Comparison
from pauci.studies.paired import significant
from pauci.studies.paper.blocks import TARGETS
from pauci.studies.paper.methods import METHODS, ONE_WAY
from pauci.studies.paper.summary import Cell, Results
from pauci.studies.paper.tables import interval, markdown

#: Where a mean is taken, each with its metric.
Places = Sequence[tuple[Cell, str]]

#: What is judged, and for which region the judged models were trained.
COLUMNS: dict[str, Sequence[tuple[str, str]]] = {
    "both target regions": TARGETS,
    "FPR <= 0.05": [("opauc@0.05", str(ONE_WAY))],
    "FPR <= 0.01": [("opauc@0.01", str(ONE_WAY))],
}
#: Protocols that train well, and whose settings they use.
SETTINGS = {
    "tuned": "tuned for each",
    "strong": "one for both",
}


def gain_table(results: Results, protocol: str) -> str:
    """Write the mean difference of every method to cross-entropy over all tasks without leaks; empty if there is none.

    A method with more tasks than the others gets a second row, on theirs: means over different tasks do not compare.
    """
    gains = {method: _gains(results, protocol, method) for method in METHODS if method != "ce"}
    gains = {method: found for method, found in gains.items() if found}
    if not gains:
        return ""
    shared = set.intersection(*map(_tasks, gains.values()))
    lines = []
    for method, found in gains.items():
        title = METHODS[method].title_with_region
        lines.append(_line(results, title, found, method))
        if shared and shared < _tasks(found):
            on_shared = _gains(results, protocol, method, tasks=shared)
            lines.append(_line(results, f"{title}, on the tasks of all rows", on_shared, method))
    return markdown(["method", "tasks", "seeds", *COLUMNS], lines)


def head_to_head(results: Results) -> str:
    """Compare ours with cross-entropy, each with its own settings and both with the same; empty without runs."""
    lines = [
        [*_line(results, words, found, "ours"), _single_cells(results, protocol)]
        for protocol, words in SETTINGS.items()
        if (found := _gains(results, protocol, "ours"))
    ]
    head = ["settings", "tasks", "seeds", *COLUMNS, "cells above / below"]
    return markdown(head, lines) if lines else ""


def gain_places(protocol: str, judged: Sequence[tuple[str, str]]) -> list[tuple[Cell, str]]:
    """List the cells of all data sets without leaks under a protocol: conclusions are drawn from them.

    What is judged are metrics, each with the region that was trained for.
    """
    return [(Cell(protocol, task, "clean", region), metric) for metric, region in judged for task in TASKS]


def _gains(
    results: Results, protocol: str, method: str, *, tasks: Collection[str] = tuple(TASKS)
) -> dict[str, tuple[Comparison, list[tuple[Cell, str]]]]:
    """Find the mean of every column that has any, with its places."""
    wanted = {
        title: [place for place in gain_places(protocol, judged) if place[0].task in tasks]
        for title, judged in COLUMNS.items()
    }
    return {title: found for title, places in wanted.items() if (found := results.gain(method, "ce", places))}


def _single_cells(results: Results, protocol: str) -> str:
    """Count cells of task and target region in which ours differs significantly, after Holm's correction for all."""
    places = gain_places(protocol, TARGETS)
    found = {(cell, metric): results.difference(cell, "ours", "ce", metric) for cell, metric in places}
    known = {place: comparison for place, comparison in found.items() if comparison is not None}
    sure = [known[place].difference for place in significant(known)]
    return f"{sum(gain > 0 for gain in sure)} / {sum(gain < 0 for gain in sure)} of {len(known)}"


def _tasks(gains: Mapping[str, tuple[Comparison, Places]]) -> set[str]:
    return {cell.task for _, places in gains.values() for cell, _ in places}


def _line(results: Results, title: str, gains: Mapping[str, tuple[Comparison, Places]], method: str) -> list[str]:
    seeds = [count for _, places in gains.values() for count in _seeds(results, method, places)]
    told = (interval(gains[column][0]) if column in gains else "" for column in COLUMNS)
    return [title, str(len(_tasks(gains))), _span(seeds), *told]


def _seeds(results: Results, method: str, places: Places) -> list[int]:
    """Count for every task the seeds that all its places have."""
    shared: dict[str, set[int]] = {}
    for cell, metric in places:
        common = results.values(cell, method, metric).keys() & results.values(cell, "ce", metric).keys()
        shared[cell.task] = shared.get(cell.task, common) & common
    return [len(common) for common in shared.values()]


def _span(counts: Collection[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"
