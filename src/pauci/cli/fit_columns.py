"""What `pauci fit` says about the columns of a table before it learns from them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.terminal import say
from pauci.cli.words import in_command_line_words

if TYPE_CHECKING:
    from pauci.data.schema import Column
    from pauci.tabular.training_table import TrainingTable

_KINDS = {
    "numeric": ("number", "numbers"),
    "boolean": ("boolean", "booleans"),
    "date": ("date", "dates"),
    "categorical": ("category", "categories"),
}
#: Columns that are named.
_SHOWN = 5
#: What looks like accounts has so many different values at least, and so many rows of each at most, in the mean.
_FEWEST_GROUPS, _LARGEST_GROUPS = 50, 50


def tell_columns(file: Path, table: "TrainingTable", *, dropped: Sequence[str], grouped: bool, quiet: bool) -> None:
    """Say what the columns were taken for, and what about them may mislead; if quiet, only what needs a warning."""
    from pauci.tabular.giveaways import giveaways

    if not quiet:
        say(_taken(table.columns))
    if names := giveaways(table.X, table.y, table.columns):
        say(f"warning: {given_away(names)}", err=True)
    if quiet:
        return
    learned = [column.name for column in table.columns if column.kind == "categorical"]
    for candidates, is_learned in ((dropped, False), (learned, True)) if not grouped else ():
        if names := _group_like(file, candidates):
            say(f"note: {belonging(names, learned=is_learned)}", err=True)
    if names := [column.name for column in table.columns if column.kind == "date"]:
        say(f"note: {later(names)}", err=True)


def _taken(columns: "Sequence[Column]") -> str:
    """Say how many columns were taken as what, and how many values there are of categories."""
    counts = {kinds: sum(column.kind == kind for column in columns) for kind, kinds in _KINDS.items()}
    line = ", ".join(f"{count} {kinds[count > 1]}" for kinds, count in counts.items() if count)
    values = [f"{each.name} {len(each.categories):,} values" for each in columns if each.kind == "categorical"]
    shown = ", ".join(values[:_SHOWN]) + (", ..." if len(values) > _SHOWN else "")
    return f"columns: {line}" + (f" ({shown})" if shown else "")


def given_away(names: Sequence[str]) -> str:
    """Ask whether columns that tell the classes apart by themselves were known in time."""
    several = len(names) > 1
    told, they, them = ("each tell", "they are", "them") if several else ("tells", "it is", "it")
    return (
        f"{_named(names)} {told} the classes apart without any error. If {they} known before the outcome, all is well. "
        f"If {they} known only afterwards, new rows will not have {them}: leave {them} out with {_dropping(names)}."
    )


def later(names: Sequence[str]) -> str:
    """Tell that new rows may have later dates than all rows that a model is fitted on.

    Examples
    --------
    >>> print(later(["booked"]))
    column 'booked' is read as days. Where new rows have later dates than all of these, as new payments do, the
    threshold may fail: leave it out with --drop 'booked', or replace it by what recurs, such as the hour.
    """
    are, them = ("are", "them") if len(names) > 1 else ("is", "it")
    return (
        f"{_named(names)} {are} read as days. Where new rows have later dates than all of these, as new payments do, "
        f"the threshold may fail: leave {them} out with {_dropping(names)}, or replace {them} by what recurs, such as "
        "the hour."
    )


def _group_like(file: Path, names: Sequence[str]) -> list[str]:
    """Name the columns of a file whose values look like those of accounts: many of them, in several rows each."""
    from pauci.cli.score_columns import is_readable, read_texts

    found = []
    for name in names:
        texts = read_texts(file, name) if is_readable(file, name) else ()
        counts = Counter(text for text in texts if text is not None).values()
        rows, shared = sum(counts), sum(count for count in counts if count > 1)
        if len(counts) >= _FEWEST_GROUPS and len(counts) * _LARGEST_GROUPS >= rows and 2 * shared > rows:
            found.append(name)
    return found


def belonging(names: Sequence[str], *, learned: bool) -> str:
    """Ask whether rows that share a value of a column are those of one account, of which the model should know.

    Examples
    --------
    >>> print(belonging(["account"], learned=False))
    column 'account' is left out, and several rows share each of its values. If such rows are alike, as payments of one
    account are, the budget will be broken more often than promised: say --groups 'account'.
    """
    are, its = ("are", "their") if len(names) > 1 else ("is", "its")
    used, doubt = ("left out", "If such rows are alike, as payments of one account are, the budget will be broken")
    if learned:
        used, doubt = (
            "learned from",
            "If that is an account or the like, others will come, and the budget may be broken",
        )
    return (
        f"{_named(names)} {are} {used}, and several rows share each of {its} values. {doubt} more often than promised: "
        f"say --groups {names[0]!r}."
    )


def _named(names: Sequence[str]) -> str:
    listed = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    return f"column{'s' * (len(names) > 1)} {listed}"


def _dropping(names: Sequence[str]) -> str:
    return in_command_line_words(f"drop={list(names[:_SHOWN])!r}")
