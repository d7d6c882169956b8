"""The data of a run, on its device: images as bytes, tables as standardised numbers."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from pauci.data.augment import Augmenter, channel_statistics
from pauci.data.duplicates import group_duplicates
from pauci.data.splits import stratified_split
from pauci.errors import InputError, LabelError
from pauci.metrics.inputs import read_labels, to_numpy
from pauci.training.specs import DataSpec


class Pick(Protocol):
    """How rows become a batch: ``pick(index, generator)`` augments, without a generator it does not."""

    def __call__(self, index: Tensor, generator: torch.Generator | None = None, /) -> Tensor:
        """Return the instances at some rows, as the network takes them."""
        ...


@dataclass(frozen=True)
class Part:
    """One part of the data.

    Attributes
    ----------
    pick : Pick
        Gives the instances at some rows, as the network takes them.
    y : Tensor of shape (n,)
        Whether each instance is positive.
    """

    pick: Pick
    y: Tensor

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Inputs:
    """Everything a run sees.

    Attributes
    ----------
    train, val : Part
        What is trained on; what weights are selected by.
    test : Part or None
        Looked at once, at the end.
    features : int
        Columns of a table, or channels of the images.
    mean, std : tuple of float
        Statistics of the training part, by which inputs are standardised: per channel or per column.
    digests : dict of str to str
        Of the content of each part: by them a finished run recognises its data.
    spec : DataSpec
        How they were made.
    """

    train: Part
    val: Part
    test: Part | None
    features: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    digests: dict[str, str]
    spec: DataSpec

    @property
    def digest(self) -> str:
        """Of the training part: by it a resumed run recognises its data."""
        return self.digests["train"]


def load_inputs(
    data: Any, spec: DataSpec, *, device: torch.device, seed: int = 0, categorical: tuple[int, ...] = ()
) -> Inputs:
    """Put data on a device.

    Parameters
    ----------
    data : Task, mapping or tuple
        Something with parts ``train``, ``val`` and perhaps ``test``, as attributes or keys, each a pair (x, y) or
        with attributes x and y; or one pair (x, y), of which a share is set aside for validation. Images are uint8
        of shape (n, height, width, channels), anything else is a table. Labels are bool, {0, 1} or {-1, 1}.
    spec : DataSpec
        Augmentation, and the share set aside.
    device : torch.device
        Where training happens.
    seed : int
        Of the split, where one is made.
    categorical : tuple of int
        Columns of a table that hold codes and are left as they are.

    Returns
    -------
    Inputs
        All parts on the device.

    Notes
    -----
    Missing values of a table (NaN) are filled: numbers with the mean of the training part, categories with -1, which
    stands for "missing or unseen".

    Examples
    --------
    >>> x, y = np.arange(20.0).reshape(10, 2), [0, 1] * 5
    >>> inputs = load_inputs((x, y), DataSpec(), device=torch.device("cpu"))
    >>> len(inputs.train), len(inputs.val), inputs.features
    (8, 2, 2)
    """
    parts = _parts(data, spec, seed)
    x, _ = parts["train"]
    mean, std = _image_statistics(x) if _are_images(x) else _column_statistics(x, categorical)
    augmentation = {"flip": spec.flip, "pad": spec.pad, "max_angle": spec.max_angle}
    made = {
        name: part_of(
            rows,
            mean,
            std,
            labels=labels,
            device=device,
            categorical=categorical,
            augmentation=augmentation if name == "train" else {},
        )
        for name, (rows, labels) in parts.items()
    }
    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()  # whichever stream reads them finds them complete
    digests = {name: _digest(*pair) for name, pair in parts.items()}
    return Inputs(made["train"], made["val"], made.get("test"), len(mean), mean, std, digests, spec)


def part_of(
    x: Any,
    mean: tuple[float, ...],
    std: tuple[float, ...],
    *,
    device: torch.device,
    labels: Any = None,
    categorical: tuple[int, ...] = (),
    augmentation: Mapping[str, Any] | None = None,
) -> Part:
    """Put instances on a device.

    Parameters
    ----------
    x : array
        uint8 images (n, height, width, channels) or a table (n, columns).
    mean, std : tuple of float
        What they are standardised by.
    device : torch.device
        Where to.
    labels : array of bool, optional
        Whether each is positive.
    categorical : tuple of int
        Columns of a table that hold codes.
    augmentation : mapping, optional
        Options of `Augmenter`, for images that are trained on.

    Returns
    -------
    Part
        Ready to be picked from.
    """
    if x.ndim not in (2, 4) or x.shape[-1] != len(mean):
        raise InputError(f"x has shape {x.shape}; as in training, its last axis must have {len(mean)} entries.")
    y = np.zeros(len(x), dtype=bool) if labels is None else np.ascontiguousarray(labels)
    if _are_images(x):
        pick = _image_picker(x, mean, std, device, augmentation or {})
    else:
        pick = _picker(x, mean, std, categorical, device)
    return Part(pick, torch.from_numpy(y).to(device))


_Arrays = tuple[Any, Any]
_NAMES = ("train", "val", "test")


def _parts(data: Any, spec: DataSpec, seed: int) -> dict[str, _Arrays]:
    if isinstance(data, tuple | list):
        parts = {"train": data}
    elif isinstance(data, Mapping):
        parts = dict(data)
    else:
        parts = {name: getattr(data, name) for name in _NAMES if hasattr(data, name)}
    if parts.get("train") is None:
        raise InputError(
            f"data of type {type(data).__name__} have no part 'train'; pass (x, y) or {{'train': (x, y)}}."
        )
    if unknown := [name for name in parts if name not in _NAMES]:
        raise InputError(f"data have a part {unknown[0]!r}, which is not known; the parts are train, val and test.")
    arrays = {name: _pair(part, name) for name, part in parts.items() if part is not None}
    if "val" not in arrays:
        x, y = arrays["train"]
        kept, held = _split(x, y, spec.val_share, seed)
        arrays["train"], arrays["val"] = (x[kept], y[kept]), (x[held], y[held])
    for name, (_, y) in arrays.items():
        if y.all() or not y.any():
            raise LabelError(f"the labels of part {name!r} hold one class only; every part needs both.")
    return arrays


def _split(x: Any, y: Any, share: float, seed: int) -> _Arrays:
    """Set a share aside; equal rows of a table stay together, or validation would reward learning by heart."""
    groups = group_duplicates(x) if x.ndim == 2 else np.arange(len(x))
    _, first = np.unique(groups, return_index=True)
    _, held, _ = stratified_split(y[first], train=1 - share, val=share, seed=seed)
    is_held = np.isin(groups, held)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def _pair(part: Any, name: str) -> _Arrays:
    pair = tuple(part) if isinstance(part, tuple | list) else (getattr(part, "x", None), getattr(part, "y", None))
    if len(pair) != 2 or any(values is None for values in pair):
        raise InputError(
            f"part {name!r} (a {type(part).__name__}) is not a pair (x, y) of instances and labels, or one of them is "
            "None; leave out a part without labels, and score it with Result.scores."
        )
    x, y = map(to_numpy, pair)
    if y.ndim != 1 or x.shape[:1] != y.shape:
        raise LabelError(
            f"part {name!r} has {len(x) if x.ndim else 0} instances, but labels of shape {y.shape}; they must match."
        )
    return x, _positives(y, name)


def _positives(y: Any, name: str) -> Any:
    try:
        return read_labels(y)
    except LabelError:
        values = ", ".join(sorted({str(value) for value in y.tolist()})[:5])
        raise LabelError(
            f"the labels of part {name!r} hold {values or 'nothing'}; expected bool, {{0, 1}} or {{-1, 1}}. Of other "
            "labels pass y == the positive one; drop rows without a label."
        ) from None


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


def _are_images(x: Any) -> bool:
    if x.ndim == 2 or (x.ndim == 4 and x.dtype == np.uint8):
        return bool(x.ndim == 4)
    raise InputError(
        f"x is {x.dtype} of shape {x.shape}; expected uint8 images (n, height, width, channels) or a table."
    )


def _image_statistics(x: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    mean, std = channel_statistics(x)
    return tuple(mean), tuple(value or 1.0 for value in std)


def _column_statistics(x: Any, categorical: tuple[int, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    _require_numbers(x)
    values = x.astype(np.float64)
    # Codes are left as they are.
    values[:, list(categorical)] = 0.0
    if (empty := np.isnan(values).all(axis=0)).any():
        raise InputError(f"column {empty.argmax()} of x has no value at all in the training part; leave it out.")
    mean, std = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    std[std == 0] = 1.0
    return tuple(mean.tolist()), tuple(std.tolist())


def _require_numbers(x: Any) -> None:
    if x.dtype.kind not in "biuf" or np.isinf(x).any():
        raise InputError("x holds infinite values or text; fill, drop or encode these first.")


def _picker(
    x: Any, mean: tuple[float, ...], std: tuple[float, ...], categorical: tuple[int, ...], device: torch.device
) -> Pick:
    _require_numbers(x)
    # In double precision, which also holds large integers: what is left after the mean is small.
    numbers = (x - np.array(mean)) / np.array(std)
    fill = np.zeros(len(mean))
    fill[list(categorical)] = -1.0
    values = torch.from_numpy(np.where(np.isnan(numbers), fill, numbers).astype(np.float32)).to(device)

    def pick(index: Tensor, _: torch.Generator | None = None, /) -> Tensor:
        return values.index_select(0, index)

    return pick


def _image_picker(
    x: Any, mean: tuple[float, ...], std: tuple[float, ...], device: torch.device, augmentation: Mapping[str, Any]
) -> Pick:
    images = Augmenter(x, mean=mean, std=std, device=device, **{"flip": False, "pad": 0, **augmentation})

    def pick(index: Tensor, generator: torch.Generator | None = None, /) -> Tensor:
        return images.plain(index) if generator is None else images(index, generator=generator)

    return pick
