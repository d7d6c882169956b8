"""The result store of a study: one line per finished run, only ever added to."""

import dataclasses
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pauci.errors import FileFormatError, InputError
from pauci.rounding import is_number
from pauci.studies.jsonl import append_line, read_lines

#: What a run is recognised by.
Key = tuple[str, str, str, str, str, int, str, str]


@dataclass(frozen=True, kw_only=True)
class Record:
    """A finished run.

    Attributes
    ----------
    task, variant, protocol : str
        On what data, in which variant of them, under which protocol.
    method : str
        Short name; cross-entropy is ``"ce"`` and what the study recommends ``"ours"``.
    region : str
        The target region, as `Region` writes it.
    seed : int
        Of the run.
    metrics, val_metrics : mapping of str to float
        On the part `split` names, and on validation data; "auc", "opauc@0.05", ...
    seconds : float
        Training time.
    device : str
        Where it ran.
    recipe : str
        Hash of everything that decided the result.
    versions : mapping of str to str
        Of the packages involved; by default this one, torch and Python.
    split : {"test", "val"}
        What `metrics` were measured on.
    details : mapping
        Whatever else the study wants to remember; left out of the line when empty.

    Examples
    --------
    >>> record = Record(
    ...     task="digits", variant="clean", protocol="linear", method="ce", region="fpr<=0.05", seed=0,
    ...     metrics={"auc": 0.9}, val_metrics={"auc": 0.91}, seconds=1.5, device="cpu", recipe="0f3a",
    ... )
    >>> record.key
    ('digits', 'clean', 'linear', 'ce', 'fpr<=0.05', 0, 'test', '0f3a')
    """

    task: str
    variant: str
    protocol: str
    method: str
    region: str
    seed: int
    metrics: Mapping[str, float]
    val_metrics: Mapping[str, float]
    seconds: float
    device: str
    recipe: str
    versions: Mapping[str, str] = field(default_factory=lambda: package_versions())
    split: Literal["test", "val"] = "test"
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What the run is recognised by: everything but its outcome."""
        return (
            self.task,
            self.variant,
            self.protocol,
            self.method,
            self.region,
            self.seed,
            self.split,
            self.recipe,
        )


class Store:
    """The folder of a study; every ``*.jsonl`` in it belongs to the store.

    Parameters
    ----------
    folder : path
        For example ``results/paper``.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> record = Record(
    ...     task="digits", variant="clean", protocol="linear", method="ce", region="fpr<=0.05", seed=0,
    ...     metrics={"auc": 0.9}, val_metrics={"auc": 0.91}, seconds=1.5, device="cpu", recipe="0f3a",
    ... )
    >>> store.append(record)
    >>> [found.metrics["auc"] for found in store.records()]
    [0.9]
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def append(self, record: Record, *, file: str = "runs") -> None:
        """Add a run.

        Parameters
        ----------
        record : Record
            A finished run.
        file : str
            Name of the file without its ending; a study may keep, say, one per protocol.
        """
        entry = {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}
        if not record.details:
            del entry["details"]
        path = self.folder / f"{file}.jsonl"
        read_record(entry, where=f"a record for {path}")
        append_line(path, entry)

    def records(self, *, check: Callable[[Record], object] | None = None) -> list[Record]:
        """Read all runs.

        Parameters
        ----------
        check : callable, optional
            Called with every run; what it refuses with an `InputError` is told with the file and the line. A store of
            others may have names that a study does not know.

        Returns
        -------
        list of Record
            File by file, oldest first; of runs with the same key the last one only.

        Raises
        ------
        FileFormatError
            A line is not that of a run, or of one that `check` refuses.
        """
        found: dict[Key, Record] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            for number, entry in enumerate(read_lines(path), start=1):
                where = f"{path}, line {number}"
                record = read_record(entry, where=where)
                try:
                    if check is not None:
                        check(record)
                except InputError as error:
                    raise FileFormatError(f"{where}: {error}") from error
                found.pop(record.key, None)
                found[record.key] = record
        return list(found.values())


def read_record(entry: Mapping[str, Any], *, where: str) -> Record:
    """Check that an entry of a line is a run; errors name where it stands.

    Raises
    ------
    FileFormatError
        A field is missing, unknown, or of the wrong kind.
    """
    fields = {f.name for f in dataclasses.fields(Record)}
    if unknown := sorted(entry.keys() - fields):
        raise FileFormatError(f"{where} has fields that no run has: {', '.join(unknown)}.")
    if missing := sorted(fields - {"details"} - entry.keys()):
        raise FileFormatError(f"{where} lacks {', '.join(missing)}.")
    for name, value in entry.items():
        if not _CHECKS.get(name, _is_text)(value):
            raise FileFormatError(
                f"{where}: {name}={value!r} is not what it should be; see pauci.studies.store.Record."
            )
    return Record(**entry)


def package_versions() -> dict[str, str]:
    """Return the versions of this package, torch and Python."""
    import torch

    from pauci import __version__

    return {"pauci": __version__, "torch": torch.__version__, "python": platform.python_version()}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_metrics(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_is_text(name) and is_number(v) for name, v in value.items())


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "seed": _is_whole,
    "seconds": is_number,
    "metrics": _are_metrics,
    "val_metrics": _are_metrics,
    "versions": lambda value: isinstance(value, Mapping) and all(map(_is_text, value.values())),
    "split": lambda value: value in ("test", "val"),
    "details": lambda value: isinstance(value, Mapping),
}
