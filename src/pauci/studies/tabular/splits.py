"""Splits of a table that keep equal rows together and both classes in proportion."""

import numpy as np
from numpy.typing import NDArray

from pauci.errors import TooFewSamplesError

#: Five times two halves, each half once the one to train on.
SPLITS = 10


def halves(y: NDArray[np.int64], groups: NDArray[np.int64], split: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on and rows to test on.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels, 0 and 1.
    groups : ndarray of shape (n,)
        Numbers from 0; rows of one group stay together.
    split : int
        From 0 to 9: splits 2r and 2r + 1 are the two directions of the r-th division.

    Returns
    -------
    tuple of ndarray
        Row numbers, in their order in the table.

    Examples
    --------
    >>> train, test = halves(np.array([0, 0, 0, 0, 1, 1]), np.arange(6), 0)
    >>> len(train), len(test)
    (3, 3)
    >>> bool((halves(np.array([0, 0, 0, 0, 1, 1]), np.arange(6), 1)[0] == test).all())
    True
    """
    part = deal(y, groups, 2, seed=split // 2)
    return np.flatnonzero(part == split % 2), np.flatnonzero(part != split % 2)


def deal(y: NDArray[np.int64], groups: NDArray[np.int64], parts: int, *, seed: int) -> NDArray[np.int64]:
    """Deal groups of rows out to parts, as one deals cards: those that look alike one after the other.

    Groups look alike when they have as many rows and as many positives. Unlike a greedy assignment this takes time in
    proportion to the number of groups.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels, 0 and 1.
    groups : ndarray of shape (n,)
        Numbers from 0.
    parts : int
        Number of parts.
    seed : int
        Decides which of those alike goes where.

    Returns
    -------
    ndarray of shape (n,)
        The part of each row.

    Raises
    ------
    TooFewSamplesError
        There are not enough groups of either class for every part to have one.

    Examples
    --------
    >>> y, groups = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 2, 3, 4, 5, 6])
    >>> part = deal(y, groups, 2, seed=0)
    >>> bool(part[0] == part[1]), int(part[4:].sum())
    (True, 2)
    """
    rng = np.random.default_rng([seed, parts])
    size = np.bincount(groups)
    positives = np.bincount(groups, weights=y).astype(np.int64)
    for name, having in (("positive", positives > 0), ("negative", positives < size)):
        if np.count_nonzero(having) < parts:
            raise TooFewSamplesError(
                f"there are {np.count_nonzero(having)} different {name} rows, too few for {parts} parts with one each."
            )
    # Large groups first, so that small ones even out what they leave; random order among those alike.
    order = np.lexsort((rng.random(len(size)), size, positives))[::-1]
    rounds = -(-len(size) // parts)
    turns = rng.permuted(np.tile(np.arange(parts), (rounds, 1)), axis=1).ravel()[: len(size)]
    part_of_group = np.empty(len(size), dtype=np.int64)
    part_of_group[order] = turns
    return part_of_group[groups]
