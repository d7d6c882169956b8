"""The column that is to be predicted: which of its values is the positive class."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauci.data.conversion import BOOLEAN_WORDS, parse_number
from pauci.data.table_file import TableFile, Values, check_known, number_text, suggest
from pauci.errors import LabelError
from pauci.positive_class import EVIDENT

#: Different values after which a target is no class label.
_MANY = 1000

UNLABELED = -1


@dataclass(frozen=True)
class Target:
    """A target column and the spelling of its positive value."""

    name: str
    positive: str

    def labels(self, values: Values) -> NDArray[np.int64]:
        """1 for the positive class, 0 for others, -1 where missing."""
        known = sorted(values.distinct())
        labels = [int(spelling(text) == self.positive) for text in known]
        return np.array([*labels, UNLABELED, UNLABELED], dtype=np.int64)[values.positions(known)]


def find_target(file: TableFile, name: str, positive: object = None) -> Target:
    """Decide which value of the target is the positive class, looking at all of them.

    A positive value that is given makes every other negative. It is needed unless the values are 0/1, -1/1, false/true
    or no/yes.
    """
    seen = SeenTarget(file, name, positive)
    for block in file.blocks([name]):
        seen.add(block[name])
    return seen.decided()


class SeenTarget:
    """What is known about a target after some blocks (parameters as for `find_target`)."""

    def __init__(self, file: TableFile, name: str, positive: object = None) -> None:
        check_known([name], file)
        self.name = name
        self._path = file.path
        self._positive = positive
        self._values: set[str] = set()

    def add(self, values: Values) -> None:
        """Look at the next block."""
        self._values |= {spelling(text) for text in values.distinct()}
        if len(self._values) > _MANY and self._positive is None:
            raise LabelError(
                f"{self._path}: target {self.name!r} has more than {_MANY:,} different values, for example "
                f"{_listed(self._values)}; name a column of class labels, or the positive class with positive=VALUE "
                "(--positive VALUE)."
            )

    def decided(self) -> Target:
        """Return the column and its positive value, all blocks having been added."""
        values, positive, target = self._values, self._positive, f"{self._path}: target {self.name!r}"
        if len(values) < 2:
            raise LabelError(f"{target} holds {_listed(values) or 'no value'} only; two classes are needed.")
        if positive is None:
            for negative, usual in EVIDENT:
                if values == {negative, usual}:
                    return Target(self.name, usual)
            raise LabelError(
                f"{target} holds {_listed(values)}; which one is the positive class? Say so with positive=VALUE "
                "(--positive VALUE on the command line); all others then are negative."
            )
        wanted = spelling(str(positive))
        if isinstance(positive, bool | np.bool_) and wanted not in values:
            wanted = str(int(positive))
        if wanted not in values:
            raise LabelError(
                f"{self._path}: positive={positive!r} is not a value of {self.name!r}{suggest(wanted, sorted(values))}"
            )
        refuse_twins(target, values, wanted)
        return Target(self.name, wanted)


def refuse_twins(where: str, values: Collection[str], positive: str) -> None:
    """Raise where some of several negative labels is the positive one but for upper and lower case.

    Labels are each in one spelling; the error begins with `where`, the file and the column.

    Examples
    --------
    >>> refuse_twins("t.csv: target 'state'", {"fraud", "FRAUD", "ok"}, "fraud")
    Traceback (most recent call last):
    pauci.errors.LabelError: t.csv: target 'state' holds 'FRAUD', which would be negative beside the positive 'fraud';
    spell both alike.
    >>> refuse_twins("t.csv: target 'allele'", {"a", "A"}, "A")
    """
    twins = [text for text in sorted(values) if text != positive and text.casefold() == positive.casefold()]
    if twins and len(values) > 2:
        raise LabelError(
            f"{where} holds {_listed(twins)}, which would be negative beside the positive {positive!r}; spell both "
            "alike."
        )


def spelling(text: str) -> str:
    """One spelling for 1, 1.0 and +1, and for True and true."""
    if text.lower() in BOOLEAN_WORDS:
        return text.lower()
    try:
        return number_text(parse_number(text))
    except ValueError:
        return text.strip()


def _listed(values: Iterable[str]) -> str:
    ordered = sorted(values)
    return ", ".join(map(repr, ordered[:10])) + (f", ... ({len(ordered)} values)" if len(ordered) > 10 else "")
