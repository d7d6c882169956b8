"""Units in which columns have squares: those of numbers beyond 1e154 are none, and those below 1e-162 are 0."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def column_units(X: Any) -> NDArray[np.float64]:
    """Return a power of two for each column of finite numbers, near its largest absolute value.

    Dividing by it loses no digit.

    Examples
    --------
    >>> column_units(np.array([[3.0, -1e-3], [-5.0, 0.0]])).tolist()
    [4.0, 0.0009765625]
    """
    largest, smallest = X.max(axis=0), X.min(axis=0)
    if sparse.issparse(X):
        largest, smallest = largest.toarray().ravel(), smallest.toarray().ravel()
    _, exponents = np.frexp(np.maximum(largest, -smallest).astype(np.float64))
    units: NDArray[np.float64] = np.ldexp(1.0, np.clip(exponents - 1, -1022, 1022))
    return units
