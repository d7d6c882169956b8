"""The result store loses nothing that was finished, whatever happens to its writers, and believes nothing unchecked."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from pauci.errors import FileFormatError
from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.store import Record, Store


def record(**changes):
    facts = {
        "task": "cifar10-lt-1",
        "variant": "clean",
        "protocol": "strong",
        "method": "ce",
        "region": "fpr<=0.3",
        "seed": 0,
        "metrics": {"auc": 0.9},
        "val_metrics": {"auc": 0.8},
        "seconds": 1.5,
        "device": "cpu",
        "recipe": "abc",
        "versions": {"pauci": "0"},
    }
    return Record(**{**facts, **changes})


def test_what_is_appended_is_read_back(tmp_path):
    store = Store(tmp_path / "paper")
    assert store.records() == []
    kept = [record(), record(seed=1, details={"note": "für später"}), record(method="ours")]
    store.append(kept[0])
    store.append(kept[1], file="strong")
    store.append(kept[2])
    assert store.records() == [kept[0], kept[2], kept[1]]


def test_the_last_of_equal_runs_counts_and_no_line_is_lost(tmp_path):
    store = Store(tmp_path)
    store.append(record(seconds=1.0))
    store.append(record(recipe="other"))
    store.append(record(seconds=2.0))
    assert [(found.recipe, found.seconds) for found in store.records()] == [("other", 1.5), ("abc", 2.0)]
    assert len(read_lines(tmp_path / "runs.jsonl")) == 3


def test_the_line_has_the_fields_of_the_design(tmp_path):
    Store(tmp_path).append(record())
    (line,) = read_lines(tmp_path / "runs.jsonl")
    assert set(line) == {
        *("task", "variant", "protocol", "method", "region", "seed", "split", "metrics", "val_metrics"),
        *("seconds", "device", "recipe", "versions"),
    }
    assert line["split"] == "test"


@pytest.mark.parametrize("size", [3, 5000, 20000])
def test_a_torn_last_line_is_ignored_with_a_warning_and_cut_off_by_the_next_writer(tmp_path, size):
    path = tmp_path / "runs.jsonl"
    append_line(path, {"number": 1})
    with path.open("a") as file:
        file.write('{"number": 2, "' + "x" * size)
    with pytest.warns(UserWarning, match="ends in the middle of a line"):
        assert read_lines(path) == [{"number": 1}]
    append_line(path, {"number": 3})
    assert read_lines(path) == [{"number": 1}, {"number": 3}]


def test_a_file_of_a_torn_line_alone_can_be_used_again(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"nu')
    append_line(path, {"number": 1})
    assert read_lines(path) == [{"number": 1}]


@pytest.mark.parametrize("line", ["not json", "[1]", '{"a": NaN}', "", "[" * 100_000])
def test_a_spoilt_line_is_an_error_that_names_it(tmp_path, line):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(FileFormatError, match="line 2"):
        read_lines(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_what_json_cannot_hold_is_refused_before_anything_is_written(tmp_path, value):
    with pytest.raises(FileFormatError):
        append_line(tmp_path / "runs.jsonl", {"a": value})
    assert not (tmp_path / "runs.jsonl").exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", 1.5),
        ("seed", True),
        ("metrics", {"auc": "high"}),
        ("metrics", {"auc": float("nan")}),
        ("metrics", None),
        ("val_metrics", [1]),
        ("seconds", float("inf")),
        ("seconds", 10**400),
        ("task", 3),
        ("split", "train"),
        ("versions", {"pauci": 1}),
        ("details", "none"),
    ],
)
def test_a_run_is_checked_when_written_and_when_read(tmp_path, field, value):
    store = Store(tmp_path)
    with pytest.raises(FileFormatError, match=field):
        store.append(replace(record(), **{field: value}))
    store.append(record())
    line = read_lines(tmp_path / "runs.jsonl")[0] | {field: value}
    (tmp_path / "runs.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(FileFormatError):
        store.records()


def test_missing_and_unknown_fields_are_named(tmp_path):
    store = Store(tmp_path)
    append_line(tmp_path / "a.jsonl", {"task": "x"})
    with pytest.raises(FileFormatError, match=r"a\.jsonl, line 1 lacks .*seed"):
        store.records()
    append_line(tmp_path / "0.jsonl", {"tusk": "x"})
    with pytest.raises(FileFormatError, match="tusk"):
        store.records()


WRITER = """
import sys
from pathlib import Path
from pauci.studies.jsonl import append_line
for number in range(int(sys.argv[3])):
    append_line(Path(sys.argv[1]), {"writer": sys.argv[2], "number": number, "filling": "x" * 10000})
"""


def test_several_processes_write_to_one_file(tmp_path):
    path = tmp_path / "runs.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, str(k), "40"]) for k in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    lines = read_lines(path)
    assert len(lines) == 120
    for k in range(3):
        assert [line["number"] for line in lines if line["writer"] == str(k)] == list(range(40))


@pytest.mark.skipif(os.name == "nt", reason="kills a process")
def test_a_killed_writer_costs_at_most_its_last_line(tmp_path):
    path = tmp_path / "runs.jsonl"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, "0", "1000000"])
    while not path.exists() or path.stat().st_size < 50000:
        time.sleep(0.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    append_line(path, {"writer": "1", "number": 0})
    lines = read_lines(path)
    assert [line["number"] for line in lines[:-1]] == list(range(len(lines) - 1))
    assert lines[-1] == {"writer": "1", "number": 0}
