"""Error messages in the words of the command line: `--drop x` where the library says ``drop=['x']``."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pauci.errors import PauciError

#: A text as Python writes it, and a list of such.
_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_LIST = re.compile(rf"\b(drop|categorical)=(\[{_TEXT}(?:, {_TEXT})*\])")
_EDGE = re.compile(r"\b(max|min)_(fpr|tpr)=(?=[\d.])")
_SIGNS = {"max": "<=", "min": ">="}
_WORDS = (
    (re.compile(r"positive=VALUE \(--positive VALUE(?: on the command line)?\)"), "--positive VALUE"),
    (re.compile(r"\bpositive=('.*?') is not a value"), r"--positive \1 is not a value"),
    (re.compile(r"\bdrop_unlabeled=True\b"), "--drop-unlabeled"),
    (re.compile(r"; (?:confidence=None asks for no more|average=False keeps one model)"), ""),
    (re.compile(r"\bconfidence=(?=[\d.])"), "--confidence "),
    (re.compile(r"\bvolume=(\S+) must"), r"--volume \1 must"),
    (re.compile(r"\bUse cut='interpolate', a wider"), "Leave out --convention paper, or use a wider"),
    (re.compile(r"\bscale='mcclish' is"), "--convention sklearn is"),
)


def in_command_line_words(message: str, *, region: bool = False) -> str:
    """Translate a message of the library, for a command that takes a whole `--region` or its edges by options.

    Examples
    --------
    >>> in_command_line_words("max_fpr=0.1"), in_command_line_words("max_fpr=0.1", region=True)
    ('--max-fpr 0.1', 'fpr<=0.1')
    >>> in_command_line_words("column 'id' has many texts; leave it out with drop=['id'].")
    "column 'id' has many texts; leave it out with --drop 'id'."
    >>> in_command_line_words("leave them out with drop=['id', 'note'].")
    "leave them out with --drop 'id' --drop 'note'."
    """
    message = _LIST.sub(_repeated, message)
    message = _EDGE.sub(lambda edge: f"{edge[2]}{_SIGNS[edge[1]]}" if region else f"--{edge[1]}-{edge[2]} ", message)
    for words, ours in _WORDS:
        message = words.sub(ours, message)
    return message


@contextmanager
def command_line_words(*, region: bool = False) -> Iterator[None]:
    """Say in the words of the command line what goes wrong in the block (see `in_command_line_words`).

    Examples
    --------
    >>> from pauci.errors import FileFormatError
    >>> with command_line_words():
    ...     raise FileFormatError("leave it out with drop=['id'].")
    Traceback (most recent call last):
    pauci.errors.FileFormatError: leave it out with --drop 'id'.
    """
    try:
        yield
    except PauciError as error:
        error.args = (in_command_line_words(str(error), region=region), *error.args[1:])
        raise


def _repeated(found: re.Match[str]) -> str:
    """Name an option once for each text of a list."""
    return " ".join(f"--{found[1]} {text}" for text in re.findall(_TEXT, found[2]))
