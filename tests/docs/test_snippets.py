"""Every block of Python and of `shell` in the README and the documentation runs, file by file, top to bottom.

Commands that need data or hours stand in blocks of `sh`; `test_commands` checks those.
"""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pauci.cli import app
from pauci.training import load_recipe

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(python|shell)\n(.*?)^```", re.MULTILINE | re.DOTALL)


# What other packages warn of inside themselves is not ours to fix.
@pytest.mark.filterwarnings("ignore:::lightning", "ignore:::skorch")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in _BLOCK.finditer(text):
        if block[1] == "shell":
            run_commands(block[2])
            continue
        first_line = text[: block.start()].count("\n") + 1
        # Blank lines in front keep the line numbers of a traceback those of the page.
        exec(compile("\n" * first_line + block[2], str(page), "exec"), namespace)


def run_commands(block):
    for line in block.splitlines():
        command, *arguments = shlex.split(line, comments=True)
        assert command == "pauci", line
        assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0, line


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
