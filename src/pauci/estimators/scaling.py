"""Columns of one scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[Any]


@dataclass(frozen=True)
class Scaling:
    """Subtract a mean from every column and divide it by a standard deviation.

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
    def fit(cls, X: Any, weight: Array | None) -> "Scaling":
        """Measure the columns of a dense or sparse matrix; those that do not vary keep their scale."""
        share = np.full(X.shape[0], 1 / X.shape[0]) if weight is None else weight / weight.sum()
        if sparse.issparse(X):
            mean, square = np.zeros(X.shape[1]), X.multiply(X).T @ share
        else:
            mean = share @ X
            # One column at a time: no second matrix.
            square = np.array([share @ (column - centre) ** 2 for column, centre in zip(X.T, mean, strict=True)])
        scale = np.sqrt(square)
        # What rounding leaves of a constant column is no variation.
        constant = scale <= 1e-12 * np.maximum(np.abs(mean), np.finfo(np.float64).tiny)
        return cls(mean, np.where(constant, 1.0, scale))

    def __call__(self, X: Any) -> Any:
        """Scale rows of a matrix of the same kind."""
        if sparse.issparse(X):
            return sparse.csr_matrix(X.multiply(1 / self.scale))
        return (X - self.mean) / self.scale
