"""`pauci predict`: scores and decisions for a file of any size."""

import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.progress import late_progress
from pauci.cli.words import command_line_words
from pauci.errors import InputError

if TYPE_CHECKING:
    from pauci.tabular.model import TabularModel

_COLUMNS = ("score", "probability", "decision")


def predict(
    model: Annotated[Path, typer.Argument(help="Model file that `pauci fit` wrote.")],
    file: Annotated[
        Path, typer.Argument(help="CSV, TSV (also gzipped), Parquet or npz file; - reads CSV from standard input.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="CSV, TSV (also gzipped) or Parquet file; - is standard output.")
    ] = Path("-"),
    key: Annotated[str | None, typer.Option("--id", help="Column to keep next to the scores.")] = None,
    rows: Annotated[int, typer.Option(help="Rows to hold in memory at a time.", min=1)] = 65_536,
) -> None:
    """Score the rows of a file: score, probability, and the decision within the budget of false positives.

    A score of at least 0 is a decision for the positive class. Columns are matched by name, whatever their order.
    """
    from pauci.cli.score_writer import check_output, score_writer
    from pauci.tabular.model_file import load_model

    check_output(out)
    fitted = load_model(model)
    total = acted = 0
    with _regular(file) as table, command_line_words(), late_progress("scoring") as advance:
        names, extra = _ids(table, key, rows), [name for name in fitted.extra_columns(table) if name != key]
        parts = fitted.iter_scores(table, rows=rows)
        with score_writer(out) as write:
            for part, score in zip(names, parts, strict=False):
                decision = score >= 0
                values = (score, fitted.probability(score), decision.astype(int))
                write({**({} if key is None else {key: part}), **dict(zip(_COLUMNS, values, strict=True))})
                total, acted = total + len(score), acted + int(decision.sum())
                advance()
    if extra:
        shown = ", ".join(map(repr, extra[:5])) + (", ..." if len(extra) > 5 else "")
        typer.echo(f"note: columns that the model does not read: {shown}", err=True)
    typer.echo(_summary(fitted, total, acted), err=True)


def _summary(fitted: "TabularModel", total: int, acted: int) -> str:
    share = f"{acted:,} of {total:,} rows ({acted / total:.2%}) are decided as {fitted.target} = {fitted.positive}"
    return f"{share}; the threshold keeps {fitted.estimator.threshold_}"


@contextmanager
def _regular(file: Path) -> Iterator[Path]:
    """Give a file that can be read twice: standard input is put aside on the disk first."""
    if str(file) != "-":
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="pauci-") as folder:
        kept = Path(folder, "stdin.csv")
        with kept.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield kept


def _ids(table: Path, key: str | None, rows: int) -> "Iterator[list[str | None]]":
    """Values of the id column as texts, as many at a time as rows are scored; nothing, forever, if none is kept."""
    from pauci.data.table_file import check_known, open_table

    if key is None:
        return itertools.repeat([])
    if key in _COLUMNS:
        raise InputError(f"--id {key}: the scores have a column of this name too; rename it in {table}.")
    file = open_table(table)
    check_known([key], file)
    return _batched((block[key].texts().tolist() for block in file.blocks([key])), rows)


def _batched(blocks: "Iterator[list[str | None]]", rows: int) -> "Iterator[list[str | None]]":
    """Cut and join blocks into as many values each, the last one at most as many."""
    kept: list[str | None] = []
    for block in blocks:
        kept += block
        while len(kept) >= rows:
            yield kept[:rows]
            kept = kept[rows:]
    yield kept
