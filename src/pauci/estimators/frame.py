"""DataFrames as the matrices of numbers and codes that `TableEncoder` takes."""

from collections.abc import Sequence
from datetime import date, datetime
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data import Column
from pauci.data.conversion import BOOLEAN_WORDS, days
from pauci.errors import InputError, MissingExtraError
from pauci.estimators.category_names import category_meaning, check_names, is_number_object
from pauci.rounding import LARGEST_WHOLE

#: Texts that numpy reads as the moment at which it does.
_NOT_DATES = ("now", "today")


def is_frame(X: Any) -> bool:
    """Tell whether something is a pandas DataFrame, without importing pandas."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def as_frame(X: Any) -> Any:
    """Turn a pyarrow Table or a polars DataFrame into one of pandas, which says more of its columns than a matrix.

    Anything else stays as it is.

    Raises
    ------
    InputError
        A LazyFrame of polars, which has no rows yet.

    Examples
    --------
    >>> import pyarrow
    >>> as_frame(pyarrow.table({"city": ["Ulm", "Bonn"]})).shape
    (2, 1)
    """
    if np.ma.is_masked(X):
        # Validation would bring what lies behind the mask to light again.
        raise InputError("X is a masked array with masked entries, which are missing; fill them or drop these rows.")
    if hasattr(X, "collect_schema") and hasattr(X, "collect") and not hasattr(X, "to_pandas"):
        raise InputError(f"X is a {type(X).__name__}, whose rows are not there yet; pass X.collect().")
    is_arrow = hasattr(X, "column_names")
    if is_frame(X) or not hasattr(X, "to_pandas") or not (is_arrow or hasattr(X, "columns")):
        return X
    try:
        return X.to_pandas(date_as_object=False) if is_arrow else X.to_pandas()
    except ImportError as error:
        raise MissingExtraError(
            f"X is a {type(X).__module__.partition('.')[0]} {type(X).__name__}, which is read by way of pandas and "
            "pyarrow; install them with: pip install pandas pyarrow"
        ) from error


def frame_columns(frame: Any) -> tuple[Column, ...]:
    """Find out what the columns of a DataFrame are, by their types.

    They are numbers and dates (also as Python objects), periods (by their first day), durations or booleans; anything
    else is taken as names of categories.

    Raises
    ------
    InputError
        Numbers are complex, or a column has too many different values for categories, as identifiers do, or numbers
        or dates that a few texts keep from being some.

    Examples
    --------
    >>> import pandas
    >>> frame_columns(pandas.DataFrame({"age": [31, 40], "city": ["Ulm", "Bonn"]}))
    (Column(name='age', kind='numeric', categories=()),
     Column(name='city', kind='categorical', categories=('Bonn', 'Ulm')))
    """
    return tuple(_column(str(name), _read(frame, place)) for place, name in enumerate(frame.columns))


def frame_matrix(frame: Any, columns: Sequence[Column]) -> NDArray[np.float64]:
    """Turn a DataFrame into a matrix: numbers as they are, durations in seconds, dates in days, categories as codes.

    The frame has these columns in any order or, without names, in the same. Values are NaN where missing, and -1 for
    categories that are not among a column's own, blanks and spellings of yes and no aside. Days count from 1970.

    Raises
    ------
    InputError
        Columns are missing, too many, or of another kind than they were, or hold integers that floats cannot.

    Examples
    --------
    >>> import pandas
    >>> frame_matrix(pandas.DataFrame({"city": ["Ulm", None, "Rom"]}), [Column("city", "categorical", ("Bonn", "Ulm"))])
    array([[ 1.],
           [nan],
           [-1.]])
    """
    if not len(frame):
        raise InputError("X has no rows.")
    places = _places(frame, columns)
    return np.column_stack([_values(_read(frame, at), column) for at, column in zip(places, columns, strict=True)])


def _places(frame: Any, columns: Sequence[Column]) -> Sequence[int]:
    """Find where a frame has the columns."""
    names, wanted = [str(name) for name in frame.columns], [column.name for column in columns]
    unnamed = [str(place) for place in range(len(wanted))]
    if not names:
        raise InputError("X has no columns.")
    # A frame without names is known by the labels that pandas gives its columns, unless these are the names.
    if names == wanted or (names == unnamed and sorted(wanted) != sorted(unnamed)):
        return range(len(names))
    if sorted(names) != sorted(wanted) or len(set(names)) < len(names):
        missing, others = ([name for name in a if name not in b] for a, b in ((wanted, names), (names, wanted)))
        raise InputError(
            f"X has the columns {names}, but {wanted} are expected: missing {missing}, too many {others}. Select them "
            "by name, or describe all of them in columns=."
        )
    return [names.index(name) for name in wanted]


def _read(frame: Any, place: int) -> Any:
    """One column, periods as the dates they begin on."""
    values = frame.iloc[:, place]
    if _kind(values) == "c":
        raise InputError(
            f"X: column {frame.columns[place]!r} holds complex numbers; give their real and imaginary parts instead."
        )
    return values.dt.to_timestamp() if values.dtype.name.startswith("period[") else values


def _column(name: str, values: Any) -> Column:
    kind = _kind(values)
    if kind == "b":
        return Column(name, "boolean")
    if kind == "M":
        return Column(name, "date")
    if kind in "iufm":
        return Column(name, "numeric")
    known, named = values[values.notna()], values.dtype.name == "category" or "dictionary" in values.dtype.name
    if len(known) and not named:
        if all(map(is_number_object, known)):
            return Column(name, "numeric")
        if all(isinstance(value, date) for value in known):
            return Column(name, "date")
    different = {str(value).strip(): value for value in known}
    if not named:
        check_names(name, different, rows=len(known))
    return Column(name, "categorical", tuple(sorted(different)))


def _values(values: Any, column: Column) -> NDArray[np.float64]:
    if column.kind == "date":
        return _days(values, column.name)
    if column.kind != "categorical":
        return _numbers(values, column)
    texts = list(map(str, values))
    meaning = category_meaning(column.categories, set(texts))
    return np.where(values.isna().to_numpy(), np.nan, [meaning[text] for text in texts])


def _days(values: Any, name: str) -> NDArray[np.float64]:
    kind = _kind(values)
    if kind not in "MO" and values.notna().any():
        raise InputError(f"X: column {name!r} held dates when fitting, but now {values.dtype}.")
    try:
        if kind == "O":
            values = values.map(_without_zone, na_action="ignore")
        # Microseconds reach beyond year 9999, which nanoseconds do not.
        return days(values.to_numpy(dtype="datetime64[us]", na_value=np.datetime64("NaT", "us")))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"X: column {name!r} held dates when fitting, but now: {error}") from error


def _without_zone(value: Any) -> Any:
    if isinstance(value, str):
        if (value := value.strip()).lower() in _NOT_DATES:
            raise ValueError(f"{value!r} is no date.")
        try:
            value = datetime.fromisoformat(value)
        except ValueError:  # as numpy reads it, or not
            return value
    if not isinstance(value, date | np.datetime64):  # which numpy would take as microseconds
        raise ValueError(f"{value!r} is no date.")
    if not isinstance(value, datetime) or (ahead := value.utcoffset()) is None:
        return value
    # Numpy's calendar goes on where that of Python begins and ends.
    return np.datetime64(value.replace(tzinfo=None), "us") - np.timedelta64(ahead, "us")


def _without_word(value: Any) -> Any:
    return BOOLEAN_WORDS.get(value.strip().lower(), value) if isinstance(value, str) else value


def _numbers(values: Any, column: Column) -> NDArray[np.float64]:
    name, kind, held = column.name, _kind(values), "numbers" if column.kind == "numeric" else "yes/no or true/false"
    if kind == "M":
        raise InputError(f"X: column {name!r} held {held} when fitting, but now dates.")
    if kind == "m":
        seconds: NDArray[np.float64] = values.to_numpy(dtype="timedelta64[us]") / np.timedelta64(1, "s")
        return seconds
    if kind == "O" and column.kind == "boolean":  # as files write them
        values = values.map(_without_word)
    try:
        numbers: NDArray[np.float64] = values.to_numpy(dtype=np.float64, na_value=np.nan)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"X: column {name!r} held {held} when fitting, but now: {error}") from error
    if np.isinf(numbers).any():
        raise InputError(f"X: column {name!r} holds infinity; drop these rows, or mark them as missing.")
    if column.kind == "boolean" and len(odd := numbers[~np.isin(numbers, (0, 1)) & ~np.isnan(numbers)]):
        raise InputError(f"X: column {name!r} held {held} when fitting, but now {odd[0]:g}.")
    for row in np.flatnonzero(np.abs(numbers) >= LARGEST_WHOLE) if kind != "f" else ():
        if isinstance(exact := values.iloc[row], Integral) and int(exact) != int(numbers[row]):
            raise InputError(
                f"X: column {name!r} has {exact}, which float64 rounds to {int(numbers[row])}; if it is an "
                f"identifier, leave it out (X.drop(columns={name!r})), otherwise subtract an offset first."
            )
    return numbers


def _kind(values: Any) -> str:
    """Letter of the type's kind; pandas' own types that have none are objects."""
    return getattr(values.dtype, "kind", "O")
