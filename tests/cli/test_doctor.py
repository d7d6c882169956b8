import importlib
import json
import re
import sys

import pytest
from typer.testing import CliRunner

from pauci import __version__
from pauci.cli import app
from pauci.extras import EXTRAS


def test_everything_installed_is_listed_with_its_version():
    found = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    packages = {package["name"]: package for package in found["packages"]}
    assert found["pauci"] == __version__
    assert set(packages) >= {"torch", "numpy", "scipy", "sklearn", "safetensors", *EXTRAS}
    assert packages["torch"]["problem"] is None
    assert packages["torch"]["version"]
    assert packages["rich"]["version"]
    assert found["devices"][0].startswith("cpu")


def test_one_thread_is_one(monkeypatch):
    monkeypatch.setattr("torch.get_num_threads", lambda: 1)
    assert re.search(r"cpu: \w+, 1 thread$", CliRunner().invoke(app, ["doctor"]).stdout, re.MULTILINE)


@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_missing_is_named_with_its_extra(monkeypatch, as_json):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(app, ["doctor", *(["--json"] if as_json else [])], env={"COLUMNS": "160"})
    assert result.exit_code == 0
    if as_json:
        found = json.loads(result.stdout)
        assert "plot" in found["missing_extras"]
        assert {p["name"]: p["problem"] for p in found["packages"]}["matplotlib"] == "not installed"
    else:
        assert "not installed" in result.stdout
        assert "pip install 'pauci[plot" in result.stdout


def test_what_cannot_be_imported_is_called_broken(monkeypatch, tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise RuntimeError('compiled for [another] machine')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    result = CliRunner().invoke(app, ["doctor"], env={"COLUMNS": "160"})
    assert result.exit_code == 0
    assert "broken: compiled for [another] machine" in result.stdout


@pytest.mark.parametrize(
    ("name", "version", "command"),
    [("sklearn", "1.5.2", "pip install 'pauci'"), ("plotly", "5.24.1+local", "pip install 'pauci[report]'")],
)
def test_what_is_too_old_is_named_with_the_version_that_is_needed(monkeypatch, name, version, command):
    monkeypatch.setattr(importlib.import_module(name), "__version__", version)
    result = CliRunner().invoke(app, ["doctor"], env={"COLUMNS": "160"})
    (line,) = (line for line in result.stdout.splitlines() if f" {name} " in line)
    assert version in line
    assert "too old: needs " in line
    assert command in result.stdout
    assert "Nothing is missing" not in result.stdout
