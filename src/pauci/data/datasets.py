"""The three image data sets of the paper: their official archives, and how their variants are put together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from pauci.data import cifar, tiny_imagenet
from pauci.data.collection import Collection
from pauci.data.download import Archive
from pauci.data.splits import Parts, long_tail, stratified_split

_SEED = 0
#: Size of the rarest class relative to the most frequent one.
_RATIO = 0.01

Variant = Literal["clean", "paper"]
Labels = npt.NDArray[np.uint8]
#: (labels, official_test) -> rows of the training, validation and test part
Construction = Callable[[Labels, npt.NDArray[np.bool_]], Parts]


def long_tail_once(labels: Labels, official_test: npt.NDArray[np.bool_]) -> Parts:
    """Long-tailed subsets of the official training and of the official test part, together, then split.

    Every image occurs once at most.

    Examples
    --------
    >>> labels = np.repeat(np.arange(10, dtype=np.uint8), 6000)
    >>> [len(part) for part in long_tail_once(labels, np.arange(60000) % 6000 >= 5000)]
    [10415, 2233, 2236]
    """
    kept = np.concatenate([_tail(labels, ~official_test), _tail(labels, official_test)])
    return _split(labels, kept)


def long_tail_doubled(labels: Labels, official_test: npt.NDArray[np.bool_]) -> Parts:
    """Long-tailed subset of the official training part alone, taken TWICE, then split: this leaks.

    Most images occur twice, and the two copies fall into different parts at random, so that about 70% of the test
    images are in the training part as well. It is here only because it reproduces the published sizes.

    Examples
    --------
    >>> labels = np.repeat(np.arange(100, dtype=np.uint8), 500)
    >>> [len(part) for part in long_tail_doubled(labels, np.zeros(50000, dtype=bool))]
    [15146, 3254, 3294]
    """
    return _split(labels, np.tile(_tail(labels, ~official_test), 2))


def every_image(labels: Labels, official_test: npt.NDArray[np.bool_]) -> Parts:
    """Split the official training part alone, as it is.

    Examples
    --------
    >>> labels = np.repeat(np.arange(200, dtype=np.uint8), 500)
    >>> [len(part) for part in every_image(labels, np.zeros(100000, dtype=bool))]
    [70000, 15000, 15000]
    """
    return _split(labels, np.flatnonzero(~official_test))


@dataclass(frozen=True)
class Dataset:
    """An image data set: where it comes from, how it is read, and its variants.

    Parameters
    ----------
    archive : Archive
        The official archive.
    read : callable
        Reads the official archive.
    npz : str
        Pattern of the names of npz files that can take the archive's place.
    read_npz : callable
        Reads those files.
    side : int
        Height and width of an image.
    official_sizes : tuple of int
        Number of classes, and images per class in the official training and test parts.
    variants : mapping of str to callable
        Construction of each variant; the first is the default and holds every image the others use.
    """

    archive: Archive
    read: Callable[[Path], Collection]
    npz: str
    read_npz: Callable[[Sequence[Path]], Collection]
    side: int
    official_sizes: tuple[int, int, int]
    variants: Mapping[Variant, Construction]

    def parts(self, labels: Labels, official_test: npt.NDArray[np.bool_]) -> dict[str, Parts]:
        """Construct every variant."""
        return {variant: construct(labels, official_test) for variant, construct in self.variants.items()}


def _tail(labels: Labels, among: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    rows = np.flatnonzero(among).astype(np.int64)
    return rows[long_tail(labels[rows], _RATIO, seed=_SEED)]


def _split(labels: Labels, kept: npt.NDArray[np.int64]) -> Parts:
    return Parts(*(kept[rows] for rows in stratified_split(labels[kept], seed=_SEED)))


DATASETS: dict[str, Dataset] = {
    "cifar10-lt": Dataset(
        archive=Archive(
            "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
            size=170_052_171,
            sha256="c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
        ),
        read=cifar.read_cifar10,
        npz="cifar10_lt.npz",
        read_npz=lambda paths: cifar.read_cifar_npz(paths[0], classes=10, doubled=False),
        side=32,
        official_sizes=(10, 5000, 1000),
        variants={"clean": long_tail_once},
    ),
    "cifar100-lt": Dataset(
        archive=Archive(
            "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
            size=168_513_733,
            sha256="58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
        ),
        read=cifar.read_cifar100,
        npz="cifar100_lt.npz",
        read_npz=lambda paths: cifar.read_cifar_npz(paths[0], classes=100, doubled=True),
        side=32,
        official_sizes=(100, 500, 100),
        variants={"clean": long_tail_once, "paper": long_tail_doubled},
    ),
    "tiny-imagenet": Dataset(
        archive=Archive(
            "https://cs231n.stanford.edu/tiny-imagenet-200.zip",
            size=248_100_043,
            sha256="6198c8ae015e2b3e007c7841da39ec069199b9aa3bfa943a462022fe5e43c821",
        ),
        read=tiny_imagenet.read_tiny_imagenet,
        npz="tiny_imagenet_*.npz",
        read_npz=tiny_imagenet.read_tiny_imagenet_npz,
        side=tiny_imagenet.SIDE,
        official_sizes=(tiny_imagenet.CLASSES, 500, 0),
        variants={"clean": every_image},
    ),
}
