"""The study's figures: convergence, differences as a heat map, gains as a forest plot."""

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pauci.data.tasks import TASKS
from pauci.report.figures import Curve, ForestRow, convergence, forest, heatmap
from pauci.studies.paired import significant
from pauci.studies.paper.blocks import JUDGED, TARGETS
from pauci.studies.paper.gains import gain_places
from pauci.studies.paper.methods import METHODS, METRIC
from pauci.studies.paper.summary import Cell, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Where clean and leaking variants differ, figures show the clean one.
_VARIANT = "clean"


def draw_study(results: Results, histories: Sequence[dict[str, Any]]) -> "Iterator[tuple[str, str, Figure]]":
    """Draw every figure there are results for.

    Parameters
    ----------
    histories : sequence of dict
        Convergence curves, as they stand in the store's folder ``history``.

    Yields
    ------
    tuple
        Name of the file without its ending, what it shows, and the figure.
    """
    for protocol in dict.fromkeys(cell.protocol for cell in results.cells()):
        yield from _forest(results, protocol)
        yield from _heatmap(results, protocol)
    # Curves under the strong protocol show the methods of the tuned one, and the others beside them.
    places = {
        (entry["protocol"], entry["task"], region)
        for entry in histories
        if entry["variant"] == _VARIANT and entry["protocol"] != "tuned"
        for region in entry["regions"]
    }
    for protocol, task, region in sorted(places):
        entries = [e for e in histories if (e["protocol"], e["task"], e["variant"]) == (protocol, task, _VARIANT)]
        yield from _convergence(entries, protocol, task, region)


def _forest(results: Results, protocol: str) -> "Iterator[tuple[str, str, Figure]]":
    rows = []
    for metric, region in JUDGED:
        found = {
            task: results.difference(Cell(protocol, task, _VARIANT, region), "ours", "ce", metric) for task in TASKS
        }
        known = {task: c for task, c in found.items() if c is not None and math.isfinite(c.high)}
        filled = significant(known)
        rows += [
            ForestRow(task, c.difference, c.low, c.high, group=metric, significant=task in filled)
            for task, c in known.items()
        ]
    if rows:
        text = f"{METHODS['ours'].title} minus CE, {protocol} protocol: paired over seeds, 95% intervals"
        yield f"forest-{protocol}", text, forest(rows, title=f"{METHODS['ours'].title} minus CE, {protocol} protocol")


def _heatmap(results: Results, protocol: str) -> "Iterator[tuple[str, str, Figure]]":
    columns = [(cell, metric) for cell, metric in gain_places(protocol, TARGETS) if results.values(cell, "ce", metric)]
    methods = [m for m in METHODS if m != "ce" and any(results.values(cell, m, metric) for cell, metric in columns)]
    if not columns or not methods:
        return
    found = {(m, cell, metric): results.difference(cell, m, "ce", metric) for m in methods for cell, metric in columns}
    framed = significant(found)
    rows = [[(m, *place) for place in columns] for m in methods]
    table = [[math.nan if (c := found[place]) is None else c.difference for place in row] for row in rows]
    marked = [[place in framed for place in row] for row in rows]
    text = f"Difference to CE on test data, {protocol} protocol; framed: significant after Holm's correction"
    names = [f"{_short(cell.task)}\n{'TPAUC' if metric.startswith('t') else 'OPAUC'}" for cell, metric in columns]
    figure = heatmap(
        table,
        [METHODS[m].title for m in methods],
        names,
        title=f"Minus CE, {protocol} protocol",
        center=0.0,
        marked=marked,
        form="+.3f",
    )
    yield f"heatmap-{protocol}", text, figure


def _convergence(
    entries: Sequence[dict[str, Any]], protocol: str, task: str, region: str
) -> "Iterator[tuple[str, str, Figure]]":
    metric = METRIC[region]
    for axis in ("epoch", "seconds"):
        curves = []
        for method in METHODS:
            runs = [e for e in entries if e["method"] == method and region in e["regions"]]
            if runs:
                curves.append(_curve(METHODS[method].title, _of_last_setting(runs), axis, metric))
        text = (
            f"{task}, {region}, {protocol} protocol: validation partial AUC, mean and range over seeds, after warm-up"
        )
        name = f"convergence-{protocol}-{task}-{metric.partition('@')[0]}-{axis}"
        yield name, text, convergence(curves, title=f"{task}, {region}, {protocol} protocol", xlabel=axis)


def _of_last_setting(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take the runs whose points lie at the same epochs as those of the last; of one seed the last run."""
    last = runs[-1]["epoch"]
    return list({run["seed"]: run for run in runs if run["epoch"] == last}.values())


def _curve(label: str, runs: Sequence[dict[str, Any]], axis: str, metric: str) -> Curve:
    points = list(zip(*(run["val"][metric] for run in runs), strict=True))
    return Curve(
        label,
        [statistics.fmean(values) for values in zip(*(run[axis] for run in runs), strict=True)],
        [statistics.fmean(values) for values in points],
        low=[min(values) for values in points],
        high=[max(values) for values in points],
    )


def _short(task: str) -> str:
    dataset, _, number = task.rpartition("-")
    return {"cifar10-lt": "C10", "cifar100-lt": "C100", "tiny-imagenet": "Tiny"}[dataset] + f"-{number}"
