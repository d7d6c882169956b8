"""One file of named arrays that is mapped into memory instead of read, in the safetensors layout.

Eight bytes of header length, a JSON header (type, shape and place of each array; metadata), then the arrays, end to
end. The metadata carry a SHA-256 of everything after the header. Any safetensors reader can open such a file.
"""

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pauci.errors import FileFormatError
from pauci.replacing import replacing

_TYPES: dict[str, np.dtype[Any]] = {"U8": np.dtype("u1"), "I32": np.dtype("<i4")}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_LENGTH_BYTES = 8
_LARGEST_HEADER = 1 << 20
_ALIGNMENT = 64


@dataclass(frozen=True)
class Blocks:
    """An array that is too large to hold: its shape, and its rows in pieces.

    Parameters
    ----------
    shape : tuple of int
        Shape of the whole uint8 array.
    pieces : iterable of array
        Consecutive rows.
    """

    shape: tuple[int, ...]
    pieces: Iterable[npt.NDArray[np.uint8]]


def write_tensors(
    path: Path, arrays: Mapping[str, npt.NDArray[Any] | Blocks], *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write arrays of uint8 or int32, or `Blocks`, to a file that appears complete or not at all.

    Its folder is created when missing.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "a.safetensors"
    >>> write_tensors(path, {"a": np.arange(3, dtype=np.uint8)}, metadata={"made by": "hand"})
    >>> tensors, metadata = map_tensors(path)
    >>> print(tensors["a"], metadata["made by"])
    [0 1 2] hand
    >>> folder.cleanup()
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished, unfinished.open("xb") as file:
        file.write(_header(arrays, metadata or {}, sha256="0" * 64))
        digest = hashlib.sha256()
        for name, array in arrays.items():
            written = 0
            for piece in array.pieces if isinstance(array, Blocks) else [array]:
                data = np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data
                file.write(data)
                digest.update(data)
                written += len(data)
            if written != _size(array):
                raise FileFormatError(f"array {name!r} has {written:,} bytes, its shape says {_size(array):,}.")
        file.seek(0)
        file.write(_header(arrays, metadata or {}, sha256=digest.hexdigest()))


def map_tensors(path: Path) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """Map the arrays of a file into memory, read-only; pages are read when they are touched.

    The metadata are as given when it was written, and ``sha256``.

    Raises
    ------
    FileFormatError
        The file is truncated or of another kind.

    Examples
    --------
    See `write_tensors`.
    """
    start, entries, metadata = _read_header(path)
    arrays = {}
    memory = np.memmap(path, dtype=np.uint8, mode="r")
    for name, (dtype, shape, first, end) in entries.items():
        try:
            arrays[name] = memory[start + first : start + end].view(dtype).reshape(shape)
        except ValueError as error:  # without any entry, the other sides may be larger than numpy knows
            raise FileFormatError(f"{path}: array {name!r} has no shape of an array; prepare it again.") from error
    return arrays, metadata


def check_tensors(path: Path) -> None:
    """Read a whole file and compare it with the checksum it carries.

    Raises
    ------
    FileFormatError
        Truncated, altered, or of another kind.

    Examples
    --------
    See `write_tensors`.
    """
    start, _, metadata = _read_header(path)
    with path.open("rb") as file:
        file.seek(start)
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != metadata.get("sha256"):
        raise FileFormatError(f"{path} was altered: its checksum is not the one it carries. Prepare it again.")


def _header(arrays: Mapping[str, npt.NDArray[Any] | Blocks], metadata: Mapping[str, str], *, sha256: str) -> bytes:
    header: dict[str, Any] = {"__metadata__": {**metadata, "sha256": sha256}}
    end = 0
    for name, array in arrays.items():
        first, end = end, end + _size(array)
        dtype = "U8" if isinstance(array, Blocks) else _NAMES[array.dtype]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [first, end]}
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + _LENGTH_BYTES) % _ALIGNMENT)
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text


def _size(array: npt.NDArray[Any] | Blocks) -> int:
    return math.prod(array.shape) if isinstance(array, Blocks) else array.nbytes


_Entry = tuple[np.dtype[Any], tuple[int, ...], int, int]


def _read_header(path: Path) -> tuple[int, dict[str, _Entry], dict[str, str]]:
    """Return where the arrays begin, their types, shapes and places, and the metadata."""
    with path.open("rb") as file:
        total = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        text = file.read(min(length, _LARGEST_HEADER))
    try:
        header = json.loads(text)
        metadata = {str(key): str(value) for key, value in header.pop("__metadata__").items()}
        entries, place = {}, 0
        for name, entry in header.items():
            dtype, shape = _TYPES[entry["dtype"]], tuple(map(int, entry["shape"]))
            first, end = map(int, entry["data_offsets"])
            if min(shape, default=0) < 0 or first != place or end - first != math.prod(shape) * dtype.itemsize:
                raise ValueError(f"array {name!r} is misplaced")
            entries[name] = (dtype, shape, first, end)
            place = end
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise FileFormatError(
            f"{path} is not a prepared file (its header cannot be read: {error}); prepare it again."
        ) from error
    start = _LENGTH_BYTES + length
    if total != start + place:
        raise FileFormatError(f"{path} has {total:,} bytes instead of {start + place:,}; prepare it again.")
    return start, entries, metadata
