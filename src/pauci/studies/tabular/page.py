"""The study as a page: tables, numbers for programs, and a forest plot, all from the store."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.errors import TooFewSamplesError
from pauci.metrics import Comparison
from pauci.studies.marked import write_marked
from pauci.studies.store import Store
from pauci.studies.tabular.models import CROSS_ENTROPY, FAMILIES
from pauci.studies.tabular.ours import ANCHOR
from pauci.studies.tabular.summary import Cell, compare_cells, mean_gain, newest
from pauci.studies.tabular.words import in_words
from pauci.training.checkpoint import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEGIN, END = "<!-- tabular study: begin -->", "<!-- tabular study: end -->"
README_BEGIN, README_END = "<!-- tables: begin -->", "<!-- tables: end -->"


def render(store: Path, page: Path, *, readme: Path | None = None) -> list[Path]:
    """Write tables into a page, a summary as JSON beside it and the forest plot below ``images``.

    Parameters
    ----------
    store : Path
        Folder of the results.
    page : Path
        Markdown with two markers, between which everything is replaced.
    readme : Path, optional
        A file whose part between the markers of tables is written anew, if it has one.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    FileFormatError
        The page lacks its markers.
    TooFewSamplesError
        No cell of the study is complete.
    """
    cells = compare_cells(Store(store).records())
    if not cells:
        raise TooFewSamplesError(f"{store} has no cell with all ten splits of ours and of cross-entropy yet.")
    if not page.exists():
        write_bytes(page, f"{BEGIN}\n{END}\n".encode())
    picture, numbers = page.parent / "images" / f"{page.stem}.svg", page.with_suffix(".json")
    families = [line for family in FAMILIES for line in _family(family, cells)]
    tables = "\n".join([*_overall(store, cells), *_shares(store), *_others(store), *families])
    figure = f"![Difference in partial AUC to the best cross-entropy model](images/{picture.name})"
    write_marked(page, f"{tables}\n{figure}", begin=BEGIN, end=END)
    write_bytes(numbers, f"{json.dumps(summary(store), indent=1)}\n".encode())
    from pauci.report.figures import save

    picture.parent.mkdir(exist_ok=True)
    save(draw(cells), picture)
    written = [page, numbers, picture]
    if readme is not None and README_BEGIN in readme.read_text(encoding="utf-8"):
        write_marked(readme, in_words(Store(store).records()), begin=README_BEGIN, end=README_END)
        written.append(readme)
    return written


def summary(store: Path) -> dict[str, Any]:
    """Everything the page says, for programs.

    Parameters
    ----------
    store : Path
        Folder of the results.

    Returns
    -------
    dict
        ``cells``, one entry each, and per family and overall under ``gains`` the counts and the mean gain.
    """
    cells = compare_cells(Store(store).records())
    parts = {"all": cells} | {family: [cell for cell in cells if cell.family == family] for family in FAMILIES}
    return {
        "cells": [
            {
                "task": cell.task,
                "family": cell.family,
                "region": cell.region,
                "reference": cell.reference,
                "value": cell.value,
                "reference_value": cell.reference_value,
                **asdict(cell.comparison),
                "p_holm": cell.p_holm,
                "verdict": cell.verdict,
            }
            for cell in cells
        ],
        "gains": {name: {**_counts(part), **_gains(part)} for name, part in parts.items() if part},
    }


def draw(cells: Sequence[Cell]) -> "Figure":
    """Draw the differences with their intervals, grouped by family and region; filled where significant.

    Parameters
    ----------
    cells : sequence of Cell
        At least one.

    Returns
    -------
    Figure
        A forest plot.
    """
    from pauci.report.figures import ForestRow, forest

    rows = [
        ForestRow(
            f"{cell.task}, {cell.region}",
            cell.comparison.difference,
            cell.comparison.low,
            cell.comparison.high,
            group=cell.family,
            significant=cell.verdict != 0,
        )
        for cell in sorted(cells, key=lambda cell: (list(FAMILIES).index(cell.family), cell.task))
    ]
    return forest(rows, title="ours minus the best cross-entropy model of the same family")


def _overall(store: Path, cells: Sequence[Cell]) -> list[str]:
    versions = {" ".join(map(" ".join, record.versions.items())) for record in newest(Store(store).records())}
    lines = [
        f"From {len(cells)} cells with all ten splits ({'; '.join(sorted(versions))}).",
        "",
        "| family | cells | better | worse | uncorrected | mean gain, these tables | mean gain, tables like these |",
        "|---|---|---|---|---|---|---|",
    ]
    for family in ("all", *FAMILIES):
        part = [cell for cell in cells if family in ("all", cell.family)]
        if part:
            counts, gain = _counts(part), mean_gain(part)
            lines.append(
                f"| {family} | {len(part)} | {counts['better']} | {counts['worse']} "
                f"| {counts['better_uncorrected']} better, {counts['worse_uncorrected']} worse "
                f"| {_interval(gain.here)} | {_interval(gain.elsewhere)} |"
            )
    return [*lines, ""]


def _shares(store: Path) -> list[str]:
    """Tell apart what the mean over folds gains, and what the region gains beside it."""
    records = Store(store).records()
    lines = ["| what gains | family | cells | better | worse | mean gain, these tables |", "|---|---|---|---|---|---|"]
    for title, method, against in (
        (
            "the mean of the folds' models, without a surrogate, over the best cross-entropy model",
            ANCHOR,
            CROSS_ENTROPY,
        ),
        ("ours over that mean: the region's surrogate", "ours", (ANCHOR,)),
    ):
        cells = compare_cells(records, method=method, against=against)
        for family in ("all", *FAMILIES):
            part = [cell for cell in cells if family in ("all", cell.family)]
            if part:
                counts, gain = _counts(part), _interval(mean_gain(part).here)
                row = f"| {title} | {family} | {len(part)} | {counts['better']} | {counts['worse']} | {gain} |"
                lines.append(row)
    return [*lines, ""] if len(lines) > 2 else []


def _others(store: Path) -> list[str]:
    """Compare what else practitioners do with the same reference."""
    records = Store(store).records()
    lines = ["| other models | cells | better | worse | mean gain, these tables |", "|---|---|---|---|---|"]
    for family, models in FAMILIES.items():
        for method in models:
            part = [cell for cell in compare_cells(records, method=method) if cell.family == family]
            if part:
                counts = _counts(part)
                gain = _interval(mean_gain(part).here)
                lines.append(f"| {family}, {method} | {len(part)} | {counts['better']} | {counts['worse']} | {gain} |")
    return [*lines, ""]


def _family(family: str, cells: Sequence[Cell]) -> list[str]:
    part = [cell for cell in cells if cell.family == family]
    if not part:
        return []
    lines = [
        f"### {family}",
        "",
        "| table | region | cross-entropy | ours | difference | p (Holm) |",
        "|---|---|---|---|---|---|",
    ]
    for cell in sorted(part, key=lambda cell: cell.task):
        difference = _interval(cell.comparison)
        lines.append(
            f"| {cell.task} | {cell.region} | {cell.reference_value:.4f} ({cell.reference}) | {cell.value:.4f} "
            f"| {f'**{difference}**' if cell.verdict else difference} | {cell.p_holm:.2g} |"
        )
    return [*lines, ""]


def _counts(cells: Sequence[Cell]) -> dict[str, int]:
    verdicts = Counter(cell.verdict for cell in cells)
    alone = Counter((cell.comparison.low > 0) - (cell.comparison.high < 0) for cell in cells)
    return {
        "cells": len(cells),
        "better": verdicts[1],
        "worse": verdicts[-1],
        "better_uncorrected": alone[1],
        "worse_uncorrected": alone[-1],
    }


def _gains(cells: Sequence[Cell]) -> dict[str, dict[str, float | None]]:
    """Intervals by name; ends that nothing is known about, as with one table only, are null."""
    gain = mean_gain(cells)
    named = {"here": asdict(gain.here), "elsewhere": asdict(gain.elsewhere)}
    return {name: {k: v if math.isfinite(v) else None for k, v in of.items()} for name, of in named.items()}


def _interval(value: Comparison) -> str:
    return f"{value.difference:+.4f} [{value.low:+.4f}, {value.high:+.4f}]"
