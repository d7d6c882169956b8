"""Tables as they lie on the disk: one interface over CSV, Parquet and npz files, read in blocks of rows."""

import difflib
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pauci.errors import FileFormatError, MissingFileError

#: Values to the letter: texts of a text file, None where empty; arrays of numpy or pyarrow otherwise.
Cells = Any

Kind = Literal["numeric", "boolean", "categorical", "date"]

#: What a cell without a value looks like in text files, blanks around it aside.
MISSING = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "None"})

#: Characters that no one sees and terminals obey; lines and tabs may be in names.
_CONTROL = re.compile(r"[^\t\n\r -~\xa0-\U0010ffff]")

#: How alike names must be for one to be meant by the other: a wrong letter of three is, 'country' for 'amount' is not.
_CLOSE = 0.65


class Values(Protocol):
    """One column of a block of rows, as stored."""

    @property
    def stored(self) -> Kind | None:
        """The kind the file declares; None where it holds mere text."""

    def numbers(self) -> NDArray[np.float64] | None:
        """As numbers, NaN where missing, dates as days since 1970; None unless every value is one."""

    def texts(self) -> NDArray[np.object_]:
        """As strings, None where missing."""

    def distinct(self) -> set[str]:
        """Different strings, without missing ones."""

    def positions(self, known: Sequence[str]) -> NDArray[np.intp]:
        """Place of every string among known ones; ``len(known)`` for others and -1 where missing."""

    def integers(self, rows: NDArray[np.intp]) -> list[int | None]:
        """Exact integers of some rows; None where a value is not written as one."""


class TableFile(Protocol):
    """A file of named columns."""

    path: Path
    names: tuple[str, ...]

    def blocks(self, columns: Sequence[str]) -> Iterator[dict[str, Values]]:
        """Blocks of rows from top to bottom, restricted to some columns."""

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """Blocks of rows as they are, to be written elsewhere: nothing is read into them, nothing trimmed."""

    def where(self, row: int) -> str:
        """Name the place of a row (counted from 0) as its reader would."""


def open_table(path: str | os.PathLike[str]) -> TableFile:
    """Open a table by its suffix: its column names are known, its rows not yet read."""
    from pauci.data.csv_file import CsvFile
    from pauci.data.npz_file import NpzFile
    from pauci.data.parquet_file import ParquetFile

    place = Path(path)
    if not place.is_file():
        raise MissingFileError(_absent(place))
    if place.stat().st_size == 0:
        raise FileFormatError(f"{place} is empty (0 bytes).")
    name = place.name.lower()
    if name.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz")):
        return CsvFile(place)
    if name.endswith((".parquet", ".pq")):
        return ParquetFile(place)
    if name.endswith(".npz"):
        return NpzFile(place)
    is_sheet = name.endswith((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"))
    remedy = "save the sheet as CSV" if is_sheet else "rename the file after what it holds"
    raise FileFormatError(f"{place}: tables end in .csv, .tsv (also .gz), .parquet or .npz; {remedy}.")


def check_names(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Refuse column names that would do something to the terminal that shows them."""
    for name in names:
        if _CONTROL.search(name):
            raise FileFormatError(f"{path} has the column {name!r}, which holds a control character; rename it.")
    return tuple(names)


def check_single(columns: Collection[str], path: Path, names: Sequence[str], *, remedy: str = "") -> None:
    """Refuse columns of which a file has several: one of them is meant, and nobody knows which."""
    times = Counter(names)
    for name in columns:
        if times[name] > 1:
            raise FileFormatError(
                f"{path} has the column {name!r} more than once (at positions "
                f"{', '.join(str(i + 1) for i, other in enumerate(names) if other == name)}); rename or remove one"
                f"{remedy.format(name)}."
            )


def check_known(columns: Collection[str], file: TableFile) -> None:
    """Refuse columns that the file does not have, naming those that it might have meant."""
    for name in columns:
        if name not in file.names:
            raise FileFormatError(f"{file.path} has no column {name!r}{suggest(name, file.names)}")


def suggest(name: str, known: Collection[str], *, taken: Collection[str] = ()) -> str:
    """Close matches of a name that are not taken, or what there is instead, as the tail of an error message."""
    spelled = {option.lower(): option for option in known if option not in taken}
    close = [spelled[match] for match in difflib.get_close_matches(name.lower(), spelled, n=3, cutoff=_CLOSE)]
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, list(known)[:20]))
    return f"; there are: {shown}{', ...' if len(known) > 20 else ''}."


def positions(texts: Iterable[str | None], known: Sequence[str]) -> NDArray[np.intp]:
    """Place of every text among known ones; ``len(known)`` for others and -1 for None."""
    place = {text: i for i, text in enumerate(known)}
    return np.array([-1 if text is None else place.get(text, len(known)) for text in texts], dtype=np.intp)


def joined(first: Cells, second: Cells) -> Cells:
    """Cells of two blocks of a column, one after the other."""
    if isinstance(first, list):
        return first + second
    if isinstance(first, np.ndarray):
        return np.concatenate((first, second))
    from pauci.extras import require

    return require("pyarrow", purpose="reading Parquet").concat_arrays([first, second])


def number_text(number: float) -> str:
    """Write a number as text files do: whole ones without a decimal point."""
    return str(int(number)) if math.isfinite(number) and number.is_integer() else repr(number)


def _absent(path: Path) -> str:
    if path.is_dir():
        return f"{path} is a folder; name one file in it."
    if not path.parent.is_dir():
        return f"{path} does not exist, nor does its folder."
    # Without their endings, which make any two tables look alike; of one stem the same ending is meant.
    names = sorted(os.listdir(path.parent), key=lambda name: name.endswith(path.suffix))
    stems = {Path(name).stem: name for name in names}
    close = difflib.get_close_matches(path.stem, stems, n=1, cutoff=_CLOSE)
    return f"{path} does not exist{f'; did you mean {path.with_name(stems[close[0]])}?' if close else '.'}"
