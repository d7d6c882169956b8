"""A data set as one memory-mapped file, ready to train from; written once, from whatever source is at hand."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pauci.data.archives import check_sha256
from pauci.data.collection import Collection
from pauci.data.datasets import DATASETS, Dataset
from pauci.data.download import download as fetch
from pauci.data.folders import cache_folder, data_folder
from pauci.data.jpeg import decode_jpegs
from pauci.data.progress import progress_bar
from pauci.data.splits import Parts
from pauci.data.tensorfile import Blocks, check_tensors, map_tensors, write_tensors
from pauci.errors import FileFormatError, InputError, PauciError

_FORMAT = "pauci images 1"
_BATCH = 256

Root = str | os.PathLike[str] | None


class MissingDataError(PauciError, FileNotFoundError):
    """A data set is not on this machine."""


@dataclass(frozen=True)
class Prepared:
    """An opened prepared file.

    Attributes
    ----------
    images : array of uint8 of shape (n, side, side, 3)
        Mapped into memory, read-only.
    labels : array of uint8
        Class of each image.
    parts : mapping of str to Parts
        Rows of the training, validation and test part of each variant.
    source : str
        Names and sizes of the files it was made from.
    """

    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.uint8]
    parts: Mapping[str, Parts]
    source: str


def prepare(name: str, *, root: Root = None, download: bool = False, workers: int = 1) -> Path:
    """Make sure that a data set is prepared.

    A prepared file that belongs to the source at hand is left alone. The source is the official archive or else npz
    files, in the data folder or else in the cache folder; the prepared file is written to the cache folder.

    Parameters
    ----------
    name : str
        ``"cifar10-lt"``, ``"cifar100-lt"`` or ``"tiny-imagenet"``.
    root : path, optional
        The data folder; by default the environment variable ``PAUCI_DATA``, or the cache folder.
    download : bool, default False
        Fetch the official archive when there is no source.
    workers : int, default 1
        Processes that decode JPEG images (see `decode_jpegs`).

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
    paths = _find_source(dataset, data_folder(root)) or _find_source(dataset, cache_folder())
    if not paths and not download:
        raise MissingDataError(
            f"{name} is not on this machine: neither {dataset.archive.name} nor {dataset.npz} is in "
            f"{data_folder(root)} or {cache_folder()}. Run 'pauci data prepare {name}' to download it, "
            "or name the folder that has it by root or the environment variable PAUCI_DATA."
        )
    if not paths:
        paths = [fetch(dataset.archive, cache_folder())]
    path = cache_folder() / _file_name(name)
    _write(path, _read(dataset, paths), dataset=dataset, source=_identity(paths), workers=workers)
    return path


def find_prepared(name: str, *, root: Root = None) -> Path | None:
    """Find the prepared file of a data set.

    Parameters
    ----------
    name : str
        Name of the data set.
    root : path, optional
        The data folder, see `prepare`.

    Returns
    -------
    Path or None
        The file in the data folder or else in the cache folder. One that was not made from the source beside it, or
        is damaged while there is a source, does not count: `prepare` replaces it.

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
    for folder in (data_folder(root), cache_folder()):
        source = _find_source(dataset, folder)
        if source:
            return next((path for path in existing if _is_made_from(path, source)), None)
        if (path := folder / _file_name(name)) in existing:
            return path
    return None


def prepared_files(name: str, *, root: Root = None) -> list[Path]:
    """List the prepared files of a data set, sound or not.

    Parameters
    ----------
    name : str
        Name of the data set.
    root : path, optional
        The data folder, see `prepare`.

    Returns
    -------
    list of Path
        In the data folder and in the cache folder: two at most.

    Examples
    --------
    >>> len(prepared_files("cifar10-lt")) <= 2
    True
    """
    homes = dict.fromkeys([data_folder(root), cache_folder()])
    return [path for home in homes if (path := home / _file_name(name)).is_file()]


def open_prepared(path: Path) -> Prepared:
    """Open a prepared file; this reads a few kilobytes only.

    Parameters
    ----------
    path : Path
        A file made by `prepare`.

    Returns
    -------
    Prepared
        Its contents.

    Raises
    ------
    FileFormatError
        The file is truncated, or not a prepared data set.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "x.safetensors"
    >>> write_tensors(path, {"a": np.zeros(1, np.uint8)})
    >>> open_prepared(path)
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: ...x.safetensors is not a prepared data set of this version...
    >>> folder.cleanup()
    """
    arrays, metadata = map_tensors(path)
    try:
        if metadata["format"] != _FORMAT:
            raise KeyError("format")
        images, labels, source = arrays.pop("images"), arrays.pop("labels"), metadata["source"]
        rows = {key: np.array(value, dtype=np.int64) for key, value in arrays.items()}
        variants = {key.partition("/")[0] for key in rows}
        parts = {variant: Parts(*(rows[f"{variant}/{part}"] for part in Parts._fields)) for variant in variants}
    except KeyError as error:
        raise FileFormatError(
            f"{path} is not a prepared data set of this version (it lacks {error}); prepare it again."
        ) from error
    count = len(images)
    if images.ndim != 4 or labels.shape != (count,) or any(r.max(initial=0) >= count for r in rows.values()):
        raise FileFormatError(f"{path}: its arrays do not belong together; prepare it again.")
    return Prepared(images, labels, parts, source)


def verify_prepared(path: Path) -> None:
    """Read a prepared file completely and compare it with its checksum.

    Parameters
    ----------
    path : Path
        A file made by `prepare`.

    Raises
    ------
    FileFormatError
        The file is damaged.

    Examples
    --------
    See `prepare`; on the command line this is ``pauci data verify``.
    """
    open_prepared(path)
    check_tensors(path)


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
    return ", ".join(f"{path.name} ({path.stat().st_size} bytes)" for path in paths)


def _read(dataset: Dataset, paths: list[Path]) -> Collection:
    if paths[0].name != dataset.archive.name:
        return dataset.read_npz(paths)
    check_sha256(paths[0], dataset.archive.sha256)
    return dataset.read(paths[0])


def _write(path: Path, collection: Collection, *, dataset: Dataset, source: str, workers: int) -> None:
    parts = collection.parts or {
        variant: construct(collection.labels, collection.official_test)
        for variant, construct in dataset.variants.items()
    }
    # The default variant's parts lie end to end, so that they are plain slices of the file.
    order = np.concatenate(next(iter(parts.values())))
    place = np.empty(len(collection.labels), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    arrays: dict[str, npt.NDArray[Any] | Blocks] = {
        f"{variant}/{part}": place[rows] for variant, three in parts.items() for part, rows in three._asdict().items()
    }
    arrays["images"] = Blocks(
        (len(order), dataset.side, dataset.side, 3), _pixels(collection, order, dataset.side, workers)
    )
    arrays["labels"] = collection.labels[order]
    write_tensors(path, arrays, metadata={"format": _FORMAT, "source": source})


def _pixels(
    collection: Collection, order: npt.NDArray[np.int64], side: int, workers: int
) -> Iterator[npt.NDArray[np.uint8]]:
    batches = [order[first : first + _BATCH] for first in range(0, len(order), _BATCH)]
    images = collection.images
    if isinstance(images, np.ndarray):
        blocks: Iterator[npt.NDArray[np.uint8]] = (images[rows] for rows in batches)
    else:
        blocks = decode_jpegs([[images[row] for row in rows] for rows in batches], side=side, workers=workers)
    with progress_bar("preparing images", len(order)) as advance:
        for block in blocks:
            yield block
            advance(len(block))
