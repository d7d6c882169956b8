"""A data set as one memory-mapped file: images, classes, and the rows of each part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pauci.data.collection import Collection
from pauci.data.datasets import Dataset
from pauci.data.jpeg import decode_jpegs
from pauci.data.progress import progress_bar
from pauci.data.splits import Parts
from pauci.data.tensorfile import Blocks, check_tensors, map_tensors, write_tensors
from pauci.errors import FileFormatError

_FORMAT = "pauci images 1"
_BATCH = 256


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


def open_prepared(path: Path) -> Prepared:
    """Open a prepared file; this reads a few kilobytes only.

    Raises
    ------
    FileFormatError
        The file is truncated, or not a prepared data set.

    Examples
    --------
    >>> import tempfile
    >>> from pauci.data.datasets import DATASETS
    >>> labels = np.repeat(np.arange(10, dtype=np.uint8), 20)
    >>> images = np.zeros((200, 32, 32, 3), dtype=np.uint8)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "x.safetensors"
    >>> collection = Collection(images, labels, official_test=np.arange(200) % 2 == 1)
    >>> write_prepared(path, collection, DATASETS["cifar10-lt"], source="made up")
    >>> verify_prepared(path)
    >>> open_prepared(path).images.shape
    (52, 32, 32, 3)
    >>> folder.cleanup()
    """
    arrays, metadata = map_tensors(path)
    try:
        if metadata["format"] != _FORMAT:
            raise KeyError("format")
        images, labels, source = arrays.pop("images"), arrays.pop("labels"), metadata["source"]
        rows = {key: np.array(value, dtype=np.int64) for key, value in arrays.items()}
        variants = dict.fromkeys(["clean", *(key.partition("/")[0] for key in rows)])
        parts = {variant: Parts(*(rows[f"{variant}/{part}"] for part in Parts._fields)) for variant in variants}
    except KeyError as error:
        raise FileFormatError(
            f"{path} is not a prepared data set of this version (it lacks {error}); prepare it again."
        ) from error
    if (
        images.ndim != 4
        or labels.shape != images.shape[:1]
        or not all(len(part) and part.min() >= 0 and part.max() < len(images) for part in rows.values())
    ):
        raise FileFormatError(f"{path}: its arrays do not belong together; prepare it again.")
    return Prepared(images, labels, parts, source)


def verify_prepared(path: Path) -> None:
    """Read a prepared file completely and compare it with its checksum.

    Raises
    ------
    FileFormatError
        The file is damaged.

    Examples
    --------
    See `open_prepared`; on the command line this is ``pauci data verify``.
    """
    open_prepared(path)
    check_tensors(path)


def write_prepared(path: Path, collection: Collection, dataset: Dataset, *, source: str, workers: int = 1) -> None:
    """Write the prepared file of a data set, of what its source holds; `source` is names and sizes of that one's files.

    Raises
    ------
    FileFormatError
        The collection is damaged; nothing was written.

    Examples
    --------
    See `open_prepared`.
    """
    parts = collection.parts or dataset.parts(collection.labels, collection.official_test)
    # The default variant's parts lie end to end, so that they are plain slices of the file.
    order = np.concatenate(next(iter(parts.values())))
    place = np.full(len(collection.labels), -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    if any(place[rows].min() < 0 for three in parts.values() for rows in three):
        raise FileFormatError(f"{source}: a variant uses images that the variant 'clean' does not have.")
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
