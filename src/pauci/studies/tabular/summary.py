"""What the store says: ours against the best cross-entropy model of the same family, cell by cell and on average."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pauci.metrics import Comparison
from pauci.studies.paired import LEVEL, holm
from pauci.studies.store import Record
from pauci.studies.tabular.comparison import compare_splits
from pauci.studies.tabular.models import CROSS_ENTROPY, FAMILIES
from pauci.studies.tabular.ours import ANCHOR
from pauci.studies.tabular.splits import SPLITS

#: Ours, or its anchor where no gain is expected; see `falling_back`.
FALLBACK = "fallback"


@dataclass(frozen=True)
class Cell:
    """A model against cross-entropy, on one table, for one region.

    Attributes
    ----------
    task, family, region, method : str
        What is compared.
    reference : str
        The cross-entropy model that was chosen in most splits, each time on the training half alone.
    value, reference_value : float
        Mean partial AUC on the test halves.
    comparison : Comparison
        Of the model and the reference.
    p_holm : float
        The p-value, corrected for all cells of the same method.
    differences : ndarray of shape (10,)
        Of the splits.
    parts : ndarray of shape (10, blocks)
        Their contributions by blocks of rows (see `compare_splits`).
    """

    task: str
    family: str
    region: str
    method: str
    reference: str
    value: float
    reference_value: float
    comparison: Comparison
    p_holm: float
    differences: NDArray[np.float64]
    parts: NDArray[np.float64]

    @property
    def verdict(self) -> int:
        """1 if significantly better, -1 if significantly worse, 0 otherwise; corrected for all cells."""
        return int(np.sign(self.comparison.difference)) if self.p_holm < 1 - LEVEL else 0


def compare_cells(
    records: Sequence[Record], *, method: str = "ours", against: Sequence[str] = CROSS_ENTROPY
) -> list[Cell]:
    """Compare a method with the best cross-entropy model of its family, wherever all ten splits are there.

    The best is chosen in each split by the partial AUC that the tuning saw on the training half; the test half has no
    say in it. The reference may be the best of other models, `against`, or rather of those of them that a family has.
    """
    found: dict[tuple[str, str, str, str], dict[tuple[str, int], Record]] = defaultdict(dict)
    for record in newest(records):
        found[record.task, record.variant, record.protocol, record.region][record.method, record.seed] = record
    cells = []
    for (task, _, family, region), runs in found.items():
        references = [name for name in (*FAMILIES[family], ANCHOR, "ours") if name in against]
        if all((name, split) in runs for name in (method, *references) for split in range(SPLITS)):
            cells.append(_cell(task, family, region, runs, method, references))
    return _corrected(cells)


def by_family(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """Sort cells by their family, in the order of `FAMILIES`; those without a cell are left out."""
    found = {family: [cell for cell in cells if cell.family == family] for family in FAMILIES}
    return {family: part for family, part in found.items() if part}


def over_families(cells: Sequence[Cell]) -> list[Cell]:
    """Average the families of one method that a table and region have: one cell for each table and region.

    Families are tested on the same halves, so that their differences and the contributions of blocks are averaged
    before anything is said about spread. The cells are corrected for these alone.
    """
    places: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        places[cell.task, cell.region].append(cell)
    return _corrected([average(members) for members in places.values()])


def average(cells: Sequence[Cell]) -> Cell:
    """Average cells of one table, which share its splits and blocks of rows.

    The `family` and `reference` of the mean name all that went into it, its region is that of the first; not corrected.
    """
    differences = np.mean([cell.differences for cell in cells], axis=0)
    parts = np.mean([cell.parts for cell in cells], axis=0)
    return replace(
        cells[0],
        family=", ".join(name for name in FAMILIES if any(name in cell.family.split(", ") for cell in cells)),
        reference=", ".join(sorted({cell.reference for cell in cells})),
        value=float(np.mean([cell.value for cell in cells])),
        reference_value=float(np.mean([cell.reference_value for cell in cells])),
        comparison=compare_splits(differences, parts),
        p_holm=math.nan,
        differences=differences,
        parts=parts,
    )


def falling_back(records: Sequence[Record]) -> list[Record]:
    """Make records of another rule, `FALLBACK`: ours, but its anchor wherever the gain that ours expects is negative.

    There is one for every run of ours that tells what it expects and whose anchor is there.
    """
    anchors = {_run(record): record for record in newest(records) if record.method == ANCHOR}
    return [
        replace(anchors[_run(record)] if record.details["expected"] < 0 else record, method=FALLBACK, recipe="")
        for record in newest(records)
        if record.method == "ours" and _run(record) in anchors and "expected" in record.details
    ]


def newest(records: Sequence[Record]) -> list[Record]:
    """Leave out what was measured on another version of a table, or under other settings, than the model's last.

    Parameters
    ----------
    records : sequence of Record
        Those of each model oldest first; a store, which has one file per model, tells no more of their order.
    """
    recipe = {(record.protocol, record.method): record.recipe for record in records}
    variant = {(record.task, record.protocol, record.method): record.variant for record in records}
    return [
        record
        for record in records
        if record.recipe == recipe[record.protocol, record.method]
        and record.variant == variant[record.task, record.protocol, record.method]
    ]


def _run(record: Record) -> tuple[str, str, str, str, int]:
    return record.task, record.variant, record.protocol, record.region, record.seed


def _corrected(cells: Sequence[Cell]) -> list[Cell]:
    adjusted = holm([cell.comparison.p_value for cell in cells])
    return [replace(cell, p_holm=p) for cell, p in zip(cells, adjusted, strict=True)]


def _cell(
    task: str,
    family: str,
    region: str,
    runs: dict[tuple[str, int], Record],
    method: str,
    references: Sequence[str],
) -> Cell:
    first = [runs[method, split] for split in range(SPLITS)]
    second = [_best([runs[name, split] for name in references]) for split in range(SPLITS)]
    values = [np.array([record.metrics["pauc"] for record in records]) for records in (first, second)]
    parts = [np.array([record.details["blocks"] for record in records]) for records in (first, second)]
    differences, effects = values[0] - values[1], parts[0] - parts[1]
    names = [record.method for record in second]
    return Cell(
        task,
        family,
        region,
        method,
        max(references, key=names.count),
        float(values[0].mean()),
        float(values[1].mean()),
        compare_splits(differences, effects),
        math.nan,
        differences,
        effects,
    )


def _best(records: Sequence[Record]) -> Record:
    """Return what was best on the training half, where there is a choice."""
    return records[0] if len(records) == 1 else max(records, key=lambda record: record.val_metrics["pauc"])
