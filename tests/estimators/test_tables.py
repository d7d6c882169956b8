import re
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone

from pauci.boosting import PartialAUCBooster
from pauci.data import Column, TableEncoder, read_table
from pauci.errors import InputError, LabelError, MissingExtraError
from pauci.estimators import PartialAUCClassifier, UnseenWarning
from pauci.estimators.encoding import Encoding
from pauci.estimators.frame import as_frame, frame_columns, frame_matrix


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


@pytest.mark.parametrize(
    "values",
    [
        [Decimal("1.5"), None, Decimal(4)],
        [Fraction(3, 2), np.nan, Fraction(4)],
        [1.5, None, 4],
        [np.float32(1.5), pd.NA, np.int8(4)],
    ],
)
def test_numbers_held_as_objects_are_numbers(values):
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    columns = frame_columns(frame)
    assert columns == (Column("a", "numeric"),)
    np.testing.assert_array_equal(frame_matrix(frame, columns)[:, 0], [1.5, np.nan, 4.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "values",
    [
        pd.Series([date(1970, 1, 2), None, date(9999, 12, 31)], dtype=object),
        pd.Series([datetime(1970, 1, 2), np.nan, date(9999, 12, 31)], dtype=object),
        pd.Series(
            [datetime(1970, 1, 2, 5, tzinfo=timezone(timedelta(hours=5))), pd.NaT, datetime(9999, 12, 31, tzinfo=UTC)]
        ),
        pd.Series([date(1970, 1, 2), None, date(9999, 12, 31)], dtype=pd.ArrowDtype(pa.date32())),
    ],
    ids=["days", "days and times", "zones", "arrow"],
)
def test_dates_held_as_objects_are_dates(values):
    frame = pd.DataFrame({"day": values.astype(object) if values.dtype.kind == "M" else values})
    columns = frame_columns(frame)
    assert columns == (Column("day", "date"),)
    np.testing.assert_array_equal(frame_matrix(frame, columns)[:, 0], [1.0, np.nan, 2932896.0])
    assert frame_columns(frame.astype(str))[0].kind == "categorical"


@pytest.mark.parametrize("value", [20240131, 1706659200.0, True, np.int64(3), Decimal(3)])
def test_numbers_among_objects_are_no_dates(value):
    values = pd.Series([value, None, pd.NaT, pd.NA], dtype=object)
    with pytest.raises(InputError, match=r"column 'day' held dates when fitting, but now: .* is no date"):
        frame_matrix(pd.DataFrame({"day": values}), [Column("day", "date")])


def test_objects_that_are_not_all_numbers_are_categories():
    frame = pd.DataFrame(
        {"a": pd.Series([1, "x", 2.5], dtype=object), "b": pd.Series([True, None, False], dtype=object)}
    )
    assert [column.categories for column in frame_columns(frame)] == [("1", "2.5", "x"), ("False", "True")]
    with pytest.raises(InputError, match=r"'a' held numbers.*too large"):
        frame_matrix(pd.DataFrame({"a": pd.Series([10**400], dtype=object)}), [Column("a", "numeric")])


MANY = range(60)


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "U"],
        [38, 39, 40, "S", "M"],
        [*[f"{number:05d}" for number in MANY] * 2, "K1A"],  # codes of places: whole numbers as texts
        [f"city {number}" for number in MANY] * 2,
        [[number] for number in MANY] * 2,
        pd.Series(["DE", "FR"]).astype(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        pd.Series([f"{number}.5" for number in MANY]).astype(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    ],
)
def test_codes_are_categories(values):
    frame = pd.DataFrame({"a": values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)})
    (column,) = frame_columns(frame)
    assert column.kind == "categorical"
    assert set(column.categories) == set(frame.a.astype(str))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([*MANY, "n/a"], "has 'n/a', but most of its values are numbers: .*pandas.to_numeric"),
        ([*(f"{number}.5" for number in MANY), "?"], r"has '\?', but most of its values are numbers: .*to_numeric"),
        ([f"{number / 7:.4f}" for number in MANY], "holds numbers as texts: .*pandas.to_numeric"),
        ([*pd.date_range("2024-01-01", periods=60).astype(str), "never"], "has 'never', but .* dates: .*to_datetime"),
        ([f"P{number}" for number in MANY], "holds 60 different texts in 60 rows; an identifier"),
    ],
)
def test_many_numbers_dates_and_identifiers_are_no_categories_unless_they_are_said_to_be(values, told):
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    with pytest.raises(InputError, match=f"X: column 'a' {told}"):
        frame_columns(frame)
    assert frame_columns(frame.astype("category"))[0].kind == "categorical"


def test_booleans_are_read_from_objects_and_from_nothing_but_yes_and_no():
    columns = [Column("b", "boolean")]
    for other in ([1, 0.0, None], ["yes", "NO", None], [True, np.bool_(False), pd.NA]):
        again = pd.DataFrame({"b": pd.Series(other, dtype=object)})
        np.testing.assert_array_equal(frame_matrix(again, columns)[:, 0], [1.0, 0.0, np.nan])
    for odd in (pd.Series([1, 2]), pd.Series([0.5, np.nan]), pd.Series([-1, 1], dtype=object)):
        with pytest.raises(InputError, match=r"'b' held yes/no or true/false when fitting, but now (2|0\.5|-1)"):
            frame_matrix(odd.to_frame("b"), columns)


def test_names_are_found_whatever_blanks_and_spellings_of_yes_and_no():
    columns = [Column("a", "categorical", ("no", "yes")), Column("b", "categorical", ("?", "DE", "no"))]
    frame = pd.DataFrame(
        {"a": pd.Series(["yes ", True, "No", 0, 1.0, "perhaps", "n/a"], dtype=object), "b": [" DE"] * 5 + ["No", "?"]}
    )
    expected = [[1, 1, 0, 0, 1, -1, np.nan], [1, 1, 1, 1, 1, -1, 0]]
    np.testing.assert_array_equal(frame_matrix(frame, columns), np.transpose(expected))
    assert frame_columns(pd.DataFrame({"b": ["DE", " DE", "FR "]}))[0].categories == ("DE", "FR")
    kept = frame_matrix(pd.DataFrame({"b": ["DE  ", "DE"]}), [Column("b", "categorical", ("DE  ", "FR"))])
    assert kept[0, 0] == 0, "as earlier versions have written it"


@pytest.mark.parametrize("rows", [19, 200, 1000])
def test_frames_whose_categories_are_lost_or_new_are_warned_of(rows):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=rows), "city": rng.choice(["Ulm", "Bonn"], rows)})
    y = frame.a + (frame.city == "Ulm") + rng.normal(size=rows) > 1
    model = PartialAUCClassifier(max_fpr=0.5, confidence=None, shares=(), random_state=0).fit(frame, y)
    told = {  # with how many rows they are no chance
        20: (frame.assign(city=frame.city.str.lower()), "X: column 'city': 100% of .* are they spelled as then"),
        1000: (frame.assign(city=None), "X: column 'city' has no values"),
    }
    for enough, (other, words) in told.items():
        for use in (model.predict, model.decision_function, model.predict_proba):
            with pytest.warns(UnseenWarning, match=words) if rows >= enough else nullcontext() as caught:
                use(other)
            assert rows < enough or {Path(each.filename) for each in caught} == {Path(__file__)}, "the caller's line"
    model.predict(frame.assign(city=np.where(np.arange(rows) % 2, "Rom", frame.city)))  # half of them are known
    seldom = frame.assign(city=np.where(np.arange(rows) % 50, None, "Rom"))
    with pytest.warns(UnseenWarning, match="100% of 20 values") if rows == 1000 else nullcontext():
        model.predict(seldom)


def test_durations_are_seconds():
    frame = pd.DataFrame({"wait": [timedelta(minutes=1), None, timedelta(milliseconds=500)]})
    columns = frame_columns(frame)
    assert columns == (Column("wait", "numeric"),)
    expected = [[60.0], [np.nan], [0.5]]
    for unit in ("ms", "ns"):
        np.testing.assert_array_equal(frame_matrix(frame.astype(f"timedelta64[{unit}]"), columns), expected)
    np.testing.assert_array_equal(frame_matrix(pd.DataFrame({"wait": [60.0, np.nan, 0.5]}), columns), expected)


@pytest.mark.parametrize("fitted", [int, float, str])
@pytest.mark.parametrize("new", [int, float, str])
def test_whole_numbers_are_the_same_category_as_integers_and_floats(fitted, new):
    frame = pd.DataFrame({"code": pd.Categorical([fitted(value) for value in (1, 2, -3)])})
    columns = frame_columns(frame)
    later = pd.DataFrame({"code": pd.Series([new(-3), None, new(1), new(7)], dtype=object)})
    codes = frame_matrix(later, columns)[:, 0]
    names = [name.removesuffix(".0") for name in columns[0].categories]
    np.testing.assert_array_equal(codes, [names.index("-3"), np.nan, names.index("1"), -1])


def test_categories_that_only_look_like_the_same_number_stay_apart():
    columns = [Column("code", "categorical", ("01", "1", "1.0"))]
    codes = frame_matrix(pd.DataFrame({"code": ["1.0", "1", "01", "01.0", "1.5", "1.00"]}), columns)
    np.testing.assert_array_equal(codes[:, 0], [2, 1, 0, -1, -1, -1])


def test_arrow_tables_are_read_as_frames_are():
    frame = pd.DataFrame(
        {
            "city": ["Ulm", None, "Bonn"],
            "price": [Decimal("1.50"), None, Decimal("2.25")],
            "day": pd.to_datetime(["1970-01-02", None, "1970-01-11"]),
        }
    )
    table = pa.Table.from_pandas(frame).set_column(2, "day", pa.array(frame["day"].dt.date, pa.date32()))
    columns = frame_columns(as_frame(table))
    assert columns == frame_columns(frame)
    np.testing.assert_array_equal(frame_matrix(as_frame(table), columns), frame_matrix(frame, columns))
    assert as_frame(frame) is frame


def test_polars_frames_are_read_like_those_of_pandas():
    frame = pd.DataFrame(
        {
            "age": [31.0, 40.0, None],
            "city": ["Ulm", None, "Bonn"],
            "old": [True, False, True],
            "day": pd.to_datetime(["1970-01-02", None, "1970-01-11"]),
        }
    )
    other = pl.DataFrame(
        {
            "age": [31, 40, None],
            "city": ["Ulm", None, "Bonn"],
            "old": [True, False, True],
            "day": [date(1970, 1, 2), None, date(1970, 1, 11)],
        }
    )
    columns = frame_columns(as_frame(other))
    assert columns == frame_columns(frame)
    np.testing.assert_array_equal(frame_matrix(as_frame(other), columns), frame_matrix(frame, columns))


@pytest.mark.parametrize("model", [PartialAUCClassifier(max_fpr=0.2), PartialAUCBooster(max_fpr=0.2, max_rounds=20)])
def test_estimators_take_polars_frames_with_categories(model):
    rng = np.random.default_rng(0)
    city = rng.choice(["Ulm", "Bonn", "Rom"], 300)
    columns = {"x": rng.normal(size=300), "city": city}
    y = (columns["x"] + (city == "Ulm") + rng.normal(size=300)) > 1.5
    fitted = clone(model).set_params(random_state=0).fit(pl.DataFrame(columns), y)
    same = clone(model).set_params(random_state=0).fit(pd.DataFrame(columns), y)
    scores = same.decision_function(pd.DataFrame(columns))
    for one in (fitted, same):
        np.testing.assert_array_equal(one.decision_function(pl.DataFrame(columns)), scores)
    assert fitted.feature_names_in_.tolist() == ["x", "city"]


def test_arrow_tables_without_pandas_name_it():
    class Table:
        column_names = ("a",)

        def to_pandas(self, **_):
            raise ModuleNotFoundError("No module named 'pandas'")

    with pytest.raises(MissingExtraError, match="pip install pandas"):
        as_frame(Table())


def test_dates_of_any_year():
    days = pd.DataFrame({"d": pd.Series(np.array(["2020-01-01", "9999-12-31", "1500-01-01"], dtype="datetime64[us]"))})
    found = frame_matrix(days, [Column("d", "date")])[:, 0]
    assert found.tolist() == [18262, 2932896, -171664]


def test_periods_are_the_dates_they_begin_on():
    periods = pd.DataFrame({"month": pd.period_range("1970-01", periods=3, freq="M").insert(1, pd.NaT)})
    columns = frame_columns(periods)
    assert columns == (Column("month", "date"),)
    np.testing.assert_array_equal(frame_matrix(periods, columns)[:, 0], [0, np.nan, 31, 59])


@pytest.mark.parametrize("use", [frame_columns, lambda frame: frame_matrix(frame, [Column("wave", "numeric")])])
def test_complex_numbers_are_refused(use):
    with pytest.raises(InputError, match="column 'wave' holds complex numbers; give their real"):
        use(pd.DataFrame({"wave": [1.0, 2j, 3.0]}))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", object])
def test_integers_that_floats_round_are_refused_as_in_files(dtype):
    column = [Column("account", "numeric")]
    frame = pd.DataFrame({"account": pd.Series([5, 2**53, 2**60], dtype=dtype)})
    assert frame_matrix(frame, column)[:, 0].tolist() == [5, 2**53, 2**60]
    frame.loc[1, "account"] = 2**53 + 1
    with pytest.raises(InputError, match="'account' has 9007199254740993, which float64 rounds to 9007199254740992"):
        frame_matrix(frame, column)


def test_columns_are_found_by_name():
    columns = [Column("a", "numeric"), Column("b", "categorical", ("u", "v"))]
    frame = pd.DataFrame({"b": ["v", "u"], "a": [1, 2]})
    expected = [[1, 1], [2, 0]]
    assert frame_matrix(frame, columns).tolist() == expected
    assert frame_matrix(frame[["a", "b"]].set_axis([0, 1], axis=1), columns).tolist() == expected
    for wrong, words in (
        (frame[["a"]], "missing ['b'], too many []"),
        (frame.assign(c=1), "missing [], too many ['c']"),
        (frame.rename(columns={"a": "A"}), "missing ['a'], too many ['A']"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            frame_matrix(wrong, columns)
    with pytest.raises(InputError, match="no columns"):
        frame_matrix(frame[[]], columns)
    with pytest.raises(InputError, match="no rows"):
        frame_matrix(frame[:0], columns)


def test_columns_of_one_name_keep_their_order():
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    assert frame_matrix(frame, frame_columns(frame)).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("date", [1577836800, 1577836801], "held dates when fitting, but now int64"),
        ("date", ["31.12.2024", "01.01.2025"], "held dates when fitting"),
        ("numeric", pd.to_datetime(["2020-01-01", "2020-01-02"]), "held numbers when fitting, but now dates"),
        ("boolean", pd.to_datetime(["2020-01-01", "2020-01-02"]), "held yes/no or true/false .* now dates"),
        ("boolean", ["yes", "maybe"], "held yes/no or true/false when fitting, but now: .*'maybe'"),
    ],
)
def test_columns_that_change_their_kind_are_named(kind, values, words):
    with pytest.raises(InputError, match=rf"column 'seen' {words}"):
        frame_matrix(pd.DataFrame({"seen": values}), [Column("seen", kind)])


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_booleans_may_be_the_words_that_files_have_for_them(dtype):
    words = pd.Series(["yes", "No ", "TRUE", None, "false"], dtype=dtype)
    found = frame_matrix(pd.DataFrame({"flag": words}), [Column("flag", "boolean")])
    np.testing.assert_array_equal(found[:, 0], [1, 0, 1, np.nan, 0])
    mixed = pd.DataFrame({"flag": [True, "no", 1, 0.0]})
    assert frame_matrix(mixed, [Column("flag", "boolean")])[:, 0].tolist() == [1, 0, 1, 0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_dates_may_be_texts_with_and_without_a_zone(dtype, tmp_path):
    texts = ["2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", "2024-05-01 10:00", "2024-05-01", None]
    texts += ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00", " 2024-05-01 "]
    frame = pd.DataFrame({"day": pd.Series(texts, dtype=dtype), "y": [0, 1] * 4})
    found = frame_matrix(frame[["day"]], [Column("day", "date")])
    assert found[:3, 0] == pytest.approx(found[3, 0] + 10 / 24)
    frame.to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_array_equal(found, read_table(tmp_path / "t.csv", target="y", dtype="float64").X)


@pytest.mark.parametrize("word", ["now", " Today"])
def test_the_moment_of_scoring_is_no_date(word):
    with pytest.raises(InputError, match=f"column 'day' held dates when fitting, but now: '{word.strip()}' is no date"):
        frame_matrix(pd.DataFrame({"day": ["2024-05-01", word]}), [Column("day", "date")])


def test_dates_may_all_be_missing():
    for empty in (pd.Series([None, None], dtype=object), pd.Series([np.nan, np.nan])):
        assert np.isnan(frame_matrix(pd.DataFrame({"d": empty}), [Column("d", "date")])).all()


def test_names_that_repeat_cannot_be_put_in_order():
    columns = [Column(name, "numeric") for name in ("a", "a", "b")]
    assert frame_matrix(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), columns).tolist() == [[1, 2, 3]]
    with pytest.raises(InputError, match="Select them by name"):
        frame_matrix(pd.DataFrame([[3, 1, 2]], columns=["b", "a", "a"]), columns)


@pytest.mark.parametrize("model", [PartialAUCClassifier(), PartialAUCBooster()])
def test_frames_without_rows_yet_are_refused_in_plain_words(model):
    frame = pl.DataFrame({"city": ["Ulm", "Bonn"] * 20, "age": range(40)}).lazy()
    with pytest.raises(InputError, match=r"LazyFrame.* pass X\.collect\(\)"):
        model.fit(frame, [0, 1] * 20)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_what_transformers_are_told_to_return_changes_no_score(output):
    frame = pd.DataFrame({"x": [0.0, None, 2.0, 3.0] * 30, "city": ["Ulm", "Bonn"] * 60})
    y = np.arange(120) % 4 == 3
    model = PartialAUCClassifier(max_fpr=0.5, shares=(1.0,), confidence=None, random_state=0)
    scores = clone(model).fit(frame, y).decision_function(frame)
    with sklearn.config_context(transform_output=output):
        np.testing.assert_array_equal(clone(model).fit(frame, y).decision_function(frame), scores)


@pytest.mark.parametrize("model", [PartialAUCClassifier(0.5, shares=(1.0,)), PartialAUCBooster(0.5, max_rounds=5)])
@pytest.mark.filterwarnings("error:X has feature names")
def test_frames_are_read_by_the_names_of_described_columns(model):
    columns = (Column("x", "numeric"), Column("city", "categorical", ("Bonn", "Ulm")))
    X, y = np.column_stack([np.arange(120) % 7, np.arange(120) % 2]).astype(float), np.arange(120) % 4 == 3
    fitted = clone(model).set_params(columns=columns, confidence=None, random_state=0).fit(X, y)
    frame = pd.DataFrame({"city": ["Bonn", "Ulm"] * 60, "x": X[:, 0]})
    np.testing.assert_array_equal(fitted.decision_function(frame), fitted.decision_function(X))
    with pytest.raises(InputError, match=r"missing \['x'\], too many \['key'\]"):
        fitted.predict(frame.rename(columns={"x": "key"}))


@pytest.mark.parametrize("model", [PartialAUCClassifier(columns=["x"]), PartialAUCBooster(columns=["x"])])
def test_names_in_the_place_of_descriptions_are_refused_in_plain_words(model):
    with pytest.raises(InputError, match=r"columns=\['x'\] must be descriptions.*select them: X\[\['age'\]\]"):
        model.fit(pd.DataFrame({"x": np.arange(20.0), "z": 1.0}), np.arange(20) % 2)


@pytest.mark.parametrize("model", [PartialAUCClassifier(0.5, shares=(1.0,)), PartialAUCBooster(0.5, max_rounds=5)])
def test_what_is_missing_is_seen_before_validation_makes_something_of_it(model):
    X, y = np.random.default_rng(0).normal(size=(80, 2)), np.arange(80) % 2
    mask = np.arange(80) < 3
    masked = np.ma.masked_array(X, mask=np.c_[mask, mask])
    with pytest.raises(InputError, match="masked"):
        clone(model).fit(X, np.ma.masked_array(y, mask=mask))
    with pytest.raises(InputError, match="X is a masked array"):
        clone(model).fit(masked, y)
    with pytest.raises(InputError, match="sample_weight is a masked array"):
        clone(model).fit(X, y, sample_weight=np.ma.masked_array(np.ones(80), mask=mask))
    for labels in (["yes" if each else np.nan for each in y], pd.array([None, *map(str, y[1:])], dtype="string")):
        with pytest.raises(LabelError, match="y "):
            clone(model).fit(X, labels)
    as_objects = clone(model).set_params(confidence=None, random_state=0).fit(X, (y == 1).astype(object))
    assert as_objects.classes_.tolist() == [False, True]
