"""Watching a run: what is told when, and the log that is always written."""

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pauci.training.claim import LOG
from pauci.training.files import make_folder, write_bytes, writing
from pauci.training.recipe import Recipe

#: One epoch: "epoch" (from 1), "step", "loss", "rate", "seconds" and "val", a dict of metrics.
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Start:
    """Where a run begins or resumes.

    Attributes
    ----------
    recipe : Recipe
        What is run.
    total, done : int
        Steps of the whole run; steps made before.
    history : sequence of Record
        Epochs finished before.
    is_warmup : bool
        Whether this is the cross-entropy phase before the run itself, which has epochs and steps of its own.
    """

    recipe: Recipe
    total: int
    done: int
    history: Sequence[Record]
    is_warmup: bool = False


class Observer:
    """Base class of objects that are told what happens in a run; its methods do nothing.

    A recipe with a warm-up has two phases, each from `start` to `end`.

    Examples
    --------
    >>> class TwoEpochs(Observer):
    ...     def epoch(self, record):
    ...         return record["epoch"] == 2
    >>> from pauci.training import train
    >>> x = [[float(row)] for row in range(40)]
    >>> y = [row % 4 == 0 for row in range(40)]
    >>> len(train(Recipe(epochs=9, batch_size=8), (x, y), device="cpu", observers=[TwoEpochs()]).history)
    2
    """

    def start(self, start: Start) -> None:
        """Take note that training begins or resumes.

        Parameters
        ----------
        start : Start
            The recipe, the number of steps, and what was done before.
        """

    def step(self, done: int) -> None:
        """Take note of a step. Called often: must be cheap and must not look at the device.

        Parameters
        ----------
        done : int
            Steps made so far.
        """

    def epoch(self, record: Record) -> bool | None:
        """Take note of a finished epoch.

        Parameters
        ----------
        record : mapping
            "epoch" (from 1), "step", "loss", "rate", "seconds" and "val", a dict of metrics.

        Returns
        -------
        bool or None
            True asks to stop training here. It does not stop a warm-up, which other runs may share.
        """

    def end(self) -> None:
        """Take note that training is over, also after an error."""


def run_logs(folder: Path) -> list[Observer]:
    """Open the logs of a run in a folder: JSON lines always, TensorBoard where it is installed."""
    logs: list[Observer] = [JsonLog(folder / LOG)]
    if importlib.util.find_spec("tensorboard") is not None:
        logs.append(TensorBoardLog(folder / "tensorboard"))
    return logs


class JsonLog(Observer):
    """One JSON object per epoch and line; a resumed run continues where its checkpoint is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._records: list[Record] = []

    def start(self, start: Start) -> None:
        """Write what the checkpoint knows, and drop lines of epochs that will be run again."""
        self._rewrite(list(start.history))

    def epoch(self, record: Record) -> None:
        """Append a line; after going back, in place of what was written about that epoch and later ones."""
        before = [known for known in self._records if known["epoch"] < record["epoch"]]
        if len(before) < len(self._records):
            self._rewrite(before)
        self._records.append(record)
        with writing(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(_line(record))

    def _rewrite(self, records: list[Record]) -> None:
        self._records = records
        write_bytes(self._path, "".join(map(_line, records)).encode())


class TensorBoardLog(Observer):
    """Curves for TensorBoard."""

    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._folder = folder
        # Where TensorFlow is installed, TensorBoard makes folders by it, whose errors are not the system's.
        make_folder(folder)
        with writing(folder):
            self._writer = SummaryWriter(str(folder))

    def epoch(self, record: Record) -> None:
        """Add a point to each curve."""
        values = {"train/loss": record["loss"], "train/rate": record["rate"]}
        values |= {f"val/{name}": value for name, value in record["val"].items()}
        with writing(self._folder):
            for name, value in values.items():
                self._writer.add_scalar(name, value, record["step"])

    def end(self) -> None:
        """Flush and close."""
        with writing(self._folder):
            self._writer.close()


def _line(record: Record) -> str:
    return json.dumps(record) + "\n"
