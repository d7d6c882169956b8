"""The page about the command line says what the commands themselves say.

Write it anew with:
python -m typer pauci.cli utils docs --name pauci --title "Command line" --output docs/reference/cli.md
"""

import subprocess
import sys
from pathlib import Path

import typer.main

from pauci.cli import app

ROOT = Path(__file__).parents[2]


def test_the_page_says_what_the_commands_say(tmp_path):
    about = ["--name", "pauci", "--title", "Command line", "--output", str(tmp_path / "cli.md")]
    subprocess.run([sys.executable, "-m", "typer", "pauci.cli", "utils", "docs", *about], check=True)
    made = (tmp_path / "cli.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8") == made, __doc__


def test_no_help_is_taken_for_markup():
    """Brackets in the text of a help are tags to the terminal, and vanish."""

    def helps(command):
        for name, each in getattr(command, "commands", {}).items():
            yield from ((f"{name} {where}", text) for where, text in helps(each))
        yield from ((parameter.name, getattr(parameter, "help", None) or "") for parameter in command.params)

    assert [where for where, text in helps(typer.main.get_command(app)) if "[" in text] == []
