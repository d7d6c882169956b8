"""The tables of the study: every readable file of some folders."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data import Column, group_duplicates, read_table
from pauci.errors import InputError, MissingDataError

_SUFFIXES = (".npz", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


@dataclass(frozen=True)
class TableSet:
    """A table and what the study needs to know about it.

    Attributes
    ----------
    name : str
        File name without its suffix.
    X, y, columns
        As in `pauci.data.Table`.
    groups : ndarray of shape (n,)
        Equal for equal rows.
    checksum : str
        Of features and labels, so that results of another table of this name are not mistaken for this one's.
    """

    name: str
    X: NDArray[Any]
    y: NDArray[np.int64]
    columns: tuple[Column, ...]
    groups: NDArray[np.int64]
    checksum: str


def find_sets(folders: Sequence[Path], *, names: Sequence[str] = ()) -> dict[str, Path]:
    """Find the tables of some folders, or single files: all, or those of some names.

    Returns
    -------
    dict
        Name to path, sorted by name.

    Raises
    ------
    MissingDataError
        There is no table, or none of a name asked for.
    InputError
        Two files have the same name.
    """
    files = [file for folder in folders for file in (sorted(folder.iterdir()) if folder.is_dir() else [folder])]
    found: dict[str, Path] = {}
    for file in files:
        if (name := table_name(file)) is None:
            continue
        if name in found:
            raise InputError(f"{found[name]} and {file} would both be the set {name!r}; rename one of them.")
        found[name] = file
    if not found:
        places = ", ".join(map(str, folders))
        raise MissingDataError(f"there is no table ({', '.join(_SUFFIXES)}) in {places}.")
    if unknown := [name for name in names if name not in found]:
        raise MissingDataError(f"there is no set {unknown[0]!r}; there are {', '.join(sorted(found))}.")
    return {name: found[name] for name in sorted(names or found)}


def table_name(path: Path) -> str | None:
    """Name of the table in a file: the file's name without its suffix, or None if it is no table.

    Examples
    --------
    >>> table_name(Path("data/bank.csv.gz")), table_name(Path("data/README.md"))
    ('bank', None)
    """
    return next((path.name[: -len(end)] for end in _SUFFIXES if path.name.lower().endswith(end)), None)


@lru_cache(maxsize=1)
def load_set(path: Path, *, target: str = "y", positive: str | None = None) -> TableSet:
    """Read a table, as `pauci.data.read_table` does; the last one read is remembered."""
    table = read_table(path, target=target, positive=positive)
    y = np.asarray(table.y)
    content = hashlib.sha256(np.ascontiguousarray(table.X).tobytes() + np.ascontiguousarray(y).tobytes())
    return TableSet(
        str(table_name(path)), table.X, y, table.columns, group_duplicates(table.X), content.hexdigest()[:12]
    )
