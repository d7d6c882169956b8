"""The progress bar of a training run."""

import time

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pauci.cli.terminal import Terminal
from pauci.training.observers import Observer, Record, Start

#: Seconds between updates: drawing must not cost training time.
_PAUSE = 0.1


class ProgressBar(Observer):
    """Steps, time left, and what the last epoch reached in the region, on stderr."""

    def __init__(self, region: str) -> None:
        self._region = region
        self._drawn = 0.0
        self._progress = Progress()

    def start(self, start: Start) -> None:
        """Show the bar."""
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[reached]}", markup=False),
        )
        self._name, self._epochs = start.recipe.name or "training", start.recipe.epochs
        self._progress = Progress(*columns, console=Terminal(stderr=True))
        description = f"{self._name} epoch {len(start.history) + 1}/{self._epochs}"
        self._task = self._progress.add_task(description, total=start.total, completed=start.done, reached="")
        self._progress.start()

    def step(self, done: int) -> None:
        """Move on, now and then."""
        now = time.monotonic()
        if now - self._drawn > _PAUSE:
            self._drawn = now
            self._progress.update(self._task, completed=done)

    def epoch(self, record: Record) -> None:
        """Show what the epoch reached."""
        reached = f"loss {record['loss']:z.4f}  pAUC ({self._region}) {record['val']['target']:.4f}"
        description = f"{self._name} epoch {min(record['epoch'] + 1, self._epochs)}/{self._epochs}"
        self._progress.update(self._task, completed=record["step"], reached=reached, description=description)

    def end(self) -> None:
        """Leave the last state on the screen."""
        self._progress.stop()
