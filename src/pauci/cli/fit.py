"""`pauci fit`: from a labelled table to a model that keeps a budget of false positives."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.picture import check_picture, save_figure
from pauci.cli.progress import late_progress
from pauci.cli.words import command_line_words
from pauci.errors import InputError


class Family(StrEnum):
    """What can be fitted."""

    boosting = "boosting"
    mlp = "mlp"
    linear = "linear"


class Base(StrEnum):
    """The libraries that boost trees."""

    lightgbm = "lightgbm"
    xgboost = "xgboost"


def fit(
    file: Annotated[Path, typer.Argument(help="CSV, TSV (also gzipped), Parquet or npz file with a header.")],
    target: Annotated[str, typer.Option(help="Column to predict.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write, MODEL.pauci.")],
    max_fpr: Annotated[
        float | None, typer.Option(help="Share of the negatives that may be acted on.", min=0.0, max=1.0)
    ] = None,
    min_tpr: Annotated[
        float, typer.Option(help="Share of the positives that must be found.", min=0.0, max=1.0)
    ] = 0.0,
    family: Annotated[Family, typer.Option("--model", help="What to fit.")] = Family.boosting,
    base: Annotated[Base, typer.Option(help="Library that boosts trees.")] = Base.lightgbm,
    rounds: Annotated[int, typer.Option(help="Rounds of boosting.", min=1)] = 200,
    positive: Annotated[str | None, typer.Option(help="Value of the positive class; all others are negative.")] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out, such as an identifier; repeat for several.")
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column whose numbers are names, such as postcodes; repeat for several.")
    ] = None,
    drop_unlabeled: Annotated[bool, typer.Option("--drop-unlabeled", help="Leave out rows without a label.")] = False,
    confidence: Annotated[
        float, typer.Option(help="Probability with which the true FPR shall be within the budget.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads.", min=1, show_default="all")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of what was found (.png, .svg or .pdf).")] = None,
) -> None:
    """Fit a model for a budget of false positives, judged against plain cross-entropy by cross-validation.

    Plain cross-entropy (logloss) is always among the candidates, and is kept unless another one was seen to be better.
    Ctrl-C keeps the best so far.
    """
