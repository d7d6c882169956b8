"""The study's tables, as Markdown."""

import math
import statistics
from collections.abc import Sequence

from pauci.data.tasks import TASKS
from pauci.metrics.comparison import Comparison
from pauci.studies.paired import significant
from pauci.studies.paper.blocks import DATASETS, Block
from pauci.studies.paper.methods import METHODS, METRIC
from pauci.studies.paper.published import PUBLISHED_ROWS, published
from pauci.studies.paper.summary import Cell, Results, significantly_best

_METRICS = {
    "opauc@0.3": "OPAUC, FPR <= 0.3",
    "opauc@0.05": "OPAUC, FPR <= 0.05 (models trained for FPR <= 0.3)",
    "opauc@0.01": "OPAUC, FPR <= 0.01 (models trained for FPR <= 0.3)",
    "tpauc@0.5,0.5": "TPAUC, TPR >= 0.5 and FPR <= 0.5",
}


def value_table(results: Results, block: Block, metric: str, region: str) -> str:
    """Write one table: methods by tasks, with spread, difference to cross-entropy, and published values.

    Metric and region are one of `JUDGED`. Below is a note on what is missing; empty if there is nothing.
    """
    cells = block.cells(region)
    known = [method for method in METHODS if region in METHODS[method].losses]
    methods = [method for method in known if any(results.records(cell, method) for cell in cells)]
    if not methods:
        return ""
    with_published = METRIC[region] == metric
    head = ["method"]
    for cell in cells:
        head += [f"{cell.task} ({TASKS[cell.task].positives.partition('(')[0].strip()})", "minus CE"]
        head += ["published"] if with_published else []
    others = [(cell, method) for cell in cells for method in methods if method != "ce"]
    minus_ce = {place: results.difference(*place, "ce", metric) for place in others}
    daggers = significant(minus_ce)
    marks = {cell: significantly_best(results, cell, methods, metric, level=0.05 / len(cells)) for cell in cells}
    rows = []
    for method in methods:
        row = [METHODS[method].title]
        for cell in cells:
            row.append(_value(results, cell, method, metric, marks[cell]))
            row.append(_difference(minus_ce.get((cell, method)), is_significant=(cell, method) in daggers))
            if with_published:
                number = published(region, method, cell.task)
                row.append("" if number is None else f"{number:.4f}")
        rows.append(row)
    note = _missing(results, block, cells, region)
    return f"**{_METRICS[metric]}**\n\n{markdown(head, rows)}\n{note}"


def fewer_rows(results: Results, cell: Cell) -> str:
    """Say that runs of a cell had fewer training images than the published ones; empty where they had not."""
    dataset = TASKS[cell.task].dataset
    rows, there = min(results.rows(cell), default=0), PUBLISHED_ROWS[dataset]
    if not 0 < rows < there:
        return ""
    return f"{DATASETS[dataset]} has {rows:,} training images here; published numbers were made with {there:,}."


def interval(comparison: Comparison) -> str:
    """Write a difference with its interval; one pair alone has none."""
    if math.isinf(comparison.high):
        return f"{comparison.difference:+.3f}"
    return f"{comparison.difference:+.3f} [{comparison.low:+.3f}, {comparison.high:+.3f}]"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; numbers are aligned to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _value(results: Results, cell: Cell, method: str, metric: str, marks: Sequence[str]) -> str:
    values = list(results.values(cell, method, metric).values())
    diverged = results.diverged(cell, method)
    lost = f", {diverged} diverged" if diverged else ""
    if not values:
        return f"0{lost}" if diverged else "-"
    mean = f"{statistics.fmean(values):.4f}"
    mark = "**" if method in marks[:1] else "*" if method in marks else ""
    spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{mark}{mean}{mark}{spread} ({len(values)}{lost})"


def _difference(comparison: Comparison | None, *, is_significant: bool) -> str:
    return "" if comparison is None else interval(comparison) + " †" * is_significant


def _missing(results: Results, block: Block, cells: Sequence[Cell], region: str) -> str:
    """Say which cells have fewer seeds than planned, and what the settings cost in trials."""
    names = [name for name in block.planned() if region in METHODS[name].losses]
    title = {name: METHODS[name].title for name in names}
    seeds = {name: [len(results.records(cell, name)) for cell in cells] for name in names}
    runs = {name: [record for cell in cells for record in results.records(cell, name)] for name in names}
    warmup = {name: METHODS[name].warmup(region) for name in names}
    early = {name: sum(run.details.get("epoch", math.inf) <= warmup[name] for run in runs[name]) for name in names}
    trials = {name: max((run.details.get("trials", 0) for run in runs[name]), default=0) for name in names}
    begun = [name for name in names if runs[name] and min(seeds[name]) < block.seeds()]
    partial = ", ".join(f"{title[name]} {'/'.join(map(str, seeds[name]))}" for name in begun)
    not_run = ", ".join(title[name] for name in names if not runs[name])
    unfinished = ", ".join(f"{title[name]} {early[name]} of {len(runs[name])}" for name in names if early[name])
    tuned = ", ".join(f"{title[name]} {trials[name]}" for name in names if trials[name])
    notes = []
    if partial:
        notes.append(f"Partial; seeds so far, of {block.seeds()} per task: {partial}.")
    if not_run:
        notes.append(f"Not run yet: {not_run}.")
    if not notes:
        notes.append(f"Complete: {block.seeds()} seeds in every cell.")
    if unfinished:
        notes.append(f"Runs that kept an epoch from before their weights count, while all were 1: {unfinished}.")
    # Under the tuned protocol the trials have a table of their own.
    if block.protocol != "tuned":
        notes.append(f"Trials of tuning: {tuned}; others none." if tuned else "No trials of tuning.")
    return " ".join(notes) + "\n"
