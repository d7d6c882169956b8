"""From the columns of a table to the numbers a model can learn from."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from pauci.data.conversion import UNKNOWN
from pauci.data.schema import Column
from pauci.data.units import column_units
from pauci.errors import InputError

#: Rarer categories than the most frequent ones share one column.
_MOST_FREQUENT = 64


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fill gaps, scale numbers and encode categories: the first step of a pipeline.

    The encoder knows the columns of the table it was made for, so a pipeline that starts with it can read further files
    in the same way: ``read_table(path, target=None, columns=pipeline[0].columns)``.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the table, ``table.columns``.
    categorical : {"onehot", "ordinal"}
        "onehot" makes one column per category (the 64 most frequent; the others share one), for linear models and
        networks. "ordinal" makes one column of codes, with -1 for unknown and -2 for missing categories, for trees.

    Attributes
    ----------
    transformer_ : ColumnTransformer
        Numbers, dates and booleans get the median in place of missing values, an indicator where some were missing,
        then zero mean and unit variance. Categories are encoded as above; a category never seen counts as none of the
        others.

    Examples
    --------
    >>> columns = [Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))]
    >>> X = np.array([[20.0, 0.0], [40.0, 1.0]])
    >>> TableEncoder(columns).fit_transform(X)
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    """

    def __init__(self, columns: Sequence[Column], *, categorical: Literal["onehot", "ordinal"] = "onehot") -> None:
        self.columns = columns
        self.categorical = categorical

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn medians, scales and frequent categories.

        Parameters
        ----------
        X : array-like of shape (n, len(columns))
            ``table.X`` of the training rows.
        y : object
            Ignored.

        Returns
        -------
        TableEncoder
            This encoder.
        """
        if np.ndim(X) != 2 or np.shape(X)[1] != len(self.columns):
            raise InputError(f"X has shape {np.shape(X)}, but the table has {len(self.columns)} columns.")
        names = [i for i, column in enumerate(self.columns) if column.kind == "categorical"]
        numbers = [i for i, column in enumerate(self.columns) if column.kind != "categorical"]
        scaled = make_pipeline(
            SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), _Scaler()
        )
        both = ColumnTransformer(
            [("numbers", scaled, numbers), ("names", self._names(), names)], verbose_feature_names_out=False
        )
        # In here numbers are matrices, whatever scikit-learn is told that transformers return.
        self.transformer_ = both.set_output(transform="default").fit(X)
        self.n_features_in_ = len(self.columns)
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Encode rows.

        Parameters
        ----------
        X : array-like of shape (n, len(columns))
            ``table.X`` of a table read with the same columns.

        Returns
        -------
        ndarray of shape (n, n_outputs)
            Finite numbers.
        """
        check_is_fitted(self)
        encoded: NDArray[Any] = self.transformer_.transform(X)
        return encoded

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002 - as above
        """Return the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : object
            Ignored, because the columns are known.

        Returns
        -------
        ndarray of str
            Names of the columns of numbers, of the indicators of missing values, and of a column for each category, or
            one of codes.

        Examples
        --------
        >>> columns = [Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))]
        >>> TableEncoder(columns).fit([[20.0, 0.0], [np.nan, 1.0]]).get_feature_names_out().tolist()
        ['age', 'missingindicator_age', 'city_Bonn', 'city_Ulm']
        """
        check_is_fitted(self)
        names: NDArray[np.object_] = self.transformer_.get_feature_names_out([column.name for column in self.columns])
        return names

    def _names(self) -> OneHotEncoder | OrdinalEncoder:
        if self.categorical == "ordinal":
            return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
        if self.categorical != "onehot":
            raise InputError(f"categorical={self.categorical!r} is not known; use 'onehot' or 'ordinal'.")
        return OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=_MOST_FREQUENT,
            sparse_output=False,
            feature_name_combiner=partial(_output_name, {column.name: column.categories for column in self.columns}),
        )


def _output_name(categories: Mapping[str, tuple[str, ...]], column: str, code: Any) -> str:
    """Name the output for a code of a column, or for what scikit-learn calls infrequent."""
    known = categories.get(column, ())  # scikit-learn tries a made-up column first
    if isinstance(code, str):
        word = "others"
    elif np.isnan(code):
        word = "missing"
    elif code == UNKNOWN:
        word = "unknown"
    else:
        return f"{column}_{known[int(code)]}"
    while word in known:  # a category may be called so
        word += "_"
    return f"{column}_{word}"


class _Scaler(StandardScaler):  # type: ignore[misc]  # scikit-learn has no types
    """A `StandardScaler` that measures columns in units in which they have squares."""

    scale_: NDArray[Any]

    def fit(self, X: NDArray[Any], y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        unit = column_units(X)
        super().fit(X / unit)
        deviation = np.sqrt(self.var_)
        # Columns that do not vary keep their scale.
        self.scale_ = np.where(self.scale_ == deviation, deviation * unit, 1.0)
        self.mean_ *= unit
        return self
