"""Files of scores, written part by part."""

import csv
import gzip
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pauci.cli.place import check_place
from pauci.errors import InputError
from pauci.extras import require
from pauci.replacing import replacing

#: Writes one part: columns by name, in the same order every time, each a list of texts, or an array (also of pyarrow).
Write = Callable[[dict[str, Any]], None]

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


def check_output(path: Path) -> None:
    """Raise early, before any work, where no scores could be written in the end."""
    if str(path) == "-":
        return
    if not path.name.lower().endswith(_SUFFIXES):
        raise InputError(f"--out {path}: scores are written to {', '.join(_SUFFIXES)}, or to - (the terminal).")
    check_place("--out", path)
    if path.suffix.lower() == ".parquet":
        require("pyarrow.parquet", purpose="writing Parquet")


@contextmanager
def score_writer(path: Path) -> Iterator[Write]:
    """Open a file for scores, to be written part by part; it appears under its name when all is written.

    ``-`` is standard output, as CSV in UTF-8.

    Examples
    --------
    >>> import numpy as np
    >>> with score_writer(Path("-")) as write:
    ...     write({"id": ["a", "b"], "score": np.array([0.5, -1.0])})
    id,score
    a,0.5
    b,-1.0
    """
    if str(path) == "-":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="strict")  # as in files, whatever the terminal speaks
        yield _rows(sys.stdout, ",")
        sys.stdout.flush()
        return
    with replacing(path) as unfinished:
        name = path.name.lower()
        if name.endswith(".parquet"):
            with _parquet(unfinished) as write:
                yield write
            return
        opener = gzip.open if name.endswith(".gz") else open
        with opener(unfinished, "wt", encoding="utf-8", newline="") as stream:
            yield _rows(stream, "\t" if name.endswith((".tsv", ".tsv.gz")) else ",")


def _rows(stream: IO[str] | io.TextIOBase, separator: str) -> Write:
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    header: list[str] = []

    def write(part: dict[str, Any]) -> None:
        if not header:
            header.extend(part)
            writer.writerow(header)
        # Python's own floats are written with all digits that tell them from their neighbours.
        columns = [values if isinstance(values, list) else values.tolist() for values in part.values()]
        writer.writerows(zip(*columns, strict=True))

    return write


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    pa, pq = (require(name, purpose="writing Parquet") for name in ("pyarrow", "pyarrow.parquet"))
    writer: Any = None

    def write(part: dict[str, Any]) -> None:
        nonlocal writer
        # Cells of a text file are lists; a part of them without any would not say what it holds.
        table = pa.table({name: pa.array(v, pa.string()) if isinstance(v, list) else v for name, v in part.items()})
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
