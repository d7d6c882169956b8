"""Reading members of archives in memory: nothing is unpacked, nothing is unpickled, damage is an error."""

import gzip
import hashlib
import math
import os
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pauci.errors import FileFormatError, PauciError

_BLOCK = 1 << 20


def file_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of the content of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_sha256(path: Path, expected: str) -> None:
    """Compare a file with its published checksum.

    Raises
    ------
    FileFormatError
        The file is not the published one.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "empty"
    >>> path.touch()
    >>> check_sha256(path, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    >>> folder.cleanup()
    """
    if (found := file_digest(path)) != expected:
        raise FileFormatError(
            f"{path} ({path.stat().st_size:,} bytes) is not the official file: its SHA-256 is {found}, "
            f"not {expected}. It is truncated or was altered; delete it and fetch it again."
        )


def read_tar_gz(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Read some members of a gzipped tar archive.

    Limits tell the full name of each, and the number of bytes it may have at most.

    Raises
    ------
    FileFormatError
        The archive is damaged, or a member is missing, too large, or not a plain file.

    Examples
    --------
    >>> read_tar_gz(Path("no-such-file.tar.gz"), {"a.bin": 10})
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: no-such-file.tar.gz cannot be read as a gzipped tar archive...
    """
    found: dict[str, bytes] = {}
    with reading(path, "a gzipped tar archive"), gzip.open(path) as stream:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if member.name not in limits:
                    continue
                file = archive.extractfile(member) if member.isreg() else None
                if file is None or member.size > limits[member.name]:
                    raise FileFormatError(
                        f"{path}: {member.name!r} is not a plain file of at most {limits[member.name]:,} bytes."
                    )
                found[member.name] = file.read()
        while stream.read(_BLOCK):  # the checksum is at the very end
            pass
    if missing := [name for name in limits if name not in found]:
        raise FileFormatError(f"{path} has no member {missing[0]!r}; is it the official archive?")
    return found


def read_zip(path: Path, pattern: re.Pattern[str], *, limit: int) -> Iterator[tuple[re.Match[str], bytes]]:
    """Read the members of a zip archive whose full name matches.

    They come with the match of their name, checksums verified; each may have `limit` bytes at most.

    Raises
    ------
    FileFormatError
        The archive is damaged, or a member is too large.

    Examples
    --------
    >>> list(read_zip(Path("no-such-file.zip"), re.compile("a"), limit=10))
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: no-such-file.zip cannot be read as a zip archive...
    """
    with reading(path, "a zip archive"), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if match := pattern.fullmatch(member.filename):
                if member.file_size > limit:
                    raise FileFormatError(f"{path}: {member.filename!r} has more than {limit:,} bytes.")
                yield match, archive.read(member)


def read_npz(path: Path, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Read arrays of an npz file, never unpickling.

    Raises
    ------
    FileFormatError
        The file is damaged, or an array is missing or holds Python objects.

    Examples
    --------
    >>> read_npz(Path("no-such-file.npz"), ["y"])
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: no-such-file.npz cannot be read as an npz file...
    """
    with reading(path, "an npz file"), np.load(path, allow_pickle=False) as arrays:
        check_fits(path, arrays.zip)
        if missing := [name for name in names if name not in arrays.files]:
            raise FileFormatError(f"{path} has no array {missing[0]!r}; it has {', '.join(arrays.files)}.")
        return {name: arrays[name] for name in names}


def check_fits(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse a zip archive that would take more memory than the machine has: small files may unpack to any size."""
    size, memory = sum(member.file_size for member in archive.infolist()), _memory()
    if size > memory:
        raise FileFormatError(
            f"{path} ({path.stat().st_size:,} bytes) unpacks to {size:,} bytes, more than the memory of this machine. "
            "If it is what it should be, save its rows in several files, or as a Parquet file, which is read in parts."
        )


def _memory() -> float:
    """Bytes of memory of this machine; infinite where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # as on Windows
        return math.inf


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a reader raises in the block into a `FileFormatError`; our own errors are left as they are.

    Examples
    --------
    >>> with reading(Path("a.npz"), "numbers"):
    ...     int("x")
    Traceback (most recent call last):
    ...
    pauci.errors.FileFormatError: a.npz cannot be read as numbers (invalid literal ...
    """
    try:
        yield
    except PauciError:
        raise
    except Exception as error:  # the readers raise nearly anything on damaged and hostile files
        raise FileFormatError(
            f"{path} cannot be read as {kind} ({error}); it is missing, truncated or damaged: fetch it again."
        ) from error
