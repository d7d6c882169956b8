"""Places for files: where they go by default, and whether they can be kept there, before any work."""

import re
import tempfile
from pathlib import Path

from pauci.errors import InputError


def check_place(option: str, path: Path) -> None:
    """Raise early, before any work, where no file could be written in the end.

    Examples
    --------
    >>> check_place("--out", Path("nowhere/model.pauci"))
    Traceback (most recent call last):
    pauci.errors.InputError: --out nowhere/model.pauci: the folder nowhere does not exist; create it first.
    """
    if path.is_dir():
        raise InputError(f"{option} {path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path}: the folder {path.parent} does not exist; create it first.")
    try:
        # The only sure way to know: permissions do not tell of read-only or virtual file systems.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".pauci-"):
            pass
    except OSError as error:
        raise InputError(
            f"{option} {path}: nothing can be written to the folder {path.parent.resolve()} ({error.strerror}); "
            "choose another."
        ) from None


def default_folder(name: str, digest: str) -> Path:
    """Return where the results of a recipe go that were not given a place: always directly in ``runs``.

    Whatever has a meaning in paths is replaced in the recipe's name.

    Examples
    --------
    >>> default_folder("../mine: second", "0123456789abcdef").as_posix()
    'runs/mine-second-01234567'
    """
    plain = re.sub(r"[^\w.-]+", "-", name).strip(".-") or "recipe"
    return Path("runs") / f"{plain}-{digest[:8]}"
