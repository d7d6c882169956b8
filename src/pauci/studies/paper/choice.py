"""What it brings to train twice and keep the run that is better on validation data."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pauci.studies.paper.gains import COLUMNS, SETTINGS, gain_places
from pauci.studies.paper.summary import Cell, Results
from pauci.studies.paper.tables import interval, markdown
from pauci.studies.store import Record

_OF_BOTH = "the better of CE and ours"
_OF_TWO = "the better of two runs of CE"


def choice_table(results: Results) -> str:
    """Compare the better of cross-entropy and ours, and of two runs of cross-entropy, with one run of it.

    Better is what does better on validation data in the metric of the column. Two runs of cross-entropy are all pairs
    of seeds. These share runs, so that nothing is said about their spread. Empty without runs of both methods.
    """
    rows = []
    for protocol, words in SETTINGS.items():
        both, two = [words, _OF_BOTH], [words, _OF_TWO]
        for judged in COLUMNS.values():
            places = gain_places(protocol, judged)
            cells = dict.fromkeys(cell for cell, _ in places)
            made = Results(record for cell in cells for record in _made(results, cell))
            found = [made.gain(kept, "ce", places) for kept in (_OF_BOTH, _OF_TWO)]
            both.append(interval(found[0][0]) if found[0] else "")
            two.append(f"{found[1][0].difference:+.3f}" if found[1] else "")
        rows += [row for row in (both, two) if any(row[2:])]
    return markdown(["settings", "kept", *COLUMNS], rows) if rows else ""


def _made(results: Results, cell: Cell) -> Iterable[Record]:
    """Cross-entropy of a cell, and both ways of keeping the better of two, as if they were methods."""
    ours = {record.seed: record for record in results.records(cell, "ours")}
    ce = results.records(cell, "ce")
    for record in ce:
        yield record
        if record.seed in ours:
            yield replace(record, method=_OF_BOTH, metrics=_better(record, ours[record.seed]))
            if others := [_better(record, other) for other in ce if other.seed != record.seed]:
                yield replace(record, method=_OF_TWO, metrics=_mean(others))


def _better(first: Record, second: Record) -> dict[str, float]:
    """Test values of the run that is better on validation data, metric by metric; the second may have diverged."""
    return {
        metric: (second if second.val_metrics.get(metric, -math.inf) > value else first).metrics[metric]
        for metric, value in first.val_metrics.items()
    }


def _mean(found: Sequence[dict[str, float]]) -> dict[str, float]:
    return {metric: statistics.fmean(values[metric] for values in found) for metric in found[0]}
