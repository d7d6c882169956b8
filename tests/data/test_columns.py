import csv
import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.data import read_columns, read_table
from pauci.data.csv_file import CsvFile
from pauci.data.table_file import open_table
from pauci.errors import FileFormatError, InputError, PauciError


@pytest.mark.parametrize("name", ["t.csv", "T.CSV", "t.csv.gz", "t.tsv", "t.tsv.gz"])
def test_kinds_of_values(csv_reader, write, name):
    text = 'y, s ,w,t\n1,0.5,yes,a\n\n0, 1e-3,NO,"x, y"\n0,+2,yes,?\n'
    text = text.replace(", y", "; y")
    path = write(text.replace(",", "\t") if "tsv" in name else text, name)
    out = read_columns(path, ["s", "y", "w", "t"], numeric=["s"])
    assert list(out) == ["s", "y", "w", "t"]
    np.testing.assert_array_equal(out["s"], [0.5, 1e-3, 2])
    np.testing.assert_array_equal(out["y"], [1.0, 0.0, 0.0])
    assert out["w"].dtype == bool
    assert out["w"].tolist() == [True, False, True]
    assert out["t"].tolist() == ["a", "x; y", None]


def test_missing_numbers_are_nan_unless_they_must_be_numeric(csv_reader, write):
    path = write("a,b\n1,\nNA,2\n")
    np.testing.assert_array_equal(read_columns(path, ["a"])["a"], [1, np.nan])
    with pytest.raises(FileFormatError, match=r"line 3: column 'a' has no value"):
        read_columns(path, ["a"], numeric=["a"])


@pytest.mark.parametrize("bad", ["abc", "1_000", "inf", "1,5"])
def test_first_bad_line_is_named(csv_reader, write, bad):
    path = write(f'id,score\n"multi\nline",0.1\n2,0.2\n\n3,"{bad}"\n4,worse\n')
    with pytest.raises(FileFormatError, match=rf"line 6: column 'score' has '{bad}'"):
        read_columns(path, ["score"], numeric=["score"])


@pytest.mark.parametrize(("text", "told"), [("0,125", True), ("-12,5", True), ("1,000", False), ("1,282.5", False)])
def test_decimal_commas_are_told_from_grouped_digits(csv_reader, write, text, told):
    with pytest.raises(FileFormatError) as raised:
        read_columns(write(f"x;y\n{text};1\n"), ["x"], numeric=["x"])
    assert ("Decimals need a point" in str(raised.value)) == told


@pytest.mark.parametrize("row", ["1", "1,2,3"])
def test_ragged_lines_are_named(csv_reader, write, row):
    path = write("a,b\n1,2\n3,4\n" + row + "\n5,6\n")
    with pytest.raises(FileFormatError, match=r"line 4: . values, but the header names 2"):
        read_columns(path, ["a"])


def test_separators_inside_quotes_do_not_count(csv_reader, write):
    path = write(b'"a,b,c,d";y\n1;2\n')
    assert CsvFile(path).names == ("a,b,c,d", "y")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separator_and_byte_order_mark(csv_reader, write, separator):
    path = write(b"\xef\xbb\xbf" + f"a{separator}b\r\n1{separator}2\r\n".encode())
    assert read_columns(path, ["a"])["a"].tolist() == [1]


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "is empty"),
        (b"\n \n\n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,a\n1,2\n", "'a' more than once"),
        (b"0.5,1\n0.7,0\n", "holds numbers, not column names"),
        (b"\0\1\2\3", "binary"),
        (b"PAR1abc", "Parquet"),
        (b"\xff\xfea\0,\0b\0", "UTF-16"),
        (b"a,b\n\xe9,1\n", "UTF-8"),
        (b'a,b\n"x,1\n2,3\n', "quote"),
    ],
)
def test_unreadable_csv_files(csv_reader, write, data, match):
    with pytest.raises(FileFormatError, match=match) as caught:
        read_columns(write(data), ["a"])
    assert isinstance(caught.value, PauciError)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("t.parquet", "Parquet"),
        ("t.npz", "npz"),
        ("t.xlsx", "tables end in .*; save the sheet as CSV"),
        ("t.txt", "tables end in .*; rename the file"),
    ],
)
def test_unreadable_files(write, name, match):
    if name == "t.parquet":
        pytest.importorskip("pyarrow")
    with pytest.raises(FileFormatError, match=match):
        read_columns(write(b"something else", name), ["a"])


def test_truncated_gzip(csv_reader, tmp_path, write):
    path = tmp_path / "t.csv.gz"
    noise = "\n".join(map(str, np.random.default_rng(0).random(20_000)))
    path.write_bytes(gzip.compress(f"a,b\n{noise}".replace("\n", ",1\n").encode())[:-4000])
    with pytest.raises(FileFormatError, match="gzip"):
        read_columns(path, ["a"])
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(FileFormatError, match="gzip"):
        read_columns(path, ["a"])


cells = st.text(alphabet="a1.?+-_eNA\" '", max_size=4)
lines = st.lists(st.tuples(cells, cells).map(",".join) | st.text('a",\n', max_size=4), min_size=1, max_size=6)


@given(lines=lines, end=st.sampled_from(["\n", "\r\n"]), scan=st.sampled_from([1, 3, 2**20]))
def test_both_csv_readers_agree_on_any_text(lines, end, scan):
    def outcome(path):
        try:
            return str({name: values.tolist() for name, values in read_columns(path, ["p", "q"]).items()})
        except FileFormatError as error:
            return str(error)

    pytest.importorskip("pyarrow")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "t.csv")
        path.write_bytes("".join(line + end for line in ["p,q", *lines]).encode())
        patch.setattr("pauci.data.csv_file._CHARACTERS_PER_SCAN", scan)
        fast = outcome(path)
        patch.setitem(sys.modules, "pyarrow", None)
        assert outcome(path) == fast


def test_open_quotes_do_not_swallow_rows(csv_reader, write):
    with pytest.raises(FileFormatError, match=r"line 3: .*quote left open"):
        read_columns(write('a,b\n1,2\n3,"4\n5,6\n'), ["a"])
    with pytest.raises(FileFormatError, match=r"line 3: .*quote left open"):
        read_columns(write('a,b\n1,2\n3,"4\n5,"6\n'), ["a"])


quoted = st.text(alphabet='a",\n é', max_size=5)


@given(rows=st.lists(st.tuples(quoted, quoted), min_size=1), scan=st.integers(1, 9), quoting=st.sampled_from([0, 1]))
def test_well_formed_quotes_need_no_second_look(rows, scan, quoting):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "t.csv")
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, quoting=quoting).writerows([("p", "q"), *rows])
        patch.setattr("pauci.data.csv_file._CHARACTERS_PER_SCAN", scan)
        assert CsvFile(path)._has_plain_quotes()


def test_missing_names(write, tmp_path):
    path = write("label,Score\n1,2\n")
    with pytest.raises(FileFormatError, match="no column 'score'; did you mean 'Score'"):
        read_columns(path, ["score"])
    with pytest.raises(FileFormatError, match="no column 'zzz'; there are: 'label', 'Score'"):
        read_columns(path, ["zzz"])
    for other in ("t.zip", "one.csv"):
        (tmp_path / other).touch()
    with pytest.raises(FileNotFoundError, match=r"does not exist; did you mean .*t.csv"):
        read_columns(tmp_path / "tt.csv", ["a"])
    with pytest.raises(FileNotFoundError, match=r"nonexist.csv does not exist\.$"):
        read_columns(tmp_path / "nonexist.csv", ["a"])
    with pytest.raises(FileFormatError, match="folder"):
        read_columns(tmp_path, ["a"])
    with pytest.raises(InputError, match="numeric"):
        read_columns(path, ["label"], numeric=["Score"])


def test_npz(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, y=np.array([0, 1]), score=np.array([0.5, np.nan]), X=np.eye(2), name=np.array(["a", ""]),
             flag=np.array([True, False]), day=np.array(["1970-01-03T12", "NaT"], "M8[h]"))  # fmt: skip
    out = read_columns(path, ["y", "score", "X1", "name", "flag", "day"])
    assert out["y"].tolist() == [0, 1]
    assert out["X1"].tolist() == [0, 1]
    assert out["name"].tolist() == ["a", None]
    assert out["flag"].dtype == bool
    np.testing.assert_array_equal(out["day"], [2.5, np.nan])
    with pytest.raises(FileFormatError, match="row 2: column 'score' has no value"):
        read_columns(path, ["score"], numeric=["score"])
    with pytest.raises(FileFormatError, match="row 1: column 'name' has 'a'"):
        read_columns(path, ["name"], numeric=["name"])


def test_npz_of_objects_is_refused(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, y=np.array([None, "a"], dtype=object))
    with pytest.raises(FileFormatError, match="plain arrays"):
        read_columns(path, ["y"])
    np.savez(path, y=np.zeros(3), z=np.zeros(2))
    with pytest.raises(FileFormatError, match="differ in length"):
        read_columns(path, ["y"])
    np.savez(path, y=np.zeros((3, 2, 2)))
    with pytest.raises(FileFormatError, match=r"shape \(3, 2, 2\)"):
        read_columns(path, ["y"])


def test_parquet_of_what_other_programs_write(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {
        "nanoseconds": pa.array([86_400_000_000_001, None], pa.timestamp("ns")),
        "nothing": pa.array([None, None]),
        "code": pa.array([7.0, float("nan")]),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    out = read_columns(tmp_path / "t.parquet", ["nanoseconds", "nothing"])
    np.testing.assert_array_equal(out["nanoseconds"], [1.0, np.nan])
    np.testing.assert_array_equal(out["nothing"], [np.nan, np.nan])
    (block,) = open_table(tmp_path / "t.parquet").blocks(["code"])
    assert block["code"].texts().tolist() == ["7", None]


def test_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    table = pa.table(
        {
            "y": pa.array([1, 0, None], pa.int8()),
            "flag": [True, False, True],
            "name": pa.array(["a", None, " b "]).dictionary_encode(),
            "day": pa.array([0, 1, None], pa.date32()),
            "cents": pa.array([1, 2, 3], pa.int16()).cast(pa.decimal128(10, 2)),
        }
    )
    pq.write_table(table, path, row_group_size=2)
    out = read_columns(path, ["y", "flag", "name", "day", "cents"])
    np.testing.assert_array_equal(out["y"], [1, 0, np.nan])
    assert out["flag"].tolist() == [True, False, True]
    assert out["name"].tolist() == ["a", None, "b"]
    np.testing.assert_array_equal(out["day"], [0, 1, np.nan])
    assert out["cents"].tolist() == [1, 2, 3]
    with pytest.raises(FileFormatError, match="row 3: column 'y' has no value"):
        read_columns(path, ["y"], numeric=["y"])


def test_parquet_of_text_views(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"view": pa.array(["a", None, " b "], pa.string_view())})
    try:
        pq.write_table(table, tmp_path / "t.parquet")
    except pa.lib.ArrowNotImplementedError:
        pytest.skip("this pyarrow writes no views")
    assert read_columns(tmp_path / "t.parquet", ["view"])["view"].tolist() == ["a", None, "b"]


@pytest.mark.parametrize("kind", ["list", "time", "duration", "binary"])
def test_parquet_columns_of_no_use_are_named(tmp_path, kind):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    values = {
        "list": pa.array([[1], [2]]),
        "time": pa.array([1, 2], pa.time32("s")),
        "duration": pa.array([1, 2], pa.duration("s")),
        "binary": pa.array([b"a", b"b"]).dictionary_encode(),
    }
    pq.write_table(pa.table({"x": [1, 2], "odd": values[kind], "y": [0, 1]}), tmp_path / "t.parquet")
    for read in (lambda path: read_columns(path, ["odd"]), lambda path: read_table(path, target="y")):
        with pytest.raises(FileFormatError, match=rf"t.parquet: column 'odd' .*{kind}.*drop=\['odd'\]"):
            read(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", target="y", drop=["odd"]).X.tolist() == [[1], [2]]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_numbers_that_a_float_would_tie_are_refused(tmp_path, suffix):
    path, whole = tmp_path / f"t.{suffix}", np.array([2**60, 2**60 + 1])
    if suffix == "npz":
        np.savez(path, s=whole)
    else:
        frame = pd.DataFrame({"s": whole})
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    with pytest.raises(FileFormatError, match=rf"(line 3|row 2): column 's' has {2**60 + 1}, which float64 rounds"):
        read_columns(path, ["s"], numeric=["s"])
    assert read_columns(path, ["s"])["s"].tolist() == [2.0**60, 2.0**60]
