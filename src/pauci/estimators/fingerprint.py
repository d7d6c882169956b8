"""Numbers by which rows are grouped and ordered, whatever their place in the table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Odd constants of the finalizer of splitmix64 (Steele, Lea and Flood, 2014).
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))

#: Rows that occur at least so often will occur again.
_COMMON = 10


def row_fingerprints(X: Any, *, seed: int = 0) -> NDArray[np.uint64]:
    """Hash every row, so that equal rows, and only they, have equal numbers.

    Rows can be grouped, and put into a random order, by these numbers: neither depends then on where a row stands or
    on how often it occurs, as it must be if a weight is to mean the same as repetitions.

    0 and -0 are equal. Another seed gives another order. Of a million different rows two coincide with a probability of
    3e-8.

    Examples
    --------
    >>> first, second, third = row_fingerprints(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])).tolist()
    >>> first == third, first == second
    (True, False)
    """
    keys = np.random.default_rng(seed).integers(0, 2**63, size=X.shape[1], dtype=np.uint64)
    # A sum over the cells that are not 0: the same for dense and for sparse rows.
    if sparse.issparse(X):
        rows = X.tocoo()
        cells = _mixed(rows.data, keys[rows.col])
        total = np.zeros(X.shape[0], dtype=np.uint64)
        np.add.at(total, rows.row, cells)
    else:
        total = np.zeros(len(X), dtype=np.uint64)
        for column, key in zip(np.asarray(X).T, keys, strict=True):
            total += _mixed(column, key)
    return _scrambled(total)


def apart_if_common(fingerprints: NDArray[np.uint64], positive: NDArray[Any]) -> NDArray[np.uint64]:
    """Give each of the rows that occur often a number of its own.

    Equal rows that are few stay together, or a model would be judged on what it may know by heart. What occurs ten
    times or more, as in tables of a few bands and categories, will occur again: a model that has never seen it would
    be judged by what it will never have to do.

    Labels count because equal rows of one class are interchangeable. Numbers of rarer rows stay as they are.

    Examples
    --------
    >>> numbers = apart_if_common(np.repeat(np.array([3, 7], dtype=np.uint64), [9, 10]), np.arange(19) % 2 > 0)
    >>> len(np.unique(numbers[:9])), len(np.unique(numbers[9:]))
    (1, 10)
    """
    _, group, sizes = np.unique(fingerprints, return_inverse=True, return_counts=True)
    common = np.flatnonzero(sizes[group] >= _COMMON)
    order = common[np.lexsort((positive[common], group[common]))]
    first = np.searchsorted(group[order], group[order])
    occurrence = (np.arange(len(order)) - first + 1).astype(np.uint64)
    numbers = fingerprints.copy()
    numbers[order] = _scrambled(fingerprints[order] + occurrence * _MIX[0])
    return numbers


def _mixed(values: NDArray[Any], key: Any) -> NDArray[np.uint64]:
    exact = np.ascontiguousarray(values, dtype=np.float64)
    return np.where(exact == 0, np.uint64(0), _scrambled(exact.view(np.uint64) ^ key))


def _scrambled(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, factor in zip((np.uint64(30), np.uint64(27)), _MIX, strict=True):
        bits = (bits ^ (bits >> shift)) * factor
    return bits ^ (bits >> np.uint64(31))
