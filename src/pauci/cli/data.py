"""`pauci data`: prepare, list and verify the image data sets."""

import itertools
import os
from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.terminal import say
from pauci.errors import FileFormatError, InputError

data_app = typer.Typer(name="data", help="Prepare, list and verify the image data sets.", no_args_is_help=True)

_Root = Annotated[
    Path | None,
    typer.Option(help="Folder with archives or prepared files; by default $PAUCI_DATA or the cache folder."),
]
_Names = Annotated[
    list[str] | None,
    typer.Argument(help="Data sets or tasks; by default all data sets."),
]


@data_app.command("prepare")
def prepare_command(
    names: _Names = None,
    root: _Root = None,
    download: Annotated[bool, typer.Option(help="Download official archives that are not on this machine yet.")] = True,
) -> None:
    """Prepare data sets for training, as one memory-mapped file each."""
    from pauci.data.preparation import prepare

    for name in _datasets(names):
        path = prepare(name, root=root, download=download, workers=os.cpu_count() or 1)
        say(f"{name}: {path}")


@data_app.command("list")
def list_command(root: _Root = None) -> None:
    """Show the nine tasks of the paper with their counts, and what is on this machine."""
    from pauci.data.datasets import DATASETS
    from pauci.data.folders import searched_folders
    from pauci.data.preparation import find_prepared
    from pauci.data.tasks import TASKS, count_task

    columns = "{:<16} {:<7} {:>15} {:>13} {:>13}  {}"
    say(columns.format("task", "variant", "train", "val", "test", "positives"))
    for name, info in TASKS.items():
        for variant in DATASETS[info.dataset].variants:
            counts = count_task(name, root=root, variant=variant)
            cells = [f"{images:,} ({positives:,})" for images, positives in counts.values()]
            say(columns.format(name, variant, *cells, info.positives))
    say("In brackets: positives. The variant 'paper' leaks: most of its test images are training images too.\n")
    for name in DATASETS:
        path = find_prepared(name, root=root)
        say(f"{name}: {path or 'not prepared; the counts are those of the official archive'}")
    say(f"Sources are looked for in {' and '.join(map(str, searched_folders(root)))}.")


@data_app.command("verify")
def verify_command(names: _Names = None, root: _Root = None) -> None:
    """Check prepared files against their checksums; exit with code 1 if one is damaged, or was named but is missing."""
    from pauci.data.preparation import prepared_files
    from pauci.data.prepared import verify_prepared

    files = {name: prepared_files(name, root=root) for name in _datasets(names)}
    missing = [name for name, paths in files.items() if not paths]
    for name in missing:
        say(f"{name}: not prepared")
    damaged = False
    for path in itertools.chain(*files.values()):
        try:
            verify_prepared(path)
        except FileFormatError as error:
            damaged = True
            say(f"DAMAGED: {error}")
        else:
            say(f"ok: {path}")
    # A data set that was asked for by name must be there; without names, any will do.
    if damaged or len(missing) == len(files) or (names and missing):
        raise typer.Exit(1)


def _datasets(names: list[str] | None) -> list[str]:
    """Return the data sets that were named, directly or by one of their tasks; all of them by default."""
    from pauci.data.datasets import DATASETS
    from pauci.data.tasks import TASKS

    chosen = [TASKS[name].dataset if name in TASKS else name for name in names or DATASETS]
    if unknown := [name for name in chosen if name not in DATASETS]:
        raise InputError(f"{unknown[0]!r} is not known; use one of {', '.join([*DATASETS, *TASKS])}.")
    return list(dict.fromkeys(chosen))
