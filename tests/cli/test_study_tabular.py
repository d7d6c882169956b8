"""`pauci study tabular` runs a miniature of the study, goes on where it stopped, and writes its page from the store."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from pauci.cli import app
from pauci.errors import FileFormatError, InputError, PauciError, TooFewSamplesError
from pauci.studies.tabular.models import FAMILIES

pytestmark = pytest.mark.filterwarnings("ignore:.*guarantee.*")  # far too few rows for one


def run(*arguments):
    return CliRunner().invoke(app, ["study", "tabular", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("one", "two"):
        y = (np.arange(160) < 40).astype(np.uint8)
        X = rng.normal(size=(160, 3)).astype(np.float32) + y[:, None]
        X[100:120] = X[99]
        np.savez(tmp_path / f"{name}.npz", X=X, y=y)
    return tmp_path


@pytest.fixture
def few_settings(monkeypatch):
    """Two configurations of each model to choose from, instead of eight."""
    models = {name: replace(model, configs=model.configs[:2]) for name, model in FAMILIES["linear"].items()}
    monkeypatch.setitem(FAMILIES, "linear", models)


@pytest.mark.slow
@pytest.mark.usefixtures("few_settings")
def test_a_miniature_from_tables_to_the_page(tables):
    store, page, readme = tables / "results", tables / "docs" / "study.md", tables / "README.md"
    render = ["--render", "--store", store, "--page", page, "--readme", readme]
    chosen = [tables, "--store", store, "--families", "linear", "--regions", "fpr<=0.5"]
    baselines = ["--models", "ce,class-weight,undersampling"]
    first = run(*chosen, *baselines, "--splits", 2)
    assert "12 pieces of work to do" in first.output
    assert "12 done, 0 failed, 0 left" in first.output
    assert "[3/12, about" in first.output
    assert "0 pieces of work" in run(*chosen, *baselines, "--splits", 2).output
    with pytest.raises(TooFewSamplesError, match="ten splits"):
        run(*render)
    assert "48 done" in run(*chosen, *baselines).output
    assert "20 done" in run(*chosen, "--models", "ours").output

    page.parent.mkdir()
    page.write_text("# Title\n<!-- tabular study: begin -->\nstale\n<!-- tabular study: end -->\nThe end.\n")
    readme.write_text("<!-- tables: begin -->\nold\n<!-- tables: end -->\n")
    assert "images/study.svg" in run(*render).output
    assert "| every table, region and family | 2 |" in readme.read_text()
    assert "| the region's part: ours against that mean | 2 |" in readme.read_text()
    text = page.read_text()
    assert text.startswith("# Title\n")
    assert text.endswith("The end.\n")
    assert "stale" not in text
    assert "| one | fpr<=0.5 |" in text
    numbers = json.loads(page.with_suffix(".json").read_text())
    assert {(cell["task"], cell["family"]) for cell in numbers["cells"]} == {("one", "linear"), ("two", "linear")}
    gain = numbers["gains"]["all"]
    assert gain["cells"] == 2
    assert gain["here"]["low"] <= gain["here"]["difference"] <= gain["here"]["high"]
    assert (page.parent / "images" / "study.svg").read_text().startswith("<?xml")
    # The same store gives the same page.
    run(*render)
    assert page.read_text() == text
    page.write_text("no place for it")
    with pytest.raises(FileFormatError, match="begin"):
        run(*render)


def test_out_of_time_says_what_is_left(tables):
    done = run(tables, "--families", "linear", "--models", "ce", "--budget-minutes", 0, "--store", tables / "results")
    assert "0 done, 0 failed, 20 left" in done.output


def test_failures_are_listed_and_fail_the_command(tables):
    np.savez(tables / "three.npz", X=np.ones((40, 1), dtype=np.float32), y=np.arange(40) % 2)
    with pytest.raises(PauciError, match="10 pieces failed"):
        run(tables, "--sets", "three", "--families", "linear", "--models", "ce", "--store", tables / "results")


def test_a_folder_is_needed():
    with pytest.raises(InputError, match="folder"):
        run()
