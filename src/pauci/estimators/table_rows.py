"""Rows as numbers and codes: from a DataFrame, from a matrix whose columns are described, or from a plain one."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d, validate_data

from pauci.data import Column
from pauci.errors import InputError
from pauci.estimators.frame import frame_columns, frame_matrix, is_frame
from pauci.estimators.unseen import UnseenValues, UnseenWarning
from pauci.metrics.inputs import read_classes

#: In so many rows a column that is filled in one of a hundred is not empty by chance.
_MANY = 1000


def table_columns(described: Sequence[Column] | None, X: Any) -> tuple[Column, ...] | None:
    """Tell what the columns of a table are, as described or as a DataFrame says itself; None for a plain matrix.

    Raises
    ------
    InputError
        These are no descriptions, but perhaps names.

    Examples
    --------
    >>> table_columns(None, [[1.0, 2.0]]) is None
    True
    """
    if described is not None:
        if not all(isinstance(column, Column) for column in described):
            raise InputError(
                f"columns={described!r} must be descriptions, such as read_table(path, target=...).columns or "
                "[Column('age', 'numeric')]; to fit on some columns of a DataFrame, select them: X[['age']]."
            )
        return tuple(described)
    return frame_columns(X) if is_frame(X) else None


def training_rows(estimator: Any, X: Any, y: Any, columns: Sequence[Column] | None, **checks: Any) -> tuple[Any, Any]:
    """Check rows and labels to fit on; the estimator notes number and names of the columns.

    `columns` is None for a plain matrix; checks are of a matrix, as for `sklearn.utils.check_array`.
    """
    if y is not None and not hasattr(y, "tocsr"):
        read_classes(y, name="y")  # as they came: validation drops masks, and makes words of gaps among words
    if columns is None:
        rows, labels = validate_data(estimator, X, y, **checks)
        return rows, labels
    labels = column_or_1d(y, warn=True)
    matrix = table_rows(estimator, X, columns, reset=True, **checks)
    check_consistent_length(matrix, labels)
    return matrix, labels


def table_rows(estimator: Any, X: Any, columns: Sequence[Column] | None, *, reset: bool = False, **checks: Any) -> Any:
    """Check rows, as those that an estimator was fitted on; `reset` has it note number and names of the columns anew.

    Arguments are those of `training_rows`. Values are NaN where missing, and -1 for a category that is not among a
    column's own.

    Raises
    ------
    InputError
        These are other columns, or a matrix is given for categories that it could only hold as codes of our own.

    Warns
    -----
    UnseenWarning
        Names of a DataFrame's categories are lost, or mostly others than those of the fit.
    """
    if columns is None:
        return validate_data(estimator, X, reset=reset, **checks)
    # After a fit on a matrix, DataFrames are read by the names of its columns, which scikit-learn does not know.
    if reset or not is_frame(X) or hasattr(estimator, "feature_names_in_"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    if is_frame(X):
        matrix = frame_matrix(X, columns)
        if not reset:
            _doubt(matrix, columns)
        return matrix
    names = [column.name for column in columns if column.kind == "categorical"]
    if names and hasattr(estimator, "feature_names_in_"):
        raise InputError(
            f"X is no DataFrame, but the fit was on one with categories ({', '.join(map(repr, names[:3]))}): their "
            "values in a matrix cannot be told from codes. Pass a DataFrame."
        )
    matrix = check_array(X, **checks)
    if matrix.shape[1] != len(columns):
        raise InputError(f"X has {matrix.shape[1]} columns, but {len(columns)} are described in columns=.")
    return matrix


def _doubt(matrix: Any, columns: Sequence[Column]) -> None:
    """Warn of categories that are all missing, or mostly unknown: the model takes them for what it never saw."""
    named = [place for place, column in enumerate(columns) if column.categories]
    if len(matrix) < _MANY:  # a column that is seldom filled may be empty
        named = [place for place in named if not np.isnan(matrix[:, place]).all()]
    if named:
        unseen = UnseenValues([columns[place] for place in named])
        unseen.add(matrix[:, named])
        for doubt in unseen.doubts():
            warnings.warn(f"X: {doubt}", UnseenWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """Count the frames up to the caller of this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pauci":
        frame, level = frame.f_back, level + 1
    return level
