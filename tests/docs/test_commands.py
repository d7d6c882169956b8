"""Every command shown in the README and the documentation exists, with the options it is given."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from pauci.cli import app
from pauci.extras import EXTRAS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:pauci|make|python benchmarks/|torchrun|examples/)[^`]*)`")


def commands(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    blocks = [block for language, block in _FENCE.findall(text) if language in ("", "sh", "bash", "shell")]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in [*lines, *_INLINE.findall(_FENCE.sub("", text))] if line.strip()]


SHOWN = sorted({(page, command) for page in PAGES for command in commands(page)})


def check(words: list[str]) -> None:
    """Raise where a command line names a script, target, command or option that there is not."""
    if words[0] == "torchrun":
        words = words[next(i for i, word in enumerate(words) if word.endswith(".py") or word == "-m") :]
    if words[0] in ("-m", "python") and "pauci" in words[:3]:
        words = words[words.index("pauci") :]
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"no target {words[1]}"
    elif words[0] == "python" or words[0].endswith(".py"):
        script = next(word for word in words if word.endswith(".py"))
        assert (ROOT / script).is_file(), f"no script {script}"
    elif words[0] == "pauci":
        command, arguments = typer.main.get_command(app), words[1:]
        context = strict_context(command)
        while hasattr(command, "resolve_command") and arguments and not arguments[0].startswith("-"):
            _, command, arguments = command.resolve_command(context, arguments)
            context = strict_context(command)
        command.make_parser(context).parse_args(list(arguments))


def strict_context(command):
    """Make a context without arguments, which a command may need, that then parses strictly."""
    context = command.make_context(command.name, [], resilient_parsing=True)
    context.resilient_parsing = False
    return context


def ids(shown):
    return f"{shown[0].relative_to(ROOT).as_posix()}: {shown[1][:60]}"


@pytest.mark.parametrize("shown", SHOWN, ids=ids)
def test_command_exists(shown):
    words = shlex.split(shown[1], comments=True)
    if words:
        # In running text an option may stand without its value.
        check([*words, "value"] if words[-1].startswith("--") else words)


@pytest.mark.parametrize("wrong", ["pauci scroe x.csv", "pauci score x.csv --lable y", "make deom", "python a/b.py"])
def test_mistakes_are_noticed(wrong):
    with pytest.raises(Exception, match=r"No such (command|option)|no (target|script)"):
        check(wrong.split())


def test_there_is_something_to_check():
    assert len(SHOWN) > 30


def test_every_extra_is_explained():
    text = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(EXTRAS.values())
