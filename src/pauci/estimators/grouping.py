"""What rows belong to that are not independent: patients, accounts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from pauci.metrics.groups import Groups

Array = NDArray[Any]


def group_numbers(groups: Any, positive: Array) -> Array | None:
    """Give the groups that rows belong to numbers; None if every row is a case of its own.

    Raises
    ------
    InputError, TooFewSamplesError
        Labels are missing, or all rows of a class belong to one group.

    Examples
    --------
    >>> group_numbers(["bob", "ann", "bob", "eve"], np.array([True, True, False, False]))
    array([1., 0., 1., 2.])
    """
    if groups is None:
        return None
    check_consistent_length(groups, positive)
    found, numbers = Groups.of(groups, positive), np.empty(len(positive))
    numbers[positive], numbers[~positive] = found.positives, found.negatives
    return None if found.number == len(positive) else numbers
