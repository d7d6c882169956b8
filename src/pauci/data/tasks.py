"""The paper's nine binary image tasks."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pauci.data.datasets import DATASETS, Variant
from pauci.data.preparation import Root, find_prepared, prepare
from pauci.data.prepared import open_prepared
from pauci.data.splits import Parts, one_vs_rest
from pauci.errors import InputError


@dataclass(frozen=True)
class TaskInfo:
    """What a task asks: which classes of which data set are the positives.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    positive_ids : tuple of int
        Class ids of the paper's table.
    positives : str
        The same in words.
    """

    dataset: str
    positive_ids: tuple[int, ...]
    positives: str


@dataclass(frozen=True)
class Split:
    """Images and binary labels of one part.

    Attributes
    ----------
    x : array of uint8 of shape (n, side, side, 3)
        Pixels: a read-only slice of the mapped file, or a copy where the variant repeats images.
    y : array of uint8 of shape (n,)
        1 for positives, 0 for negatives.

    Examples
    --------
    >>> len(Split(np.zeros((2, 32, 32, 3), np.uint8), np.array([0, 1], np.uint8)))
    2
    """

    x: npt.NDArray[np.uint8]
    y: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Task:
    """A binary image task.

    Attributes
    ----------
    name : str
        Name of the task.
    train, val, test : Split
        Its parts.

    Examples
    --------
    >>> part = Split(np.zeros((2, 32, 32, 3), np.uint8), np.array([0, 1], np.uint8))
    >>> Task("two images", train=part, val=part, test=part).test.y
    array([0, 1], dtype=uint8)
    """

    name: str
    train: Split
    val: Split
    test: Split


#: The nine tasks. "elephant" is class 31: the paper's table says 32, which is the flatfish, and its counts
#: (1,172 training positives) are those of 32. Its "birds" of CIFAR-10-LT-3 are class 3, cats.
TASKS: dict[str, TaskInfo] = {
    "cifar10-lt-1": TaskInfo("cifar10-lt", (2,), "birds"),
    "cifar10-lt-2": TaskInfo("cifar10-lt", (1,), "automobiles"),
    "cifar10-lt-3": TaskInfo("cifar10-lt", (3,), "cats"),
    "cifar100-lt-1": TaskInfo("cifar100-lt", (6, 7, 14, 18, 24), "insects"),
    "cifar100-lt-2": TaskInfo("cifar100-lt", (0, 51, 53, 57, 83), "fruit and vegetables"),
    "cifar100-lt-3": TaskInfo(
        "cifar100-lt", (15, 19, 21, 32, 38), "large omnivores and herbivores (flatfish for elephant)"
    ),
    "tiny-imagenet-1": TaskInfo("tiny-imagenet", (24, 25, 26, 27, 28, 29), "dogs"),
    "tiny-imagenet-2": TaskInfo("tiny-imagenet", (11, 20, 21, 22), "birds"),
    "tiny-imagenet-3": TaskInfo("tiny-imagenet", (70, 81, 94, 107, 111, 116, 121, 133, 145, 153, 164, 166), "vehicles"),
}


def load_task(name: str, *, root: Root = None, variant: Variant = "clean") -> Task:
    """Load one of the paper's nine tasks.

    If the data set is not prepared yet and its archive is on this machine, it is prepared first. Nothing is downloaded
    (``pauci data prepare`` does that).

    Parameters
    ----------
    name : str
        ``"cifar10-lt-1"``, ..., ``"tiny-imagenet-3"``; the keys of `TASKS`.
    root : path, optional
        The data folder; by default the environment variable ``PAUCI_DATA``, or the per-user cache folder.
    variant : {"clean", "paper"}, default "clean"
        ``"paper"`` rebuilds the published sizes of CIFAR-100-LT, **which leak**: the subset was taken twice before it
        was split, so about 70% of the test images are training images too. Use it to compare with published numbers,
        never to judge a method. The other data sets have one construction only, and both variants are the same.

    Returns
    -------
    Task
        With ``train``, ``val`` and ``test``, each with ``x`` (uint8, NHWC) and ``y`` (0 or 1).

    Raises
    ------
    MissingDataError
        The data set is not on this machine.

    Examples
    --------
    >>> load_task("cifar10-lt-4")
    Traceback (most recent call last):
    ...
    pauci.errors.InputError: name='cifar10-lt-4' is not known; use one of cifar10-lt-1, ..., tiny-imagenet-3.
    """
    info = _info(name, variant)
    prepared = open_prepared(prepare(info.dataset, root=root))
    y = one_vs_rest(prepared.labels, info.positive_ids)
    train, val, test = (Split(_take(prepared.images, rows), y[rows]) for rows in _of(prepared.parts, variant))
    return Task(name, train, val, test)


def count_task(name: str, *, root: Root = None, variant: Variant = "clean") -> dict[str, tuple[int, int]]:
    """Count the images of a task.

    Returns
    -------
    dict of str to tuple of int
        For ``"train"``, ``"val"`` and ``"test"``: images, and positives among them. They are those of the prepared
        file if there is one, and of the official archive otherwise, which is not needed for that.

    Examples
    --------
    >>> count_task("cifar10-lt-2")["train"]
    (10415, 2517)
    """
    info = _info(name, variant)
    if path := find_prepared(info.dataset, root=root):
        prepared = open_prepared(path)
        labels, parts = prepared.labels, prepared.parts
    else:
        dataset = DATASETS[info.dataset]
        classes, train, test = dataset.official_sizes
        labels = np.repeat(np.arange(classes, dtype=np.uint8), train + test)
        official_test = np.arange(len(labels)) % (train + test) >= train
        parts = dataset.parts(labels, official_test)
    y = one_vs_rest(labels, info.positive_ids)
    return {part: (len(rows), int(y[rows].sum())) for part, rows in _of(parts, variant)._asdict().items()}


def _info(name: str, variant: str) -> TaskInfo:
    if name not in TASKS:
        raise InputError(f"name={name!r} is not known; use one of {', '.join(TASKS)}.")
    if variant not in ("clean", "paper"):
        raise InputError(f"variant={variant!r} is not known; use 'clean' or 'paper'.")
    return TASKS[name]


def _of(parts: Mapping[str, Parts], variant: Variant) -> Parts:
    return parts.get(variant, parts["clean"])


def _take(images: npt.NDArray[np.uint8], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Select rows: as a slice of the mapped file where they are consecutive, else as a copy."""
    first = int(rows[0])
    if np.array_equal(rows, np.arange(first, first + len(rows))):
        return images[first : first + len(rows)]
    return images[rows]
