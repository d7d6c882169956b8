"""The test of a difference over ten overlapping splits."""

import math

import numpy as np
from numpy.typing import NDArray

from pauci.errors import InputError
from pauci.metrics.comparison import Comparison, student_comparison
from pauci.metrics.standard_error import StandardError
from pauci.studies.paired import LEVEL

#: How many independent splits those of 5x2 cross-validation are worth.
_WORTH = 3


def compare_splits(differences: NDArray[np.float64], parts: NDArray[np.float64]) -> Comparison:
    """Mean difference over the splits of a table, with an interval that knows that they share their rows.

    Ten splits of one table are no ten samples: their differences agree because the rows are the same, and Student's
    test over them would mistake that for certainty. The variance of their mean has two parts. What another sample of
    rows would change is seen from `parts`: each block of rows moves the mean over all splits by the mean of its
    effects, and blocks are independent. What other training rows would change is seen from the spread over the splits.
    Any two training halves of different divisions share half of their rows, so that ten splits are worth only two or
    three: a third of their variance is added. That covers training noise up to six tenths of the noise of testing.

    Of the usual tests over the ten differences alone, the 5x2 F and t tests do not keep their level where training is
    noisy (they reject true hypotheses twice as often as they should), and Nadeau and Bengio's keeps it by assuming
    so much overlap that it finds little.

    Parameters
    ----------
    differences : ndarray of shape (splits,)
        First minus second model, on each test half.
    parts : ndarray of shape (splits, blocks)
        The same difference, of the contributions of every block of rows (see `judge`).

    Returns
    -------
    Comparison
        With as many degrees of freedom as there are blocks, less one. Models that never differ have p-value 1.

    Examples
    --------
    >>> result = compare_splits(np.array([0.02, 0.04]), np.array([[0.005, -0.005], [0.003, -0.003]]))
    >>> round(result.difference, 4), round(result.p_value, 3)
    (0.03, 0.232)
    """
    error = StandardError(split_error(differences, parts), parts.shape[1] - 1)
    return student_comparison(float(np.mean(differences)), error, level=LEVEL)


def split_error(differences: NDArray[np.float64], parts: NDArray[np.float64]) -> float:
    """Return the standard error of the mean over splits, as `compare_splits` uses it.

    Examples
    --------
    >>> split_error(np.zeros(2), np.zeros((2, 3)))
    0.0
    """
    splits, blocks = parts.shape
    if len(differences) != splits or splits < 2 or blocks < 2:
        raise InputError(f"parts has shape {parts.shape}, expected ({len(differences)}, at least 2 blocks), 2 splits.")
    of_rows = float((parts.mean(axis=0) ** 2).sum()) * blocks / (blocks - 1)
    of_training = float(np.var(differences, ddof=1)) / _WORTH
    return math.sqrt(of_rows + of_training)
