"""Decoding many small JPEG files, on as many cores as wanted."""

import functools
import io
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import numpy.typing as npt

from pauci.errors import FileFormatError
from pauci.extras import require


def decode_jpegs(batches: Sequence[Sequence[bytes]], *, side: int, workers: int = 1) -> Iterator[npt.NDArray[np.uint8]]:
    """Decode batches of JPEG files of one size, height and width, in order; grey ones become colour.

    One worker decodes in this process. (Threads gain little: most of the time of a small image is spent holding the
    interpreter's lock.) With more, the main script needs the usual ``if __name__ == "__main__":``.

    Examples
    --------
    >>> next(decode_jpegs([[b"no picture"]], side=64))
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: a JPEG image cannot be decoded: ...
    """
    decode = functools.partial(_decode, side=side)
    if workers == 1:
        yield from map(decode, batches)
        return
    # Not fork: the parent may hold threads (torch), whose locks would be copied in whatever state they are.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield from pool.map(decode, batches)
        finally:
            pool.shutdown(cancel_futures=True)


def _decode(files: Sequence[bytes], *, side: int) -> npt.NDArray[np.uint8]:
    image = require("PIL.Image", purpose="reading JPEG images")
    pixels = np.empty((len(files), side, side, 3), dtype=np.uint8)
    for row, file in enumerate(files):
        try:
            with image.open(io.BytesIO(file), formats=["JPEG"]) as picture:
                if picture.size != (side, side):
                    raise FileFormatError(f"a JPEG image is {picture.size} instead of {side} x {side}.")
                pixels[row] = np.asarray(picture.convert("RGB"))
        except FileFormatError:
            raise
        except Exception as error:  # also that it is too large, which is no error of Python's own kinds
            raise FileFormatError(f"a JPEG image cannot be decoded: {error}.") from error
    return pixels
