"""What the store says, in sentences: nothing here is typed by hand, and nothing is said that was not run."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.data.tasks import TASKS
from pauci.studies.paired import holm
from pauci.studies.paper.blocks import TARGETS, all_blocks
from pauci.studies.paper.epochs import collapsed, lost_after_best
from pauci.studies.paper.gains import gain_places
from pauci.studies.paper.methods import METHODS, ONE_WAY
from pauci.studies.paper.published import best_published
from pauci.studies.paper.rivals import (
    ALIKE,
    others_minus_ce_in_paper,
    ours_minus_others,
    paper_minus_published,
    reproduced,
)
from pauci.studies.paper.summary import Cell, Results
from pauci.studies.paper.tables import fewer_rows, interval

#: Protocols that train well, and what they say of settings.
_FRAMES = {"tuned": "each with settings tuned for it", "strong": "both in the common setting"}


def findings(results: Results, curves: Sequence[Mapping[str, Any]]) -> list[str]:
    """Answer the study's questions, as far as there are runs to answer them.

    Parameters
    ----------
    results : Results
        All.
    curves : sequence of mapping
        Convergence curves of the same runs, as they stand in the store's folder ``history``.

    Returns
    -------
    list of str
        One sentence or two per question.
    """
    return [
        *(_against_ce(results, protocol) for protocol in _FRAMES),
        _own_settings(results),
        *(_published_exceeded(results, who, protocol) for protocol in (*_FRAMES, "paper") for who in ("ours", "ce")),
        _end_of_training(curves),
        _collapses(curves),
        ours_minus_others(results),
        *(others_minus_ce_in_paper(results, block) for block in all_blocks() if block.protocol == "paper"),
        *(paper_minus_published(results, dataset) for dataset in ALIKE),
        *(reproduced(results, dataset) for dataset in ALIKE),
    ]


def _against_ce(results: Results, protocol: str) -> str:
    found = results.gain("ours", "ce", gain_places(protocol, TARGETS))
    if found is None:
        return f"Ours against CE, {_FRAMES[protocol]}, has not been run yet."
    comparison, places = found
    low = [
        f"{interval(gain[0])} at FPR <= {metric.partition('@')[2]}"
        for metric in ("opauc@0.05", "opauc@0.01")
        if (gain := results.gain("ours", "ce", gain_places(protocol, [(metric, str(ONE_WAY))])))
    ]
    return (
        f"Ours minus CE, {_FRAMES[protocol]}, mean over {len(places)} cells (both target regions, no "
        f"leaks): {interval(comparison)}; {_verdict(comparison.low, comparison.high)}. Mean over tasks: "
        f"{' and '.join(low)}. {_single_cells(results, places)}"
    )


def _single_cells(results: Results, places: Sequence[tuple[Cell, str]]) -> str:
    found = {place: results.difference(place[0], "ours", "ce", place[1]) for place in places}
    known = {place: comparison for place, comparison in found.items() if comparison is not None}
    adjusted = holm([comparison.p_value for comparison in known.values()])
    above: list[str] = []
    below: list[str] = []
    for ((cell, metric), comparison), p in zip(known.items(), adjusted, strict=True):
        if p < 0.05:
            (below if comparison.difference < 0 else above).append(f"{cell.task} ({metric})")
    return (
        f"In single cells, after Holm's correction over all of them (the tables' † is over one table), ours is "
        f"significantly below CE in {_listed(below)} and significantly above it in {_listed(above)}."
    )


def _own_settings(results: Results) -> str:
    """Compare each of the two methods with itself."""
    parts = []
    for method in ("ce", "ours"):
        found = results.gain(method, method, gain_places("tuned", TARGETS), against="strong")
        if found is None:
            return "What settings of their own bring CE and ours has not been run yet."
        parts.append(f"{METHODS[method].title} {interval(found[0])}, mean over {len(found[1])} cells")
    return f"Settings of their own, instead of the common ones, brought {', and '.join(parts)}."


def _published_exceeded(results: Results, method: str, protocol: str) -> str:
    """Compare with published numbers on the data they were published for."""
    above: list[str] = []
    below: list[str] = []
    starved: dict[str, None] = {}
    for metric, region in TARGETS:
        for task, info in TASKS.items():
            cell = Cell(protocol, task, ALIKE.get(info.dataset, "clean"), region)
            values = results.values(cell, method, metric).values()
            if values:
                starved |= dict.fromkeys(filter(None, [fewer_rows(results, cell)]))
                reached = statistics.fmean(values)
                (above if reached > best_published(region, task) else below).append(f"{task} ({metric})")
    title = f"{METHODS[method].title}, {protocol} protocol,"
    if not above and not below:
        return f"Whether {title} is above every published number has not been run yet."
    text = (
        f"{title} is above every published number in {len(above)} of {len(above) + len(below)} cells"
        f"{f', with {left} more to run' if (left := 18 - len(above) - len(below)) else ''}"
    )
    return " ".join([f"{text}; not in {', '.join(below)}." if below else f"{text}.", *starved])


def _end_of_training(curves: Sequence[Mapping[str, Any]]) -> str:
    strong = [curve for curve in curves if (curve["protocol"], curve["variant"]) == ("strong", "clean")]
    ce, ours = ({curve["task"] for curve in strong if curve["method"] == method} for method in ("ce", "ours"))
    common = [curve for curve in strong if curve["task"] in ce & ours]
    if not common:
        return "What the choice of the epoch changes has not been run yet."
    lost = {method: lost_after_best(common, method) for method in ("ce", "ours")}
    return (
        "Choosing the epoch on validation data matters: there, under the strong protocol, the end of training is below "
        f"the best epoch by {lost['ce']:.3f} for CE and {lost['ours']:.3f} for ours, mean over tasks in the "
        "two target regions (on the data that chose it, so somewhat too much)."
    )


def _collapses(curves: Sequence[Mapping[str, Any]]) -> str:
    counts: dict[str, list[bool]] = {}
    for curve in curves:
        if (curve["protocol"], curve["variant"]) == ("strong", "clean"):
            counts.setdefault(curve["method"], []).append(collapsed(curve))
    if not counts:
        return "Whether training collapses has not been run yet."
    fell = [f"{METHODS[m].title} {sum(counts[m])} of {len(counts[m])}" for m in METHODS if any(counts.get(m, ()))]
    others = "; of the other methods none" if len(fell) < len(counts) else ""
    return (
        "Runs under the strong protocol that fell below half of the partial AUC they had reached before, on validation "
        f"data at any time after warm-up: {_listed(fell)}{others if fell else ''}."
    )


def _verdict(low: float, high: float) -> str:
    if low > 0:
        return "the 95% interval is above zero"
    if high < 0:
        return "the 95% interval is below zero"
    return "the 95% interval includes zero"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"
