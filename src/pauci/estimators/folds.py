"""Which rows judge a model that was fitted without them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

#: Parts that data are judged in; fewer where a class is too small.
_PARTS = 5
#: From so many rows on one held-out part tells enough, and fitting five times costs too much.
_LARGE = 250_000
#: Share of the rows that is held out then.
_HELD_OUT = 0.25
#: Groups of each class that every part needs.
_GROUPS_PER_PART = 2


@dataclass(frozen=True)
class Folds:
    """Rows divided into parts, each judged by a model that has seen neither it nor an equal row.

    Attributes
    ----------
    part : ndarray of int of shape (n,)
        Part that a row is judged in, from 0; -1 for rows that are only ever fitted on.

    Examples
    --------
    >>> folds = Folds(np.array([0, 1, 0, 1]))
    >>> [(fitted.tolist(), judged.tolist()) for fitted, judged in folds]
    [([1, 3], [0, 2]), ([0, 2], [1, 3])]
    """

    part: IntArray

    @property
    def number(self) -> int:
        """How many parts there are; 0 where there is too little to judge."""
        return int(self.part.max()) + 1

    def __iter__(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Rows to fit on and rows to judge, once for every model: of a hold-out all parts share one."""
        if not self.number:
            return
        if (self.part < 0).any():
            yield np.flatnonzero(self.part < 0), np.flatnonzero(self.part >= 0)
            return
        for number in range(self.number):
            yield np.flatnonzero(self.part != number), np.flatnonzero(self.part == number)


def make_folds(y: NDArray[Any], fingerprints: NDArray[np.uint64], *, weight: NDArray[Any] | None = None) -> Folds:
    """Divide rows into stratified parts that have no row in common, not even an equal one.

    Five parts, each judged by a model fitted on the others; fewer if a class has fewer than two groups of equal rows
    for each; none if it has fewer than four. From 250,000 rows on, a quarter is held out from one model, and judged in
    five parts, unless a class has too few groups for that. Rows that are equal stay together, and where a row goes
    depends on its content alone.

    Weights count in the balance of the parts.

    Examples
    --------
    >>> folds = make_folds(np.repeat([1, 0], [10, 90]), np.arange(100, dtype=np.uint64))
    >>> folds.number, np.bincount(folds.part)
    (5, array([20, 20, 20, 20, 20]))
    """
    names, group = np.unique(fingerprints, return_inverse=True)
    size = np.ones(len(y)) if weight is None else weight
    positives = np.bincount(group, weights=size * (y > 0), minlength=len(names))
    rows = np.bincount(group, weights=size, minlength=len(names))
    has_positive, has_negative = positives > 0, rows > positives
    smaller = min(int(has_positive.sum()), int(has_negative.sum()))
    number = min(_PARTS, smaller // _GROUPS_PER_PART)
    if number < 2:
        return Folds(np.full(len(y), -1))
    # Of a hold-out only the first of every so many slots are judged; with few groups these would be too few.
    for slots in (round(number / _HELD_OUT), number) if len(y) >= _LARGE else (number,):
        slot = np.empty(len(names), dtype=np.int64)
        for stratum, amount in ((has_positive, positives), (~has_positive, rows)):
            slot[stratum] = _dealt(amount[stratum], slots)
        scarcest = min(np.bincount(slot[has], minlength=slots)[:number].min() for has in (has_positive, has_negative))
        if scarcest >= _GROUPS_PER_PART:
            return Folds(np.where(slot < number, slot, -1)[group])
    return Folds(np.full(len(y), -1))


def _dealt(amounts: NDArray[Any], slots: int) -> IntArray:
    """Slots of about equal amounts and numbers of groups: largest first, to and fro, in their order if equal."""
    place = np.empty(len(amounts), dtype=np.int64)
    place[np.argsort(-amounts, kind="stable")] = np.arange(len(amounts))
    turn, step = np.divmod(place, slots)
    return np.where(turn % 2 == 0, step, slots - 1 - step)
