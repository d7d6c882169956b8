"""The study in brief, drawn from the store: the mean difference, and how often there is one."""

import textwrap
from collections.abc import Sequence

from pauci.metrics import Comparison
from pauci.studies.store import Record
from pauci.studies.tabular.gain import counts, mean_gain
from pauci.studies.tabular.ours import ANCHOR
from pauci.studies.tabular.summary import by_family, compare_cells, over_families

_WIDTH = 120
_HEAD = "| compared | cells | better | worse | better, corrected | worse, corrected |\n|---|---:|---:|---:|---:|---:|\n"


def in_brief(records: Sequence[Record]) -> str:
    """Say what the study found, for those who read no more of it; there must be a complete cell."""
    cells = compare_cells(records)
    gain, families = mean_gain(cells), by_family(cells)
    found = (
        "`PartialAUCClassifier` and `PartialAUCBooster` against the best of plain, weighted and undersampled "
        f"cross-entropy, each tuned for the region that is judged ({len({cell.task for cell in cells})} tables, "
        f"{len({cell.region for cell in cells})} regions; {', '.join(families)}). Mean difference in partial AUC: "
        f"{gain.elsewhere.difference:+.4f}, {_ends(gain.elsewhere)} over tables like these and {_ends(gain.here)} for "
        "these very tables. Better and worse are cells whose 95% interval excludes zero; corrected, after Holm's "
        "correction for all cells of the row."
    )
    # What is the mean's and what the region's.
    rows = {
        "every table, region and family": cells,
        "every table and region, mean over families": over_families(cells),
        "the mean's part: five models of cross-entropy against the best single one": compare_cells(
            records, method=ANCHOR
        ),
        "the region's part: ours against that mean": compare_cells(records, against=(ANCHOR,)),
    }
    lines = []
    for title, compared in rows.items():
        if compared:
            number = counts(compared)
            columns = (number[key] for key in ("cells", "better_uncorrected", "worse_uncorrected", "better", "worse"))
            lines.append(f"| {title} | {' | '.join(map(str, columns))} |\n")
    paragraph = textwrap.fill(found, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{paragraph}\n\n{_HEAD}{''.join(lines)}"


def _ends(value: Comparison) -> str:
    return f"[{value.low:+.4f}, {value.high:+.4f}]"
