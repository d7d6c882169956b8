"""Pieces of HTML that several parts of the page are made of. Text from outside is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

#: Dash patterns of curves, in the order of models; as SVG writes them, since colours alone do not reach everyone.
_DASHES = ("none", "7 4", "2 3", "7 3 2 3")
#: Colours of models in the style sheet.
_COLORS = 7


def paint(number: int) -> str:
    """Name the colour of a model, as the style sheet knows it.

    Examples
    --------
    >>> paint(8)
    'var(--model-1)'
    """
    return f"var(--model-{number % _COLORS})"


def named(number: int, name: str) -> str:
    """Write a model's name behind a piece of its line.

    Examples
    --------
    >>> named(0, "<b>").endswith("&lt;b&gt;")
    True
    """
    return (
        f'<svg class="swatch" viewBox="0 0 24 8" aria-hidden="true"><line x1="0" y1="4" x2="24" y2="4" '
        f'style="stroke: {paint(number)}; stroke-dasharray: {_DASHES[number % len(_DASHES)]}"/></svg>{escape(name)}'
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, name: str = "") -> str:
    """Write a table that becomes a list of cards on a phone. Cells are HTML already, headings are escaped text.

    Examples
    --------
    >>> table(["model", "AUC"], [["a", "0.9"]])[-82:]
    '<tr><th scope="row">a</th><td data-label="AUC">0.9</td></tr></tbody></table></div>'
    """
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    body = "".join(
        f'<tr><th scope="row">{first}</th>'
        + "".join(f'<td data-label="{label}">{cell}</td>' for label, cell in zip(headings[1:], cells, strict=True))
        + "</tr>"
        for first, *cells in rows
    )
    identity = f' id="{name}"' if name else ""
    return (
        f'<div class="scroll"><table class="cards"{identity}><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def code(text: str, label: str) -> str:
    """Write text that can be copied.

    Examples
    --------
    >>> "&lt;b&gt;" in code("<b>", "command")
    True
    """
    return (
        f'<div class="code"><button type="button" class="copy" aria-label="Copy the {escape(label)}">Copy</button>'
        f'<pre tabindex="0" aria-label="{escape(label)}"><code>{escape(text)}</code></pre></div>'
    )
