"""The study in a few sentences, drawn from the store."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from pauci.metrics import Comparison
from pauci.studies.marked import in_markdown
from pauci.studies.store import Record
from pauci.studies.tabular.gain import counts, mean_gain
from pauci.studies.tabular.models import FAMILIES
from pauci.studies.tabular.ours import ANCHOR
from pauci.studies.tabular.summary import Cell, compare_cells, over_families

_WIDTH = 120


def in_words(records: Iterable[Record]) -> str:
    """Say what the study found, for those who read no tables.

    Parameters
    ----------
    records : iterable of Record
        Of the store, with at least one complete cell.

    Returns
    -------
    str
        A paragraph of Markdown.
    """
    records = list(records)
    cells = compare_cells(records)
    gain = mean_gain(cells)
    families = [family for family in FAMILIES if any(cell.family == family for cell in cells)]
    means = over_families(cells)
    sentences = [
        "Tables, `PartialAUCClassifier` and `PartialAUCBooster` against the best of plain, weighted and undersampled "
        f"cross-entropy, each tuned for the region that is judged, in {len(cells)} cells of table, region and family "
        f"({', '.join(families)}; [the tabular study](docs/tabular-study.md), `pauci study tabular`): by single 95% "
        f"intervals {_counted(cells)}, {_corrected(cells)}. In the {len(means)} cells of table and region, mean over "
        f"the families: {_counted(means)}, {_corrected(means)}. "
        f"On average {gain.elsewhere.difference:+.4f} {_ends(gain.elsewhere)} over tables like these, "
        f"{_ends(gain.here)} for these very tables.",
        *_shares(records),
    ]
    return textwrap.fill(" ".join(sentences), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _shares(records: Sequence[Record]) -> list[str]:
    """Tell what is the mean's and what the region's, table by table."""
    means = compare_cells(records, method=ANCHOR)
    regions = compare_cells(records, against=(ANCHOR,))
    if not means:
        return []
    return [
        "Two things are in it. The mean of five models, by cross-entropy alone, against the best single model: "
        f"{_counted(means)}. And the region, against that mean: {_counted(regions)}."
    ]


def _corrected(cells: Sequence[Cell]) -> str:
    number = counts(cells)
    return f"after Holm's correction for all of them better in {number['better']} and worse in {number['worse']}"


def _counted(cells: Sequence[Cell]) -> str:
    """Say in how many cells a method is better and worse by its interval alone, and on which tables."""
    ahead = Counter(cell.task for cell in cells if cell.comparison.low > 0)
    behind = Counter(cell.task for cell in cells if cell.comparison.high < 0)
    return f"better in {_places(ahead)} and worse in {_places(behind)}"


def _places(tables: Counter[str]) -> str:
    named = ", ".join(f"{in_markdown(name)} {count}" for name, count in tables.items())
    return f"{tables.total()} ({named})" if tables else "none"


def _ends(value: Comparison) -> str:
    return f"[{value.low:+.4f}, {value.high:+.4f}]"
