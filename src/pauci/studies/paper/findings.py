"""What the store says: nothing here is typed by hand, and nothing is said that was not run."""

from collections.abc import Mapping, Sequence
from typing import Any

from pauci.studies.paper.blocks import TARGETS
from pauci.studies.paper.choice import choice_table
from pauci.studies.paper.epochs import collapsed, lost_after_best
from pauci.studies.paper.gains import gain_places, head_to_head
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.protocols import TUNED
from pauci.studies.paper.reached import algorithm_table, passed_table
from pauci.studies.paper.rivals import rivals_table
from pauci.studies.paper.summary import Results
from pauci.studies.paper.tables import interval

_OURS = """### Ours against cross-entropy

Ours minus cross-entropy on test data, mean over the tasks without leaks, with 95% intervals. Settings are tuned for
each of the two (tuned protocol), or one setting serves both, which suits cross-entropy less (strong protocol). A cell
counts as above or below where its difference is significant after Holm's correction over all of them."""
_CHOICE = """### Choosing on validation data

Train twice, keep what does better on validation data by the measure of the column: the test value minus that of a
single run of cross-entropy, mean over the same tasks. Pairs of runs of cross-entropy share runs, so they have no
interval."""
_EVERY_METHOD = """### Every method

Means over the cells of both target regions. In the common setting (strong protocol), and with settings tuned for each
(tuned protocol): ours minus the method, on the tasks without leaks that the other methods have. Under the paper's
protocol: the method minus cross-entropy, and minus its own published numbers."""
_PASSED = """### Published numbers that are passed

Cells in which the mean is above every published number, of whatever method."""
_ALGORITHM = """### PAUCI by Algorithm 1

Its means beside its own published numbers. CIFAR-100-LT is taken as published, with its leaks."""


def findings(results: Results, curves: Sequence[Mapping[str, Any]], *, further: Sequence[str] = ()) -> str:
    """Answer the study's questions, as far as there are runs to answer them.

    Parameters
    ----------
    curves : sequence of mapping
        Convergence curves of the same runs, as they stand in the store's folder ``history``.
    further : sequence of str
        Sentences to end with.

    Returns
    -------
    str
        Markdown: a table for each question that has several answers, then sentences.
    """
    tables = {
        _OURS: head_to_head(results),
        _CHOICE: choice_table(results),
        _EVERY_METHOD: rivals_table(results),
        _PASSED: passed_table(results),
        _ALGORITHM: algorithm_table(results),
    }
    parts = [f"{caption}\n\n{table or 'Not run yet.'}" for caption, table in tables.items()]
    strong = [curve for curve in curves if (curve["protocol"], curve["variant"]) == ("strong", "clean")]
    sentences = [_own_settings(results), _end_of_training(strong), _collapses(strong), *further]
    said = "".join(f"- {sentence}\n" for sentence in sentences if sentence)
    return "\n\n".join(part.rstrip("\n") for part in [*parts, f"### Other numbers\n\n{said}"]) + "\n"


def _own_settings(results: Results) -> str:
    """Compare each method with itself, on the tasks that all of them have."""
    places = gain_places("tuned", TARGETS)
    found = {m: gain for m in TUNED if (gain := results.gain(m, m, places, against="strong"))}
    if not found:
        return ""
    shared = [place for place in places if all(place in used for _, used in found.values())]
    gains = ((METHODS[method].title, results.gain(method, method, shared, against="strong")) for method in found)
    brought = ", ".join(f"{title} {interval(gain[0])}" for title, gain in gains if gain)
    tasks = len({cell.task for cell, _ in shared})
    return (
        f"Settings of their own, instead of the common ones, brought {brought}, mean over the cells of both target "
        f"regions on {tasks} tasks."
    )


def _end_of_training(strong: Sequence[Mapping[str, Any]]) -> str:
    ce, ours = ({curve["task"] for curve in strong if curve["method"] == method} for method in ("ce", "ours"))
    common = [curve for curve in strong if curve["task"] in ce & ours]
    if not common:
        return ""
    lost = {method: lost_after_best(common, method) for method in ("ce", "ours")}
    return (
        "Choosing the epoch on validation data matters: there, under the strong protocol, the end of training is below "
        f"the best epoch by {lost['ce']:.3f} for CE and {lost['ours']:.3f} for ours, mean over tasks in the "
        "two target regions (on the data that chose it, so somewhat too much)."
    )


def _collapses(strong: Sequence[Mapping[str, Any]]) -> str:
    counts: dict[str, list[bool]] = {}
    for curve in strong:
        counts.setdefault(curve["method"], []).append(collapsed(curve))
    if not counts:
        return ""
    fell = [f"{METHODS[m].title} {sum(counts[m])} of {len(counts[m])}" for m in METHODS if any(counts.get(m, ()))]
    others = "; of the other methods none" if len(fell) < len(counts) else ""
    return (
        "Runs under the strong protocol that fell below half of the partial AUC they had reached before, on validation "
        f"data at any time after warm-up: {', '.join(fell)}{others}."
        if fell
        else "No run under the strong protocol fell below half of the partial AUC it had reached before."
    )
