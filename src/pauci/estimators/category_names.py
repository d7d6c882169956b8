"""Names of categories in a DataFrame: which columns hold some, and what the names of new rows mean."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from pauci.data.conversion import BOOLEAN_TEXTS, UNKNOWN, category_codes, is_of
from pauci.data.schema import MAX_CATEGORIES
from pauci.data.table_file import MISSING
from pauci.errors import InputError

#: So many different names may be in any column, whatever they are.
_SOME = 50
#: Of more, this share of the rows tells single rows apart, not kinds of rows.
_NEARLY_ALL = 0.9


def check_names(name: str, different: Mapping[str, Any], *, rows: int) -> None:
    """Refuse a column of many different values that are hardly names: numbers, dates, or identifiers.

    Parameters
    ----------
    name : str
        Of the column.
    different : mapping of str to object
        Its different values, without missing ones, by their texts.
    rows : int
        How many values there are.

    Raises
    ------
    InputError
        With what to do.

    Examples
    --------
    >>> check_names("city", {"Ulm": "Ulm", "Bonn": "Bonn"}, rows=2)
    >>> check_names("age", {str(age): age for age in [*range(60), "n/a"]}, rows=100)
    Traceback (most recent call last):
    pauci.errors.InputError: X: column 'age' has 'n/a', but most of its values are numbers: ...
    """
    if len(different) <= _SOME:
        return
    named = f"If these are names all the same, say so with X[{name!r}].astype('category')."
    for plural, function, is_one in _KINDS:
        others = [value for value in different.values() if not is_one(value)]
        if 2 * len(others) < len(different):
            found = f"has {others[0]!r}, but most of its values are {plural}" if others else f"holds {plural} as texts"
            raise InputError(
                f"X: column {name!r} {found}: turn it into {plural}, with NaN for what is none: "
                f"pandas.{function}(X[{name!r}], errors='coerce'). {named}"
            )
    if len(different) > MAX_CATEGORIES or len(different) > _NEARLY_ALL * rows:
        raise InputError(
            f"X: column {name!r} holds {len(different):,} different texts in {rows:,} rows; an identifier says "
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
        bare = text.strip()
        other = np.nan if bare in MISSING else spelled.get(BOOLEAN_TEXTS.get(bare.lower()), UNKNOWN)
        # As it is first: earlier versions kept blanks around names.
        found[text] = codes.get(text, codes.get(bare, other))
    return found


def is_number_object(value: Any) -> bool:
    """Whether an object is a number, which a truth value is not."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def _is_measured(value: Any) -> bool:
    """Whether something is a number, or a text of one with decimals: whole ones may be codes."""
    return "." in value and is_of(value.strip(), "numeric") if isinstance(value, str) else is_number_object(value)


def _is_date(value: Any) -> bool:
    return is_of(value.strip(), "date") if isinstance(value, str) else isinstance(value, date)


#: What columns are mistaken for names: in words, what turns texts into it, and what tells it.
_KINDS = (("numbers", "to_numeric", _is_measured), ("dates", "to_datetime", _is_date))
