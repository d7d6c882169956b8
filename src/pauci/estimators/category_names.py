"""Names of categories in a DataFrame: which columns hold some, and what the names of new rows mean."""

from collections.abc import Callable, Collection, Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from pauci.data.conversion import BOOLEAN_TEXTS, UNKNOWN, category_codes, is_of
from pauci.data.schema import MAX_CATEGORIES
from pauci.data.table_file import MISSING, Kind
from pauci.errors import InputError

#: So many different names may be in any column, however few its rows are.
_SOME = 50


def check_names(name: str, values: Sequence[Any], texts: Collection[str]) -> None:
    """Refuse a column of objects or texts that are hardly names: numbers or dates but for a few, or identifiers.

    Parameters
    ----------
    name : str
        Of the column.
    values : sequence
        What it holds, without missing values.
    texts : collection of str
        The different ones, as texts.

    Raises
    ------
    InputError
        With the first exception, and what to do.

    Examples
    --------
    >>> check_names("city", ["Ulm", "Bonn", "Ulm"], {"Ulm", "Bonn"})
    >>> check_names("age", [31, 40, "n/a"], {"31", "40", "n/a"})
    Traceback (most recent call last):
    pauci.errors.InputError: X: column 'age' has 'n/a', but most of its values are numbers: ...
    """
    named = f"If these are names all the same, say so with X[{name!r}].astype('category')."
    for kind, plural, function, is_one in _KINDS:
        written = {text: is_of(text.strip(), kind) for text in set(filter(_is_text, values))}
        others = [value for value in values if not (written[value] if _is_text(value) else is_one(value))]
        # Numbers written as texts may be meant as names, unless something else is between them. Dates are not.
        if 2 * len(others) < len(values) and (others or plural == "dates"):
            found = f"has {others[0]!r}, but most of its values are {plural}" if others else f"holds {plural} as texts"
            raise InputError(
                f"X: column {name!r} {found}: turn it into {plural}, with NaN for what is none: "
                f"pandas.{function}(X[{name!r}], errors='coerce'). {named}"
            )
    if len(texts) > MAX_CATEGORIES or (len(texts) > _SOME and 2 * len(texts) > len(values)):
        raise InputError(
            f"X: column {name!r} holds {len(texts):,} different texts in {len(values):,} rows; an identifier says "
            f"nothing about new rows: leave it out (X.drop(columns={name!r})). Numbers can be had by "
            f"pandas.to_numeric, and dates by pandas.to_datetime. {named}"
        )


def category_meaning(categories: Sequence[str], texts: Collection[str]) -> dict[str, float]:
    """Tell the code of every text: NaN for words that say that something is missing, -1 for names never seen.

    Where the categories are two spellings of yes and no, others mean the same.

    Examples
    --------
    >>> category_meaning(["no", "yes"], ["yes", "True", "perhaps", "n/a"])
    {'yes': 1.0, 'True': 1.0, 'perhaps': -1.0, 'n/a': nan}
    """
    codes = category_codes(categories)
    truths = {BOOLEAN_TEXTS.get(text.lower()): codes[text] for text in categories}
    spelled = truths if len(categories) == 2 and set(truths) == {0.0, 1.0} else {}
    found = {}
    for text in texts:
        other = np.nan if text in MISSING else spelled.get(BOOLEAN_TEXTS.get(text.lower()), UNKNOWN)
        found[text] = codes.get(text, other)
    return found


def is_number(value: Any) -> bool:
    """Whether an object is a number, which a truth value is not."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def _is_date(value: Any) -> bool:
    return isinstance(value, date)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


#: What a column may be meant to hold: its name, what turns texts into it, and what tells objects that are it.
_KINDS: tuple[tuple[Kind, str, str, Callable[[Any], bool]], ...] = (
    ("numeric", "numbers", "to_numeric", is_number),
    ("date", "dates", "to_datetime", _is_date),
)
