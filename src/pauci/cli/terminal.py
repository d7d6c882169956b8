r"""The way to the terminal: whatever files say is shown as text, and never obeyed.

Names in models, tables, recipes and stores may come from others. A control character among them could move the cursor,
hide a warning or type commands; it is spelled out, as ``\x1b``. Rows that a command writes to standard output are data,
and do not pass here.
"""

import re
from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

#: Columns that tables of numbers need: a narrower terminal breaks their lines, which is better than to lose digits.
_LEAST_WIDTH = 80
#: All that terminals obey; ends of lines and tabs are what they are.
_CONTROL = re.compile(r"[^\t\n -~\xa0-\U0010ffff]")


def plain(text: str) -> str:
    r"""Spell out control characters, and with them all that a terminal would obey.

    Examples
    --------
    >>> print(plain("caf\u00e9 \x1b[31mred\x07"))
    café \x1b[31mred\x07
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: str, *, err: bool = False) -> None:
    """Print lines: to stderr those that are beside the results, such as notes and warnings.

    Examples
    --------
    >>> say("3 rows")
    3 rows
    """
    typer.echo(plain(text), err=err)


class Terminal(Console):
    """A console of rich on which texts are nothing but text.

    With markup, brackets mean something, and names of others are to be escaped.
    """

    def __init__(self, *, stderr: bool = False, markup: bool = False) -> None:
        super().__init__(stderr=stderr, markup=markup, emoji=False, highlight=False)
        if not stderr:
            self.width = max(self.width, _LEAST_WIDTH)

    def render_str(self, text: str, **options: Any) -> Text:
        """Spell out before rich measures how wide a text is."""
        return super().render_str(plain(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Spell out what came in another form than text, as in progress bars; rich adds colours later."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=plain(segment.text))
