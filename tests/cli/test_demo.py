import importlib
import io
import re
from contextlib import contextmanager

import pytest
import torch
from rich.console import Console
from typer.testing import CliRunner

from pauci.cli import app
from pauci.region import Region
from pauci.studies import digits

demo = importlib.import_module("pauci.cli.demo")


@pytest.fixture
def phases(monkeypatch):
    """Which kinds of work were announced, and whether one is going on."""
    seen = {"now": None, "all": []}

    @contextmanager
    def recorded(description, total=None, *, quiet=False):
        seen["now"] = description
        seen["all"].append(description)
        yield lambda: None
        seen["now"] = None

    monkeypatch.setattr(demo, "late_progress", recorded)
    return seen


@pytest.mark.slow
def test_two_digits_are_trained_shown_and_drawn(monkeypatch, tmp_path, phases):
    during, given = {}, {}
    for module, name in ((digits, "mean_gain"), (demo, "write_picture")):
        original = getattr(module, name)

        def watched(*arguments, _name=name, _original=original):
            during[_name] = phases["now"]
            given[_name] = arguments
            return _original(*arguments)

        monkeypatch.setattr(module, name, watched)
    monkeypatch.setattr(demo, "_DIGITS", (3, 8))
    path, page, before = tmp_path / "demo.svg", tmp_path / "demo.html", torch.get_rng_state()
    result = CliRunner().invoke(app, ["demo", "--plot", str(path), "--report", str(page)], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    assert torch.equal(torch.get_rng_state(), before)
    assert max(map(len, result.output.replace(str(path), "").replace(str(page), "").splitlines())) <= 80
    value, change = r"[01]\.\d{3} \[[01]\.\d\d, [01]\.\d\d\]", r"[+-]0\.\d{3} \[[+-]\d\.\d\d, [+-]\d\.\d\d\]"
    for digit in (3, 8):
        row = rf"^{digit} +{value} +{value} +{change} +\d+ -> \d+ *$"
        assert len(re.findall(row, result.output, re.MULTILINE)) == 1
    words = " ".join(result.output.split())
    assert "PAUCI and cross-entropy mixed half and half" in words
    assert "three times as wide" in words
    assert "cross-entropy PAUCI + CE difference" in words
    assert re.search(r"Mean difference over the digits: [+-]0\.\d{3}", words)
    assert path.stat().st_size > 5000
    _, curves, _ = given["write_picture"]
    assert [curve.name for curve in curves] == ["cross-entropy, digit 8", "PAUCI + CE, digit 8"]
    assert result.output.rstrip().endswith(str(page))
    assert "<title>Digit 8 against the rest</title>" in page.read_text(encoding="utf-8")
    assert phases["all"] == ["training", "resampling", "drawing", "reporting"]
    assert during == {"mean_gain": "resampling", "write_picture": "drawing"}


def test_the_widest_row_fits_into_80_characters():
    labels = torch.tensor([0] * 40 + [1] * 10).numpy()
    perfect = digits.DigitResult(3, labels, labels * 1.0, labels * 1.0, Region(max_fpr=0.05))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(demo._table([perfect]))
    (row,) = [line for line in console.export_text().splitlines() if line.startswith("3 ")]
    assert row.rstrip().endswith("100 -> 100")


def test_bad_options_are_refused():
    result = CliRunner().invoke(app, ["demo", "--seed", "-1"])
    assert result.exit_code == 2
    assert "--seed" in result.output
