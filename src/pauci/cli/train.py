"""`pauci train`: run a recipe from the terminal."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.options import DeviceOption
from pauci.cli.picture import check_picture
from pauci.cli.place import default_folder
from pauci.cli.terminal import Terminal, say
from pauci.training.interrupt import INTERRUPTED

if TYPE_CHECKING:
    from pauci.training import Observer, Recipe, Result


def train(
    recipe: Annotated[
        str | None, typer.Argument(help="A TOML file, or the name of a shipped recipe; without it, these are listed.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change the recipe, for example --set loss.kappa=4"),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.", show_default="runs/NAME-HASH")] = None,
    resume: Annotated[bool, typer.Option(help="Continue the run in the folder, if there is one.")] = False,
    device: DeviceOption = None,
    devices: Annotated[int, typer.Option(min=1, help="Processes on this machine, one per GPU.")] = 1,
    compiled: Annotated[bool, typer.Option("--compile", help="Compile the network.")] = False,
    graphs: Annotated[bool, typer.Option(help="Replay training passes as CUDA graphs.")] = False,
    save_every: Annotated[float, typer.Option(min=0, help="Seconds between checkpoints.")] = 60.0,
    warmups: Annotated[Path | None, typer.Option(help="Folder in which runs share their warm-ups.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the convergence curve into this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a network by a recipe: resumable, logged, and selected on validation data."""
    from pauci.training import load_recipe
    from pauci.training import train as run

    if recipe is None:
        _list_recipes()
        return
    if plot is not None:
        plot.parent.mkdir(parents=True, exist_ok=True)  # as the folder of the run is made
        check_picture(plot)
    if devices > 1 and "WORLD_SIZE" not in os.environ:
        from pauci.training.launch import launch

        raise typer.Exit(launch([sys.executable, "-m", "pauci", *sys.argv[1:]], devices))
    chosen = load_recipe(recipe, overrides=changes or ())
    folder = out or default_folder(chosen.name, chosen.hash)
    first = os.environ.get("RANK", "0") == "0"
    try:
        result = run(
            chosen,
            out=folder,
            resume=resume,
            device=device,
            compiled=compiled,
            graphs=graphs,
            save_every=save_every,
            warmups=warmups,
            observers=_observers(chosen) if first else [],
        )
    except KeyboardInterrupt:
        if first:
            more = [*([] if out else ["--out", str(folder)]), *([] if resume else ["--resume"])]
            again = shlex.join(["pauci", *sys.argv[1:], *more])
            say(f"interrupted; continue with: {again}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if first:
        if plot is not None:
            from pauci.report.figures import history, save

            save(history(result.history, region=chosen.region), plot)
        _report(result, folder, as_json=as_json)


def _list_recipes() -> None:
    from rich.table import Table

    from pauci.training.recipe_file import about_recipe, shipped_recipes

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for name in shipped_recipes():
        table.add_row(name, about_recipe(name))
    Terminal().print(table)
    say("\nTo train one: pauci train tabular --set data.table=FILE.csv --set data.target=COLUMN")


def _observers(recipe: "Recipe") -> "Sequence[Observer]":
    if not sys.stderr.isatty():
        return []
    from pauci.cli.train_progress import ProgressBar

    return [ProgressBar(str(recipe.region))]


def _report(result: "Result", folder: Path, *, as_json: bool) -> None:
    if as_json:
        facts = {"folder": str(folder), "recipe": result.recipe.hash, "best_epoch": result.best_epoch}
        facts |= {"val_metrics": result.val_metrics, "test_metrics": result.test_metrics, "seconds": result.seconds}
        say(json.dumps(facts))
        return
    from rich import box
    from rich.table import Table

    title = f"{result.recipe.name}: partial AUC of epoch {result.best_epoch} of {len(result.history)}"
    table = Table(box=box.SIMPLE)
    table.add_column("region")
    table.add_column("validation", justify="right")
    if result.test_metrics:
        table.add_column("test", justify="right")
    for name in result.val_metrics:
        label = f"target ({result.recipe.region})" if name == "target" else name
        cells = [f"{metrics[name]:.4f}" for metrics in (result.val_metrics, result.test_metrics) if metrics]
        table.add_row(label, *cells, style="bold" if name == "target" else None)
    console = Terminal()
    console.print(title, soft_wrap=True)
    console.print(table)
    console.print(f"{result.seconds:.1f} s on {result.device}; weights, log and recipe are in {folder}", soft_wrap=True)
