"""`pauci score`: judge one or several score columns of a file in a region of the ROC plane."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pauci.cli.picture import check_picture, write_picture
from pauci.cli.progress import late_progress
from pauci.cli.score_file import USUAL_LABELS, Scored, read_scored
from pauci.errors import InputError
from pauci.region import Region

if TYPE_CHECKING:
    from pauci.cli.score_report import Report
    from pauci.metrics.region_curve import RegionCurve


class Method(StrEnum):
    """The methods of `partial_auc_interval`."""

    bootstrap = "bootstrap"
    delong = "delong"


class Convention(StrEnum):
    """The conventions of `partial_auc_score`."""

    paper = "paper"
    sklearn = "sklearn"


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
        typer.Option("--score", help="Column of scores; repeat for several.", show_default="every numeric column"),
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
    rectangle = Region.parse(region)
    _check_options(rectangle, confidence, weight, groups, convention)
    if plot is not None:
        check_picture(plot)
    from pauci.cli.score_report import print_json, print_tables

    with late_progress("reading", quiet=as_json):
        data = read_scored(file, label, scores or [], positive, weight, groups)
    options: dict[str, Any] = {
        "level": level,
        "method": method.value,
        "n_resamples": resamples,
        "seed": seed,
        "convention": None if convention is None else convention.value,
    }
    steps = 2 * len(data.scores) - 1
    with late_progress("resampling", steps, quiet=as_json) as advance:
        report, curves = _judge(file, data, rectangle, confidence, options, advance, with_curves=plot is not None)
    if plot is not None:
        with late_progress("drawing", quiet=as_json):
            write_picture(plot, curves, rectangle)
    if not scores and len(data.scores) > 1:
        taken = ", ".join(map(repr, data.scores))
        typer.echo(f"note: without --score every numeric column is judged: {taken}", err=True)
    if as_json:
        print_json(report)
    else:
        print_tables(report)


def _check_options(
    region: Region, confidence: float | None, weight: str | None, groups: str | None, convention: Convention | None
) -> None:
    """Raise where options do not go together, in the words of the command line."""
    if confidence is not None and weight is not None:
        raise InputError(
            "--confidence cannot be combined with --weight: weighted negatives are not binomial, so nothing exact can "
            "be promised. Drop one of them."
        )
    if confidence is not None and region.max_fpr == 1:
        raise InputError(f"--confidence needs a budget of false positives, which --region {region} does not set.")
    for name, given in (("--weight", weight), ("--groups", groups)):
        if convention is Convention.paper and given is not None:
            raise InputError(f"--convention paper counts whole rows, so it cannot be combined with {name}.")


def _judge(
    file: Path,
    data: Scored,
    region: Region,
    confidence: float | None,
    options: dict[str, Any],
    advance: Callable[[], None],
    *,
    with_curves: bool,
) -> "tuple[Report, list[RegionCurve]]":
    """Everything there is to report, and the curves if there is to be a picture of them."""
    from pauci.cli.score_report import Judgement, Report, Versus
    from pauci.metrics.comparison import compare_partial_auc
    from pauci.metrics.interval import partial_auc_interval
    from pauci.metrics.region_curve import RegionCurve, operating_point
    from pauci.metrics.threshold import threshold_at_fpr

    resampled: dict[str, Any] = {"sample_weight": data.weight, "groups": data.groups, **options}
    judgements, versus, curves = [], [], []
    baseline, first = next(iter(data.scores.items()))
    for name, values in data.scores.items():
        if with_curves:
            curves.append(RegionCurve.of(data.positive, values, region, name=name, **resampled))
        interval = curves[-1].interval if curves else None
        judgements.append(
            Judgement(
                name=name,
                interval=interval or partial_auc_interval(data.positive, values, region=region, **resampled),
                threshold=operating_point(data.positive, values, region, sample_weight=data.weight),
                guaranteed=None
                if confidence is None
                else threshold_at_fpr(data.positive, values, max_fpr=region.max_fpr, confidence=confidence),
            )
        )
        advance()
        if name != baseline:
            versus.append(Versus(name, compare_partial_auc(data.positive, values, first, region=region, **resampled)))
            advance()
    n_positive = int(data.positive.sum())
    report = Report(
        file=str(file),
        region=region,
        n_positive=n_positive,
        n_negative=len(data.positive) - n_positive,
        confidence=confidence,
        judgements=judgements,
        baseline=baseline,
        versus=versus,
        **options,
    )
    return report, curves
