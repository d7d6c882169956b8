"""How the methods that the paper compares do beside each other and beside their published numbers, in sentences."""

import statistics
from collections.abc import Iterable, Mapping

from pauci.data.tasks import TASKS
from pauci.studies.paper.blocks import DATASETS, TARGETS, Block
from pauci.studies.paper.gains import Places, gain_places
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.published import published
from pauci.studies.paper.summary import Cell, Results
from pauci.studies.paper.tables import interval

#: Data sets that are here what they were for the published numbers: as large, and in the variant of those.
ALIKE = {"cifar10-lt": "clean", "cifar100-lt": "paper"}


def ours_minus_others(results: Results) -> str:
    """Compare ours with each of the others in the common setting."""
    others = [method for method in METHODS if method not in ("ours", "ce")]
    pairs = {method: ("ours", method) for method in others}
    found, used = _differences(results, pairs, gain_places("strong", TARGETS))
    if not found:
        return "Ours against the other methods has not been run yet."
    parts = list(found.values())
    # CE has runs on more tasks: beside the others it counts on theirs.
    if beside := results.gain("ours", "ce", used):
        parts.insert(0, f"{METHODS['ce'].title} {interval(beside[0])}")
    text = (
        "Ours minus each of the others, all in the common setting but for solvers of their own, mean over the cells "
        f"where these have several seeds, which are those of {_data_sets(used)}: {'; '.join(parts)}."
    )
    missing = [METHODS[method].title for method in others if method not in found]
    return f"{text} Not run yet: {', '.join(missing)}." if missing else text


def others_minus_ce_in_paper(results: Results, block: Block) -> str:
    """Compare every method with cross-entropy under the paper's protocol, on one data set."""
    pairs = {method: (method, "ce") for method in METHODS if method != "ce"}
    found, _ = _differences(
        results, pairs, [(cell, metric) for metric, region in TARGETS for cell in block.cells(region)]
    )
    where = _title(block.dataset, block.variant)
    if not found:
        return f"Each method minus CE, under the paper's protocol on {where}, has not been run yet."
    return (
        "Under the paper's protocol each method minus CE, mean over the cells of both target regions on "
        f"{where}: {'; '.join(found.values())}."
    )


def paper_minus_published(results: Results, dataset: str) -> str:
    """Compare every method under the paper's protocol with what was published for it on one of the data sets alike."""
    parts = [
        f"{info.title_with_region} {statistics.fmean(reached - number for _, reached, number in found):+.3f}"
        for method, info in METHODS.items()
        if (found := _published(results, "paper", method, dataset))
    ]
    where = _title(dataset, ALIKE[dataset])
    if not parts:
        return f"Each method minus its published numbers, under the paper's protocol on {where}, has not been run yet."
    return (
        "Under the paper's protocol each method minus its own published numbers, mean over the cells of both target "
        f"regions on {where}: {'; '.join(parts)}."
    )


def reproduced(results: Results, dataset: str) -> str:
    """Say in which cells of a data set Algorithm 1 comes near its published numbers, under both protocols."""
    texts = []
    for protocol, words in (("paper", "under the paper's protocol"), ("strong", "under the strong one")):
        if found := _published(results, protocol, "pauci", dataset):
            near = sum(reached >= number - 0.02 for _, reached, number in found)
            parts = [f"{place} {reached:.4f}, published {number:.4f}" for place, reached, number in found]
            texts.append(f"{words} in {near} of {len(parts)} cells ({'; '.join(parts)})")
    where = _title(dataset, ALIKE[dataset])
    if not texts:
        return f"PAUCI by Algorithm 1 has not been run yet on {where}."
    return (
        f"PAUCI by Algorithm 1 is within 0.02 of its published number on {where}, or above it, {', and '.join(texts)}."
    )


def _differences(
    results: Results, pairs: Mapping[str, tuple[str, str]], places: Places
) -> tuple[dict[str, str], list[tuple[Cell, str]]]:
    """Tell the mean difference of every pair that was run, and list the places of all."""
    told: dict[str, str] = {}
    used: dict[tuple[Cell, str], None] = {}
    for method, (first, second) in pairs.items():
        if found := results.gain(first, second, places):
            told[method] = f"{METHODS[method].title_with_region} {interval(found[0])}"
            used |= dict.fromkeys(found[1])
    return told, list(used)


def _published(results: Results, protocol: str, method: str, dataset: str) -> list[tuple[str, float, float]]:
    """List cells with the mean that was reached there and the published number."""
    found = []
    for metric, region in TARGETS:
        for cell in Block(protocol, dataset, ALIKE[dataset]).cells(region):
            values = results.values(cell, method, metric).values()
            number = published(region, method, cell.task)
            if values and number is not None:
                found.append((f"{cell.task} ({metric})", statistics.fmean(values), number))
    return found


def _data_sets(places: Iterable[tuple[Cell, str]]) -> str:
    return " and ".join(dict.fromkeys(_title(TASKS[cell.task].dataset, cell.variant) for cell, _ in places))


def _title(dataset: str, variant: str) -> str:
    return f"{DATASETS[dataset]} as published" if variant == "paper" else DATASETS[dataset]
