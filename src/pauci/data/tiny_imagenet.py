"""Tiny-ImageNet-200: the official archive, and npz files that hold the same JPEG images."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pauci.data.archives import read_npz, read_zip, reading
from pauci.data.collection import Collection
from pauci.errors import FileFormatError

CLASSES = 200
SIDE = 64

_MEMBER = re.compile(r"tiny-imagenet-200/train/(?P<wnid>n\d{8})/images/(?P=wnid)_(?P<number>\d{1,6})\.JPEG")
_LARGEST_JPEG = 1 << 20

#: (class by WordNet id, number within the class) -> the JPEG file
_Files = dict[tuple[str, int], bytes]


def read_tiny_imagenet(path: Path) -> Collection:
    """Read the training images of ``tiny-imagenet-200.zip``; the paper uses no others.

    They come by class and number. Classes are numbered in the order of their sorted WordNet ids, as in the paper.

    Examples
    --------
    >>> read_tiny_imagenet(Path("tiny-imagenet-200.zip"))
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: tiny-imagenet-200.zip cannot be read...
    """
    members = read_zip(path, _MEMBER, limit=_LARGEST_JPEG)
    return _collect(path, {(match["wnid"], int(match["number"])): file for match, file in members})


def read_tiny_imagenet_npz(paths: Sequence[Path]) -> Collection:
    """Read npz files that hold some training images of every class as JPEG bytes.

    Together they must not hold an image twice.

    Examples
    --------
    >>> read_tiny_imagenet_npz([Path("tiny_imagenet_150.npz")])
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: tiny_imagenet_150.npz cannot be read...
    """
    files: _Files = {}
    for path in paths:
        with reading(path, "JPEG images with their labels"):
            _add_npz(files, path)
    return _collect(paths[0], files)


def _add_npz(files: _Files, path: Path) -> None:
    arrays = read_npz(path, ["jpeg", "offsets", "y", "orig_index", "wnids"])
    offsets, wnids, labels = arrays["offsets"], arrays["wnids"], arrays["y"]
    lengths = {len(labels), len(arrays["orig_index"]), len(offsets) - 1}
    if len(lengths) > 1 or not 0 <= labels.min(initial=0) <= labels.max(initial=0) < len(wnids):
        raise FileFormatError(f"{path}: its arrays do not belong together.")
    for row, (label, number) in enumerate(zip(labels, arrays["orig_index"], strict=True)):
        key = (str(wnids[label]), int(number))
        if key in files:
            raise FileFormatError(f"{path}: image {number} of {key[0]} is in another file, or here twice.")
        files[key] = arrays["jpeg"][offsets[row] : offsets[row + 1]].tobytes()


def _collect(path: Path, files: _Files) -> Collection:
    keys = sorted(files)
    wnids = sorted({wnid for wnid, _ in keys})
    if len(wnids) != CLASSES:
        raise FileFormatError(f"{path} has images of {len(wnids)} classes instead of {CLASSES}.")
    number = {wnid: label for label, wnid in enumerate(wnids)}
    labels = np.array([number[wnid] for wnid, _ in keys], dtype=np.uint8)
    return Collection([files[key] for key in keys], labels, np.zeros(len(keys), dtype=bool))
