"""The column of labels of a file: which it is, and which rows are positive."""

from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.score_columns import read_texts
from pauci.errors import FileFormatError, LabelError, TooFewSamplesError

if TYPE_CHECKING:
    from pauci.metrics.inputs import Array

#: Column names that are taken for the label when none is named.
USUAL_LABELS = ("label", "y", "y_true", "target", "class")


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
    from pauci.data.target import refuse_twins, spelling
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
        if labels.dtype.kind == "O":
            refuse_twins(f"{file}: column {label!r}", set(map(spelling, set(labels.tolist()))), spelling(positive))
        return found
    try:
        return read_labels(labels)
    except LabelError:
        raise LabelError(
            f"{file}: column {label!r} holds {_some(file, label)}; expected 0/1, -1/1, true/false or yes/no. "
            "Name the positive class with --positive."
        ) from None


def check_classes(file: Path, column: str, positives: "Array", negatives: "Array") -> None:
    """Raise unless there are enough rows of both classes for an interval."""
    for name, rows in (("positives", positives), ("negatives", negatives)):
        if (count := int(rows.sum())) < 2:
            raise TooFewSamplesError(f"{file}: {column} has {count} {name}; at least 2 of both classes are needed.")


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
