"""A fitted `TableEncoder` as plain arrays, which can be written to a file and read again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data import Column, TableEncoder

Array = NDArray[Any]


@dataclass(frozen=True)
class Encoding:
    """What a fitted `TableEncoder` does to a matrix of numbers and codes.

    Attributes
    ----------
    columns : tuple of Column
        The columns of the matrix.
    fill : ndarray
        For each column that is no category: what stands in for missing values.
    indicated : ndarray of int
        Which of these columns are followed by an indicator of missing values.
    mean, scale : ndarray
        Subtracted from, and divided out of, those columns and indicators.
    codes, places : ndarray
        Of every known code of every categorical column, column after column: the code (NaN for missing), and its place
        among the outputs of that column, -1 for none.
    known : ndarray of int
        How many codes each categorical column knows.
    unknown : ndarray of int
        For each categorical column: the place of codes never seen, -1 for none.
    widths : ndarray of int
        Outputs of each categorical column.
    """

    columns: tuple[Column, ...]
    fill: Array
    indicated: Array
    mean: Array
    scale: Array
    codes: Array
    places: Array
    known: Array
    unknown: Array
    widths: Array

    @classmethod
    def fit(cls, X: Array, columns: Sequence[Column]) -> "Encoding":
        """Fit a `TableEncoder` on numbers and codes, as `read_table` gives them, and take it apart.

        Examples
        --------
        >>> columns = [Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))]
        >>> Encoding.fit(np.array([[20.0, 0.0], [40.0, 1.0]]), columns)(np.array([[np.nan, 1.0]]))
        array([[0., 0., 1.]])
        """
        fitted = dict(TableEncoder(columns).fit(X).transformer_.named_transformers_)
        empty = np.empty(0)
        numbers = {"fill": empty, "indicated": empty.astype(int), "mean": empty, "scale": empty}
        if any(column.kind != "categorical" for column in columns):
            imputer, scaler = fitted["numbers"]
            numbers = {
                "fill": imputer.statistics_,
                "indicated": imputer.indicator_.features_,
                "mean": scaler.mean_,
                "scale": scaler.scale_,
            }
        tables = []
        if any(column.kind == "categorical" for column in columns):
            # Which output a code has is read off the encoder itself, code by code.
            names = fitted["names"]
            starts = np.cumsum([0, *(len(_outputs(names, place)) for place in range(len(names.categories_)))])
            for place, codes in enumerate(names.categories_):
                probe = np.tile([each[0] for each in names.categories_], (len(codes) + 1, 1))
                probe[:-1, place], probe[-1, place] = codes, -2
                shown = names.transform(probe)[:, starts[place] : starts[place + 1]]
                where = np.where(shown.any(axis=1), shown.argmax(axis=1), -1)
                tables.append((codes, where, shown.shape[1]))
        return cls(
            columns=tuple(columns),
            **numbers,
            codes=np.concatenate([codes for codes, _, _ in tables]) if tables else empty,
            places=np.concatenate([where[:-1] for _, where, _ in tables]) if tables else empty.astype(int),
            known=np.array([len(codes) for codes, _, _ in tables], dtype=int),
            unknown=np.array([where[-1] for _, where, _ in tables], dtype=int),
            widths=np.array([width for _, _, width in tables], dtype=int),
        )

    @property
    def categories(self) -> NDArray[np.bool_]:
        """Which outputs indicate categories: the last ones."""
        return np.repeat([False, True], [len(self.mean), self.widths.sum()])

    def __call__(self, X: Array) -> Array:
        """Encode rows of numbers and codes."""
        is_name = np.array([column.kind == "categorical" for column in self.columns])
        numbers, names = X[:, ~is_name], X[:, is_name]
        missing = np.isnan(numbers)
        filled = np.hstack([np.where(missing, self.fill, numbers), missing[:, self.indicated]])
        parts = [(filled - self.mean) / self.scale]
        ends = np.cumsum(self.known)
        for place, end in enumerate(ends):
            known = slice(end - self.known[place], end)
            parts.append(self._one_hot(names[:, place], self.codes[known], self.places[known], place))
        return np.hstack(parts)

    def _one_hot(self, values: Array, codes: Array, places: Array, column: int) -> Array:
        # Codes are sorted, missing last, which is where numpy sorts NaN to as well.
        found = np.minimum(np.searchsorted(codes, values), len(codes) - 1)
        same = (codes[found] == values) | (np.isnan(codes[found]) & np.isnan(values))
        output = np.where(same, places[found], self.unknown[column])
        hot = np.zeros((len(values), self.widths[column]))
        rows = np.flatnonzero(output >= 0)
        hot[rows, output[rows]] = 1.0
        return hot


def _outputs(encoder: Any, place: int) -> Any:
    """Names of the outputs of one column of a `OneHotEncoder`."""
    infrequent = encoder.infrequent_categories_[place]
    known = encoder.categories_[place]
    return known if infrequent is None else known[: len(known) - len(infrequent) + 1]
