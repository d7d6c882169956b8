"""Places for files: found out before the work whether its result can be kept."""

import tempfile
from pathlib import Path

from pauci.errors import InputError


def check_place(option: str, path: Path) -> None:
    """Raise early, before any work, where no file could be written in the end.

    Parameters
    ----------
    option : str
        Names the file on the command line.
    path : Path
        The file.

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
