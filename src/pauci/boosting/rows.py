"""One class's rows as the surrogates take them, and what they give back."""

from typing import NamedTuple

import numpy as np

from pauci.boosting.selection import Selection
from pauci.boosting.workers import Array, Workers


class ClassRows(NamedTuple):
    """Rows of one class.

    Attributes
    ----------
    score : ndarray
        Their scores.
    weight : ndarray or None
        Their sample weights.
    """

    score: Array
    weight: Array | None

    def shares(self, selection: Selection, workers: Workers) -> Array:
        """Return the selected rows' weights in a mean over the selection; they sum to 1 over all workers.

        Examples
        --------
        >>> from pauci.boosting.workers import ALONE
        >>> some = Selection(np.array([0, 2]), np.array([1.0, 0.5]))
        >>> ClassRows(np.zeros(3), np.array([1.0, 5.0, 6.0])).shares(some, ALONE)
        array([0.25, 0.75])
        """
        share = selection.part if self.weight is None else selection.part * self.weight[selection.rows]
        total: Array = workers.total(share.sum(keepdims=True, dtype=np.float64))
        return share / float(total[0])


class RowGradient(NamedTuple):
    """Derivatives in the scores of some rows of a class; those of all others are 0.

    Attributes
    ----------
    rows : ndarray of int, or slice
        Positions in the class.
    first, second : ndarray
        Gradient and Hessian bound.
    """

    rows: Array | slice
    first: Array
    second: Array
