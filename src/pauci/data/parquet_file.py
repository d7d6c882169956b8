"""Parquet files, read row group by row group."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pauci.data.arrow import ArrowValues, declared_kind, plain_array
from pauci.data.table_file import Cells, Values, check_names, check_single
from pauci.errors import FileFormatError
from pauci.extras import require

#: Bounds memory whatever the number of columns.
_CELLS_PER_BLOCK = 2**20


class ParquetFile:
    """A Parquet file (see `pauci.data.table_file.TableFile`)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        parquet = require("pyarrow.parquet", purpose="reading Parquet")
        #: What pyarrow raises on files that it cannot make sense of.
        self._errors = (require("pyarrow.lib", purpose="reading Parquet").ArrowException, OSError, ValueError)
        try:
            self._file = parquet.ParquetFile(path)
        except self._errors as error:
            raise FileFormatError(f"{path} is not a readable Parquet file (truncated?): {error}") from error
        self.names = check_names(path, self._file.schema_arrow.names)
        if self._file.metadata.num_rows == 0:
            raise FileFormatError(f"{path} has column names but no rows.")

    def blocks(self, columns: Sequence[str]) -> Iterator[dict[str, Values]]:
        """Blocks of rows from top to bottom, restricted to some columns."""
        for batch in self._batches(columns, remedy="leave it out with drop=[{!r}], or convert it before"):
            yield {name: ArrowValues(batch.column(name)) for name in columns}

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """Blocks of rows as they are stored."""
        for batch in self._batches(columns, remedy="convert it before, or do without it"):
            yield {name: plain_array(batch.column(name)) for name in columns}

    def _batches(self, columns: Sequence[str], *, remedy: str) -> Iterator[Any]:
        check_single(columns, self.path, self.names)
        for name in columns:
            dtype = self._file.schema_arrow.field(name).type
            if declared_kind(dtype) is None:
                raise FileFormatError(
                    f"{self.path}: column {name!r} holds values of type {dtype}, not numbers, text, dates or bools; "
                    f"{remedy.format(name)}."
                )
        size = max(1, _CELLS_PER_BLOCK // max(1, len(columns)))
        try:
            for batch in self._file.iter_batches(batch_size=size, columns=list(columns)):
                batch.validate(full=True)  # what is no text, or points beyond the end, would be met much later
                yield batch
        except self._errors as error:
            raise FileFormatError(f"{self.path} is damaged: {error}") from error

    def where(self, row: int) -> str:
        """Row number, counted from 1."""
        return f"row {row + 1}"
