"""Index sets of a labelled data set: long-tailed subsets, binary labels, stratified splits.

Every draw orders the instances by raw 64-bit output of PCG64, which numpy guarantees to stay the same; so a seed
means the same images on every platform and with every numpy version.
"""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pauci.errors import InputError, LabelError
from pauci.missing import missing_labels
from pauci.rounding import ROUNDING

IntArray = npt.NDArray[np.int64]


class Parts(NamedTuple):
    """Rows of the training, validation and test part."""

    train: IntArray
    val: IntArray
    test: IntArray


def long_tail(labels: npt.ArrayLike, ratio: float, *, seed: int = 0) -> IntArray:
    """Choose a subset whose class sizes decay exponentially.

    With K classes in sorted order, class k keeps ``floor(n * ratio ** (k / (K - 1)))`` instances, drawn at random,
    where n is the size of the largest class. A class that has fewer keeps all it has, and every class keeps at least
    one.

    Parameters
    ----------
    labels : array of shape (n,)
        Class of each instance: integers, strings, anything that sorts.
    ratio : float
        Size of the last class relative to the first, in (0, 1].
    seed : int, default 0
        Seed that decides which instances are drawn; the sizes do not depend on it.

    Returns
    -------
    array of int64
        Rows that are kept, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.repeat([0, 1, 2], 100)
    >>> np.bincount(labels[long_tail(labels, 0.01)])
    array([100,  10,   1])
    """
    if not 0 < ratio <= 1:
        raise InputError(f"ratio={ratio!r} must be in (0, 1]: the size of the last class relative to the first.")
    classes = _shuffled_classes(labels, seed)
    largest = max(map(len, classes))
    kept = [
        rows[: max(1, math.floor(largest * ratio ** (rank / max(1, len(classes) - 1)) + ROUNDING))]
        for rank, rows in enumerate(classes)
    ]
    return np.sort(np.concatenate(kept))


def one_vs_rest(labels: npt.ArrayLike, positive_ids: Collection[Any] | int | str) -> npt.NDArray[np.uint8]:
    """Make labels binary: some classes are positive, the rest negative.

    Parameters
    ----------
    labels : array of shape (n,)
        Class of each instance.
    positive_ids : collection, int or str
        The classes, or the one class, that count as positive; each must occur, and so must at least one other class.

    Returns
    -------
    array of uint8
        1 where the class is positive, else 0.

    Examples
    --------
    >>> one_vs_rest([3, 1, 2, 3], {3})
    array([1, 0, 0, 1], dtype=uint8)
    """
    values = _checked(labels)
    if hasattr(positive_ids, "tolist"):  # an array or a tensor
        positive_ids = positive_ids.tolist()
    ids: list[Any] = (
        [positive_ids]
        if isinstance(positive_ids, str) or not isinstance(positive_ids, Collection)
        else list(positive_ids)
    )
    if absent := [value for value in ids if not np.any(values == value)]:
        raise LabelError(
            f"positive_ids={ids!r}: no instance has the class {absent[0]!r}; check the ids and their type."
        )
    positive = np.isin(values, ids)
    if not ids or positive.all():
        raise LabelError(
            f"positive_ids={ids!r} leave one class only: {int(positive.sum())} of {len(positive)} instances are "
            "positive. Name at least one class, and not all of them."
        )
    return positive.astype(np.uint8)


def stratified_split(labels: npt.ArrayLike, *, train: float = 0.7, val: float = 0.15, seed: int = 0) -> Parts:
    """Split at random into training, validation and test parts, class by class.

    Of the n instances of a class, ``int(train * n)`` go into training and ``round(val * n)`` into validation; the rest
    is the test part. Both products are computed in double precision, because the published sizes are:
    ``int(0.7 * 170)`` is 118, since 0.7 * 170 falls just short of 119.

    Parameters
    ----------
    labels : array of shape (n,)
        Class of each instance.
    train, val : float
        Shares of each class; together at most 1.
    seed : int, default 0
        Seed that decides which instances go where; the sizes do not depend on it.

    Returns
    -------
    Parts
        Rows `train`, `val` and `test`, each ascending; together they hold every row once.

    Examples
    --------
    >>> import numpy as np
    >>> [len(rows) for rows in stratified_split(np.repeat([0, 1], [1000, 30]))]
    [721, 154, 155]
    """
    if not (train > 0 and val >= 0 and train + val <= 1):
        raise InputError(f"train={train!r}, val={val!r} must be shares of each class that add up to at most 1.")
    parts: tuple[list[IntArray], ...] = ([], [], [])
    for rows in _shuffled_classes(labels, seed):
        first = int(train * len(rows))
        second = min(len(rows), first + round(val * len(rows)))
        for part, chosen in zip(parts, np.split(rows, [first, second]), strict=True):
            part.append(chosen)
    return Parts(*(np.sort(np.concatenate(part)) for part in parts))


def _shuffled_classes(labels: npt.ArrayLike, seed: int) -> list[IntArray]:
    """Rows of each class in random order, classes in sorted order."""
    _, codes = np.unique(_checked(labels), return_inverse=True)
    keys = np.random.PCG64(seed).random_raw(len(codes))
    order = np.lexsort((keys, codes)).astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def _checked(labels: npt.ArrayLike) -> npt.NDArray[Any]:
    values = np.asarray(labels)
    if values.ndim != 1 or len(values) == 0:
        raise LabelError(f"labels must be one-dimensional and not empty, but their shape is {values.shape}.")
    if missing_labels(labels, values).any():
        raise LabelError("labels contain missing ones (NaN, NaT or None); drop the instances without a class first.")
    return values
