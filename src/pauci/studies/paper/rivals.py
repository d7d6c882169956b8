"""How the methods that the paper compares do beside each other and beside their published numbers, in sentences."""

import statistics
from collections.abc import Iterable, Mapping

from pauci.data.tasks import TASKS
from pauci.studies.paper.blocks import DATASETS, TARGETS
from pauci.studies.paper.gains import gain_places
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.published import published
from pauci.studies.paper.summary import Cell, Results
from pauci.studies.paper.tables import interval

#: The data set that is here what it was for the published numbers: as large, and without leaks.
_ALIKE = "cifar10-lt"


def ours_minus_others(results: Results) -> str:
    """Compare ours with each of the others in the common setting."""
    others = [method for method in METHODS if method not in ("ours", "ce")]
    found, used = _differences(results, "strong", {method: ("ours", method) for method in others})
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


def others_minus_ce_in_paper(results: Results) -> str:
    """Compare every method with cross-entropy under the paper's protocol."""
    found, used = _differences(results, "paper", {method: (method, "ce") for method in METHODS if method != "ce"})
    if not found:
        return "Each method minus CE, under the paper's protocol, has not been run yet."
    return (
        "Under the paper's protocol each method minus CE, mean over the cells of both target regions on "
        f"{_data_sets(used)}: {'; '.join(found.values())}."
    )


def paper_minus_published(results: Results) -> str:
    """Compare every method under the paper's protocol with what was published for it."""
    parts = [
        f"{info.title_with_region} {statistics.fmean(reached - number for _, reached, number in found):+.3f}"
        for method, info in METHODS.items()
        if (found := _published(results, "paper", method))
    ]
    if not parts:
        return "Each method minus its published numbers, under the paper's protocol, has not been run yet."
    return (
        "Under the paper's protocol each method minus its own published numbers, mean over the cells of both target "
        f"regions on {DATASETS[_ALIKE]}: {'; '.join(parts)}."
    )


def reproduced(results: Results) -> str:
    """Say in which cells Algorithm 1 comes near its published numbers, under both protocols."""
    texts = []
    for protocol, words in (("paper", "under the paper's protocol"), ("strong", "under the strong one")):
        if found := _published(results, protocol, "pauci"):
            near = sum(reached >= number - 0.02 for _, reached, number in found)
            parts = [f"{place} {reached:.4f}, published {number:.4f}" for place, reached, number in found]
            texts.append(f"{words} in {near} of {len(parts)} cells ({'; '.join(parts)})")
    if not texts:
        return "PAUCI by Algorithm 1 has not been run yet."
    return (
        f"PAUCI by Algorithm 1 is within 0.02 of its published number on {DATASETS[_ALIKE]}, or above it, "
        f"{', and '.join(texts)}."
    )


def _differences(
    results: Results, protocol: str, pairs: Mapping[str, tuple[str, str]]
) -> tuple[dict[str, str], list[tuple[Cell, str]]]:
    """Tell the mean difference of every pair that was run, and list the places of all."""
    told: dict[str, str] = {}
    used: dict[tuple[Cell, str], None] = {}
    for method, (first, second) in pairs.items():
        if found := results.gain(first, second, gain_places(protocol, TARGETS)):
            told[method] = f"{METHODS[method].title_with_region} {interval(found[0])}"
            used |= dict.fromkeys(found[1])
    return told, list(used)


def _published(results: Results, protocol: str, method: str) -> list[tuple[str, float, float]]:
    """List cells with the mean that was reached there and the published number."""
    found = []
    for metric, region in TARGETS:
        for task in (task for task, info in TASKS.items() if info.dataset == _ALIKE):
            values = results.values(Cell(protocol, task, "clean", region), method, metric).values()
            number = published(region, method, task)
            if values and number is not None:
                found.append((f"{task} ({metric})", statistics.fmean(values), number))
    return found


def _data_sets(places: Iterable[tuple[Cell, str]]) -> str:
    return " and ".join(dict.fromkeys(DATASETS[TASKS[cell.task].dataset] for cell, _ in places))
