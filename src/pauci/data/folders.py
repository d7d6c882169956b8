"""Where data are looked for, and where this package writes."""

import os
import sys
from pathlib import Path

from pauci.errors import InputError


def data_folder(root: str | os.PathLike[str] | None = None) -> Path:
    """Folder in which archives and prepared files are looked for; it is never written to.

    It is `root`, if given; otherwise the environment variable ``PAUCI_DATA``, and without it `cache_folder`. It need
    not exist.

    Examples
    --------
    >>> data_folder("archives").name
    'archives'
    """
    if root is not None:
        return Path(root).expanduser()
    if chosen := os.environ.get("PAUCI_DATA"):
        return Path(chosen).expanduser()
    return cache_folder()


def cache_folder() -> Path:
    """Folder for downloads and prepared files: ``PAUCI_CACHE``, or ``pauci`` in the user's cache folder.

    It need not exist.

    Examples
    --------
    >>> cache_folder().is_absolute()
    True
    """
    if chosen := os.environ.get("PAUCI_CACHE"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base, default = os.environ.get("LOCALAPPDATA"), Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base, default = None, Path.home() / "Library" / "Caches"
    else:
        base, default = os.environ.get("XDG_CACHE_HOME"), Path.home() / ".cache"
    return (Path(base) if base else default) / "pauci"


def searched_folders(root: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return where data are looked for: the data folder and, if that is another one, the cache folder."""
    return list(dict.fromkeys([data_folder(root), cache_folder()]))


def made_cache_folder() -> Path:
    """Return `cache_folder`, which is there from now on.

    Raises
    ------
    InputError
        It cannot be created, or nobody may write there.
    """
    folder, reason = cache_folder(), "it is read-only"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"it cannot be created: {error.strerror}"
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise InputError(
            f"nothing can be written to the cache folder {folder} ({reason}); set the environment variable PAUCI_CACHE "
            "to a folder of your own."
        )
    return folder
