"""The `pauci` command: its subcommands, and how errors reach the terminal."""

import io
import sys
import warnings
from typing import Annotated

import typer

from pauci import __version__
from pauci.cli.compare import compare
from pauci.cli.data import data_app
from pauci.cli.demo import demo
from pauci.cli.doctor import doctor
from pauci.cli.export import export
from pauci.cli.fit import fit
from pauci.cli.predict import predict
from pauci.cli.region_words import RegionCommand
from pauci.cli.report import report
from pauci.cli.score import score
from pauci.cli.study import study_app
from pauci.cli.terminal import Terminal, say
from pauci.cli.train import train
from pauci.cli.tune import tune
from pauci.cli.words import in_command_line_words
from pauci.errors import PauciError

app = typer.Typer(
    name="pauci",
    help="Train and judge classifiers on the part of the ROC curve you will operate in.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command(cls=RegionCommand)(fit)
app.command()(predict)
app.command()(export)
app.command(cls=RegionCommand)(score)
app.command(cls=RegionCommand)(compare)
app.command(cls=RegionCommand)(report)
app.command()(train)
app.command()(tune)
app.add_typer(data_app)
app.add_typer(study_app)
app.command()(doctor)


def main() -> None:
    """Run the command line; errors of this package, and of files, become one line on stderr and exit code 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What the terminal has no character for is spelled out, and no reason to end: all work may have been done.
        sys.stdout.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    try:
        app()
    except (PauciError, OSError) as error:
        Terminal(stderr=True).print(f"error: {error}", style="red", soft_wrap=True)
        sys.exit(2)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Say it as commands say theirs: where in the code it comes from is of no use in a terminal."""
    say(f"warning: {in_command_line_words(str(message))}", err=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"pauci {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Hold the options that every subcommand shares."""
