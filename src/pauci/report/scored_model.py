"""A model as a report knows it: a name, and scores of labelled cases."""

from dataclasses import dataclass, field

import numpy as np

from pauci.errors import InputError
from pauci.metrics.inputs import Array, ArrayLike, read_labels, read_scores, to_numpy
from pauci.metrics.sample import Sample


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """Scores of one model on labelled cases, checked.

    Parameters
    ----------
    name : str
        Name of the model in the report.
    y_true : array-like of shape (n,)
        Labels: bool, {0, 1} or {-1, 1}; at least two of each class.
    y_score : array-like of shape (n,)
        Scores, higher for positives.
    groups : array-like of shape (n,), optional
        What was sampled independently (patients, accounts), if not the single cases.

    Attributes
    ----------
    sample : Sample
        The scores separated by class.

    Examples
    --------
    >>> model = ScoredModel("logistic", [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8])
    >>> model.n_positive, model.n_negative
    (2, 2)
    """

    name: str
    y_true: ArrayLike
    y_score: ArrayLike
    groups: ArrayLike | None = None
    sample: Sample = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"name={self.name!r} must be text: it is what the report calls the model.")
        column = f"y_score of {self.name!r}"
        object.__setattr__(self, "y_true", read_labels(self.y_true))
        object.__setattr__(self, "y_score", read_scores(self.y_score, name=column))
        object.__setattr__(self, "sample", Sample.read(self.y_true, {column: self.y_score}, groups=self.groups))

    @property
    def positives(self) -> Array:
        """Scores of the positives."""
        return self.sample.scores[0].positives

    @property
    def negatives(self) -> Array:
        """Scores of the negatives."""
        return self.sample.scores[0].negatives

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return len(self.positives)

    @property
    def n_negative(self) -> int:
        """Number of negatives."""
        return len(self.negatives)

    def shares_cases_with(self, other: "ScoredModel") -> bool:
        """Whether both have the same labels and groups, row by row, and so can be compared in pairs.

        Parameters
        ----------
        other : ScoredModel
            Another model.

        Returns
        -------
        bool
            False also where only one of them has groups.

        Examples
        --------
        >>> first = ScoredModel("a", [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8])
        >>> first.shares_cases_with(ScoredModel("b", [0, 1, 0, 1], [0.1, 0.4, 0.3, 0.8]))
        False
        """
        if self.groups is None or other.groups is None:
            same_groups = self.groups is other.groups
        else:
            same_groups = np.array_equal(to_numpy(self.groups), to_numpy(other.groups))
        return same_groups and np.array_equal(to_numpy(self.y_true), to_numpy(other.y_true))
