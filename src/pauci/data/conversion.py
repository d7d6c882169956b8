"""What the cells of a column mean, by its kind: everything becomes a float."""

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data.table_file import Kind, TableFile, Values
from pauci.errors import FileFormatError

#: Spellings of yes and no, in lower case.
BOOLEAN_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}

#: Code of a category that was not known when the schema was made.
UNKNOWN = -1.0

#: Whole numbers are written as floats where a value is missing beside them.
BOOLEAN_TEXTS = BOOLEAN_WORDS | {"1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_WHOLE = re.compile(r"-?(0|[1-9]\d*)(\.0)?")
#: 12,5 and 0,125, but not 1,000.
_DECIMAL_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: How the values of a column are to be written, by its kind.
PLURAL = {
    "numeric": "numbers (digits not grouped, a point before decimals, no signs of currency or per cent)",
    "boolean": "yes/no or true/false",
    "date": "dates (to be written as 2024-01-31)",
}
_EXPECTED = {"numeric": "a finite number", "boolean": "true or false", "date": "a date such as 2024-01-31"}


def convert(values: Values, kind: Kind, categories: Sequence[str] = ()) -> NDArray[np.float64] | None:
    """Turn cells into floats; None if some value is not of the kind.

    Booleans become 0 and 1, dates days since 1970, categories their position among the known ones, or -1. Missing ones
    are NaN.
    """
    if kind == "categorical":
        return _looked_up(values, category_codes(categories), UNKNOWN)
    if kind == values.stored or (kind == "numeric" and values.stored in (None, "boolean")):
        return values.numbers()
    try:
        return _looked_up(values, {text: _PARSERS[kind](text) for text in values.distinct()})
    except ValueError:
        return None


def category_codes(categories: Sequence[str]) -> dict[str, float]:
    """Codes of categories by their texts, of whole numbers by both: 1 and 1.0.

    Whole numbers become floats as soon as a value is missing next to them, and mean the same.

    Examples
    --------
    >>> category_codes(["2", "B"])
    {'2': 0.0, 'B': 1.0, '2.0': 0.0}
    """
    codes = {text: float(code) for code, text in enumerate(categories)}
    for text in filter(_WHOLE.fullmatch, categories):
        codes.setdefault(text.removesuffix(".0") if text.endswith(".0") else f"{text}.0", codes[text])
    return codes


def bad_value(
    texts: Sequence[str | None], kind: Kind, name: str, file: TableFile, *, first_row: int = 0, required: bool = False
) -> FileFormatError:
    """Build the error that names the first text that is not of a kind, or, where required, missing."""
    row, text = next((i, text) for i, text in enumerate(texts) if (required if text is None else not is_of(text, kind)))
    found = "no value" if text is None else repr(text)
    remedy = (
        " Decimals need a point: pandas.read_csv reads such files with decimal=',', and to_csv writes points."
        if kind == "numeric" and text is not None and _DECIMAL_COMMA.fullmatch(text)
        else ""
    )
    return FileFormatError(
        f"{file.path}, {file.where(first_row + row)}: column {name!r} has {found} where {_EXPECTED[kind]} is "
        f"expected.{remedy}"
    )


def first_rounded(values: Values, floats: NDArray[np.floating[Any]]) -> tuple[int, int] | None:
    """Find the first integer that became another as a float: its row, and what it was.

    Columns with such integers hold identifiers, in which all digits count.
    """
    large = np.flatnonzero(np.abs(floats) >= 2.0 ** (np.finfo(floats.dtype).nmant + 1))
    for row, exact in zip(large.tolist(), values.integers(large) if len(large) else [], strict=True):
        if exact is not None and exact != int(floats[row]):
            return row, exact
    return None


def days(stamps: NDArray[Any]) -> NDArray[np.float64]:
    """Turn dates in microseconds into days since 1970, NaN where missing."""
    return np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64) / 86_400_000_000)


def is_of(text: str, kind: Kind) -> bool:
    """Whether a text is a finite number, a boolean or a date."""
    try:
        _PARSERS[kind](text)
    except ValueError:
        return False
    return True


def parse_number(text: str) -> float:
    """Read a number; infinity is one, digits grouped by underscores are not."""
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _finite_number(text: str) -> float:
    number = parse_number(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _boolean(text: str) -> float:
    word = text.lower()
    if word not in BOOLEAN_TEXTS:
        raise ValueError(text)
    return BOOLEAN_TEXTS[word]


@lru_cache(2**12)  # the same days come again in every block
def _days(text: str) -> float:
    if not _DATE.match(text):
        raise ValueError(text)
    stamp = datetime.fromisoformat(text)
    aware = stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)
    return (aware - _EPOCH).total_seconds() / 86_400


_PARSERS: dict[str, Callable[[str], float]] = {"numeric": _finite_number, "boolean": _boolean, "date": _days}


def _looked_up(values: Values, meaning: dict[str, float], other: float = np.nan) -> NDArray[np.float64]:
    missing = np.nan  # last, where -1 points to
    return np.array([*meaning.values(), other, missing])[values.positions(list(meaning))]
