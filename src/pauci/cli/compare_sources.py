"""What `pauci compare` compares: score files and models, brought to the same labelled rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.label_column import check_classes, guess_label, read_positives
from pauci.cli.row_matching import RowOrder, check_same_rows
from pauci.cli.score_columns import in_own_precision, names_among, never_scores, read_groups
from pauci.cli.score_file import SCORE, Scored, check_readable_twice, known_scores
from pauci.errors import FileFormatError, InputError

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
    """Bring score files and models, in the order they are to be reported, to the rows of one labelled file.

    That may be one of the score files. `models`, which are those of `files`, score its rows; of score files, `key` is
    the column that tells which row is which, and without one they are taken in order. Without `scores`, the column
    `score` is taken where there is one, or else every numeric column without a role.
    """
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    check_readable_twice(rows)
    label, positive = _judged_by(list(models.values()), rows, label, positive)
    is_positive = read_positives(rows, label, read_columns(rows, [label])[label], positive)
    check_classes(rows, f"column {label!r}", is_positive, ~is_positive)
    order = None if key is None else RowOrder(rows, key)
    roles = [name for name in (label, key, groups) if name is not None]
    found: dict[str, Array] = {}
    for file in files:
        if file in models:
            _check_scorable(models[file], rows, files)
            found[names_among(files, file, [SCORE])[SCORE]] = models[file].score_file(rows)
            continue
        # The labels of other files that are matched by identifiers are not read: scores may have their name there.
        columns = _score_columns(file, scores, [key] if scores and key is not None and file != rows else roles)
        place = None if order is None or file == rows else order.of(file)
        if place is None and file != rows:
            check_same_rows(file, rows, label, is_positive, positive, aside=list(columns))
        for column, name in names_among(files, file, columns).items():
            found[name] = columns[column] if place is None else columns[column][place]
    known = {name for file in files if file not in models for name in open_table(file).names}
    if unknown := [name for name in scores if name not in known]:
        raise InputError(f"--score {unknown[0]}: none of the score files has this column.")
    if len(found) < 2:
        once = f", once `pauci predict --id {label}` has put its scores next to the labels" if models else ""
        raise InputError(
            f"there is only one score, {next(iter(found))!r}; name another file, model or --score column. A single one "
            f"is judged by `pauci score`{once}."
        )
    return Scored(is_positive, found, None, None if groups is None else read_groups(rows, groups))


def _check_scorable(model: "TabularModel", rows: Path, files: Sequence[Path]) -> None:
    """Raise where a file of mere scores was taken for the table that models score."""
    from pauci.data.table_file import open_table

    names = open_table(rows).names
    if rows in files and not any(column.name in names for column in model.columns):
        raise InputError(
            f"{rows} has none of the columns that the model reads, such as {model.columns[0].name!r}; name the table "
            "that it came from with --data."
        )


def _judged_by(
    models: "Sequence[TabularModel]", rows: Path, label: str | None, positive: str | None
) -> tuple[str, str | None]:
    """Find the column of labels and the positive class, where they are not given: the models know, if they agree."""
    from pauci.data.table_file import open_table

    for option, given, told in (
        ("--label", label, {model.target for model in models}),
        ("--positive", positive, {model.positive for model in models}),
    ):
        if given is None and len(told) > 1:
            raise InputError(
                f"the models were fitted to predict different things ({' and '.join(sorted(told))}); say with {option} "
                "what they are to be judged by."
            )
    first = models[0] if models else None
    if label is None:
        names = open_table(rows).names
        label = first.target if first is not None and first.target in names else guess_label(rows, names)
    if positive is None and first is not None and first.target == label:
        positive = first.positive
    return label, positive


def _score_columns(file: Path, wanted: Sequence[str], roles: Sequence[str]) -> "dict[str, Array]":
    """Columns of scores of a file: those asked for that it has, or else `score`, or else all that could be."""
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    check_readable_twice(file)
    names = open_table(file).names
    known = known_scores(wanted, names, roles)
    chosen = [name for name in known if name in names]
    if not known:
        excluded = {*roles, *never_scores(file)}
        others = [name for name in names if name not in excluded]
        chosen = [name for name, values in read_columns(file, others).items() if values.dtype.kind == "f"]
    if not chosen:
        expected = " or ".join(map(repr, wanted)) if wanted else "of numbers"
        raise FileFormatError(f"{file} has no column {expected} to compare; there are: {', '.join(map(repr, names))}.")
    try:
        columns = read_columns(file, chosen, numeric=chosen)
    except FileFormatError as error:
        if not known:
            error.args = (
                f"{error} If {file} is the table for the models to score, name it with --data; if it holds scores, "
                "name these with --score.",
            )
        raise
    return {name: in_own_precision(values) for name, values in columns.items()}
