"""A progress bar on the terminal, and nothing where there is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(description: str, total: int, *, in_bytes: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on stderr while the block runs, of steps or, as of a transfer, of bytes.

    The block gets a function to call with the number of steps done since the last call; negative when work was lost.

    Examples
    --------
    >>> with progress_bar("counting", 10) as advance:
    ...     advance(10)
    """
    # Imported here: reading a prepared file needs no bar.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    console = Console(stderr=True)
    amounts = (DownloadColumn(), TransferSpeedColumn()) if in_bytes else (MofNCompleteColumn(),)
    columns = (TextColumn("{task.description}"), BarColumn(), *amounts, TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(description, total=total)
        yield lambda steps: progress.advance(task, steps)
