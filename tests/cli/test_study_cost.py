"""`pauci study cost` prints tables or JSON, writes a figure, and appends to a store."""

import json

import pytest
from typer.testing import CliRunner

from pauci.cli import app
from pauci.errors import InputError

SMALL = ["study", "cost", "--size", "4", "--seconds", "0", "--rounds", "1"]


@pytest.fixture(autouse=True)
def few_sweeps(monkeypatch):
    monkeypatch.setattr("pauci.studies.cost._SWEEPS", 2)


def run(*arguments):
    return CliRunner().invoke(app, [*SMALL, *arguments], catch_exceptions=False, env={"COLUMNS": "200"})


def test_tables_and_promises():
    done = run()
    assert done.exit_code == 0
    for words in ("fpr<=0.3, forward: milliseconds", "ratio to CE", "pairwise sigmoid", "at most 3.00"):
        assert words in done.stdout


def test_json_figure_and_store(tmp_path):
    figure = tmp_path / "cost.svg"
    found = json.loads(run("--json", "-o", str(figure), "--store", str(tmp_path / "cost")).stdout)
    assert {cost["passes"] for cost in found["costs"]} == {"forward", "forward+backward"}
    assert all(target["met"] == (target["worst"] <= target["limit"]) for target in found["targets"])
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    run("--store", str(tmp_path / "cost"))
    lines = [json.loads(line) for line in (tmp_path / "cost" / "cost.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2 * len(found["costs"])
    assert {"region", "method", "size", "ratio", "measured", "device", "versions"} <= lines[0].keys()


def test_a_picture_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    with pytest.raises(InputError, match=r"\.png"):
        run("-o", str(tmp_path / "cost.txt"))


def test_a_negative_seed_is_refused():
    done = run("--seed", "-1")
    assert done.exit_code == 2
    assert "--seed" in done.output
