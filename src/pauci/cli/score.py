"""`pauci score`: judge one or several score columns of a file in a region of the ROC plane."""

from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.judging import Convention, Method, Question, answer
from pauci.cli.options import (
    ConfidenceOption,
    GroupsOption,
    JsonOption,
    LabelOption,
    LevelOption,
    PlotOption,
    PositiveOption,
    ResamplesOption,
    ScoresOption,
    SeedOption,
)
from pauci.cli.picture import check_picture
from pauci.cli.progress import late_progress
from pauci.cli.score_file import read_scored
from pauci.cli.terminal import say
from pauci.region import Region


def score(
    file: Annotated[Path, typer.Argument(help="CSV, TSV (also gzipped), Parquet or npz file with a header.")],
    region: Annotated[
        str, typer.Option(help="Region to judge in, for example 'fpr<=0.05' or 'fpr<=0.5,tpr>=0.5'; 'all' is the AUC.")
    ],
    label: LabelOption = None,
    scores: ScoresOption = None,
    positive: PositiveOption = None,
    weight: Annotated[str | None, typer.Option(help="Column of sample weights.")] = None,
    groups: GroupsOption = None,
    level: LevelOption = 0.95,
    confidence: ConfidenceOption = None,
    method: Annotated[
        Method, typer.Option(help="Method for intervals and comparisons; delong is faster on large files.")
    ] = Method.bootstrap,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    convention: Annotated[
        Convention | None,
        typer.Option(help="Convention of the partial AUC.", show_default="share of the region's area"),
    ] = None,
    as_json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Judge score columns of a file: partial AUC with interval, operating point, paired comparison.

    The threshold keeps the region's budget of false positives or, where the region only asks for a TPR, reaches it.
    Columns are compared with the first one. Decisions of `pauci predict` in the file are judged, too.
    """
    question = Question(
        region=Region.parse(region),
        confidence=confidence,
        level=level,
        method=method,
        resamples=resamples,
        seed=seed,
        convention=convention,
    )
    question.check(weight=weight, groups=groups)
    check_picture(plot)
    with late_progress("reading", quiet=as_json):
        data = read_scored(file, label, scores or [], positive, weight, groups)
    answer(str(file), data, question, as_json=as_json, plot=plot)
    if not scores and len(data.scores) > 1:
        taken = ", ".join(map(repr, data.scores))
        say(f"note: without --score every numeric column is judged: {taken}", err=True)
