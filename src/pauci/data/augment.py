"""Augmentation of a whole batch at once, from a training set that lives on the device as bytes.

A crop of a padded image is a block of rows at some byte offset, and a mirrored crop is a crop of the mirrored image.
So the set is stored padded, once as it is and once mirrored, in one flat byte tensor; an overlapping view of it has
one crop per byte offset, and a batch is a single `index_select` on that view.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pauci.errors import InputError

#: Of an image: red, green, blue and opacity. A last dimension beyond it is a width.
_MOST_CHANNELS = 4


class Augmenter:
    """Random flips, crops and rotations of images kept on the device as uint8, returned as normalised floats.

    Parameters
    ----------
    images : array or tensor of uint8 of shape (n, height, width, channels)
        The images. They are copied to the device, where each takes ``height + 2 pad`` by ``width + 2 pad`` bytes per
        channel, and twice that with `flip`.
    mean, std : sequence of float
        Mean and standard deviation of each channel, on the scale from 0 to 1 (see `channel_statistics`).
    flip : bool, default True
        Whether to mirror left and right with probability one half.
    pad : int, default 4
        Pad with black pixels on every side, then crop to the original size at a random place; 0 for no crops.
    max_angle : float, default 0
        Rotate by a random angle of at most this many degrees (bilinear; pixels from outside the image get the mean
        colour); 0 for no rotations.
    dtype : torch.dtype, default torch.float32
        Type of the result: float32, bfloat16 or float16.
    device : torch.device or str, default "cpu"
        Device of images and results.

    Examples
    --------
    >>> images = np.zeros((10, 32, 32, 3), dtype=np.uint8)
    >>> augment = Augmenter(images, mean=[0.5, 0.5, 0.5], std=[0.25, 0.25, 0.25])
    >>> batch = augment(torch.tensor([3, 1]), generator=torch.Generator().manual_seed(0))
    >>> batch.shape, batch.dtype, float(batch[0, 0, 0, 0])
    (torch.Size([2, 3, 32, 32]), torch.float32, -2.0)
    """

    def __init__(
        self,
        images: npt.NDArray[np.uint8] | Tensor,
        *,
        mean: Sequence[float],
        std: Sequence[float],
        flip: bool = True,
        pad: int = 4,
        max_angle: float = 0.0,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        pixels = _bytes_on(images, device)
        count, self.height, self.width, self.channels = pixels.shape
        if not len(mean) == len(std) == self.channels or not all(value > 0 for value in std):
            raise InputError(f"mean={mean!r} and std={std!r} must have {self.channels} values each, std above 0.")
        if pad < 0 or max_angle < 0:
            raise InputError(f"pad={pad!r} and max_angle={max_angle!r} must not be negative.")
        self.flip, self.pad, self.max_angle, self.dtype = flip, pad, max_angle, dtype
        self._row = (self.width + 2 * pad) * self.channels
        image = (self.height + 2 * pad) * self._row
        self._mirrored = count * image
        # A table rather than a product, so that a row that does not exist is an error.
        self._start = torch.arange(count, device=pixels.device) * image
        self._crops = _crop_view(pixels, pad=pad, flip=flip)
        # One value per byte of an image, so that normalising is one long vectorised loop.
        repeats = self.height * self.width
        self._mean = (torch.tensor(mean, dtype=torch.float32, device=pixels.device) * 255).repeat(repeats)
        self._scale = (1 / (torch.tensor(std, dtype=torch.float32, device=pixels.device) * 255)).repeat(repeats)

    def __call__(self, index: Tensor, *, generator: torch.Generator) -> Tensor:
        """Augment the images at some rows.

        Parameters
        ----------
        index : tensor of int64 of shape (batch,)
            Rows of the images, on the same device.
        generator : torch.Generator
            Source of randomness, on the same device.

        Returns
        -------
        tensor of shape (batch, channels, height, width)
            Normalised images, in channels-last memory order.
        """

        def below(bound: int) -> Tensor:
            return torch.randint(bound, index.shape, generator=generator, device=index.device)

        where = self._start.index_select(0, index)
        if self.flip:
            where += below(2) * self._mirrored
        if self.pad:
            where += below(2 * self.pad + 1) * self._row
            where += below(2 * self.pad + 1) * self.channels
        batch = self._normalised(where)
        if self.max_angle:
            turns = torch.rand(index.shape, generator=generator, device=index.device) * 2 - 1
            batch = _rotated(batch, turns * math.radians(self.max_angle))
        return batch.to(self.dtype)

    def plain(self, index: Tensor) -> Tensor:
        """Return the images at some rows, normalised but not augmented.

        Parameters
        ----------
        index : tensor of int64 of shape (batch,)
            Rows of the images, on the same device.

        Returns
        -------
        tensor of shape (batch, channels, height, width)
            Normalised images, in channels-last memory order.
        """
        centre = self.pad * (self._row + self.channels)
        return self._normalised(self._start.index_select(0, index) + centre).to(self.dtype)

    def _normalised(self, where: Tensor) -> Tensor:
        batch = self._crops.index_select(0, where).flatten(1).to(torch.float32)
        batch.sub_(self._mean).mul_(self._scale)
        return batch.view(len(where), self.height, self.width, self.channels).permute(0, 3, 1, 2)


def channel_statistics(images: npt.NDArray[np.uint8] | Tensor) -> tuple[list[float], list[float]]:
    """Mean and standard deviation of each channel, on the scale from 0 to 1.

    Parameters
    ----------
    images : array or tensor of uint8 of shape (n, height, width, channels)
        The training images.

    Returns
    -------
    mean, std : lists of float
        Statistics as `Augmenter` takes them; exact, from counts of the 256 values.

    Examples
    --------
    >>> channel_statistics(np.array([0, 255], dtype=np.uint8).reshape(1, 1, 2, 1))
    ([0.5], [0.5])
    """
    flat = _bytes_on(images, "cpu").flatten(0, 2)
    values = torch.arange(256, dtype=torch.float64) / 255
    mean, std = [], []
    for channel in flat.unbind(1):
        share = torch.bincount(channel, minlength=256).double() / len(channel)
        mean.append(float(share @ values))
        std.append(float((share @ (values - mean[-1]) ** 2).sqrt()))
    return mean, std


def _bytes_on(images: npt.NDArray[np.uint8] | Tensor, device: torch.device | str) -> Tensor:
    # A copy of an array, because mapped files are read-only, which torch does not know.
    pixels = images if isinstance(images, Tensor) else torch.from_numpy(np.array(images))
    if pixels.dtype != torch.uint8 or pixels.ndim != 4 or len(pixels) == 0:
        raise InputError(
            f"images are {pixels.dtype} of shape {tuple(pixels.shape)}; they must be uint8 of shape "
            "(n, height, width, channels), with n > 0."
        )
    if pixels.shape[1] <= _MOST_CHANNELS < pixels.shape[3]:
        raise InputError(
            f"images of shape {tuple(pixels.shape)} look like NCHW; they must be NHWC, (n, height, width, channels): "
            "give images.transpose(0, 2, 3, 1), or images.permute(0, 2, 3, 1) of a tensor."
        )
    return pixels.to(device)


def _crop_view(pixels: Tensor, *, pad: int, flip: bool) -> Tensor:
    """View of shape (places, height, width * channels): the crop that begins at each byte of the padded images."""
    count, height, width, channels = pixels.shape
    copies = 2 if flip else 1
    store = pixels.new_zeros(copies, count, height + 2 * pad, width + 2 * pad, channels)
    inside = store[:, :, pad : pad + height, pad : pad + width]
    inside[0] = pixels
    if flip:
        inside[1] = pixels.flip(2)
    row = (width + 2 * pad) * channels
    places = store.numel() - (height - 1) * row - width * channels + 1
    return store.view(-1).as_strided((places, height, width * channels), (1, row, 1))


def _rotated(batch: Tensor, angle: Tensor) -> Tensor:
    _, _, height, width = batch.shape
    cos, sin, zero = angle.cos(), angle.sin(), torch.zeros_like(angle)
    # Sampling coordinates run from -1 to 1 along both axes; the ratio keeps pixels square.
    aspect = height / width
    turn = torch.stack([cos, -sin * aspect, zero, sin / aspect, cos, zero], dim=1).view(-1, 2, 3)
    grid = torch.nn.functional.affine_grid(turn, list(batch.shape), align_corners=False)
    turned = torch.nn.functional.grid_sample(batch, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
    return turned.contiguous(memory_format=torch.channels_last)
