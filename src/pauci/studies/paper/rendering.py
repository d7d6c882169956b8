"""Writing tables, findings and figures of the study into the documentation."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pauci.data.tasks import TASKS
from pauci.report.figures import save
from pauci.studies.jsonl import read_lines
from pauci.studies.marked import write_marked
from pauci.studies.paper.blocks import JUDGED, all_blocks
from pauci.studies.paper.earlier import earlier_sentences
from pauci.studies.paper.figures import draw_study
from pauci.studies.paper.findings import findings
from pauci.studies.paper.gains import gain_table, head_to_head
from pauci.studies.paper.plan import Run, Tuned, trainings
from pauci.studies.paper.protocols import study_recipe
from pauci.studies.paper.settings import same_settings_table, settings_sentence, settings_table
from pauci.studies.paper.solver import solver_sentence
from pauci.studies.paper.speed import speed_table
from pauci.studies.paper.summary import Results
from pauci.studies.paper.tables import fewer_rows, value_table
from pauci.studies.paper.trials import read_trials
from pauci.studies.paper.tuning import read_tuned
from pauci.studies.store import Record, Store

_LEGEND = (
    "A value is the mean over seeds ± their standard deviation (number of seeds). Differences are paired over seeds, "
    "with 95% t intervals; † marks those significant after Holm's correction over the table. **Bold** is the best of a "
    "column and *italic* the second best, where it beats all that follow significantly, given the number of columns. "
    "Intervals speak of new runs of these tasks on these test images, not of other tasks or new test images. Means "
    "over tasks leave out those with a single seed so far, unless a method has no others."
)


def render_study(store: Store, docs: Path, *, readme: Path | None = None, matrix_rate: float = 790.0) -> list[Path]:
    """Draw everything from the store.

    Parameters
    ----------
    store : Store
        Results and convergence curves.
    docs : Path
        Folder with ``paper-study.md`` and ``what-we-found.md``, whose marked parts are written anew; pictures go to
        ``images/paper`` in it.
    readme : Path, optional
        A file whose part "paper-study: summary" is written anew, if it has one.
    matrix_rate : float
        TFLOP/s of bf16 matrix products, with which the runs' speed is compared.
    """
    records, replaced = current_records(store)
    results = Results(records)
    curves = current_curves(store, records)
    written, gallery = [], []
    for name, text, figure in draw_study(results, curves):
        path = docs / "images" / "paper" / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        save(figure, path)
        written.append(path)
        gallery.append(f"![{text}](images/paper/{path.name})\n")
    trials = read_trials(store.folder, "strong")
    before = earlier_sentences(records, replaced)
    solvers = solver_sentence(read_trials(store.folder, "paper"))
    said = findings(results, curves, further=[solvers, settings_sentence(trials), *before])
    page, found = docs / "paper-study.md", docs / "what-we-found.md"
    _write_part(page, "tables", _tables(results) + "".join(f"\n{sentence}\n" for sentence in before))
    speed = speed_table(records, matrix_rate=matrix_rate) or "There are no runs yet.\n"
    _write_part(page, "speed", speed)
    _write_part(page, "figures", "\n".join(gallery) or "There is nothing to draw yet.\n")
    _write_part(page, "settings", settings_table(trials) or "There are no trials yet.\n")
    _write_part(page, "same settings", same_settings_table(trials) or "Not tried yet.\n")
    _write_part(found, "findings", said)
    written += [page, found]
    if readme is not None and _marks("summary")[0] in readme.read_text(encoding="utf-8"):
        _write_part(readme, "summary", head_to_head(results) or "Not run yet: `pauci study paper`.\n")
        written.append(readme)
    return written


def current_records(store: Store) -> tuple[list[Record], list[Record]]:
    """Read a store, and tell runs with the study's present settings from others.

    Returns
    -------
    tuple of list of Record
        Those with present settings; the others, which tables leave out.
    """
    tuned = read_tuned(store.folder)
    setups: dict[tuple[str, ...], str] = {}
    present: list[Record] = []
    replaced: list[Record] = []
    for record in store.records(check=_check):
        place = (record.protocol, record.task, record.variant, record.method, record.region)
        if place not in setups:
            setups[place] = _setup(record, tuned)
        (present if record.details.get("setup") == setups[place] else replaced).append(record)
    return present, replaced


def current_curves(store: Store, records: Sequence[Record]) -> list[dict[str, Any]]:
    """Read the convergence curves of a store, those of given records only."""
    lines = [line for path in sorted((store.folder / "history").glob("*.jsonl")) for line in read_lines(path)]
    known = {record.recipe for record in records}
    return [line for line in lines if line.get("recipe") in known]


def _check(record: Record) -> None:
    """Raise unless the study has such runs."""
    _check_place(record.protocol, record.task, record.variant, record.method, record.region)


@cache
def _check_place(protocol: str, task: str, variant: str, method: str, region: str) -> None:
    study_recipe(protocol, task=task, variant=variant, method=method, region=region, seed=0)


def _setup(record: Record, tuned: Tuned) -> str:
    served = trainings(record.protocol, TASKS[record.task].dataset, record.method)
    regions = next(regions for regions in served if record.region in regions)
    return Run(record.protocol, record.task, record.variant, record.method, regions, 0).recipe(tuned).hash


def _tables(results: Results) -> str:
    parts, not_run = [], []
    for block in all_blocks():
        tables = [table for metric, region in JUDGED if (table := value_table(results, block, metric, region))]
        if tables:
            cells = [cell for _, region in JUDGED for cell in block.cells(region)]
            notes = sorted({fewer_rows(results, cell) for cell in cells} - {""})
            parts += [f"### {block.title}", *notes, *tables]
        elif block.protocol != "miniature":
            not_run.append(block.title)
    for protocol in ("tuned", "strong", "paper"):
        if gains := gain_table(results, protocol):
            parts += [f"### Mean difference to CE over tasks without leaks, {protocol} protocol", gains]
    if not_run:
        parts.append(f"Not run yet: {'; '.join(not_run)}.\n")
    return "\n\n".join([_LEGEND, *(part.rstrip("\n") for part in parts)]) + "\n"


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- paper-study: {name} -->", f"<!-- end of {name} -->"


def _write_part(path: Path, name: str, content: str) -> None:
    begin, end = _marks(name)
    write_marked(path, f"\n{content}", begin=begin, end=end)
