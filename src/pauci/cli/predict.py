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
from pauci.cli.terminal import say
from pauci.cli.words import command_line_words
from pauci.errors import InputError, PauciError

if TYPE_CHECKING:
    from pauci.data.table_file import Cells
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
    keys: Annotated[
        list[str] | None,
        typer.Option("--id", help="Column to keep, such as an identifier or the label; repeat for several."),
    ] = None,
    rows: Annotated[int, typer.Option(help="Rows to hold in memory at a time.", min=1)] = 65_536,
) -> None:
    """Score the rows of a file: write score, probability, and the decision within the budget of false positives.

    A score of at least 0 is a decision for the positive class. Columns are matched by name, in any order.
    """
    from pauci.cli.score_writer import check_output, score_writer
    from pauci.estimators.unseen import UnseenValues
    from pauci.tabular.model_file import load_model

    check_output(out)
    for option, path in (("model", model), ("file", file)):
        if out.exists() and path.exists() and out.samefile(path):
            raise InputError(f"--out {out} is the {option} itself, which would be lost; write to another file.")
    if file.suffix == ".pauci" != model.suffix:
        raise InputError(f"{file} looks like the model: it comes first, as in `pauci predict {file} {model}`.")
    fitted = load_model(model)
    unseen, total, acted = UnseenValues(fitted.columns, fitted.ranges), 0, 0
    with _regular(file) as table, command_line_words(), late_progress("scoring") as advance:
        kept = list(dict.fromkeys(keys or ()))
        beside, extra = _beside(table, kept, rows), [name for name in fitted.extra_columns(table) if name not in kept]
        parts = fitted.iter_rows(table, rows=rows)
        with score_writer(out) as write:
            for part, X in zip(beside, parts, strict=False):
                unseen.add(X)
                score = fitted.score(X)
                decision = score >= 0
                values = (score, fitted.probability(score), decision.astype(int))
                write({**part, **dict(zip(_COLUMNS, values, strict=True))})
                total, acted = total + len(score), acted + int(decision.sum())
                advance()
    if extra:
        shown = ", ".join(map(repr, extra[:5])) + (", ..." if len(extra) > 5 else "")
        say(f"note: columns that the model does not read: {shown}", err=True)
    for doubt in unseen.doubts():
        say(f"warning: {doubt}", err=True)
    say(_summary(fitted, total, acted), err=True)


def _summary(fitted: "TabularModel", total: int, acted: int) -> str:
    share = f"{acted:,} of {total:,} rows ({acted / total:.2%}) are decided as {fitted.target} = {fitted.positive}"
    return f"{share}; for cases like those the model was fitted on, the threshold keeps {fitted.estimator.threshold_}"


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
        try:
            yield kept
        except PauciError as error:
            error.args = (str(error).replace(str(kept), "standard input"), *error.args[1:])
            raise


def _beside(table: Path, names: list[str], rows: int) -> "Iterator[dict[str, Cells]]":
    """Cells of the columns that are kept, as many at a time as rows are scored; nothing, forever, if none is."""
    from pauci.data.table_file import check_known, open_table

    if not names:
        return itertools.repeat({})
    if taken := [name for name in names if name in _COLUMNS]:
        raise InputError(f"--id {taken[0]}: the scores have a column of this name too; rename it in {table}.")
    file = open_table(table)
    check_known(names, file)
    return _batched(file.cells(names), names[0], rows)


def _batched(blocks: "Iterator[dict[str, Cells]]", first: str, rows: int) -> "Iterator[dict[str, Cells]]":
    """Cut and join blocks into as many rows each, the last one at most as many."""
    from pauci.data.table_file import joined

    kept: dict[str, Cells] = {}
    for block in blocks:
        kept = {name: joined(kept[name], values) if kept else values for name, values in block.items()}
        while len(kept[first]) >= rows:
            yield {name: values[:rows] for name, values in kept.items()}
            kept = {name: values[rows:] for name, values in kept.items()}
    yield kept
