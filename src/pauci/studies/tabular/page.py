"""The study as a page: tables, numbers for programs, and a forest plot, all from the store."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError, TooFewSamplesError
from pauci.rounding import is_number
from pauci.studies.marked import write_marked
from pauci.studies.store import Record, Store
from pauci.studies.tabular.brief import in_brief
from pauci.studies.tabular.gain import counts, mean_gain
from pauci.studies.tabular.models import FAMILIES
from pauci.studies.tabular.summary import Cell, by_family, compare_cells, over_families
from pauci.studies.tabular.tables import tables
from pauci.training.files import write_bytes

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

    Raises
    ------
    FileFormatError
        The page lacks its markers, or the store has a run that is none of this study.
    TooFewSamplesError
        No cell of the study is complete.
    """
    records = Store(store).records(check=_check)
    cells = compare_cells(records)
    if not cells:
        raise TooFewSamplesError(f"{store} has no cell with all ten splits of ours and of cross-entropy yet.")
    if not page.exists():
        write_bytes(page, f"{BEGIN}\n{END}\n".encode())
    picture, numbers = page.parent / "images" / f"{page.stem}.svg", page.with_suffix(".json")
    figure = f"![Difference in partial AUC to the best cross-entropy model](images/{picture.name})"
    write_marked(page, f"{tables(records)}\n{figure}", begin=BEGIN, end=END)
    write_bytes(numbers, f"{json.dumps(summary(cells), indent=1)}\n".encode())
    from pauci.report.figures import save

    picture.parent.mkdir(exist_ok=True)
    save(draw(cells), picture)
    written = [page, numbers, picture]
    if readme is not None and README_BEGIN in readme.read_text(encoding="utf-8"):
        write_marked(readme, in_brief(records), begin=README_BEGIN, end=README_END)
        written.append(readme)
    return written


def summary(cells: Sequence[Cell]) -> dict[str, Any]:
    """Everything the page says, for programs.

    These are ``cells``, one entry each, ``means`` over families the same way, and per family, overall and for these
    means under ``gains`` the counts and the mean gain.
    """
    means = over_families(cells)
    parts = {"all": cells, **by_family(cells), "means": means}
    return {
        "cells": [_entry(cell) for cell in cells],
        "means": [_entry(cell) for cell in means],
        "gains": {name: {**counts(part), **_gains(part)} for name, part in parts.items()},
    }


def draw(cells: Sequence[Cell]) -> "Figure":
    """Draw the differences with their intervals as a forest plot, grouped by family; filled where significant."""
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
        for part in by_family(cells).values()
        for cell in sorted(part, key=lambda cell: cell.task)
    ]
    return forest(rows, title="ours minus the best cross-entropy model of the same family")


def _check(record: Record) -> None:
    """Raise unless the study has such runs."""
    if record.protocol not in FAMILIES:
        raise InputError(f"protocol={record.protocol!r} is not known; use one of {', '.join(FAMILIES)}.")
    told = {"metrics": record.metrics}
    if record.method in FAMILIES[record.protocol]:
        told["val_metrics"] = record.val_metrics
    for name, values in told.items():
        if "pauc" not in values:
            raise InputError(f"{name} lacks 'pauc'; this is no run of the tabular study.")
    blocks = record.details.get("blocks")
    if not isinstance(blocks, list) or len(blocks) < 2 or not all(map(is_number, blocks)):
        raise InputError(f"details: blocks={blocks!r} is not a list of at least 2 numbers.")


def _entry(cell: Cell) -> dict[str, Any]:
    return {
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


def _gains(cells: Sequence[Cell]) -> dict[str, dict[str, float | None]]:
    """Intervals by name; ends that nothing is known about, as with one table only, are null."""
    gain = mean_gain(cells)
    named = {"here": asdict(gain.here), "elsewhere": asdict(gain.elsewhere)}
    return {name: {k: v if math.isfinite(v) else None for k, v in of.items()} for name, of in named.items()}
