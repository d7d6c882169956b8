"""Nothing that a file says steers the terminal: control characters are spelled out, brackets stay brackets."""

import dataclasses
import re
from pathlib import Path

import pandas as pd
import pytest
from rich.table import Table
from rich.text import Text

import pauci.cli
from pauci.cli.terminal import Terminal, plain, say
from pauci.tabular.model_file import save_model
from payments import model, payments

HOSTILE = "a\x1b]0;title\x07\x1b[2J\x9b1m\r\x7f[red]b[/red]:bug:"
SHOWN = r"a\x1b]0;title\x07\x1b[2J\x9b1m\r\x7f[red]b[/red]:bug:"
STEERING = re.compile(r"[^\n -~\xa0-\U0010ffff]")


def test_control_characters_are_spelled_out_and_all_else_is_left_alone():
    assert plain(HOSTILE) == SHOWN
    assert plain(SHOWN) == SHOWN
    assert plain("naïve\t数\n🐞") == "naïve\t数\n🐞"


def test_lines_and_tables_show_names_as_they_are(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    say(HOSTILE)
    say(HOSTILE, err=True)
    table = Table(title=HOSTILE)
    table.add_column(HOSTILE)
    table.add_row(HOSTILE)
    Terminal().print(table)
    Terminal(stderr=True).print(f"error: {HOSTILE}", style="red")
    for printed, times in zip(capsys.readouterr(), (4, 2), strict=True):
        assert not STEERING.search(printed)
        assert printed.count(SHOWN) == times


def test_colours_and_texts_of_rich_itself(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    Terminal(markup=True).print("[red]x\x1b[2J[/red]")
    Terminal().print(Text("y\x1b[2J"))
    Terminal().print("1.5 s; see runs/a-1.toml")  # of which rich would colour pieces
    assert capsys.readouterr().out == "\x1b[31mx\\x1b[2J\x1b[0m\ny\\x1b[2J\n1.5 s; see runs/a-1.toml\n"


def test_what_a_model_file_says_is_shown(run, tmp_path):
    fitted = dataclasses.replace(model("lightgbm", tmp_path), target=HOSTILE, positive="yes\x1b[8m")
    save_model(fitted, tmp_path / "m.pauci")
    rows = tmp_path / "new.csv"
    payments(250, seed=2).drop(columns="fraud").to_csv(rows, index=False)
    code, _, err = run("predict", tmp_path / "m.pauci", rows, "-o", tmp_path / "scores.csv")
    assert code == 0
    assert not STEERING.search(err)
    assert f"{SHOWN} = yes\\x1b[8m" in err


@pytest.mark.filterwarnings("always")
def test_warnings_are_lines_without_a_place_in_the_code(run, tmp_path):
    rows = tmp_path / "new.csv"
    payments(250, seed=2).assign(country="Poland").to_csv(rows, index=False)
    for name in ("a.pauci", "b.pauci"):
        save_model(model("lightgbm", tmp_path), tmp_path / name)
    code, _, err = run("compare", tmp_path / "a.pauci", tmp_path / "b.pauci", "--data", rows, "--method", "delong")
    assert code == 0
    assert err.startswith("warning: column 'country': 100% of 250 values were not there when the model was fitted")
    assert all(line.startswith("warning: column 'country'") for line in err.splitlines())


@pytest.mark.parametrize("command", ["score", "report"])
def test_names_of_files_are_shown(run, tmp_path, command):
    path = tmp_path / "a\x1b[8m[red].csv"
    pd.DataFrame({"label": [0, 1] * 20, "[red]s": range(40), "t": range(40)}).to_csv(path, index=False)
    code, out, err = run(command, path, "--region", "fpr<=0.5", *(["-o", "r.csv"] if command == "report" else []))
    assert code == (2 if command == "report" else 0)
    assert not STEERING.search(out + err)
    if command == "score":
        assert r"a\x1b[8m[red].csv" in out
        assert "[red]s" in out


def test_every_command_prints_by_way_of_this_module():
    for path in Path(pauci.cli.__file__).parent.glob("*.py"):
        if path.name != "terminal.py":
            assert not re.search(r"typer\.s?echo|\bConsole\(", path.read_text()), path.name
