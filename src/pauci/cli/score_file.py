"""Files of labelled scores: which column is what, and which rows are positive."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.decisions import as_decisions
from pauci.cli.score_columns import in_own_precision, is_readable, never_scores, read_groups, read_texts
from pauci.errors import FileFormatError, InputError, LabelError, TooFewSamplesError

if TYPE_CHECKING:
    from pauci.metrics.inputs import Array

#: Column names that are taken for the label when none is named.
USUAL_LABELS = ("label", "y", "y_true", "target", "class")
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

    Parameters
    ----------
    file : Path
        The table.
    label : str or None
        Column of the labels; None takes a usual name.
    scores : list of str
        Columns of scores; none takes `score`, or else every numeric column that has no other role.
    positive : str or None
        Label of the positive class, when it is not plain.
    weight, groups : str or None
        Columns of weights and groups.

    Returns
    -------
    Scored
        The columns, checked.
    """
    import numpy as np

    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table
    from pauci.rounding import LARGEST_WHOLE

    if file.suffix.lower() == ".pauci":
        raise FileFormatError(
            f"{file} is a model, not a file of scores: `pauci predict {file} ROWS.csv --id LABEL -o scores.csv` scores "
            "labelled rows with it first."
        )
    check_readable_twice(file)
    names = open_table(file).names
    label = guess_label(file, names) if label is None else label
    others = [name for name in (label, weight, groups) if name is not None]
    if repeated := [name for name in scores if name in others or scores.count(name) > 1]:
        raise InputError(f"--score {repeated[0]}: this column has been named before.")
    if not scores and SCORE in names and SCORE not in others:
        scores = [SCORE]
    decided = SCORE in scores and DECISION in names and DECISION not in (*others, *scores)
    decided = decided and is_readable(file, DECISION)  # nobody has asked for it
    numeric = [*scores, *([] if weight is None else [weight])]
    wanted = [*others, *(scores or names), *([DECISION] if decided else [])]
    with nullcontext() if scores else _score_may_be_named():
        columns = read_columns(file, list(dict.fromkeys(wanted)), numeric=numeric)
    if not scores:
        roles = {*others, *never_scores(file)}
        scores = [name for name in names if name not in roles and columns[name].dtype.kind == "f"]
        if not scores:
            raise FileFormatError(f"{file} has no numeric column besides {', '.join(map(repr, others))} to score.")
        # Missing, infinite, or integers that may have been rounded.
        if doubtful := [name for name in scores if not (np.abs(columns[name]) < LARGEST_WHOLE).all()]:
            with _score_may_be_named():
                read_columns(file, doubtful, numeric=doubtful)  # names the line of what is no score
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


@contextmanager
def _score_may_be_named() -> Iterator[None]:
    """Say that nobody has to leave out, or mend, a column that was only taken for a score."""
    try:
        yield
    except FileFormatError as error:
        problem = str(error).partition("; leave it out")[0].removesuffix(".")
        error.args = (f"{problem}. If that is no score, name those that are with --score.",)
        raise


def check_readable_twice(file: Path) -> None:
    """Raise for pipes and devices: names are read first, columns later."""
    if str(file) in ("-", "/dev/stdin") or (file.exists() and not file.is_file() and not file.is_dir()):
        raise FileFormatError(
            f"{file} is no regular file, and tables are read more than once; save it as a .csv first."
        )


def check_classes(file: Path, column: str, positives: "Array", negatives: "Array") -> None:
    """Raise unless there are enough rows of both classes for an interval."""
    for name, rows in (("positives", positives), ("negatives", negatives)):
        if (count := int(rows.sum())) < 2:
            raise TooFewSamplesError(f"{file}: {column} has {count} {name}; at least 2 of both classes are needed.")


def guess_label(file: Path, names: tuple[str, ...]) -> str:
    """Take the column of a usual name for the label."""
    known = {name.lower(): name for name in names}
    for usual in USUAL_LABELS:
        if usual in known:
            return known[usual]
    shown = ", ".join(map(repr, names[:20]))
    raise FileFormatError(f"{file} has no column named {' or '.join(USUAL_LABELS)}; name one with --label: {shown}.")


def read_positives(file: Path, label: str, labels: "Array", positive: str | None) -> "Array":
    """Which rows are positive; every row must have a label."""
    import numpy as np

    from pauci.data.table_file import open_table
    from pauci.metrics.inputs import read_labels

    missing = np.isnan(labels) if labels.dtype.kind == "f" else np.array([value is None for value in labels])
    if missing.any():
        place = open_table(file).where(int(missing.argmax()))
        raise LabelError(f"{file}, {place}: column {label!r} has no label; label or drop such rows.")
    if positive is None and labels.dtype.kind == "O":
        positive = _evident(labels)
    if positive is not None:
        found = _equal(labels, positive)
        if not np.any(found):
            raise LabelError(
                f"{file}: --positive {positive} does not occur in column {label!r}, which holds {_some(file, label)}."
            )
        return found
    try:
        return read_labels(labels)
    except LabelError:
        raise LabelError(
            f"{file}: column {label!r} holds {_some(file, label)}; expected 0/1, -1/1, true/false or yes/no. "
            "Name the positive class with --positive."
        ) from None


def _some(file: Path, label: str) -> str:
    """Show labels as they are written."""
    return ", ".join(sorted(set(map(str, read_texts(file, label)[:10_000])))[:5])


def _evident(labels: "Array") -> str | None:
    """Which of two texts is the positive class, where everyone knows, as `pauci fit` does: "1" of "0" and "1"."""
    from pauci.data.target import spelling
    from pauci.positive_class import EVIDENT

    found = {spelling(text) for text in set(labels.tolist())}
    return next((positive for negative, positive in EVIDENT if found == {negative, positive}), None)


def _equal(labels: "Array", text: str) -> "Array":
    """Which labels are the one that was named on the command line, in any spelling that `pauci fit` takes for it."""
    import numpy as np

    from pauci.data.conversion import BOOLEAN_WORDS
    from pauci.data.target import spelling

    if labels.dtype.kind == "O":
        alike = {value: spelling(value) == spelling(text) for value in set(labels.tolist())}
        return np.array([alike[value] for value in labels.tolist()], dtype=bool)
    if labels.dtype.kind == "b" and text.lower() in BOOLEAN_WORDS:
        wanted = BOOLEAN_WORDS[text.lower()]
    else:
        try:
            wanted = float(text)
        except ValueError:
            wanted = np.nan  # which no label equals
    return np.asarray(labels == wanted)
