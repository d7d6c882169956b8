"""Every block of Python and of `shell` in the README and the documentation runs, file by file, top to bottom.

A block of `text` after one of them is what it prints, to as many digits as are shown. Commands that need data or hours
stand in blocks of `sh`; `test_commands` checks those.
"""

import re
import shlex
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pauci.cli import app
from pauci.training import load_recipe

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(python|shell)\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


# What other packages warn of inside themselves is not ours to fix.
@pytest.mark.filterwarnings("ignore:::lightning", "ignore:::skorch")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in _BLOCK.finditer(text):
        if block[1] == "shell":
            printed = run_commands(block[2])
        else:
            capsys.readouterr()
            first_line = text[: block.start()].count("\n") + 1
            # Blank lines in front keep the line numbers of a traceback those of the page.
            exec(compile("\n" * first_line + block[2], str(page), "exec"), namespace)
            printed = capsys.readouterr().out
        if block[3] is not None:
            assert_printed(printed, block[3])


def run_commands(block):
    printed = []
    for line in block.splitlines():
        command, *arguments = shlex.split(line, comments=True)
        assert command == "pauci", line
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert result.exit_code == 0, line
        printed.append(result.output)
    return "".join(printed)


def assert_printed(printed, shown):
    """Compare what was printed with what a page shows: the same words, and numbers that round to those shown."""
    assert [_NUMBER.sub("0", line).split() for line in printed.splitlines()] == [
        _NUMBER.sub("0", line).split() for line in shown.splitlines()
    ]
    for said, told in zip(_NUMBER.findall(printed), _NUMBER.findall(shown), strict=True):
        # Other processors round otherwise: one unit of the last digit shown is allowed.
        allowed = 1.5 * 10.0 ** Decimal(told).as_tuple().exponent if "." in told else 0
        assert float(said) == pytest.approx(float(told), abs=allowed), (said, told)


@pytest.mark.parametrize("printed", ["found 0.1239 of 12\n", "found 0.1235  of 12\n"])
def test_printed_numbers_may_have_more_digits(printed):
    assert_printed(printed, "found 0.124 of 12\n")


@pytest.mark.parametrize("printed", ["found 0.1259 of 12\n", "found 0.124 of 13\n", "lost 0.124 of 12\n", ""])
def test_other_words_and_numbers_are_noticed(printed):
    with pytest.raises(AssertionError):
        assert_printed(printed, "found 0.124 of 12\n")


def test_the_last_digit_of_a_power_of_ten_is_that_of_its_factor():
    assert_printed("loss 1.31e-05\n", "loss 1.2e-05\n")
    with pytest.raises(AssertionError):
        assert_printed("loss 1.5e-05\n", "loss 1.2e-05\n")


_TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_recipes_load(page, tmp_path):
    for number, block in enumerate(_TOML.findall(page.read_text(encoding="utf-8"))):
        path = tmp_path / f"recipe{number}.toml"
        path.write_text(block, encoding="utf-8")
        load_recipe(str(path))


_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        assert "://" in target or (page.parent / target).exists(), f"{page.name} links to {target}"
