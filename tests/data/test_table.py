import csv
import gzip
import json
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.data import Column, csv_file, infer_columns, iter_table, read_columns, read_table
from pauci.errors import FileFormatError, InputError, LabelError, MissingExtraError

cities = ["Ulm", "Bad Ems", 'the "Hague"', "Paris, TX", "line\nbreak", "Zürich"]
numbers = st.one_of(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(-(2**24), 2**24))
rows = st.tuples(
    st.none() | numbers,
    st.none() | st.sampled_from(cities),
    st.none() | st.booleans(),
    st.none() | st.dates().map(str),
    st.booleans(),
)


def expected_matrix(table):
    """Build by hand what reading must give."""
    known = sorted({row[1] for row in table} - {None})
    day = np.datetime64("1970-01-01")

    def floats(row):
        number, city, flag, date, _ = row
        yield np.nan if number is None else number
        yield np.nan if city is None else known.index(city)
        yield np.nan if flag is None else flag
        yield np.nan if date is None else (np.datetime64(date) - day).astype(int)

    return np.array([list(floats(row)) for row in table], dtype=np.float32)


@st.composite
def tables(draw):
    """Rows in which no column is empty and the target has two classes."""
    first = [(0.5, "Ulm", True, "2024-02-29", True), (-3, "Zürich", False, "1969-12-31", False)]
    return draw(st.permutations(first + draw(st.lists(rows, max_size=20))))


def write_csv(path, table):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["number", "city", "flag", "date", "y"])
        writer.writerows(table)


def write_parquet(path, table):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    number, city, flag, date, y = zip(*table, strict=True)
    dates = pa.array(date).cast(pa.date32())
    number = pa.array([None if n is None else float(n) for n in number])
    pq.write_table(
        pa.table({"number": number, "city": city, "flag": flag, "date": dates, "y": y}), path, row_group_size=3
    )


@pytest.mark.parametrize("kind", ["csv with pyarrow", "csv with the standard library", "parquet"])
@given(table=tables(), block=st.sampled_from([5, 40, 2**20]), size=st.integers(1, 8))
def test_every_format_gives_the_same_matrix(kind, table, block, size):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "t.parquet" if kind == "parquet" else "t.csv")
        (write_parquet if kind == "parquet" else write_csv)(path, table)
        patch.setattr("pauci.data.csv_file._CELLS_PER_BLOCK", block)
        patch.setattr("pauci.data.parquet_file._CELLS_PER_BLOCK", block)
        patch.setattr("pauci.data.arrow._BYTES_PER_BLOCK", min(50 * block, 2**22))
        if kind == "csv with the standard library":
            patch.setitem(sys.modules, "pyarrow", None)
        whole = read_table(path, target="y")
        np.testing.assert_array_equal(whole.X, expected_matrix(table))
        assert whole.y.tolist() == [int(row[-1]) for row in table]
        assert [column.kind for column in whole.columns] == ["numeric", "categorical", "boolean", "date"]

        parts = list(iter_table(path, target="y", columns=whole.columns, rows=size))
        assert [len(part.X) for part in parts[:-1]] == [size] * (len(parts) - 1)
        np.testing.assert_array_equal(np.concatenate([part.X for part in parts]), whole.X)
        np.testing.assert_array_equal(np.concatenate([part.y for part in parts]), whole.y)


def test_npz(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    y = np.arange(50) % 5 == 0
    np.savez(tmp_path / "t.npz", X=X, y=y.astype(np.uint8))
    table = read_table(tmp_path / "t.npz", target="y")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)
    assert [column.name for column in table.columns] == ["X0", "X1", "X2"]


def test_another_file_gets_the_same_columns(csv_reader, write):
    table = read_table(write("n,city,flag,y\n1,a,yes,1\n2,b,no,0\n"), target="y")
    other = read_table(write("extra,flag,city,n\nq,1,zzz,\nq,,b,7\n", "new.csv"), target=None, columns=table.columns)
    np.testing.assert_array_equal(other.X, [[np.nan, -1, 1], [7, 1, np.nan]])
    assert other.y is None
    assert other.columns == table.columns
    stored = json.loads(json.dumps([asdict(column) for column in table.columns]))
    assert tuple(Column(c["name"], c["kind"], tuple(c["categories"])) for c in stored) == table.columns


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("n,city,flag\nabc,a,yes\n", "line 2: column 'n' has 'abc' where a finite number"),
        ('n,city,flag\n"1,282.08",a,yes\n', "'1,282.08' where .*digits not grouped.* correct or empty"),
        ("n,city,flag\n1,a,no\n2,a,perhaps\n", "line 3: column 'flag' has 'perhaps' where true or false"),
        ("N,city,flag\n1,a,no\n", "no column 'n'; did you mean 'N'"),
    ],
)
def test_another_file_that_does_not_fit(csv_reader, write, text, match):
    table = read_table(write("n,city,flag,y\n1,a,yes,1\n2,b,no,0\n"), target="y")
    with pytest.raises(FileFormatError, match=match):
        read_table(write(text, "new.csv"), target=None, columns=table.columns)


@pytest.mark.parametrize(
    ("labels", "positive", "expected"),
    [
        (["0", "1"], None, [0, 1]),
        (["-1", "+1.0"], None, [0, 1]),
        (["True", "false"], None, [1, 0]),
        (["no", "YES"], None, [0, 1]),
        (["ham", "spam"], "spam", [0, 1]),
        (["1", "2"], 2, [0, 1]),
        (["1", "2"], "2.0", [0, 1]),
        (["0", "1"], 0, [1, 0]),
        (["a", "b", "c"], "b", [0, 1, 0]),
        (["true", "false"], True, [1, 0]),
        (["0", "1"], True, [0, 1]),
        (["0", "1.0"], np.False_, [1, 0]),
        (["yes", "no"], "no", [0, 1]),
        (["a", "A"], "A", [0, 1]),
    ],
)
def test_targets(csv_reader, write, labels, positive, expected):
    path = write("x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    assert read_table(path, target="y", positive=positive).y.tolist() == expected


@pytest.mark.parametrize(
    ("labels", "positive", "match"),
    [
        (
            ["ham", "spam"],
            None,
            r"'ham', 'spam'; which one is the positive class\? .*positive=VALUE \(--positive VALUE",
        ),
        (["0", "1", "2"], None, "'0', '1', '2'; which one"),
        (["1", "2"], None, "'1', '2'; which one"),
        (["ham", "spam"], "Spam", "positive='Spam' is not a value of 'y'; did you mean 'spam'"),
        (["0", "1"], 2, "positive=2 is not a value of 'y'; there are: '0', '1'"),
        (["FRAUD", "fraud", "Fraud", "ok"], "fraud", "holds 'FRAUD', 'Fraud', which would be negative .*'fraud'"),
        (["1", "1"], None, "holds '1' only; two classes"),
        (["", "NA"], None, "holds no value only"),
        ([str(i / 7) for i in range(1100)], None, r"more than 1,000 different values, for example .*1100 values"),
        (["0", "", "1", "?"], None, "line 3: target 'y' has no value; .*drop_unlabeled=True"),
    ],
)
def test_bad_targets(csv_reader, write, labels, positive, match):
    path = write("x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    with pytest.raises(LabelError, match=match):
        read_table(path, target="y", positive=positive)


def test_unlabeled_rows_can_be_left_out(csv_reader, write):
    path = write("x,y\n1,0\n2,\n3,1\n4,NA\n")
    table = read_table(path, target="y", drop_unlabeled=True)
    assert table.X.ravel().tolist() == [1, 3]
    assert table.y.tolist() == [0, 1]
    parts = iter_table(path, target="y", columns=table.columns, drop_unlabeled=True, rows=1)
    assert [part.X.item() for part in parts] == [1, 3]


names = "".join(f"name{i},{i % 2}\n" for i in range(1100))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("x,y\n", "no rows"),
        ("x,y\n1,0\n2,1,3\n", "line 3: 3 values, but the header names 2"),
        ("x,x,y\n1,2,0\n", r"column 'x' more than once .at positions 1, 2.; .* leave all .* drop=\['x'\]"),
        ("x,y,y\n1,2,0\n", r"column 'y' more than once .at positions 2, 3.; rename or remove one\.$"),
        ("x,z,y\n,1,0\nNA,2,1\n", r"column 'x' has no values at all; leave it out with drop=\['x'\]"),
        ("x,y\n1,0\n2,1\n3,1\noops,0\n", r"line 5: column 'x' has 'oops' .* categorical=\['x'\]"),
        ('x,y\n"1,000",0\n"2,500.5",1\n', r"line 2: column 'x' has '1,000' .*not grouped.* categorical=\['x'\]"),
        ("x;y\n0;0\n0,5;1\n", "line 3: column 'x' has '0,5' .*decimal=',', .*a point before decimals"),
        ("x,y\n$25,0\n$7.5,1\n", r"line 2: column 'x' has '\$25' .*no signs of currency.* categorical=\['x'\]"),
        ('x,y\n"12,50 €",0\n10%,1\n0 EUR,1\n', r"line 2: column 'x' has '12,50 €' .*no signs of currency"),
        (
            "x,y\n31/12/2024,0\n1/1/2025 10:30,1\n",
            r"line 2: column 'x' has '31/12/2024' .*dates \(to be written as 2024-01-31\)",
        ),
        ("x,y\n31.12.2024,0\n2024/12/31,1\n", r"line 2: column 'x' has '31.12.2024' .* categorical=\['x'\]"),
        ("x,y\n2024-01-31,0\n2024-02-01,1\n2024-02-30,1\n", r"line 4: column 'x' has '2024-02-30' .*categorical"),
        ("x,y\n2024-01-31,0\n2024-02-01,1\nsoon,1\n", r"line 4: column 'x' has 'soon' where a date .* are dates"),
        ("x,y\n1,0\ninf,1\n", "line 3: column 'x' has 'inf' where a finite number"),
        ("x,y\n1,0\n1e39,1\n", "line 3: column 'x' has 1e.39, too large for float32.*dtype='float64'"),
        ("x,y\n" + names, r"column 'x' has more than 1,000 different texts.*drop=\['x'\].*categorical=\['x'\]"),
        (",x,y\n0,1,0\n1,2,1\n", r"column '' looks like a row index.*drop=\[''\]"),
        ("y\n0\n1\n", "no column left to learn from"),
        ("x,Y\n1,0\n2,1\n", "no column 'y'; did you mean 'Y'"),
    ],
)
def test_bad_files(csv_reader, write, text, match):
    with pytest.raises(FileFormatError, match=match):
        read_table(write(text), target="y")


def npy(dtype, shape, content=b""):
    """Return a file of numpy that says what it likes about itself."""
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (npy("<f8", (0, 10**12)), "array 'X' has no rows"),
        (npy("<U0", (10**12,)), "is not a column of a table"),
        (npy("<f8", (10**15,)), "not a readable npz file"),
        (npy("<f8", (10**30,)), "not a readable npz file"),
        (npy("|O", (1,), b"cos\nsystem\n(S'true'\ntR."), "not a readable npz file"),
        (b"no array", "'X' is not an array"),
    ],
)
def test_npz_files_that_claim_what_nobody_can_hold(tmp_path, content, match):
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", content)
    with pytest.raises(FileFormatError, match=match):
        read_table(tmp_path / "t.npz", target=None)


def test_images_are_told_where_they_go(tmp_path):
    path = tmp_path / "images.npz"
    np.savez(path, x=np.zeros((4, 8, 8, 3), np.uint8), y=[0, 1, 0, 1])
    with pytest.raises(FileFormatError, match=r"pass them to pauci\.training\.train as arrays"):
        read_table(path, target="y")


def test_npz_files_that_are_packed_in_strange_ways(tmp_path):
    path = tmp_path / "t.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("X.npy", npy("<f8", (10,), bytes(80)))
    whole = path.read_bytes()
    path.write_bytes(whole[:60] + b"\xff" * 15 + whole[75:])
    with pytest.raises(FileFormatError, match="not a readable npz file"):
        read_table(path, target=None)


def test_dates_as_text_of_typed_files(tmp_path):
    path = tmp_path / "t.npz"
    days = ["2024-01-31", "2024-02-01", "2024-02-30"]
    np.savez(path, day=np.array(days), y=np.array([0, 1, 1]))
    with pytest.raises(FileFormatError, match="row 3: column 'day' has '2024-02-30' where a date"):
        read_table(path, target="y")
    assert read_table(path, target="y", categorical=["day"]).columns[0].categories == tuple(days)


def test_named_categories_and_dropped_columns(csv_reader, write):
    table = read_table(write("zip,id,y\n01234,a,0\n98765,b,1\n,c,1\n"), target="y", categorical=["zip"], drop=["id"])
    assert table.columns == (Column("zip", "categorical", ("01234", "98765")),)
    np.testing.assert_array_equal(table.X, [[0], [1], [np.nan]])
    many = read_table(write("x,y\n" + names), target="y", categorical=["x"])
    assert len(many.columns[0].categories) == 1100
    with pytest.raises(FileFormatError, match="no column 'zap'"):
        read_table(write("zip,y\n1,0\n2,1\n"), target="y", drop=["zap"])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_columns_of_one_name_can_be_left_out(csv_reader, write, tmp_path, kind):
    if kind == "csv":
        path = write("x,note,note,,,y\n1,a,b,,,0\n2,c,d,,,1\n")  # as spreadsheets leave empty columns
    else:
        pyarrow = pytest.importorskip("pyarrow")
        path = tmp_path / "t.parquet"
        columns = {"x": [1, 2], "note": ["a", "c"], "": [None, None], "y": [0, 1]}
        names = ["x", "note", "note", "", "", "y"]
        pytest.importorskip("pyarrow.parquet").write_table(
            pyarrow.Table.from_arrays([pyarrow.array(columns[name]) for name in names], names), path
        )
    with pytest.raises(FileFormatError, match="'note' more than once"):
        read_table(path, target="y", drop=[""])
    table = read_table(path, target="y", drop=["note", ""])
    assert table.X.tolist() == [[1], [2]]
    assert read_table(path, target=None, columns=table.columns).X.tolist() == [[1], [2]]
    assert read_columns(path, ["x"])["x"].tolist() == [1, 2]
    with pytest.raises(FileFormatError, match="'note' more than once"):
        read_columns(path, ["note"])


def test_numbers_as_categories_are_spelled_alike_in_every_block(tmp_path, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"code": [1.0, 2.0, 2.0, 2.5, None], "y": [0, 1, 1, 0, 1]}), path)
    monkeypatch.setattr("pauci.data.parquet_file._CELLS_PER_BLOCK", 2)
    table = read_table(path, target="y", categorical=["code"])
    assert table.columns == (Column("code", "categorical", ("1", "2", "2.5")),)
    np.testing.assert_array_equal(table.X.ravel(), [0, 1, 1, 2, np.nan])


@pytest.mark.parametrize(("fitted", "later"), [("1\n2", '2.0\n""\n1.0\n7.0'), ("1.0\n2.0", '2\n""\n1\n7')])
def test_whole_numbers_as_categories_may_be_written_as_floats(csv_reader, write, fitted, later):
    labelled = "".join(f"{code},{label}\n" for label, code in enumerate(fitted.split("\n")))
    table = read_table(write(f"code,y\n{labelled}"), target="y", categorical=["code"])
    new = read_table(write(f"code\n{later}\n", "new.csv"), target=None, columns=table.columns)
    np.testing.assert_array_equal(new.X.ravel(), [1, np.nan, 0, -1])


def test_booleans_may_be_written_as_numbers_and_these_as_floats(csv_reader, write):
    table = read_table(write("flag,y\nyes,1\nno,0\n"), target="y")
    new = read_table(write('flag\n1\n0\n1.0\n""\n0.0\n', "new.csv"), target=None, columns=table.columns)
    np.testing.assert_array_equal(new.X.ravel(), [1, 0, 1, np.nan, 0])


def test_text_of_typed_files_stays_text_even_if_it_looks_like_numbers(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, zip=np.array(["01234", "98765"]), y=np.array([0, 1]))
    assert infer_columns(path, target="y") == (Column("zip", "categorical", ("01234", "98765")),)
    as_number = [Column("zip", "numeric")]
    assert read_table(path, target=None, columns=as_number).X.ravel().tolist() == [1234, 98765]
    assert read_columns(path, ["zip"], numeric=["zip"])["zip"].tolist() == [1234, 98765]
    np.savez(path, zip=np.array(["01234", "D-1"]), y=np.array([0, 1]))
    with pytest.raises(FileFormatError, match="row 2: column 'zip' has 'D-1' where a finite number"):
        read_table(path, target=None, columns=as_number)


@pytest.mark.parametrize(
    ("values", "readable"),
    [
        (np.array([1.0, np.inf]), {}),
        (np.array([1.5, 0.0]), {"numeric": [1.5, 0]}),
        (np.array(["2024-01-31", "x"]), {}),
        (np.array([True, False]), {"numeric": [1, 0], "boolean": [1, 0]}),
        (np.array(["1970-01-31", "NaT"], "M8[ns]"), {"date": [30, np.nan]}),
        (np.array(["yes", "no"]), {"boolean": [1, 0]}),
        (np.array(["", "1"]), {"numeric": [np.nan, 1], "boolean": [np.nan, 1]}),
    ],
)
def test_a_column_of_another_kind_is_read_or_an_error(tmp_path, values, readable):
    path = tmp_path / "t.npz"
    np.savez(path, x=values)
    for kind in ("numeric", "boolean", "date"):
        if kind in readable:
            X = read_table(path, target=None, columns=[Column("x", kind)]).X
            np.testing.assert_array_equal(X.ravel(), readable[kind])
        else:
            with pytest.raises(FileFormatError, match=r"row .: column 'x' has '"):
                read_table(path, target=None, columns=[Column("x", kind)])


def test_parquet_without_pyarrow_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"pauci\[tables\]"):
        read_table(write("PAR1", "t.parquet"), target="y")


def test_parquet_files_with_text_that_is_none(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ends = np.array([0, 1, 2], dtype=np.int32)
    text = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"\xff\xfe")])
    pq.write_table(pa.table({"x": text, "y": [0, 1]}), tmp_path / "t.parquet")
    with pytest.raises(FileFormatError, match=r"is damaged: .*UTF8"):
        read_table(tmp_path / "t.parquet", target="y")


@pytest.mark.parametrize("days", [10**12, -(10**12), 2_932_897, -719_163])
def test_dates_that_no_calendar_has_in_npz_files(tmp_path, days):
    dates = np.array([19_723, days, "nat"], dtype="datetime64[D]")
    np.savez(tmp_path / "t.npz", when=dates, y=np.array([0, 1, 0]))
    with pytest.raises(FileFormatError, match=r"row 2: column 'when' has '.*' where a date such as"):
        read_table(tmp_path / "t.npz", target="y")


def test_dates_of_any_unit_in_npz_files(tmp_path):
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"):
        dates = np.array([0, 1, "nat"], dtype=f"datetime64[{unit}]")
        np.savez(tmp_path / "t.npz", when=dates, y=np.array([0, 1, 0]))
        found = read_table(tmp_path / "t.npz", target="y").X[:, 0]
        assert (found[0], np.isnan(found[2])) == (0.0, True)


@pytest.mark.parametrize("stored", ["date32", "date64", "s", "ms", "us"])
@pytest.mark.parametrize("days", [10**8, -(10**8), 2_932_897, -719_163])
def test_dates_that_no_calendar_has_in_parquet_files(tmp_path, stored, days):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    per_day = {"date32": 1, "date64": 86_400_000, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}[stored]
    dtype = pa.timestamp(stored) if len(stored) < 3 else getattr(pa, stored)()
    dates = pa.array([19_723 * per_day, days * per_day, None], dtype)
    pq.write_table(pa.table({"when": dates, "y": [0, 1, 0]}), tmp_path / "t.parquet")
    with pytest.raises(FileFormatError, match=r"row 2: column 'when' has '.*' where a date such as"):
        read_table(tmp_path / "t.parquet", target="y")


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_day_of_the_calendar(tmp_path, day):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    days = np.array([day, "2024-01-01", "NaT"], dtype="datetime64[D]")
    np.savez(tmp_path / "t.npz", when=days, y=np.array([0, 1, 0]))
    stamps = pa.array(days.astype("datetime64[us]"), pa.timestamp("us"))
    pq.write_table(pa.table({"when": stamps, "y": [0, 1, 0]}), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(f"when,y\n{day},0\n2024-01-01,1\n,0\n")
    for name in ("t.npz", "t.parquet", "t.csv"):
        found = read_table(tmp_path / name, target="y", dtype="float64").X[:, 0]
        np.testing.assert_array_equal(found, [(np.datetime64(day) - np.datetime64(0, "D")).astype(int), 19_723, np.nan])


def test_the_last_microsecond_of_the_calendar_in_parquet_files(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stamps = pa.array(np.array(["9999-12-31T23:59:59.999999", "2024-01-01"], dtype="datetime64[us]"))
    pq.write_table(pa.table({"when": stamps, "y": [0, 1]}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", target="y", dtype="float64").X[:, 0].tolist() == [2_932_897, 19_723]


def test_thousands_of_leading_zeros(csv_reader, write):
    path = write(f"x,y\n{'0' * 5000}9007199254740993,0\n2,1\n")
    with pytest.raises(FileFormatError, match="has 9007199254740993, which float64 rounds to 9007199254740992"):
        read_table(path, target="y", dtype="float64")


@pytest.mark.parametrize("name", ["\x1b[2J", "a\x07", "\x7f", "\x9b2J"])
def test_column_names_that_would_steer_a_terminal(csv_reader, write, name):
    with pytest.raises(FileFormatError, match=r"has the column '.*\\x.*', which holds a control character"):
        read_table(write(f"{name},y\n1,0\n2,1\n"), target="y")


@pytest.mark.parametrize("start", ["", "x,y\n1,0\n", 'x,y\n1,"'], ids=["header", "row", "quoted"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_line_that_never_ends_is_refused_before_all_of_it_is_read(csv_reader, tmp_path, monkeypatch, name, start):
    monkeypatch.setattr(csv_file, "_LONGEST_LINE", 2**16)
    opener = gzip.open if name.endswith(".gz") else open
    with opener(tmp_path / name, "wt") as stream:
        stream.write(start + "x" * 2**21)
    with pytest.raises(FileFormatError, match=r"line [123] has more than 65,536 characters.* Is it a table"):
        read_table(tmp_path / name, target="y")


def test_header_over_two_lines(csv_reader, write):
    table = read_table(write('\n"two\nlines", y \n7,0\nx,1\n'), target="y", categorical=["two\nlines"])
    assert table.columns == (Column("two\nlines", "categorical", ("7", "x")),)
    assert table.y.tolist() == [0, 1]


def test_dates_with_time_and_zone(csv_reader, write):
    path = write("at,y\n1970-01-02 12:00,0\n1970-01-02T12:00:00+12:00,1\n1970-01-03T00:00:00Z,1\n")
    table = read_table(path, target="y")
    assert table.columns[0].kind == "date"
    assert table.X.ravel().tolist() == [1.5, 1.0, 2.0]


def test_float64(csv_reader, write):
    table = read_table(write("t,y\n1700000001,0\n1e39,1\n"), target="y", dtype="float64")
    assert table.X.ravel().tolist() == [1700000001, 1e39]


@pytest.mark.parametrize(
    ("number", "dtype", "match"),
    [
        (2**24 + 1, "float32", "has 16777217, which float32 rounds to 16777216; read with dtype='float64', or leave"),
        (-(2**24) - 1, "float32", "has -16777217, .*dtype='float64'"),
        (2**62 + 1, "float32", r"has 4611686018427387905, .* to \d+; leave the .*drop=\['id'\].*categorical=\['id'\]"),
        (2**62 + 1, "float64", "has 4611686018427387905, which float64 rounds to 4611686018427387904; leave"),
        (2**24 + 1, "float64", None),
        (2**24 + 2, "float32", None),
        (2**62, "float32", None),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "npz", "npz text", "parquet", "parquet decimal"])
def test_integers_that_would_become_others_are_errors(csv_reader, write, tmp_path, kind, number, dtype, match):
    path = tmp_path / f"t.{kind.split()[0]}"
    if kind == "csv":
        write(f"id,y\n1,0\n {number},1\n")
    elif "npz" in kind:
        np.savez(path, id=np.array([1, number]).astype(str if "text" in kind else int), y=np.array([0, 1]))
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        ids = pa.array([1, number], pa.decimal128(38, 0) if "decimal" in kind else pa.int64())
        pq.write_table(pa.table({"id": ids, "y": [0, 1]}), path)
    columns = [Column("id", "numeric")]
    if match is None:
        assert read_table(path, target="y", columns=columns, dtype=dtype).X.ravel().tolist() == [1, number]
    else:
        with pytest.raises(FileFormatError, match=match):
            read_table(path, target="y", columns=columns, dtype=dtype)


def test_measurements_may_be_rounded(csv_reader, write, tmp_path):
    assert read_table(write("x,y\n123456789.5,0\n6.02214076e23,1\n"), target="y").X.dtype == np.float32
    np.savez(tmp_path / "t.npz", x=np.array([123456789.0, 6.02214076e23]), y=np.array([0, 1]))
    assert read_table(tmp_path / "t.npz", target="y").X.dtype == np.float32


def test_decimals_are_measurements_unless_they_are_whole(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    prices = pa.array([Decimal("123456789.5"), Decimal("1.5")], pa.decimal128(12, 1))
    pq.write_table(pa.table({"price": prices, "y": [0, 1]}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", target="y").X.ravel().tolist() == [np.float32(123456789.5), 1.5]


def test_unsigned_integers_that_would_become_others_are_errors(tmp_path):
    np.savez(tmp_path / "t.npz", id=np.array([1, 2**63 + 1], dtype=np.uint64), y=np.array([0, 1]))
    with pytest.raises(FileFormatError, match=str(2**63 + 1)):
        read_table(tmp_path / "t.npz", target="y", columns=[Column("id", "numeric")], dtype="float64")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"dtype": "int8"}, "dtype='int8'"),
        ({"columns": [Column("x", "numeric")], "drop": ["z"]}, "do not give drop="),
        ({"columns": [Column("y", "numeric")]}, "target='y' is also"),
    ],
)
def test_contradictory_arguments(write, options, match):
    with pytest.raises(InputError, match=match):
        read_table(write("x,y\n1,0\n2,1\n"), target="y", **options)


def test_parts_have_rows_and_columns(write):
    with pytest.raises(InputError, match="rows=0"):
        iter_table(write("x,y\n1,0\n2,1\n"), columns=[Column("x", "numeric")], rows=0)
    with pytest.raises(InputError, match="columns= describes no column"):
        iter_table(write("x,y\n1,0\n2,1\n"), columns=[])


MEASURE = """
import resource, sys
from pauci.data import Column, iter_table

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

columns = [Column(f"x{i}", "numeric") for i in range(10)]
rows = 0
for part in iter_table(sys.argv[1], columns=columns, rows=10_000):
    rows += len(part.X)
    if rows == 100_000:
        early = peak()
print(rows, peak() - early)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures the peak in Linux' units")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_memory_stays_bounded_in_parts(tmp_path, kind):
    pa, pq, pv = (pytest.importorskip(f"pyarrow{part}") for part in ("", ".parquet", ".csv"))
    count, path = 500_000, tmp_path / f"t.{kind}"
    rng = np.random.default_rng(0)
    table = pa.table({f"x{i}": rng.normal(size=count).astype(np.float32) for i in range(10)})
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=50_000)
    else:
        pv.write_csv(table, path)
    out = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=True)
    rows_read, growth = map(int, out.stdout.split())
    assert rows_read == count
    assert growth < table.nbytes / 4
