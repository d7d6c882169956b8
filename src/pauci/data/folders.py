"""Where data are looked for, and where this package writes."""

import os
import sys
from pathlib import Path


def data_folder(root: str | os.PathLike[str] | None = None) -> Path:
    """Folder in which archives and prepared files are looked for; it is never written to.

    Parameters
    ----------
    root : path, optional
        Used as it is when given. Otherwise the environment variable ``PAUCI_DATA``, and without it `cache_folder`.

    Returns
    -------
    Path
        The folder, which need not exist.

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

    Returns
    -------
    Path
        The folder, which need not exist.

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
