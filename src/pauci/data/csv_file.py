"""CSV and TSV files: read by pyarrow where it is installed, by the standard library otherwise."""

import csv
import gzip
import importlib.util
import itertools
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from pauci.data.table_file import Cells, Values, check_names, check_single
from pauci.data.text_values import TextValues, parse_numbers
from pauci.errors import FileFormatError

#: Few enough for the processor's cache, which makes reading twice as fast.
_CELLS_PER_BLOCK = 2**14
_CHARACTERS_PER_SCAN = 2**20
#: More than a million columns; without a limit a file without ends of lines, small while compressed, takes all memory.
_LONGEST_LINE = 2**24

_FOREIGN = {b"PAR1": "a Parquet file", b"PK\x03\x04": "a zip, xlsx or npz file", b"\x1f\x8b": "gzip-compressed",
            b"\xff\xfe": "UTF-16 text", b"\xfe\xff": "UTF-16 text", b"\x93NUMPY": "a numpy file"}  # fmt: skip


class CsvFile:
    """A text file with a header line (see `pauci.data.table_file.TableFile`).

    Separators are commas, semicolons, tabs or bars, whichever the header has most of; text is UTF-8; quotes are
    doubled inside quotes. Blank lines are skipped and blanks around values removed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._quotes_checked = False
        self._refuse_foreign_bytes()
        with self._reading() as stream:
            header = next((line for line in self._lines(stream) if line.strip()), "")
        self.separator = max(",;\t|", key=re.sub(r'"[^"]*"', "", header).count)
        records = self._records()
        self._header_lines, cells = next(records, (0, []))
        if not any(map(str.strip, cells)):
            raise FileFormatError(f"{path} is empty: neither column names nor rows.")
        names = [name.strip() for name in cells]
        if parse_numbers(names) is not None:
            raise FileFormatError(
                f"{path}: the first line ({', '.join(names[:4])}, ...) holds numbers, not column names; "
                "put a line with the names of the columns on top."
            )
        self.names = check_names(path, names)
        if next(records, None) is None:
            raise FileFormatError(f"{path} has column names but no rows.")

    def blocks(self, columns: Sequence[str]) -> Iterator[dict[str, Values]]:
        """Blocks of rows from top to bottom, restricted to some columns."""
        return self._read(columns, verbatim=False)

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """Blocks of rows as they are written; None where nothing is."""
        return self._read(columns, verbatim=True)

    def where(self, row: int) -> str:
        """Line on which a row ends, the header being line 1."""
        line, _ = next(itertools.islice(self._rows(), row, None))
        return f"line {line}"

    def _read(self, columns: Sequence[str], *, verbatim: bool) -> Iterator[dict[str, Any]]:
        check_single(columns, self.path, self.names)
        if importlib.util.find_spec("pyarrow") is None:
            return self._plain_blocks(columns, verbatim=verbatim)
        return self._arrow_blocks(columns, verbatim=verbatim)

    def _arrow_blocks(self, columns: Sequence[str], *, verbatim: bool) -> Iterator[dict[str, Any]]:
        from pauci.data.arrow import csv_blocks

        self._check_quotes()
        about: dict[str, Any] = {"names": self.names, "skip": self._header_lines, "separator": self.separator}
        try:
            yield from csv_blocks(self.path, columns, **about, verbatim=verbatim)
        except (ValueError, OSError) as error:  # what pyarrow raises; it does not know the line
            self._check_rows()
            raise FileFormatError(f"{self.path} cannot be read: {error}") from error

    def _plain_blocks(self, columns: Sequence[str], *, verbatim: bool) -> Iterator[dict[str, Any]]:
        positions = {name: self.names.index(name) for name in columns}
        rows_below = self._rows()
        size = max(1, _CELLS_PER_BLOCK // len(self.names))
        while rows := [cells for _, cells in itertools.islice(rows_below, size)]:
            cells = list(zip(*rows, strict=True))
            taken = {name: cells[i] for name, i in positions.items()}
            yield {name: [v or None for v in part] if verbatim else TextValues(part) for name, part in taken.items()}

    def _check_quotes(self) -> None:
        """Raise an error where pyarrow would let a quote that is left open swallow the rows below."""
        if not self._quotes_checked:
            if not self._has_plain_quotes():
                self._check_rows()
            self._quotes_checked = True

    def _has_plain_quotes(self) -> bool:
        """Whether quotes are opened only where a value begins and closed only where it ends; a fast scan."""
        edges = np.zeros(256, dtype=bool)
        edges[list(f'{self.separator}\r\n"'.encode())] = True  # a quote next to another is doubled
        before, inside = "\n", 0
        with self._reading() as stream:
            for _ in itertools.islice(stream, self._header_lines):
                pass
            while text := stream.read(_CHARACTERS_PER_SCAN):
                while text.endswith('"') and (following := stream.read(1)):
                    text += following
                characters = np.frombuffer(f"{before}{text}\n".encode(), dtype=np.uint8)
                quotes = np.flatnonzero(characters == ord('"'))
                opening, closing = quotes[inside::2], quotes[1 - inside :: 2]
                if not (edges[characters[opening - 1]].all() and edges[characters[closing + 1]].all()):
                    return False
                before, inside = text[-1], (inside + len(quotes)) % 2
        return inside == 0

    def _check_rows(self) -> None:
        """Raise the error that names the first line that is malformed."""
        for _ in self._rows():
            pass

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line number and cells of every row below the header; ragged lines are errors."""
        for line, cells in itertools.islice(self._records(), 1, None):
            if len(cells) != len(self.names):
                raise FileFormatError(
                    f"{self.path}, line {line}: {len(cells)} values, but the header names {len(self.names)} columns. "
                    f"Quote values that contain {self.separator!r}, or complete the line."
                )
            yield line, cells

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        with self._reading() as stream:
            reader = csv.reader(self._lines(stream), delimiter=self.separator, strict=True)
            line = 0
            try:
                for cells in reader:
                    line = reader.line_num
                    if cells:
                        yield line, cells
            except csv.Error as error:
                raise FileFormatError(
                    f"{self.path}, line {line + 1}: {error}; is a quote left open or not doubled?"
                ) from error

    def _lines(self, stream: IO[str]) -> Iterator[str]:
        """Lines of a file, as it would give them itself, but for endless ones."""
        for number in itertools.count(1):
            line = stream.readline(_LONGEST_LINE)
            if len(line) == _LONGEST_LINE and not line.endswith("\n"):
                raise FileFormatError(
                    f"{self.path}: line {number} has more than {_LONGEST_LINE:,} characters. Is it a table, with ends "
                    "of lines?"
                )
            if not line:
                return
            yield line

    @contextmanager
    def _reading(self) -> Iterator[IO[str]]:
        try:
            with self._opened("rt", encoding="utf-8-sig", newline="") as stream:
                yield stream
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{self.path} is not UTF-8 text ({error.reason}); save it as UTF-8.") from error

    @contextmanager
    def _opened(self, mode: str, **options: str) -> Iterator[IO[Any]]:
        opener: Any = gzip.open if self.path.suffix.lower() == ".gz" else open
        try:
            with opener(self.path, mode, **options) as stream:
                yield stream
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileFormatError(f"{self.path} is a damaged or truncated gzip file: {error}") from error

    def _refuse_foreign_bytes(self) -> None:
        with self._opened("rb") as stream:
            start = stream.read(4096)
        for magic, what in _FOREIGN.items():
            if start.startswith(magic):
                raise FileFormatError(
                    f"{self.path} is {what}, not CSV text in UTF-8; save it as such, or rename it after what it holds."
                )
        if b"\0" in start:
            raise FileFormatError(f"{self.path} is a binary file, not CSV text.")
