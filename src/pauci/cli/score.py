"""`pauci score`: judge one or several score columns of a file in a region of the ROC plane."""

from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.judging import Convention, Method, Question, answer
from pauci.cli.picture import check_picture
from pauci.cli.progress import late_progress
from pauci.cli.score_file import USUAL_LABELS, read_scored
from pauci.region import Region


def score(
    file: Annotated[Path, typer.Argument(help="CSV, TSV (also gzipped), Parquet or npz file with a header.")],
    region: Annotated[
        str, typer.Option(help="Where to judge, for example 'fpr<=0.05' or 'fpr<=0.5,tpr>=0.5'; 'all' is the AUC.")
    ],
    label: Annotated[
        str | None, typer.Option(help="Column of the labels.", show_default=f"first of {', '.join(USUAL_LABELS)}")
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--score", help="Column of scores; repeat for several.", show_default="score, or every numeric column"
        ),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="Label of the positive class; all others are negative.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of sample weights.")] = None,
    groups: Annotated[
        str | None, typer.Option(help="Column naming what was sampled independently: patients, accounts.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    confidence: Annotated[
        float | None,
        typer.Option(help="Also give the threshold whose true FPR is within the budget with this probability."),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="Where intervals and comparisons come from; delong is faster on large files.")
    ] = Method.bootstrap,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.", min=2)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)] = 0,
    convention: Annotated[
        Convention | None,
        typer.Option(help="Whose number to give.", show_default="share of the region's area"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of the curves (.png, .svg or .pdf).")] = None,
) -> None:
    """Judge score columns of a file: partial AUC with interval, operating point, paired comparison.

    The threshold keeps the region's budget of false positives, or, where the region only asks for a TPR, reaches
    that. Columns are compared with the first one.
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
    if plot is not None:
        check_picture(plot)
    with late_progress("reading", quiet=as_json):
        data = read_scored(file, label, scores or [], positive, weight, groups)
    answer(str(file), data, question, as_json=as_json, plot=plot)
    if not scores and len(data.scores) > 1:
        taken = ", ".join(map(repr, data.scores))
        typer.echo(f"note: without --score every numeric column is judged: {taken}", err=True)
