"""`pauci tune`: vary a recipe and keep the best on validation."""

from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.options import DeviceOption
from pauci.cli.place import default_folder
from pauci.cli.terminal import Terminal, say


def tune(
    recipe: Annotated[str, typer.Argument(help="A TOML file, or the name of a shipped recipe.")],
    trials: Annotated[int, typer.Option(min=1, help="Number of further trials.")] = 20,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="KEY=LOW:HIGH[:log|:int]",
            help="Setting to vary; or KEY=VALUE,VALUE.",
            show_default="the paper's ranges",
        ),
    ] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the recipe.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the study.", show_default="runs/tune-NAME-HASH")] = None,
    device: DeviceOption = None,
    random: Annotated[
        bool, typer.Option("--random", help="Use random search, also where Optuna is installed.")
    ] = False,
) -> None:
    """Tune a recipe: every trial is treated equally, and judged on validation data only."""
    from rich import box
    from rich.table import Table

    from pauci.training import load_recipe
    from pauci.training.space import parse_range
    from pauci.training.tuning import tune as run

    chosen = load_recipe(recipe, overrides=changes or ())
    folder = out or default_folder(f"tune-{chosen.name}", chosen.hash)
    space = dict(map(parse_range, ranges)) if ranges else None
    found = run(chosen, trials=trials, out=folder, space=space, device=device, optuna=False if random else None)
    table = Table(
        title=f"{chosen.name}: best of {len(found)} trials", title_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0)
    )
    # Trials of earlier calls may have varied something else.
    paths = list(dict.fromkeys(path for trial in found[:10] for path in trial.changes))
    narrow = [path.replace(".", ".\n") for path in paths]  # numbers need the width
    for name in ("trial", "validation", *narrow):
        table.add_column(name, justify="right", overflow="fold")
    several = len({trial.search for trial in found}) > 1
    for trial in found[:10]:
        name = f"{trial.search} {trial.number}" if several else str(trial.number)
        value = "given up" if trial.value is None else f"{trial.value:.4f}"
        table.add_row(name, value, *(_cell(trial.changes.get(path, "-")) for path in paths))
    console = Terminal()
    console.print(table)
    if found[0].value is None:
        say(
            f"error: training diverged in all {len(found)} trials, so there is no best recipe; too large a learning "
            "rate is the usual cause: try a lower --range.",
            err=True,
        )
        raise typer.Exit(1)
    console.print(f"the best recipe is {folder / 'best.toml'}", soft_wrap=True)


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
