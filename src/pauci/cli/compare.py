"""`pauci compare`: whether one score, or model, beats another on the same labelled rows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.judging import Method, Question, answer
from pauci.cli.label_column import USUAL_LABELS
from pauci.cli.options import (
    ConfidenceOption,
    GroupsOption,
    JsonOption,
    LevelOption,
    PlotOption,
    PositiveOption,
    ResamplesOption,
    ScoresOption,
    SeedOption,
    each_once,
)
from pauci.cli.picture import check_picture
from pauci.cli.progress import late_progress
from pauci.cli.terminal import say
from pauci.errors import InputError
from pauci.region import Region

if TYPE_CHECKING:
    from pauci.tabular.model import TabularModel


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Score files (CSV, TSV, Parquet, npz) and models (.pauci). The others are compared with the first.",
            callback=each_once,
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(help="Labelled table for the models to score.", show_default="the first score file")
    ] = None,
    region: Annotated[
        str | None,
        typer.Option(help="Region to judge in, for example 'fpr<=0.01'.", show_default="that of the first model"),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            help="Column of the labels.", show_default=f"the models' target, or first of {', '.join(USUAL_LABELS)}"
        ),
    ] = None,
    positive: PositiveOption = None,
    scores: ScoresOption = None,
    key: Annotated[
        str | None, typer.Option("--id", help="Column that identifies rows, where files differ in order.")
    ] = None,
    groups: GroupsOption = None,
    confidence: ConfidenceOption = None,
    level: LevelOption = 0.95,
    method: Annotated[
        Method, typer.Option(help="Method for intervals; delong is faster on large files.")
    ] = Method.bootstrap,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Compare scores or models on the same labelled rows: paired differences to the first, with intervals."""
    from pauci.cli.compare_sources import read_sources
    from pauci.tabular.archive import SUFFIX

    models = _models([file for file in files if file.suffix.lower() == SUFFIX])
    rows = data or next((file for file in files if file not in models), None)
    if rows is None:
        raise InputError("models need labelled rows to be compared on; name their file with --data.")
    if region is None and not models:
        raise InputError("say where to compare, for example with --region 'fpr<=0.01'.")
    question = Question(
        region=next(iter(models.values())).region if region is None else Region.parse(region),
        confidence=confidence,
        level=level,
        method=method,
        resamples=resamples,
        seed=seed,
        convention=None,
    )
    question.check(groups=groups)
    check_picture(plot)
    with late_progress("reading and scoring", quiet=as_json):
        scored = read_sources(
            files,
            models,
            rows=rows,
            label=label,
            positive=positive,
            scores=scores or [],
            key=key,
            groups=groups,
        )
    for file in _fitted_on(rows, models):
        doubt = f"{file} was fitted on {rows}, and looks better there than it is; compare on other rows."
        say(f"warning: {doubt}", err=True)
    answer(str(rows), scored, question, as_json=as_json, plot=plot)
    if not scores and len(scored.scores) > len(files):
        taken = ", ".join(map(repr, scored.scores))
        say(f"note: without --score every numeric column is compared: {taken}", err=True)


def _models(files: list[Path]) -> "dict[Path, TabularModel]":
    """Read the models; score files alone need none of what models need."""
    if not files:
        return {}
    from pauci.tabular.model_file import load_model

    return {file: load_model(file) for file in files}


def _fitted_on(rows: Path, models: "dict[Path, TabularModel]") -> list[Path]:
    """List the models that know a file by heart."""
    if not models:
        return []
    from pauci.data.archives import file_digest

    digest = file_digest(rows)
    return [file for file, model in models.items() if model.source == digest]
