"""Files of labelled scores: which column is what."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.decisions import as_decisions
from pauci.cli.label_column import check_classes, guess_label, read_positives
from pauci.cli.score_columns import in_own_precision, is_readable, never_scores, read_groups
from pauci.errors import FileFormatError, InputError

if TYPE_CHECKING:
    from pauci.data.table_file import TableFile
    from pauci.metrics.inputs import Array

#: The column that `pauci predict` writes, and that is taken for the score when none is named.
SCORE = "score"
#: The column beside it that says which rows were acted on.
DECISION = "decision"


@dataclass(frozen=True)
class Scored:
    """The columns of a file: positives, scores by name, and weights, groups and decisions if there are any."""

    positive: "Array"
    scores: dict[str, "Array"]
    weight: "Array | None"
    groups: "Array | None"
    decision: "Array | None" = None


def read_scored(
    file: Path, label: str | None, scores: list[str], positive: str | None, weight: str | None, groups: str | None
) -> Scored:
    """Read labels and scores, and weights and groups where their columns are named.

    Without a label a usual name is taken, without scores `score`, or else every numeric column without another role.
    """
    from pauci.data.columns import read_columns
    from pauci.data.table_file import check_known, open_table

    if file.suffix.lower() == ".pauci":
        raise FileFormatError(
            f"{file} is a model, not a file of scores: `pauci predict {file} ROWS.csv --id LABEL -o scores.csv` scores "
            "labelled rows with it first."
        )
    check_readable_twice(file)
    table = open_table(file)
    names = table.names
    label = _label(table, label)
    others = [name for name in (label, weight, groups) if name is not None]
    check_known(others, table)
    scores = known_scores(scores, names, others)
    decided = SCORE in scores and DECISION in names and DECISION not in (*others, *scores)
    decided = decided and is_readable(file, DECISION)  # nobody has asked for it
    numeric = [*scores, *([] if weight is None else [weight])]
    wanted = [*others, *(scores or names), *([DECISION] if decided else [])]
    with nullcontext() if scores else _score_may_be_named():
        columns = read_columns(file, list(dict.fromkeys(wanted)), numeric=numeric)
    scores = scores or _all_scores(file, columns, others)
    is_positive = read_positives(file, label, columns[label], positive)
    check_classes(file, f"column {label!r}", is_positive, ~is_positive)
    if weight is not None:
        if (columns[weight] < 0).any():
            raise InputError(f"{file}: column {weight!r} has negative values; --weight needs values of at least 0.")
        counts = columns[weight] > 0
        check_classes(file, f"with --weight {weight}, column {label!r}", is_positive & counts, ~is_positive & counts)
    return Scored(
        positive=is_positive,
        scores={name: in_own_precision(columns[name]) for name in scores},
        weight=None if weight is None else columns[weight],
        groups=None if groups is None else read_groups(file, groups),
        decision=as_decisions(columns[DECISION]) if decided else None,
    )


def known_scores(wanted: Sequence[str], names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Take the columns that were named for scores, or else `score`; none, where there is neither.

    Examples
    --------
    >>> known_scores([], ("label", "score", "age"), ["label"]), known_scores([], ("score", "age"), ["score"])
    (['score'], [])
    """
    if repeated := [name for name in wanted if name in others or wanted.count(name) > 1]:
        raise InputError(f"--score {repeated[0]}: this column has another role, or was named twice.")
    if wanted:
        return list(wanted)
    return [SCORE] if SCORE in names and SCORE not in others else []


def _label(table: "TableFile", label: str | None) -> str:
    """Find the column of labels; where there is none, tell those who scored the file how to keep it."""
    from pauci.data.table_file import check_known

    try:
        label = guess_label(table.path, table.names) if label is None else label
        check_known([label], table)
    except FileFormatError as error:
        if {SCORE, DECISION} <= set(table.names):
            error.args = (f"{error} If `pauci predict` wrote this file, keep the labels there with --id.",)
        raise
    return label


def _all_scores(file: Path, columns: "dict[str, Array]", others: list[str]) -> list[str]:
    """Take every numeric column that has no other role for a score, where none was named."""
    import numpy as np

    from pauci.data.columns import read_columns
    from pauci.rounding import LARGEST_WHOLE

    roles = {*others, *never_scores(file)}
    scores = [name for name, values in columns.items() if name not in roles and values.dtype.kind == "f"]
    if not scores:
        raise FileFormatError(f"{file} has no numeric column besides {', '.join(map(repr, others))} to score.")
    # Missing, infinite, or integers that may have been rounded.
    if doubtful := [name for name in scores if not (np.abs(columns[name]) < LARGEST_WHOLE).all()]:
        with _score_may_be_named():
            read_columns(file, doubtful, numeric=doubtful)  # names the line of what is no score
    return scores


@contextmanager
def _score_may_be_named() -> Iterator[None]:
    """Say that nobody has to leave out, or mend, a column that was only taken for a score."""
    try:
        yield
    except FileFormatError as error:
        problem = str(error).partition("; leave it out")[0].removesuffix(".")
        error.args = (f"{problem}. If that is not a score, name those that are with --score.",)
        raise


def check_readable_twice(file: Path) -> None:
    """Raise for pipes and devices: names are read first, columns later."""
    if str(file) in ("-", "/dev/stdin") or (file.exists() and not file.is_file() and not file.is_dir()):
        raise FileFormatError(
            f"{file} is not a regular file, and tables are read more than once; save it as a .csv first."
        )
