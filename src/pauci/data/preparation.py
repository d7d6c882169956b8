"""Finding the source of a data set, and preparing it once."""

import os
from pathlib import Path

from pauci.data.archives import check_sha256, file_digest
from pauci.data.collection import Collection
from pauci.data.datasets import DATASETS, Dataset
from pauci.data.download import download as fetch
from pauci.data.folders import made_cache_folder, searched_folders
from pauci.data.prepared import open_prepared, write_prepared
from pauci.errors import FileFormatError, InputError, MissingDataError
from pauci.locking import lock_file

Root = str | os.PathLike[str] | None


def prepare(name: str, *, root: Root = None, download: bool = False, workers: int = 1) -> Path:
    """Make sure that a data set is prepared.

    A prepared file that belongs to the source at hand is left alone. The source is the official archive or else npz
    files, in the data folder or else in the cache folder. The prepared file is written to the cache folder.

    Parameters
    ----------
    name : str
        ``"cifar10-lt"``, ``"cifar100-lt"`` or ``"tiny-imagenet"``.
    root : path, optional
        The data folder; by default the environment variable ``PAUCI_DATA``, or the cache folder.
    download : bool, default False
        Whether to fetch the official archive when there is no source.
    workers : int, default 1
        Number of processes that decode JPEG images (see `decode_jpegs`).

    Returns
    -------
    Path
        The prepared file.

    Raises
    ------
    MissingDataError
        No source was found, and `download` is off.
    FileFormatError
        The source is damaged; nothing was written.

    Examples
    --------
    >>> prepare("mnist")
    Traceback (most recent call last):
    ...
    pauci.errors.InputError: name='mnist' is not known; use one of cifar10-lt, cifar100-lt, tiny-imagenet.
    """
    dataset = _dataset(name)
    if existing := find_prepared(name, root=root):
        return existing
    folders = searched_folders(root)
    paths = next(filter(None, (_find_source(dataset, folder) for folder in folders)), [])
    if not paths and not download:
        raise MissingDataError(
            f"{name} is not on this machine: neither {dataset.archive.name} nor {dataset.npz} is in "
            f"{' or '.join(map(str, folders))}. "
            f"Run 'pauci data prepare {name}' to download it, or name the folder that has it by root or the "
            "environment variable PAUCI_DATA."
        )
    if not paths:
        paths = [fetch(dataset.archive, made_cache_folder())]
    path = made_cache_folder() / _file_name(name)
    with lock_file(path.with_name(f".{path.name}.lock")):
        # Whoever had the lock before may have been here for the same, or have been killed at it.
        if existing := find_prepared(name, root=root):
            return existing
        for leftover in path.parent.glob(f".unfinished-*-{path.name}"):
            leftover.unlink(missing_ok=True)
        write_prepared(path, _read(dataset, paths), dataset, source=_identity(paths), workers=workers)
    return path


def find_prepared(name: str, *, root: Root = None) -> Path | None:
    """Find the prepared file of a data set, in the data folder or else in the cache folder.

    One that was not made from the source beside it, or is damaged while there is a source, does not count: `prepare`
    replaces it.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> (Path(folder.name) / "cifar10-lt.safetensors").touch()
    >>> find_prepared("cifar10-lt", root=folder.name).name
    'cifar10-lt.safetensors'
    >>> folder.cleanup()
    """
    dataset = _dataset(name)
    existing = prepared_files(name, root=root)
    for folder in searched_folders(root):
        source = _find_source(dataset, folder)
        if source:
            return next((path for path in existing if _is_made_from(path, source)), None)
        if (path := folder / _file_name(name)) in existing:
            return path
    return None


def prepared_files(name: str, *, root: Root = None) -> list[Path]:
    """List the prepared files of a data set, sound or not, in the data folder and in the cache folder: two at most.

    Examples
    --------
    >>> len(prepared_files("cifar10-lt")) <= 2
    True
    """
    return [path for folder in searched_folders(root) if (path := folder / _file_name(name)).is_file()]


def _dataset(name: str) -> Dataset:
    if name not in DATASETS:
        raise InputError(f"name={name!r} is not known; use one of {', '.join(DATASETS)}.")
    return DATASETS[name]


def _file_name(name: str) -> str:
    return f"{name}.safetensors"


def _find_source(dataset: Dataset, folder: Path) -> list[Path]:
    archive = folder / dataset.archive.name
    return [archive] if archive.is_file() else sorted(folder.glob(dataset.npz))


def _is_made_from(path: Path, source: list[Path]) -> bool:
    try:
        return open_prepared(path).source == _identity(source)
    except FileFormatError:
        return False


def _identity(paths: list[Path]) -> str:
    # Files of our own making may change and keep their size; archives are checked when they are read.
    contents = (f", {file_digest(path)[:16]}" if path.suffix == ".npz" else "" for path in paths)
    return ", ".join(f"{p.name} ({p.stat().st_size} bytes{c})" for p, c in zip(paths, contents, strict=True))


def _read(dataset: Dataset, paths: list[Path]) -> Collection:
    if paths[0].name != dataset.archive.name:
        return dataset.read_npz(paths)
    check_sha256(paths[0], dataset.archive.sha256)
    return dataset.read(paths[0])
