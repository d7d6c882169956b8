"""Columns of one scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pauci.data.units import column_units

Array = NDArray[Any]


@dataclass(frozen=True)
class Scaling:
    """Subtract a mean from every column and divide it by a standard deviation.

    Indicators of categories keep their scale: divided by its deviation, a rare category would count as much as a column
    that tells something about every row, and a penalty would hardly hold it. Of other columns of zeros and ones nobody
    says whether they are such indicators; they are divided by the square root.

    Attributes
    ----------
    mean, scale : ndarray of shape (d,)
        Sparse matrices are not shifted: the mean is 0 then, and the scale a root mean square.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> Scaling.fit(X, None)(X)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    mean: Array
    scale: Array

    @classmethod
    def fit(cls, X: Any, weight: Array | None, *, categories: Array | None = None) -> "Scaling":
        """Measure the columns of a matrix; those that do not vary keep their scale, too."""
        share = np.full(X.shape[0], 1 / X.shape[0]) if weight is None else weight / weight.sum()
        unit = column_units(X)
        if sparse.issparse(X):
            mean, square = np.zeros(X.shape[1]), X.multiply(1 / unit).power(2).T @ share
        else:
            mean = share @ X
            # One column at a time: no second matrix.
            columns = zip(X.T, mean, unit, strict=True)
            square = np.array([share @ (column / size - centre / size) ** 2 for column, centre, size in columns])
        scale = np.sqrt(square) * unit
        # What rounding leaves of a constant column is no variation.
        constant = scale <= 1e-12 * np.maximum(np.abs(mean), np.finfo(np.float64).tiny)
        scale = np.where(_are_indicators(X), np.sqrt(scale), scale)
        kept = constant if categories is None else constant | categories
        return cls(mean, np.where(kept, 1.0, scale))

    def __call__(self, X: Any) -> Any:
        """Scale rows, dense or sparse; centred ones are dense."""
        if sparse.issparse(X):
            if not self.mean.any():
                return sparse.csr_matrix(X.multiply(1 / self.scale))
            X = X.toarray()
        return (X - self.mean) / self.scale


def _are_indicators(X: Any) -> NDArray[np.bool_]:
    """Tell which columns hold nothing but zeros and ones."""
    if sparse.issparse(X):
        others = X.tocsc(copy=True)
        others.data = (others.data != 0) & (others.data != 1)
        found: NDArray[np.bool_] = np.asarray(others.sum(axis=0)).ravel() == 0
        return found
    return np.array([bool(((column == 0) | (column == 1)).all()) for column in X.T])
