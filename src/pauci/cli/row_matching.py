"""Which row of one file is which of another: by a key, or by their order, as far as that can be told."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.label_column import read_positives
from pauci.cli.score_columns import read_texts
from pauci.errors import FileFormatError, LabelError

if TYPE_CHECKING:
    from pauci.metrics.inputs import Array


class RowOrder:
    """Where each row of a labelled file is in others, by a key."""

    def __init__(self, rows: Path, key: str) -> None:
        self._rows, self._key = rows, key
        self._keys = self._unique(rows)

    def of(self, file: Path) -> "Array":
        """For each row of the labelled file, its place in another one; further rows of that are left out."""
        import numpy as np

        from pauci.data.conversion import category_codes

        places = category_codes(list(self._unique(file)))  # of whole numbers by both texts, 1 and 1.0
        if absent := [key for key in self._keys if key not in places]:
            raise FileFormatError(
                f"{file} has no row with {self._key} = {absent[0]!r}, which {self._rows} has "
                f"({len(absent):,} such rows); the comparison needs a score for every labelled row."
            )
        return np.array([places[key] for key in self._keys], dtype=np.intp)

    def _unique(self, file: Path) -> dict[str, int]:
        from pauci.data.table_file import check_known, open_table

        table = open_table(file)
        check_known([self._key], table)
        places: dict[str, int] = {}
        row = 0
        for block in table.blocks([self._key]):
            for text in block[self._key].texts().tolist():
                if text is None or text in places:
                    problem = "is empty" if text is None else f"has {text!r} a second time"
                    raise FileFormatError(f"{file}, {table.where(row)}: --id {self._key} {problem}.")
                places[text] = row
                row += 1
        return places


def check_same_rows(
    file: Path, rows: Path, label: str, expected: "Array", positive: str | None, *, aside: Sequence[str]
) -> None:
    """Raise unless a file has the rows of another in the same order, as far as that can be told."""
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    table = open_table(file)
    names = table.names
    values = read_columns(file, [label if label in names else names[0]])
    if label in values:
        labels = read_positives(file, label, values[label], positive)
        if len(labels) == len(expected) and (labels != expected).any():
            place = table.where(int((labels != expected).argmax()))
            raise LabelError(
                f"{file}, {place}: the label differs from that of {rows}; are the rows in another order? "
                "Match them by a column of both files with --id."
            )
    if (count := len(next(iter(values.values())))) != len(expected):
        raise FileFormatError(
            f"{file} has {count:,} rows, but {rows} has {len(expected):,}; match them by a column of both with --id."
        )
    for name, (mine, theirs) in _keys_of_both(file, rows, aside=[label, *aside]).items():
        if (differ := mine != theirs).any():
            place = table.where(int(differ.argmax()))
            raise FileFormatError(
                f"{file}, {place}: {name!r} differs from that of {rows}; are the rows in another order? "
                f"If it tells them apart, match them with --id {name}."
            )


def check_same_order(file: Path, rows: Path, *, aside: Sequence[str]) -> None:
    """Raise if two files have the same rows in another order: a column has the same keys, and none has them in line."""
    from pauci.data.table_file import open_table

    keys = _keys_of_both(file, rows, aside=aside)
    if any((mine == theirs).all() for mine, theirs in keys.values()):
        return
    for name, (mine, theirs) in keys.items():
        if set(mine.tolist()) == set(theirs.tolist()):
            place = open_table(file).where(int((mine != theirs).argmax()))
            raise FileFormatError(
                f"{file}, {place}: {name!r} differs from that of {rows}, which has the same values in another order: "
                f"models whose labels are equal row by row are compared so. Sort both by {name}; if it tells no rows "
                "apart, as ranks do not, leave it out."
            )


def _keys_of_both(file: Path, rows: Path, *, aside: Sequence[str]) -> "dict[str, tuple[Array, Array]]":
    """Read the columns, other than those aside, that tell the rows of both files apart: what either has in them."""
    from pauci.data.table_file import open_table

    known = open_table(rows).names
    both = [name for name in open_table(file).names if name in known and name not in aside]
    mine, theirs = _identifiers(file, both), _identifiers(rows, both)
    return {name: (mine[name], theirs[name]) for name in both if _tells_rows(mine[name]) and _tells_rows(theirs[name])}


def _identifiers(file: Path, names: Sequence[str]) -> "dict[str, Array]":
    """Read columns of which some may be identifiers: as texts where floats would round them."""
    import numpy as np

    from pauci.data.columns import read_columns
    from pauci.rounding import LARGEST_WHOLE

    columns = read_columns(file, names)
    numbers = {name: values for name, values in columns.items() if values.dtype.kind == "f"}
    rounded = [name for name, values in numbers.items() if (np.abs(values) >= LARGEST_WHOLE).any()]
    return columns | {name: read_texts(file, name) for name in rounded}


def _tells_rows(values: "Array") -> bool:
    """Whether a column says which row is which: texts or whole numbers, of which none occurs twice."""
    import numpy as np

    is_key = values.dtype.kind == "O" or bool(np.isfinite(values).all() and (values == np.floor(values)).all())
    return is_key and len(set(values.tolist())) == len(values)
