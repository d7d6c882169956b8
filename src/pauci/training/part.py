"""One part of the data on a device: images as bytes, tables as standardised numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from pauci.data.augment import Augmenter, channel_statistics
from pauci.errors import InputError

#: Mean and standard deviation, per channel or per column.
Statistics = tuple[tuple[float, ...], tuple[float, ...]]


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
    """Put instances on a device, standardised by `mean` and `std`, ready to be picked from.

    Parameters
    ----------
    x : array
        uint8 images (n, height, width, channels) or a table (n, columns).
    labels : array of bool, optional
        Whether each is positive.
    categorical : tuple of int
        Columns of a table that hold codes.
    augmentation : mapping, optional
        Options of `Augmenter`, for images that are trained on.
    """
    if x.ndim not in (2, 4) or x.shape[-1] != len(mean):
        raise InputError(f"x has shape {x.shape}; as in training, its last axis must have {len(mean)} entries.")
    y = np.zeros(len(x), dtype=bool) if labels is None else np.ascontiguousarray(labels)
    if _are_images(x):
        pick = _image_picker(x, mean, std, device, augmentation or {})
    else:
        pick = _picker(x, mean, std, categorical, device)
    return Part(pick, torch.from_numpy(y).to(device))


def statistics(x: Any, categorical: tuple[int, ...]) -> Statistics:
    """Measure what instances are standardised by: mean and standard deviation, per channel or per column.

    A deviation of 0 becomes 1; `categorical` columns, which hold codes, are left as they are.
    """
    return _of_channels(x) if _are_images(x) else _of_columns(x, categorical)


def _are_images(x: Any) -> bool:
    if x.ndim == 2 or (x.ndim == 4 and x.dtype == np.uint8):
        return bool(x.ndim == 4)
    raise InputError(
        f"x is {x.dtype} of shape {x.shape}; expected uint8 images (n, height, width, channels) or a table."
    )


def _of_channels(x: Any) -> Statistics:
    mean, std = channel_statistics(x)
    return tuple(mean), tuple(value or 1.0 for value in std)


def _of_columns(x: Any, categorical: tuple[int, ...]) -> Statistics:
    _require_numbers(x)
    values = x.astype(np.float64)
    values[:, list(categorical)] = 0.0
    if (empty := np.isnan(values).all(axis=0)).any():
        raise InputError(f"column {empty.argmax()} of x has no value at all in the training part; leave it out.")
    # Squares of very large and very small numbers leave the range; a power of 2 changes no digit.
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    size = np.frexp(np.maximum(abs(low), abs(high)))[1]
    values = np.ldexp(values, -size)
    mean, std = (np.ldexp(of(values, axis=0), size) for of in (np.nanmean, np.nanstd))
    # Rounding may leave a deviation to equal numbers, which would blow up any other.
    std[(std == 0) | (low == high)] = 1.0
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
