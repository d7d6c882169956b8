"""What every reader of an image data set returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pauci.data.splits import Parts


@dataclass(frozen=True)
class Collection:
    """All images a source has, their classes, and where the source put them.

    Parameters
    ----------
    images : array of uint8 of shape (n, side, side, 3), or sequence of bytes
        Pixels, or one JPEG file per image.
    labels : array of uint8
        Class of each image.
    official_test : array of bool
        Whether an image comes from the test part of the official data set.
    parts : mapping of str to Parts
        Splits that the source fixes itself, by variant; empty when it leaves them to us.
    """

    images: npt.NDArray[np.uint8] | Sequence[bytes]
    labels: npt.NDArray[np.uint8]
    official_test: npt.NDArray[np.bool_]
    parts: Mapping[str, Parts] = field(default_factory=dict)
