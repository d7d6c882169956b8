"""What `pauci compare` compares: score files and models, brought to the same labelled rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.score_columns import in_own_precision, names_among, never_scores, read_groups, read_texts
from pauci.cli.score_file import SCORE, Scored, check_classes, check_readable_twice, guess_label, read_positives
from pauci.errors import FileFormatError, InputError, LabelError

if TYPE_CHECKING:
    from pauci.metrics.inputs import Array
    from pauci.tabular.model import TabularModel


def read_sources(
    files: Sequence[Path],
    models: "dict[Path, TabularModel]",
    *,
    rows: Path,
    label: str | None,
    positive: str | None,
    scores: Sequence[str],
    key: str | None,
    groups: str | None,
) -> Scored:
    """Bring score files and models to the rows of one labelled file.

    Parameters
    ----------
    files : sequence of Path
        Score files and models, in the order they are to be reported.
    models : dict of Path to TabularModel
        Those of them that are models, read; they score `rows`.
    rows : Path
        The file with the labels, which may be one of the score files.
    label, positive : str or None
        Its column of labels, and which of them is positive.
    scores : sequence of str
        Columns of scores; without it `score` where there is one, or else every numeric column without a role.
    key : str or None
        Column that tells which row of a score file is which; None takes them in order.
    groups : str or None
        Column of `rows` naming what was sampled independently.

    Returns
    -------
    Scored
        Labels and every score of the same rows.
    """
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    check_readable_twice(rows)
    target = next((model.target for model in models.values()), None)
    for option, given, told in (
        ("--label", label, {model.target for model in models.values()}),
        ("--positive", positive, {model.positive for model in models.values()}),
    ):
        if given is None and len(told) > 1:
            raise InputError(
                f"the models were fitted to predict different things ({' and '.join(sorted(told))}); say with {option} "
                "what they are to be judged by."
            )
    if label is None:
        names = open_table(rows).names
        label = target if target in names else guess_label(rows, names)
    if positive is None and label == target:
        positive = next(model.positive for model in models.values())
    is_positive = read_positives(rows, label, read_columns(rows, [label])[label], positive)
    check_classes(rows, f"column {label!r}", is_positive, ~is_positive)
    order = None if key is None else _Order(rows, key)
    roles = [name for name in (label, key, groups) if name is not None]
    found: dict[str, Array] = {}
    for file in files:
        if file in models:
            found[names_among(files, file, [SCORE])[SCORE]] = models[file].score_file(rows)
            continue
        columns = _score_columns(file, scores, roles)
        place = None if order is None or file == rows else order.of(file)
        if place is None and file != rows:
            _check_same_rows(file, rows, label, is_positive, positive, aside=list(columns))
        for column, name in names_among(files, file, columns).items():
            found[name] = columns[column] if place is None else columns[column][place]
    if unknown := [name for name in scores if not any(name in open_table(f).names for f in files if f not in models)]:
        raise InputError(f"--score {unknown[0]}: none of the score files has this column.")
    if len(found) < 2:
        raise InputError(
            f"there is only one score, {next(iter(found))!r}; name another file, model or --score column. A single one "
            f"is judged by `pauci score`, once `pauci predict --id {label}` has put its scores next to the labels."
        )
    return Scored(is_positive, found, None, None if groups is None else read_groups(rows, groups))


def _score_columns(file: Path, wanted: Sequence[str], roles: Sequence[str]) -> "dict[str, Array]":
    """Columns of scores of a file: those asked for that it has, or else `score`, or else all that could be."""
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    check_readable_twice(file)
    names = open_table(file).names
    if wanted:
        chosen = [name for name in wanted if name in names]
    elif SCORE in names:
        chosen = [SCORE]
    else:
        excluded = {*roles, *never_scores(file)}
        others = [name for name in names if name not in excluded]
        chosen = [name for name, values in read_columns(file, others).items() if values.dtype.kind == "f"]
    if not chosen:
        expected = " or ".join(map(repr, wanted)) if wanted else "of numbers"
        raise FileFormatError(f"{file} has no column {expected} to compare; there are: {', '.join(map(repr, names))}.")
    return {name: in_own_precision(values) for name, values in read_columns(file, chosen, numeric=chosen).items()}


def _check_same_rows(
    file: Path, rows: Path, label: str, expected: "Array", positive: str | None, *, aside: Sequence[str]
) -> None:
    """Raise unless a file has the rows of another in the same order, as far as that can be told."""
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    names = open_table(file).names
    values = read_columns(file, [label if label in names else names[0]])
    if label in values:
        labels = read_positives(file, label, values[label], positive)
        if len(labels) == len(expected) and (labels != expected).any():
            place = open_table(file).where(int((labels != expected).argmax()))
            raise LabelError(
                f"{file}, {place}: the label differs from that of {rows}; are the rows in another order? "
                "Match them by a column of both files with --id."
            )
    if (count := len(next(iter(values.values())))) != len(expected):
        raise FileFormatError(
            f"{file} has {count:,} rows, but {rows} has {len(expected):,}; match them by a column of both with --id."
        )
    both = [name for name in names if name in open_table(rows).names and name not in (label, *aside)]
    mine, theirs = _identifiers(file, both), _identifiers(rows, both)
    for name in both:
        differ = mine[name] != theirs[name]
        if _tells_rows(mine[name]) and _tells_rows(theirs[name]) and differ.any():
            place = open_table(file).where(int(differ.argmax()))
            raise FileFormatError(
                f"{file}, {place}: {name!r} differs from that of {rows}; are the rows in another order? "
                f"If it tells them apart, match them with --id {name}."
            )


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


class _Order:
    """Where each row of a labelled file is in others, by a key."""

    def __init__(self, rows: Path, key: str) -> None:
        self._rows, self._key = rows, key
        self._keys = self._unique(rows)

    def of(self, file: Path) -> "Array":
        """For each row of the labelled file, its place in another one; further rows of that are left out."""
        import numpy as np

        places = self._unique(file)
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
