"""The columns of a table: what each of them means, found by looking at every row once."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauci.data.conversion import PLURAL, bad_value, convert, is_of
from pauci.data.table_file import Kind, TableFile, Values, check_known, check_single, open_table
from pauci.data.target import SeenTarget
from pauci.errors import FileFormatError

#: A text column with more different values is an identifier or prose unless it is named as categorical.
MAX_CATEGORIES = 1000

#: Names under which pandas writes its row index.
INDEX_NAMES = ("", "Unnamed: 0", "__index_level_0__")

#: What stands beside a number in `$25`, `12,50 EUR` and `10%`.
_SIGN = re.compile(r"[$€£¥%]|\b(EUR|USD|GBP|CHF|JPY)\b")
#: Dates as 31/12/2024, 12/31/24, 31.12.2024 and 2024/12/31, also with a time.
_OTHER_DATE = re.compile(r"(\d{1,2}([/.-])\d{1,2}\2\d{4}|\d{1,2}/\d{1,2}/\d{2}|\d{4}([/.])\d{1,2}\3\d{1,2})([ T].*)?")


@dataclass(frozen=True)
class Column:
    """One feature of a table.

    Attributes
    ----------
    name : str
        Name in the file.
    kind : {"numeric", "boolean", "categorical", "date"}
        In the matrix, booleans are 0 and 1, dates are days since 1970, and categories are positions in `categories`.
    categories : tuple of str
        Categories of a categorical column, sorted.

    Examples
    --------
    >>> Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))
    (Column(name='age', kind='numeric', categories=()),
     Column(name='city', kind='categorical', categories=('Bonn', 'Ulm')))
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()


def categorical_places(columns: Sequence[Column]) -> tuple[int, ...]:
    """Tell which columns hold codes of categories.

    Examples
    --------
    >>> categorical_places([Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))])
    (1,)
    """
    return tuple(place for place, column in enumerate(columns) if column.kind == "categorical")


def infer_columns(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> tuple[Column, ...]:
    r"""Find out what the columns of a table mean, in one pass of bounded memory.

    Columns of text files hold numbers, true/false or yes/no, ISO dates, or else categories; the whole column decides.
    Typed files declare the types of their columns.

    Parameters
    ----------
    path : path-like
        A CSV, TSV (also gzipped), Parquet or npz file.
    target : str, optional
        Column that is not a feature.
    drop : sequence of str
        Further columns that are not features.
    categorical : sequence of str
        Columns whose values are names, even if they look like numbers or there are many of them.

    Returns
    -------
    tuple of Column
        The features, in the order of the file.

    Raises
    ------
    FileFormatError
        If a column has no values, holds numbers or dates and other text, or has more than 1,000 categories; the error
        says which argument settles it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "t.csv")
    >>> _ = path.write_text("age,city,since,y\n31,Ulm,2024-01-31,0\n,Bonn,2023-05-01,1\n")
    >>> for column in infer_columns(path, target="y"):
    ...     print(column)
    Column(name='age', kind='numeric', categories=())
    Column(name='city', kind='categorical', categories=('Bonn', 'Ulm'))
    Column(name='since', kind='date', categories=())
    >>> folder.cleanup()
    """
    not_features = drop if target is None else [target, *drop]
    return columns_of(open_table(path), drop=not_features, categorical=categorical)


def columns_of(
    file: TableFile, *, drop: Sequence[str], categorical: Sequence[str], target: SeenTarget | None = None
) -> tuple[Column, ...]:
    """Find out what the columns of an open table mean (see `infer_columns`), in the same pass as its target."""
    check_known([*drop, *categorical], file)
    apart = [] if target is None else [target.name]
    names = [name for name in file.names if name not in (*apart, *drop)]
    check_single(names, file.path, file.names, remedy=", or leave all of them out with drop=[{!r}]")
    for name in set(INDEX_NAMES).intersection(names):
        raise FileFormatError(
            f"{file.path}: the column {name!r} looks like a row index, which may give the order of the classes away; "
            f"leave it out with drop=[{name!r}] or give it a name."
        )
    if not names:
        raise FileFormatError(f"{file.path} has no column left to learn from.")
    seen = {name: _Seen(named=name in categorical) for name in names}
    for block in file.blocks([*names, *apart]):
        for name in names:
            seen[name].add(block[name])
        if target is not None:
            target.add(block[target.name])
    columns = tuple(_column(name, seen[name], file) for name in names)
    if many := [column.name for column in columns if column.kind == "categorical" and seen[column.name].many]:
        raise FileFormatError(
            f"{file.path}: column {' and column '.join(map(repr, many))} {'has' if len(many) == 1 else 'have'} more "
            f"than {MAX_CATEGORIES:,} different texts, as identifiers and prose have; leave out what is one with "
            f"drop={many!r}, or keep it with categorical={many!r}."
        )
    return columns


class _Seen:
    """What is known about a column after some blocks."""

    def __init__(self, *, named: bool) -> None:
        self.named = named  # as categorical, by the caller
        self.kinds: list[Kind] = [] if named else ["numeric", "boolean", "date"]
        self.empty = True
        self.no_dates = False  # but stored as such
        self.text_only = False
        self.distinct: set[str] = set()

    @property
    def many(self) -> bool:
        return not self.named and len(self.distinct) > MAX_CATEGORIES

    def add(self, values: Values) -> None:
        self.text_only = values.stored is None
        declared = values.stored not in (None, "categorical")
        if declared:
            self.kinds = [kind for kind in self.kinds if kind == values.stored]
        elif values.stored == "categorical":  # postcodes are no numbers where the file could have said so
            self.kinds = [kind for kind in self.kinds if kind != "numeric"]
        converted = {kind: convert(values, kind) for kind in self.kinds}
        self.kinds = [kind for kind, floats in converted.items() if floats is not None]
        self.no_dates |= "date" in converted and values.stored == "date" and not self.kinds
        if not self.many and (self.named or not declared):
            self.distinct |= values.distinct()
        floats = converted[self.kinds[0]] if self.kinds else None
        self.empty &= not self.distinct if floats is None else bool(np.isnan(floats).all())


def _column(name: str, seen: _Seen, file: TableFile) -> Column:
    if seen.no_dates:
        raise _first_exception(name, "date", file)
    if seen.empty:
        raise FileFormatError(f"{file.path}: column {name!r} has no values at all; leave it out with drop=[{name!r}].")
    if seen.kinds:
        return Column(name, seen.kinds[0])
    if not seen.named:
        _refuse_exceptions(name, seen, file)
    return Column(name, "categorical", tuple(sorted(seen.distinct)))


def _refuse_exceptions(name: str, seen: _Seen, file: TableFile) -> None:
    """Raise an error where a few texts, or how all are written, keep a column from being numbers or dates."""
    # Commas and signs aside: 1,000 and 0,5 and $25 are meant as numbers. Text of typed files is no number (see
    # `_Seen.add`).
    bare = [_SIGN.sub("", text.replace(",", "")) for text in seen.distinct] if seen.text_only else []
    numbers = sum(is_of(text, "numeric") for text in bare)
    dates = sum(is_of(text, "date") or _OTHER_DATE.fullmatch(text) is not None for text in seen.distinct)
    kind: Kind = "numeric" if numbers > dates else "date"
    if 2 * max(numbers, dates) > len(seen.distinct):
        raise FileFormatError(
            f"{_first_exception(name, kind, file)} Most values of the column are {PLURAL[kind]}: correct or empty the "
            f"others, or take all as names with categorical=[{name!r}]."
        )


def _first_exception(name: str, kind: Kind, file: TableFile) -> FileFormatError:
    start = 0
    for block in file.blocks([name]):
        texts = block[name].texts().tolist()
        if convert(block[name], kind) is None:
            break
        start += len(texts)
    return bad_value(texts, kind, name, file, first_row=start)
