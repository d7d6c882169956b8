"""Which instances belong together: patients, accounts, households."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from pauci.errors import InputError, TooFewSamplesError
from pauci.metrics.inputs import Array, ArrayLike, check_length, to_numpy
from pauci.missing import missing_labels


@dataclass(frozen=True)
class Groups:
    """Group of every positive and every negative, as numbers from 0.

    Attributes
    ----------
    positives, negatives : ndarray of int
        Group of each instance of either class.
    number : int
        How many groups there are.

    Examples
    --------
    >>> Groups.of(["ann", "bob", "ann", "eve"], np.array([True, True, False, False]))
    Groups(positives=array([0, 1]), negatives=array([0, 2]), number=3)
    """

    positives: Array
    negatives: Array
    number: int

    @classmethod
    def of(cls, groups: ArrayLike, positive: Array) -> Self:
        """Read one group label per instance; `positive` marks the positives."""
        labels = to_numpy(groups)
        if labels.ndim != 1:
            raise InputError(f"groups has shape {labels.shape}, expected one label per instance.")
        check_length("groups", labels, positive)
        if missing_labels(groups, labels).any():
            raise InputError("groups holds missing values; give every instance a group, or drop those without one.")
        try:
            names, index = np.unique(labels, return_inverse=True)
        except TypeError:
            raise InputError("groups holds labels of several types; use one type.") from None
        both = cls(index[positive], index[~positive], len(names))
        for name, members in (("positives", both.positives), ("negatives", both.negatives)):
            if len(np.unique(members)) < 2:
                raise TooFewSamplesError(
                    f"groups: all {name} are in one group, so how they vary between groups cannot be seen; "
                    "at least 2 groups must hold positives and at least 2 negatives."
                )
        return both
