"""`pauci report`: one self-contained HTML page about score files and training runs."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.options import (
    GroupsOption,
    LabelOption,
    LevelOption,
    PositiveOption,
    ResamplesOption,
    ScoresOption,
    SeedOption,
    check_share,
    each_once,
    share,
)
from pauci.cli.place import check_place
from pauci.cli.progress import late_progress
from pauci.cli.row_matching import check_same_order
from pauci.cli.score_columns import names_among
from pauci.cli.score_file import read_scored
from pauci.cli.terminal import say
from pauci.cli.words import command_line_words
from pauci.errors import InputError
from pauci.extras import require
from pauci.region import Region

if TYPE_CHECKING:
    from pauci.report import ScoredModel, TrainingRun


def report(
    context: typer.Context,
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN_OR_SCORES...",
            help="Folders of training runs, and files as `pauci score` reads them.",
            callback=each_once,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("report.html"),
    region: Annotated[
        str | None,
        typer.Option(
            help="Region to judge in, for example 'fpr<=0.05'.", show_default="the target of the training runs"
        ),
    ] = None,
    label: LabelOption = None,
    scores: ScoresOption = None,
    positive: PositiveOption = None,
    groups: GroupsOption = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            help="Share of positives where the model will be used.",
            show_default="that of the data",
            parser=share,
            callback=check_share,
        ),
    ] = None,
    volume: Annotated[float, typer.Option(help="Cases per day where the model will be used.")] = 10_000,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    title: Annotated[str | None, typer.Option(help="Heading of the page.", show_default="the sources")] = None,
) -> None:
    """Write an interactive HTML report about one or several models; it opens offline.

    Models of the same cases are compared with the first.
    If there are several files, each must hold the columns that are named here.
    """
    require("plotly", purpose="pauci report")
    _check_out(out)
    from pauci.report import write_report

    files, folders = [path for path in sources if not path.is_dir()], [path for path in sources if path.is_dir()]
    with late_progress("reading", len(sources)) as advance:
        models: list[ScoredModel] = []
        columns: list[str] = []
        for file in files:
            found = _models(file, label, scores or [], positive, groups, files)
            columns += found
            if models and next(iter(found.values())).shares_cases_with(models[0]):
                check_same_order(file, files[0], aside=columns)
            models += found.values()
            advance()
        runs = []
        for folder in folders:
            runs.append(_run(folder, folders))
            advance()
    with command_line_words(region=True), late_progress("resampling"):
        path = write_report(
            models,
            out,
            region=_region(region, files, runs),
            runs=runs,
            prevalence=prevalence,
            volume=volume,
            level=level,
            n_resamples=resamples,
            seed=seed,
            title=title or ", ".join(source.name or str(source) for source in sources),
            command=_command(context, sources),
        )
    say(f"the report is {path} ({path.stat().st_size / 1e6:.1f} MB); open it in a browser")


def _check_out(out: Path) -> None:
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out {out}: the report is a web page; let its name end in .html.")
    check_place("--out", out)


def _models(
    file: Path, label: str | None, scores: list[str], positive: str | None, groups: str | None, files: list[Path]
) -> "dict[str, ScoredModel]":
    """One model per score column, by it, and named after it, or after its file where there are several."""
    from pauci.report import ScoredModel

    data = read_scored(file, label, scores, positive, None, groups)
    names = {} if len(files) == 1 else names_among(files, file, data.scores)
    return {
        column: ScoredModel(names.get(column, column), data.positive, values, data.groups)
        for column, values in data.scores.items()
    }


def _run(folder: Path, folders: list[Path]) -> "TrainingRun":
    from pauci.report import read_run

    names = [each.resolve().name for each in folders]
    is_plain = names.count(folder.resolve().name) == 1
    return read_run(folder, name=None if is_plain else str(folder))


def _region(given: str | None, files: list[Path], runs: "list[TrainingRun]") -> Region:
    if given is not None:
        return Region.parse(given)
    targets = {run.recipe.region for run in runs}
    if len(targets) == 1:
        return targets.pop()
    if targets:
        raise InputError(
            f"--region: the runs have different targets, {', '.join(sorted(map(str, targets)))}; name one of them."
        )
    raise InputError(f"--region: {files[0]} does not say where to judge; name a region, for example 'fpr<=0.05'.")


def _command(context: typer.Context, sources: list[Path]) -> str:
    """Write the command that is being run, with all that it was not told and took by default."""
    # A path has lost the ./ by which a name with a dash in front is told from an option.
    words = ["pauci", "report", *(f"./{source}" if str(source).startswith("-") else str(source) for source in sources)]
    for option in context.command.params:
        value = None if option.param_type_name == "argument" else context.params[str(option.name)]
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is not None:
                shown = f"{each:.17g}" if isinstance(each, float) and each.is_integer() else str(each)
                words += [option.opts[-1], shown]
    return shlex.join(words)
