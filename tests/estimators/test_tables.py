import numpy as np
import pandas as pd
import pytest

from pauci.data import Column, TableEncoder
from pauci.errors import InputError
from pauci.estimators.encoding import Encoding
from pauci.estimators.frame import frame_columns, frame_matrix


def codes(rng, n, categories):
    return rng.integers(0, categories, size=n).astype(float)


@pytest.mark.parametrize("categories", [2, 5, 100])
def test_an_encoding_does_what_the_encoder_does(categories):
    rng = np.random.default_rng(categories)
    names = tuple(f"{k:03d}" for k in range(categories))
    columns = [
        Column("a", "numeric"),
        Column("b", "categorical", names),
        Column("c", "boolean"),
        Column("d", "categorical", ("x", "y", "z")),
    ]

    def rows(n):
        X = np.column_stack([rng.normal(5, 2, n), codes(rng, n, categories), codes(rng, n, 2), codes(rng, n, 3)])
        X[rng.random((n, 4)) < [0.2, 0.1, 0.0, 0.0]] = np.nan
        return X

    X = rows(300)
    new = np.vstack([rows(50), [[np.nan, -1, np.nan, np.nan], [1.0, 0, 1, -1]]])
    encoder, encoding = TableEncoder(columns).fit(X), Encoding.fit(X, columns)
    for matrix in (X, new):
        np.testing.assert_allclose(encoding(matrix), encoder.transform(matrix))


@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_columns_of_one_kind(kind):
    X = np.array([[0.0], [1.0], [1.0]])
    columns = [Column("a", kind, ("u", "v") if kind == "categorical" else ())]
    np.testing.assert_allclose(Encoding.fit(X, columns)(X), TableEncoder(columns).fit(X).transform(X))


def test_frames_of_every_type():
    frame = pd.DataFrame(
        {
            "number": [1.5, np.nan, 3.0],
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "flag": [True, False, True],
            "day": pd.to_datetime(["1970-01-02", None, "1970-01-11"]),
            "text": ["b", None, "a"],
            "category": pd.Categorical([7, 8, 7]),
        }
    )
    columns = frame_columns(frame)
    assert [column.kind for column in columns] == [
        "numeric",
        "numeric",
        "boolean",
        "date",
        "categorical",
        "categorical",
    ]
    matrix = frame_matrix(frame, columns)
    np.testing.assert_allclose(matrix[0], [1.5, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(matrix[1], [np.nan, np.nan, 0, np.nan, np.nan, 1])
    with pytest.raises(InputError, match="'number' holds infinity"):
        frame_matrix(frame.assign(number=np.inf), columns)
    with pytest.raises(InputError, match="'whole' held numbers"):
        frame_matrix(frame.assign(whole="x"), columns)
