import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from pauci.data import Column, TableEncoder, read_table
from pauci.errors import InputError

COLUMNS = (
    Column("age", "numeric"),
    Column("city", "categorical", ("Bonn", "Kiel", "Ulm")),
    Column("flag", "boolean"),
    Column("never", "date"),
)
X = np.array([[20, 0, 1, np.nan], [40, 1, 0, np.nan], [np.nan, np.nan, np.nan, np.nan], [60, 1, 0, np.nan]])


def test_numbers_are_filled_and_scaled():
    encoded = TableEncoder(COLUMNS).fit(X).transform(X)
    assert np.isfinite(encoded).all()
    np.testing.assert_allclose(encoded.mean(axis=0)[:3], 0, atol=1e-12)
    assert encoded[2, 0] == encoded[1, 0]  # the median


@pytest.mark.parametrize("encoding", ["onehot", "ordinal"])
def test_unknown_and_missing_categories_are_told_apart(encoding):
    encoder = TableEncoder(COLUMNS, categorical=encoding).fit(X)
    rows = np.array([[30, code, 1, 0] for code in (0, 1, np.nan, -1)], dtype=np.float32)
    encoded = encoder.transform(rows)
    assert np.isfinite(encoded).all()
    assert len(np.unique(encoded, axis=0)) == 4
    unseen = encoder.transform(
        np.array([[30, 2, 1, 0]], dtype=np.float32)
    )  # in the schema, but not in the training rows
    np.testing.assert_array_equal(unseen[0], encoded[3])


def test_rare_categories_share_a_column():
    columns = [Column("id", "categorical", tuple(map(str, range(500))))]
    codes = np.concatenate([np.arange(500), np.arange(50).repeat(3)])[:, None]
    assert TableEncoder(columns).fit_transform(codes).shape == (650, 64)
    assert TableEncoder(columns, categorical="ordinal").fit_transform(codes).shape == (650, 1)


def test_travels_with_the_pipeline(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.3f},{'abc'[i % 3]},{'yes' if i % 3 == 2 else 'no'}\n" for i in range(60)]
    (tmp_path / "old.csv").write_text("x,kind,y\n" + "".join(lines))
    (tmp_path / "new.csv").write_text("kind,x\nc,0\na,\nunheard of,0\n")
    table = read_table(tmp_path / "old.csv", target="y")
    pipeline = clone(make_pipeline(TableEncoder(table.columns), LogisticRegression())).fit(table.X, table.y)
    new = read_table(tmp_path / "new.csv", target=None, columns=pipeline[0].columns)
    high, low, middle = pipeline.predict_proba(new.X)[:, 1]
    assert high > 0.8
    assert low < 0.2
    assert low < middle < high


@pytest.mark.parametrize("columns", [COLUMNS[:1], COLUMNS[1:2]])
def test_one_kind_alone(columns):
    encoded = TableEncoder(columns).fit_transform(X[:, : len(columns)])
    assert len(encoded) == 4


@pytest.mark.parametrize("encoding", ["onehot", "ordinal"])
def test_outputs_have_names(encoding):
    encoder = TableEncoder(COLUMNS, categorical=encoding).fit(X)
    numbers = ["age", "flag", "never", "missingindicator_age", "missingindicator_flag", "missingindicator_never"]
    names = ["city_Bonn", "city_Kiel", "city_missing"] if encoding == "onehot" else ["city"]
    assert encoder.get_feature_names_out().tolist() == [*numbers, *names]
    plain = encoder.transform(X)
    framed = encoder.set_output(transform="pandas").transform(X)
    assert framed.columns.tolist() == [*numbers, *names]
    np.testing.assert_array_equal(framed, plain)


def test_names_of_rare_and_unknown_categories():
    columns = [Column("id", "categorical", tuple(map(str, range(500))))]
    codes = np.concatenate([np.arange(500), np.arange(50).repeat(3), [-1] * 5])[:, None]
    names = TableEncoder(columns).fit(codes).get_feature_names_out().tolist()
    assert len(names) == 64
    assert (names[0], names[1], names[-1]) == ("id_unknown", "id_0", "id_others")


def test_names_of_categories_are_none_of_ours():
    columns = [Column("id", "categorical", ("missing", "others", *map(str, range(100))))]
    codes = np.concatenate([np.arange(102), np.arange(50), [np.nan]])[:, None]
    encoder = TableEncoder(columns).fit(codes)
    names = encoder.get_feature_names_out().tolist()
    assert len(names) == len(set(names)) == encoder.transform(codes).shape[1]
    assert {"id_missing", "id_others", "id_others_"} <= set(names)
    few = TableEncoder(columns).fit([[0.0], [np.nan]])
    assert few.get_feature_names_out().tolist() == ["id_missing", "id_missing_"]


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_frames_asked_for_everywhere_change_no_number(output):
    plain = TableEncoder(COLUMNS).fit_transform(X)
    with sklearn.config_context(transform_output=output), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="sklearn")  # pandas deprecates what scikit-learn uses
        framed = TableEncoder(COLUMNS).fit_transform(X)
    assert type(framed).__name__ == "DataFrame"
    np.testing.assert_array_equal(np.asarray(framed), plain)


def test_errors():
    with pytest.raises(InputError, match=r"X has shape \(4, 2\).*4 columns"):
        TableEncoder(COLUMNS).fit(X[:, :2])
    with pytest.raises(InputError, match="categorical='hash'"):
        TableEncoder(COLUMNS, categorical="hash").fit(X)
    with pytest.raises(NotFittedError):
        TableEncoder(COLUMNS).transform(X)


@pytest.mark.parametrize("exponent", [-900, 900])
def test_columns_whose_squares_are_no_numbers_are_scaled_like_others(exponent):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50), np.full(50, 3.0)])
    X[::7, 0] = np.nan
    columns = [Column("x", "numeric"), Column("same", "numeric")]
    near, far = TableEncoder(columns).fit(X), TableEncoder(columns).fit(np.ldexp(X, exponent))
    assert np.array_equal(far.transform(np.ldexp(X, exponent)), near.transform(X))
    assert far.transform([[0.0, 5.0]])[0, 1] == pytest.approx(5.0 - np.ldexp(3.0, exponent))  # it does not vary
