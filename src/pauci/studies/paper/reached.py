"""How near to published numbers the study comes."""

import statistics

from pauci.studies.paper.blocks import DATASETS, TARGETS, Block
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.published import best_published, published
from pauci.studies.paper.summary import Cell, Results
from pauci.studies.paper.tables import fewer_rows, markdown

#: Data sets that are here what they were for the published numbers: as large, and in the variant of those.
ALIKE = {"cifar10-lt": "clean", "cifar100-lt": "paper"}
#: Protocols in which a published number can be passed, and by whom.
_PASSED_BY = [(method, protocol) for protocol in ("tuned", "strong", "paper") for method in ("ce", "ours")]
#: So far below a published number a mean may be and still count as reproducing it.
_NEAR = 0.02


def passed_table(results: Results) -> str:
    """Count the cells in which cross-entropy and ours are above every published number, of whatever method.

    A note says where fewer images were at hand. Empty without runs.
    """
    # Tiny-ImageNet is counted, too, though fewer of its images may be at hand: the note says so.
    variants = {dataset: ALIKE.get(dataset, "clean") for dataset in DATASETS}
    rows, notes = [], dict[str, None]()
    for method, protocol in _PASSED_BY:
        counted = []
        for dataset, variant in variants.items():
            cells = _means(results, Block(protocol, dataset, variant), method)
            above = sum(value > best_published(cell.region, cell.task) for cell, value in cells.items())
            counted.append(f"{above} of {len(cells)}" if cells else "")
            notes |= dict.fromkeys(filter(None, (fewer_rows(results, cell) for cell in cells)))
        if any(counted):
            rows.append([f"{METHODS[method].title}, {protocol} protocol", *counted])
    if not rows:
        return ""
    head = ["", *(data_title(Block("paper", *found)) for found in variants.items())]
    return "\n".join([markdown(head, rows), *(f"{note}\n" for note in notes)])


def algorithm_table(results: Results) -> str:
    """Set PAUCI by Algorithm 1 beside its published numbers, cell by cell, under both protocols.

    Below stands how many cells come near. Empty without runs.
    """
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for protocol in ("paper", "strong"):
        for dataset, variant in ALIKE.items():
            for cell, value, number in reached(results, Block(protocol, dataset, variant), "pauci"):
                found.setdefault(protocol, {})[f"{cell.task}, {cell.region}"] = value, number
    if not found:
        return ""
    rows = []
    for place in dict.fromkeys(place for cells in found.values() for place in cells):
        (number,) = {cells[place][1] for cells in found.values() if place in cells}
        values = (f"{cells[place][0]:.4f}" if place in cells else "" for cells in found.values())
        rows.append([place, f"{number:.4f}", *values])
    near = (
        f"under the {protocol} protocol in {sum(value >= number - _NEAR for value, number in cells.values())} "
        f"of {len(cells)} cells"
        for protocol, cells in found.items()
    )
    head = ["cell", "published", *(f"{protocol} protocol" for protocol in found)]
    return f"{markdown(head, rows)}\nWithin {_NEAR} of the published number, or above it: {', '.join(near)}.\n"


def reached(results: Results, block: Block, method: str) -> list[tuple[Cell, float, float]]:
    """List cells of both target regions with the mean that a method has there and its published number."""
    means = _means(results, block, method)
    numbers = {cell: published(cell.region, method, cell.task) for cell in means}
    return [(cell, means[cell], number) for cell, number in numbers.items() if number is not None]


def data_title(block: Block) -> str:
    """Name the data of a block: CIFAR-100-LT exists in two variants.

    Examples
    --------
    >>> data_title(Block("paper", "cifar100-lt", "paper"))
    'CIFAR-100-LT as published'
    """
    return f"{DATASETS[block.dataset]} as published" if block.variant == "paper" else DATASETS[block.dataset]


def _means(results: Results, block: Block, method: str) -> dict[Cell, float]:
    found = {cell: results.values(cell, method, metric) for metric, region in TARGETS for cell in block.cells(region)}
    return {cell: statistics.fmean(values.values()) for cell, values in found.items() if values}
