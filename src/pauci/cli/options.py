"""Options that commands about score files share: the same name, help and limits everywhere."""

from typing import Annotated

import typer

from pauci.cli.score_file import USUAL_LABELS

LabelOption = Annotated[
    str | None,
    typer.Option("--label", help="Column of the labels.", show_default=f"first of {', '.join(USUAL_LABELS)}"),
]
ScoresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--score", help="Column of scores; repeat for several.", show_default="score, or every numeric column"
    ),
]
PositiveOption = Annotated[
    str | None, typer.Option("--positive", help="Label of the positive class; all others are negative.")
]
GroupsOption = Annotated[
    str | None, typer.Option("--groups", help="Column naming what was sampled independently: patients, accounts.")
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(
        "--confidence",
        help="Also give the threshold whose true FPR is within the budget with this probability.",
    ),
]
LevelOption = Annotated[float, typer.Option("--level", help="Confidence level of intervals and bands.")]
ResamplesOption = Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.", min=2)]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.", min=0)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
