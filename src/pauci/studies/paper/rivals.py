"""How the methods that the paper compares do beside each other and beside their published numbers."""

import statistics

from pauci.studies.paper.blocks import TARGETS, Block, all_blocks
from pauci.studies.paper.gains import gain_places
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.reached import ALIKE, data_title, reached
from pauci.studies.paper.summary import Results
from pauci.studies.paper.tables import interval, markdown


def rivals_table(results: Results) -> str:
    """Compare every method with ours, with cross-entropy, and with what was published for it.

    These are means over the cells of both target regions. Empty without runs.
    """
    columns = {f"{protocol}: ours minus it": ours_minus_others(results, protocol) for protocol in ("strong", "tuned")}
    for block in all_blocks():
        if block.protocol == "paper":
            columns[f"paper: minus CE, {data_title(block)}"] = others_minus_ce(results, block)
    for dataset, variant in ALIKE.items():
        block = Block("paper", dataset, variant)
        columns[f"paper: minus published, {data_title(block)}"] = minus_published(results, block)
    columns = {head: column for head, column in columns.items() if column}
    rows = [
        [info.title_with_region, *(column.get(method, "") for column in columns.values())]
        for method, info in METHODS.items()
        if any(method in column for column in columns.values())
    ]
    return markdown(["method", *columns], rows) if rows else ""


def ours_minus_others(results: Results, protocol: str) -> dict[str, str]:
    """Compare ours with each of the others, by method; empty where there is none but cross-entropy."""
    places = gain_places(protocol, TARGETS)
    others = (method for method in METHODS if method not in ("ours", "ce"))
    found = {method: gain for method in others if (gain := results.gain("ours", method, places))}
    # CE has runs on more tasks: beside the others it counts on theirs.
    if beside := results.gain("ours", "ce", [place for _, used in found.values() for place in used]):
        found["ce"] = beside
    return {method: interval(comparison) for method, (comparison, _) in found.items()}


def others_minus_ce(results: Results, block: Block) -> dict[str, str]:
    """Compare every method with cross-entropy, by method."""
    places = [(cell, metric) for metric, region in TARGETS for cell in block.cells(region)]
    found = {method: results.gain(method, "ce", places) for method in METHODS if method != "ce"}
    return {method: interval(gain[0]) for method, gain in found.items() if gain}


def minus_published(results: Results, block: Block) -> dict[str, str]:
    """Compare every method with what was published for it, by method."""
    found = {method: reached(results, block, method) for method in METHODS}
    return {
        method: f"{statistics.fmean(value - number for _, value, number in cells):+.3f}"
        for method, cells in found.items()
        if cells
    }
