"""Parts of a page that are drawn from a store: what stands between two marks is replaced."""

import re
from pathlib import Path

from pauci.errors import FileFormatError
from pauci.training.files import write_bytes


def write_marked(path: Path, content: str, *, begin: str, end: str) -> None:
    r"""Replace what stands between two marks of a file.

    Parameters
    ----------
    path : Path
        A text that has both.
    content : str
        What to put there.
    begin, end : str
        The lines before and after it.

    Raises
    ------
    FileFormatError
        A mark is missing.

    Examples
    --------
    >>> import tempfile
    >>> page = Path(tempfile.mkdtemp()) / "page.md"
    >>> _ = page.write_text("# Title\n<!-- a -->\nold\n<!-- b -->\n")
    >>> write_marked(page, "new", begin="<!-- a -->", end="<!-- b -->")
    >>> page.read_text()
    '# Title\n<!-- a -->\nnew\n<!-- b -->\n'
    """
    before, found, rest = path.read_text(encoding="utf-8").partition(f"{begin}\n")
    _, closed, after = rest.partition(f"{end}\n")
    if not found or not closed:
        raise FileFormatError(f"{path} lacks the lines {begin!r} and {end!r}, in this order; put them back.")
    write_bytes(path, f"{before}{begin}\n{content}\n{end}\n{after}".encode())


def in_markdown(name: str) -> str:
    r"""Write a name of a store as text and nothing else: no tag, link, further cell or line of a table.

    Examples
    --------
    >>> in_markdown("fpr<=0.05")
    'fpr<=0.05'
    >>> print(in_markdown("<b>a|b</b> [c](d)"))
    &lt;b>a\|b&lt;/b> \[c](d)
    """
    return re.sub(r"([|\[\\])", r"\\\1", re.sub(r"<(?=[A-Za-z/!?])", "&lt;", " ".join(name.split())))
