"""Options that several commands have: the same name, help and limits everywhere."""

from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.label_column import USUAL_LABELS
from pauci.errors import InputError
from pauci.region_text import read_share


def share(text: str) -> float:
    """Read 0.005 or 0.5%."""
    try:
        return read_share(str(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number such as 0.005 or 0.5%.") from None


def check_share(option: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse a number that is no probability by the name of its option, before any work."""
    if value is not None and not 0 < value < 1:
        percent = value if 1 < value < 100 else 1
        raise InputError(
            f"{option.opts[0]} {value:g} must be a number above 0 and below 1: {percent:g}% is {percent / 100:g}."
        )
    return value


def each_once(files: list[Path]) -> list[Path]:
    """Refuse a file, or folder, that is named a second time."""
    if repeated := [file for file in files if files.count(file) > 1]:
        raise InputError(f"{repeated[0]} is named twice.")
    return files


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
    str | None, typer.Option("--groups", help="Column that names what was sampled independently: patients, accounts.")
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(
        "--confidence",
        help="Also give the threshold that keeps the true FPR within the budget, or else reaches the true TPR, with "
        "this probability.",
        parser=share,
        callback=check_share,
    ),
]
LevelOption = Annotated[
    float, typer.Option("--level", help="Confidence level of intervals and bands.", parser=share, callback=check_share)
]
ResamplesOption = Annotated[int, typer.Option("--resamples", help="Number of bootstrap resamples.", min=2)]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.", min=0)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PlotOption = Annotated[Path | None, typer.Option("--plot", help="Write a picture of the curves (.png, .svg or .pdf).")]
DeviceOption = Annotated[
    str | None, typer.Option("--device", help="Device: cpu, cuda, cuda:1.", show_default="a GPU where there is one")
]
