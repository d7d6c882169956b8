"""A fitted estimator together with the table it was fitted on: enough to score any file alike."""

import copy
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.boosting import PartialAUCBooster
from pauci.data.schema import Column
from pauci.data.table import iter_table
from pauci.data.table_file import open_table, suggest
from pauci.errors import FileFormatError
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.unseen import Range, UnseenValues, UnseenWarning
from pauci.region import Region

Array = NDArray[Any]

#: Rows that are read and scored at a time.
ROWS = 65_536


@dataclass(frozen=True)
class TabularModel:
    """Model of tables that reads its columns by name, prepares them, scores rows, and decides within the budget.

    Attributes
    ----------
    estimator : PartialAUCClassifier or PartialAUCBooster
        Estimator fitted on the matrix of a `Table`, with its columns.
    target, positive : str
        The column that the model learned to predict, and the value of its positive class.
    source : str
        Digest of the file that the model was fitted on (`file_digest`); empty if unknown.
    ranges : tuple of Range
        Ranges that held nearly all numbers of each column (`usual_ranges`); empty if unknown.

    Examples
    --------
    >>> X, y = np.arange(200.0)[:, None] % 37, np.arange(200) % 37 > 20
    >>> classifier = PartialAUCClassifier(max_fpr=0.3, confidence=None, columns=[Column("age", "numeric")])
    >>> model = TabularModel(classifier.fit(X, y), target="fraud", positive="yes")
    >>> model.score(np.array([[2.0], [35.0]])) >= 0
    array([False,  True])
    """

    estimator: PartialAUCClassifier | PartialAUCBooster
    target: str
    positive: str
    source: str = ""
    ranges: tuple[Range, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that the model reads."""
        if isinstance(self.estimator, PartialAUCBooster):
            return self.estimator.columns_ or ()
        return () if self.estimator.encoding_ is None else self.estimator.encoding_.columns

    @property
    def region(self) -> Region:
        """The region that the model was fitted for."""
        return self.estimator.region

    def score(self, X: Any) -> Array:
        """Score rows, relative to the threshold.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n, len(columns))
            The matrix of a `Table` with these columns, in double precision; or a frame of them, in any order.

        Returns
        -------
        ndarray of shape (n,)
            At least 0 where the decision is for the positive class.
        """
        estimator = copy.copy(self.estimator)
        # One that was fitted on a DataFrame takes a matrix for nameless rows, and refuses its codes.
        estimator.__dict__.pop("feature_names_in_", None)
        return np.asarray(estimator.decision_function(X), dtype=np.float64)

    def probability(self, score: Array) -> Array:
        """Calibrated probability of the positive class.

        Parameters
        ----------
        score : ndarray of shape (n,)
            What the method `score` returned.

        Returns
        -------
        ndarray of shape (n,)
            Probabilities, which rank rows as their scores do.
        """
        return np.asarray(self.estimator.calibration_(score + self.estimator.threshold_.threshold))

    def iter_scores(self, path: str | os.PathLike[str], *, rows: int = ROWS) -> Iterator[Array]:
        """Score a file of any size, part by part.

        Parameters
        ----------
        path : path-like
            The table, as for `iter_rows`, whose errors it raises.
        rows : int
            Rows per part.

        Returns
        -------
        iterator of ndarray
            Scores of consecutive rows.

        Warns
        -----
        UnseenWarning
            At the end, about every column that has no values, or mostly values that were not there, or not usual, when
            the model was fitted.
        """
        return self._watched(self.iter_rows(path, rows=rows))

    def iter_rows(self, path: str | os.PathLike[str], *, rows: int = ROWS) -> Iterator[Array]:
        """Read the rows that `score` takes from a file of any size, part by part.

        Parameters
        ----------
        path : path-like
            A table with the model's columns, in any order; other columns are ignored.
        rows : int
            Rows per part.

        Returns
        -------
        iterator of ndarray
            Consecutive rows.

        Raises
        ------
        FileFormatError
            At once if columns are missing; later, naming the line, if a value is not of its column's kind.
        """
        names = open_table(path).names
        if missing := [column.name for column in self.columns if column.name not in names]:
            others = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            instead = suggest(missing[0], names, taken=[column.name for column in self.columns])
            raise FileFormatError(f"{path} has no column {missing[0]!r}{others}, which the model reads{instead}")
        parts = iter_table(path, columns=self.columns, dtype="float64", rows=rows)
        return (part.X for part in parts)

    def score_file(self, path: str | os.PathLike[str]) -> Array:
        """Score all rows of a file; warns as `iter_scores` does.

        Parameters
        ----------
        path : path-like
            The table, as for `iter_rows`.

        Returns
        -------
        ndarray of shape (n,)
            At least 0 where the decision is for the positive class.
        """
        return np.concatenate(list(self.iter_scores(path)))

    def extra_columns(self, path: str | os.PathLike[str]) -> list[str]:
        """Return the names of a file's columns that the model does not read, except the target.

        Parameters
        ----------
        path : path-like
            The table.

        Returns
        -------
        list of str
            Names in the order of the file.
        """
        known = {self.target, *(column.name for column in self.columns)}
        return [name for name in open_table(path).names if name not in known]

    def _watched(self, parts: Iterator[Array]) -> Iterator[Array]:
        unseen = UnseenValues(self.columns, self.ranges)
        for X in parts:
            unseen.add(X)
            yield self.score(X)
        for doubt in unseen.doubts():
            warnings.warn(doubt, UnseenWarning, stacklevel=3)
