"""pyarrow arrays as columns of a table, and its CSV reader."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.table_file import MISSING, Kind, number_text
from pauci.data.text_values import parse_integers, parse_numbers
from pauci.extras import require

#: Few enough for the processor's cache.
_BYTES_PER_BLOCK = 2**20
#: How many of each unit a day has.
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
#: The first of January of the years 1 and 10000, as days since 1970.
_FIRST_DAY, _END_OF_DAYS = -719_162, 2_932_897


def csv_blocks(
    path: Path, columns: Sequence[str], *, names: Sequence[str], skip: int, separator: str, verbatim: bool = False
) -> Iterator[dict[str, Any]]:
    """Blocks of a CSV file, every cell as text so that both CSV readers agree on what it means.

    As `Values`; if `verbatim`, as lists of what is written, None where nothing is.
    """
    pa, pv = (require(f"pyarrow{part}", purpose="fast CSV reading") for part in ("", ".csv"))
    reader = pv.open_csv(
        path,
        read_options=pv.ReadOptions(column_names=list(names), skip_rows=skip, block_size=_BYTES_PER_BLOCK),
        parse_options=pv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=pv.ConvertOptions(
            include_columns=list(columns),
            column_types=dict.fromkeys(columns, pa.string()),
            null_values=[""] if verbatim else sorted(MISSING),
            strings_can_be_null=True,
        ),
    )
    for batch in reader:
        arrays = {name: batch.column(name) for name in columns}
        yield {name: a.to_pylist() if verbatim else ArrowValues(a, text_only=True) for name, a in arrays.items()}


def declared_kind(dtype: Any) -> Kind | None:
    """Kind of a column of some Arrow type; None if it is none that can be learned from."""
    types = require("pyarrow", purpose="reading Parquet").types
    if types.is_dictionary(dtype):
        return declared_kind(dtype.value_type)
    if types.is_boolean(dtype):
        return "boolean"
    if types.is_integer(dtype) or types.is_floating(dtype) or types.is_decimal(dtype) or types.is_null(dtype):
        return "numeric"
    if types.is_timestamp(dtype) or types.is_date(dtype):
        return "date"
    if types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype):
        return "categorical"
    return None


def plain_array(array: Any) -> Any:
    """Values of an array of codes, or of views of text; any other array as it is."""
    pa = require("pyarrow", purpose="reading Parquet")
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array


class ArrowValues:
    """One column of a block of rows (see `pauci.data.table_file.Values`).

    With `text_only`, strings may stand for numbers, as in text files.
    """

    def __init__(self, array: Any, *, text_only: bool = False) -> None:
        self._pa = require("pyarrow", purpose="reading Parquet")
        self._pc = require("pyarrow.compute", purpose="reading Parquet")
        self._array = plain_array(array)
        self._text_only = text_only

    @property
    def stored(self) -> Kind | None:
        """The kind the file declares; None where it holds mere text."""
        if self._text_only:
            return None
        return declared_kind(self._array.type)

    def numbers(self) -> NDArray[np.float64] | None:
        """As numbers, NaN where missing, dates as days since 1970; None unless every value is one."""
        kind, array, float64 = self.stored, self._array, self._pa.float64()
        if kind == "categorical":
            return None
        if kind is None:
            try:
                array = array.cast(float64)
            except ValueError:  # blanks around it, or a spelling such as +1
                return parse_numbers(self._strings(array).to_pylist())
        elif kind == "date":
            if not self._is_in_calendar():
                return None
            stamps = array.cast(self._pa.timestamp("us"), safe=False)
            array = self._pc.divide(stamps.cast(self._pa.int64()).cast(float64, safe=False), _PER_DAY["us"])
        elif kind == "boolean":
            array = array.cast(self._pa.uint8())
        return np.asarray(array.cast(float64, safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)

    def _is_in_calendar(self) -> bool:
        """Whether dates are from the years 1 to 9999: the microseconds of others might not fit into an integer."""
        dtype, types = self._array.type, self._pa.types
        is_days = types.is_date32(dtype)
        per_day = 1 if is_days else _PER_DAY["ms" if types.is_date64(dtype) else dtype.unit]
        ends = self._pc.min_max(self._array.cast(self._pa.int32() if is_days else self._pa.int64())).as_py()
        return all(end is None or _FIRST_DAY <= end // per_day < _END_OF_DAYS for end in ends.values())

    def texts(self) -> NDArray[np.object_]:
        """As strings, None where missing."""
        return np.asarray(self._strings(self._array).to_numpy(zero_copy_only=False), dtype=object)

    def distinct(self) -> set[str]:
        """Different strings, without missing ones."""
        return self._distinct

    @cached_property
    def _distinct(self) -> set[str]:
        return set(self._strings(self._pc.unique(self._array)).to_pylist()) - {None}

    def positions(self, known: Sequence[str]) -> NDArray[np.intp]:
        """Place of every string among known ones; ``len(known)`` for others and -1 where missing."""
        texts = self._strings(self._array)
        found = self._pc.index_in(texts, value_set=self._pa.array(known, self._pa.string()))
        places = np.array(found.fill_null(len(known)), dtype=np.intp)
        places[texts.is_null().to_numpy(zero_copy_only=False)] = -1
        return places

    def integers(self, rows: NDArray[np.intp]) -> list[int | None]:
        """Exact integers of some rows; None where a value is not written as one."""
        dtype, types = self._array.type, self._pa.types
        values = self._array.take(self._pa.array(rows)).to_pylist()
        if types.is_integer(dtype) or (types.is_decimal(dtype) and dtype.scale == 0):
            return [None if value is None else int(value) for value in values]
        return [None] * len(rows) if self.stored == "numeric" else parse_integers(values)

    def _strings(self, array: Any) -> Any:
        string = self._pa.string()
        if self._pa.types.is_floating(array.type):
            return self._pa.array([None if n is None or n != n else number_text(n) for n in array.to_pylist()], string)
        trimmed = self._pc.utf8_trim_whitespace(array.cast(string))
        missing = self._pa.array(sorted(MISSING) if self._text_only else [""])
        return self._pc.if_else(self._pc.is_in(trimmed, value_set=missing), self._pa.scalar(None, string), trimmed)
