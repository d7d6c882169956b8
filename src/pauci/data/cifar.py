"""CIFAR-10 and CIFAR-100: the official binary archives, and long-tailed subsets stored as lossless sprite sheets."""

import functools
import io
import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pauci.data.archives import read_npz, read_tar_gz, reading
from pauci.data.collection import Collection
from pauci.data.splits import Parts
from pauci.errors import FileFormatError
from pauci.extras import require

_SIDE = 32
_PIXELS = 3 * _SIDE * _SIDE
_SHEET = 1024  # a sprite sheet is 1024 x 1024: 32 x 32 tiles
_TILES = (_SHEET // _SIDE) ** 2


def read_cifar10(path: Path) -> Collection:
    """Read ``cifar-10-binary.tar.gz``: one label byte, then 1,024 red, green and blue bytes per image.

    The training images come in the order of their five files, then the test images.

    Examples
    --------
    >>> read_cifar10(Path("cifar-10-binary.tar.gz"))
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: cifar-10-binary.tar.gz cannot be read...
    """
    folder = "cifar-10-batches-bin"
    train = [f"{folder}/data_batch_{number}.bin" for number in range(1, 6)]
    return _read_archive(path, train=train, test=f"{folder}/test_batch.bin", per_file=10_000, label_bytes=1, classes=10)


def read_cifar100(path: Path) -> Collection:
    """Read ``cifar-100-binary.tar.gz``: coarse label, fine label, then pixels as in CIFAR-10.

    Training images come before test images; the labels are the 100 fine classes.

    Examples
    --------
    >>> read_cifar100(Path("cifar-100-binary.tar.gz"))
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: cifar-100-binary.tar.gz cannot be read...
    """
    folder = "cifar-100-binary"
    train, test = [f"{folder}/train.bin"], f"{folder}/test.bin"
    return _read_archive(path, train=train, test=test, per_file=50_000, label_bytes=2, classes=100)


def read_cifar_npz(path: Path, *, classes: int, doubled: bool) -> Collection:
    """Read a long-tailed subset: WebP sheets of 1,024 tiles each, labels, and the part of each image.

    Images come in the file's order, with the parts it fixes; if doubled, it has the doubled splits (`author_train`,
    `author_val`, `author_test`) as well.

    Examples
    --------
    >>> read_cifar_npz(Path("cifar10_lt.npz"), classes=10, doubled=False)
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: cifar10_lt.npz cannot be read...
    """
    with reading(path, "sheets of images with their labels"):
        return _read_npz(path, classes, [f"author_{part}" for part in Parts._fields] if doubled else [])


def _read_npz(path: Path, classes: int, doubles: list[str]) -> Collection:
    arrays = read_npz(path, ["webp", "offsets", "n", "y", "part", "orig_split", *doubles])
    images = _cut_sheets(path, arrays["webp"], arrays["offsets"], int(arrays["n"]))
    labels, part = arrays["y"], arrays["part"]
    if not len(labels) == len(part) == len(arrays["orig_split"]) == len(images):
        raise FileFormatError(f"{path}: its arrays have different lengths.")
    _check_labels(path, labels, classes)
    parts: dict[str, Parts] = {"clean": Parts(*(np.flatnonzero(part == number) for number in range(3)))}
    if doubles:
        parts["paper"] = Parts(*(arrays[name].astype(np.int64) for name in doubles))
    for variant, three in parts.items():
        if not all(len(rows) and rows.min() >= 0 and rows.max() < len(images) for rows in three):
            raise FileFormatError(f"{path}: a part of the variant {variant!r} is empty or points at no image.")
    return Collection(images, labels.astype(np.uint8), arrays["orig_split"] == 1, parts)


def _read_archive(
    path: Path, *, train: list[str], test: str, per_file: int, label_bytes: int, classes: int
) -> Collection:
    length = label_bytes + _PIXELS
    members = read_tar_gz(path, dict.fromkeys([*train, test], per_file * length))
    records = []
    for name in [*train, test]:
        if not members[name] or len(members[name]) % length:
            raise FileFormatError(f"{path}: {name!r} is not a whole number of {length}-byte records.")
        records.append(np.frombuffer(members[name], dtype=np.uint8).reshape(-1, length))
    everything = np.concatenate(records)
    labels = everything[:, label_bytes - 1].copy()  # the last label byte is the fine class
    _check_labels(path, labels, classes)
    planes = everything[:, label_bytes:].reshape(-1, 3, _SIDE, _SIDE)
    official_test = np.arange(len(labels)) >= len(labels) - len(records[-1])
    return Collection(np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels, official_test)


def _cut_sheets(
    path: Path, blob: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.uint8]:
    decode = functools.partial(require("PIL.Image", purpose="reading WebP images").open, formats=["WEBP"])
    if not 0 < count <= (len(offsets) - 1) * _TILES:
        raise FileFormatError(f"{path}: n={count} images do not fit on {len(offsets) - 1} sheets.")
    tiles = []
    for first, end in itertools.pairwise(offsets):
        try:
            with decode(io.BytesIO(blob[first:end].tobytes())) as sheet:
                pixels = np.asarray(sheet)
        except Exception as error:  # also that it is too large, which is no error of Python's own kinds
            raise FileFormatError(f"{path}: a sheet of images cannot be decoded ({error}).") from error
        if pixels.shape != (_SHEET, _SHEET, 3):
            raise FileFormatError(f"{path}: a sheet is {pixels.shape} instead of {_SHEET} x {_SHEET} in colour.")
        rows = pixels.reshape(_SHEET // _SIDE, _SIDE, _SHEET // _SIDE, _SIDE, 3)
        tiles.append(rows.transpose(0, 2, 1, 3, 4).reshape(_TILES, _SIDE, _SIDE, 3))
    return np.concatenate(tiles)[:count]


def _check_labels(path: Path, labels: npt.NDArray[np.uint8], classes: int) -> None:
    if labels.dtype.kind not in "iu" or labels.ndim != 1:
        raise FileFormatError(f"{path}: its labels are {labels.dtype} of shape {labels.shape}, not a list of integers.")
    if strange := [label for label in (labels.min(), labels.max()) if not 0 <= label < classes]:
        raise FileFormatError(f"{path}: a label is {strange[0]}, but there are {classes} classes only.")
