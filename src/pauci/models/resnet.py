"""ResNet-18 with a choice of stems."""

from typing import Literal, get_args

from torch import Tensor, nn
from torch.nn import functional

from pauci.errors import InputError

Stem = Literal["cifar", "imagenet", "stride2"]

#: Channels of the four stages relative to the width; each has two blocks and all but the first halve the image.
_STAGES = (1, 2, 4, 8)


class ResNet18(nn.Module):
    """ResNet-18 (He et al., 2016) with one output: the logit of the positive class.

    Parameters
    ----------
    stem : {"cifar", "imagenet", "stride2"}, default "cifar"
        How images enter. ``"cifar"`` is a 3x3 convolution that keeps the resolution, for 32x32 images;
        ``"imagenet"`` the original 7x7 convolution of stride 2 and a pooling of stride 2, which the paper uses for
        all its images; ``"stride2"`` a 3x3 convolution that halves the resolution, for 64x64 images or a cheap run.
    in_channels : int, default 3
        Channels of an image.
    width : int, default 64
        Channels of the first stage.

    Examples
    --------
    >>> import torch
    >>> model = ResNet18(width=8)
    >>> model(torch.zeros(4, 3, 32, 32)).shape
    torch.Size([4])
    >>> sum(p.numel() for p in ResNet18().parameters())
    11169345
    """

    def __init__(self, *, stem: Stem = "cifar", in_channels: int = 3, width: int = 64) -> None:
        super().__init__()
        self.stem = _stem(stem, in_channels, width)
        blocks: list[nn.Module] = []
        channels = width
        for factor in _STAGES:
            stride = 1 if factor == 1 else 2
            blocks += [_Block(channels, width * factor, stride), _Block(width * factor, width * factor, 1)]
            channels = width * factor
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(channels, 1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """Score images.

        Parameters
        ----------
        x : Tensor of shape (n, in_channels, height, width)
            Normalised images, fastest in ``torch.channels_last``.

        Returns
        -------
        Tensor of shape (n,)
            Logits.
        """
        features = self.blocks(self.stem(x)).mean(dim=(2, 3))
        scores: Tensor = self.head(features).squeeze(1)
        return scores


class _Block(nn.Module):
    """Two 3x3 convolutions beside a shortcut."""

    def __init__(self, channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(_convolution(channels, out_channels, 3, stride), nn.BatchNorm2d(out_channels))
        self.second = nn.Sequential(_convolution(out_channels, out_channels, 3, 1), nn.BatchNorm2d(out_channels))
        self.shortcut = (
            nn.Identity()
            if stride == 1 and channels == out_channels
            else nn.Sequential(_Projection(channels, out_channels, 1, stride, bias=False), nn.BatchNorm2d(out_channels))
        )
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.relu(self.second(self.relu(self.first(x))) + self.shortcut(x))
        return out


class _Projection(nn.Conv2d):
    """A convolution of single pixels, some of which are skipped.

    On a CPU they are skipped first: oneDNN's kernel for both at once (3.12, AVX2) writes beyond its memory where there
    are few channels.
    """

    def forward(self, x: Tensor) -> Tensor:
        if not x.is_cpu:
            return super().forward(x)
        down, across = self.stride
        return functional.conv2d(x[..., ::down, ::across], self.weight)


def _stem(stem: str, in_channels: int, width: int) -> nn.Sequential:
    if stem not in get_args(Stem):
        raise InputError(f"stem={stem!r} is not known; use one of {', '.join(get_args(Stem))}.")
    size, stride = {"cifar": (3, 1), "stride2": (3, 2), "imagenet": (7, 2)}[stem]
    layers = [_convolution(in_channels, width, size, stride), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    if stem == "imagenet":
        layers.append(nn.MaxPool2d(3, stride=2, padding=1))
    return nn.Sequential(*layers)


def _convolution(channels: int, out_channels: int, size: int, stride: int) -> nn.Module:
    return nn.Conv2d(channels, out_channels, size, stride=stride, padding=size // 2, bias=False)
