"""Append-only files of JSON lines that survive crashes and several writers."""

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pauci.errors import FileFormatError
from pauci.locking import locked


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Add a line to a file, in full or not at all.

    Writers take turns by a lock on the file (on Windows there is none: let one process write). What a killed writer
    left of its last line is cut off first, so that it cannot spoil this one.

    Parameters
    ----------
    path : Path
        The file; it and its folder are made where missing.
    entry : mapping
        Anything strict JSON can hold; NaN and infinity are refused.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "runs.jsonl"
    >>> append_line(path, {"seed": 1})
    >>> read_lines(path)
    [{'seed': 1}]
    """
    try:
        text = json.dumps(entry, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"a line for {path} cannot be written as JSON: {error}.") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file, locked(file):
        file.seek(0)
        content = file.read()
        if content and not content.endswith(b"\n"):
            file.truncate(content.rfind(b"\n") + 1)
        file.write(text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file that `append_line` wrote, oldest line first; one that does not exist is empty.

    A last line without an end, left by a writer that was killed, is ignored with a warning.

    Raises
    ------
    FileFormatError
        A line is not a JSON object.
    """
    if not path.exists():
        return []
    with path.open("rb") as file, locked(file, shared=True):
        *lines, rest = file.read().split(b"\n")
    if rest:
        warnings.warn(f"{path} ends in the middle of a line; its last {len(rest)} bytes are ignored.", stacklevel=2)
    return [_parse(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]


def _parse(line: bytes, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{where} is not JSON ({error}); lines are never edited by hand.") from error
    if not isinstance(entry, dict):
        raise FileFormatError(f"{where} is not a JSON object, but {type(entry).__name__}.")
    return entry


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")
