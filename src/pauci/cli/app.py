"""The `pauci` command: its subcommands, and how errors reach the terminal."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from pauci import __version__
from pauci.cli.study import study
from pauci.errors import PauciError

app = typer.Typer(
    name="pauci",
    help="Train and judge classifiers on the part of the ROC curve you will operate in.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(study)


def main() -> None:
    """Run the command line; errors of this package become one line on stderr and exit code 2."""
    try:
        app()
    except PauciError as error:
        Console(stderr=True).print(f"error: {error}", style="red", markup=False, highlight=False)
        sys.exit(2)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pauci {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Hold the options that every subcommand shares."""
