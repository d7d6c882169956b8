"""Rows that occur more than once, which must not end up on both sides of a split."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pauci.errors import InputError


def group_duplicates(X: ArrayLike) -> NDArray[np.int64]:
    """Give equal rows of a matrix, and only equal rows, the same group number.

    Real tables often hold many equal rows. A random split puts some of these into both parts, and the test then rewards
    what was learnt by heart. Split by these groups instead, for example with scikit-learn's `StratifiedGroupKFold`.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Numbers; missing values equal each other, and so do 0 and -0.

    Returns
    -------
    ndarray of shape (n,)
        Group numbers from 0, in the order of first appearance. Computing them takes time in proportion to n.

    Examples
    --------
    >>> group_duplicates([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    array([0, 1, 0])
    """
    matrix = np.asarray(X)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise InputError(f"X has shape {matrix.shape} and type {matrix.dtype}, expected a matrix of numbers (n, d).")
    if matrix.shape[1] == 0:
        return np.zeros(len(matrix), dtype=np.int64)
    if matrix.dtype.kind == "f":
        matrix = np.where(np.isnan(matrix), np.nan, matrix + 0.0).astype(matrix.dtype)  # one bit pattern each
    rows = np.ascontiguousarray(matrix).view(np.dtype((np.void, matrix.dtype.itemsize * matrix.shape[1])))
    groups: dict[Any, int] = {}
    return np.fromiter((groups.setdefault(row, len(groups)) for row in rows.ravel().tolist()), np.int64, len(matrix))
