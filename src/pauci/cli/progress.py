"""A progress bar for what turns out to take long."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from pauci.cli.terminal import Terminal

#: Seconds of silence before the bar appears.
PATIENCE = 1.0


class Advance(Protocol):
    """Tells a progress bar that a step is done."""

    def __call__(self, total: int | None = None) -> None:
        """Move on by one step, of so many in all if that has become known."""


@contextmanager
def late_progress(description: str, total: int | None = None, *, quiet: bool = False) -> Iterator["Advance"]:
    """Show a bar on stderr, if that is a terminal, once the work has taken longer than a second.

    What it yields is to be called after each step. Without a total there are no steps to count.

    Examples
    --------
    >>> with late_progress("counting", 3, quiet=True) as advance:
    ...     for _ in range(3):
    ...         advance()
    """
    if quiet or not sys.stderr.isatty():
        yield lambda total=None: None  # noqa: ARG005
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(description, markup=False), BarColumn(), TaskProgressColumn())
    progress = Progress(*columns, TimeElapsedColumn(), console=Terminal(stderr=True), transient=True)
    task = progress.add_task(description, total=total)
    timer = threading.Timer(PATIENCE, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda total=None: progress.update(task, advance=1, total=total)
    finally:
        timer.cancel()
        timer.join()
        progress.stop()
