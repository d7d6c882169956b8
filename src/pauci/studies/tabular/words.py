"""The study in a few sentences, drawn from the store."""

import textwrap
from collections.abc import Iterable

from pauci.studies.store import Record
from pauci.studies.tabular.models import FAMILIES
from pauci.studies.tabular.ours import ANCHOR
from pauci.studies.tabular.summary import Cell, compare_cells, mean_gain

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
    gain = mean_gain(cells).elsewhere
    families = [family for family in FAMILIES if any(cell.family == family for cell in cells)]
    better = sum(cell.verdict > 0 for cell in cells)
    worse = sum(cell.verdict < 0 for cell in cells)
    alone = sum(cell.comparison.low > 0 for cell in cells)
    below = sum(cell.comparison.high < 0 for cell in cells)
    sentences = [
        "Tables, `PartialAUCClassifier` and `PartialAUCBooster` against the best of plain, weighted and undersampled "
        f"cross-entropy, each tuned for the region that is judged, in {len(cells)} cells of table, region and family "
        f"({', '.join(families)}; [the tabular study](docs/tabular-study.md), `pauci study tabular`): better in "
        f"{alone} and worse in {below} by single 95% intervals, better in {better} and worse in {worse} after Holm's "
        f"correction for all cells; on average {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] over tables.",
        *_shares(compare_cells(records, method="ours", against=(ANCHOR,))),
    ]
    return textwrap.fill(" ".join(sentences), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _shares(cells: list[Cell]) -> list[str]:
    """Tell what of it is the region's: against the same mean of models without a surrogate."""
    if not cells:
        return []
    better = sum(cell.comparison.low > 0 for cell in cells)
    worse = sum(cell.comparison.high < 0 for cell in cells)
    return [
        "Much of this is that they keep the mean of five models: against the same mean without a surrogate the region "
        f"is ahead in {better} cells and behind in {worse} of {len(cells)}."
    ]
