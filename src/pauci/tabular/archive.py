"""The container of a model file: a zip of JSON and binary parts, each with its size and checksum, and no code."""

import hashlib
import json
import os
import platform
import re
import zipfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from pauci.errors import FileFormatError, MissingFileError, PauciError
from pauci.replacing import replacing

#: What names of model files end in.
SUFFIX = ".pauci"

_FORMAT = "pauci-model"
#: Raised when older versions of the package could no longer read what newer ones write.
_VERSION = 1

_MANIFEST = "manifest.json"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")

#: No model of a table is larger, so what claims to be is not read into memory.
_LARGEST = 4 * 2**30

#: What zip files of this package use; `zipfile` knows others.
_COMPRESSION = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

#: Packages whose versions are worth knowing when a model behaves differently elsewhere.
_PACKAGES = ("pauci", "torch", "numpy", "scikit-learn", "lightgbm", "xgboost")


def write_archive(path: str | os.PathLike[str], facts: Mapping[str, Any], parts: Mapping[str, bytes]) -> None:
    """Write a model file; it is there in full or not at all, and equal content makes equal bytes.

    Facts are what JSON can hold; binary parts go by their file name inside the archive.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "model.pauci")
    >>> write_archive(path, {"target": "fraud"}, {"weights.safetensors": b"123"})
    >>> read_archive(path)
    ({'target': 'fraud'}, {'weights.safetensors': b'123'})
    """
    if strange := [name for name in parts if not _PLAIN_NAME.fullmatch(name) or name == _MANIFEST]:
        raise FileFormatError(f"{strange[0]!r} cannot name a part of a model file; use letters, digits, '-' and '.'.")
    manifest = {
        "format": _FORMAT,
        "version": _VERSION,
        "packages": _packages(),
        "facts": dict(facts),
        "sha256": _facts_digest(facts),
        "parts": {name: {"size": len(part), "sha256": _digest(part)} for name, part in parts.items()},
    }
    content = json.dumps(manifest, indent=1, default=_as_python).encode()
    with replacing(Path(path)) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in ((_MANIFEST, content), *parts.items()):
            # A ZipInfo of its own carries no time of writing.
            archive.writestr(zipfile.ZipInfo(name), part, compress_type=zipfile.ZIP_DEFLATED)


def read_archive(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read a model file and check all of it; nothing is extracted, executed or unpickled.

    Raises
    ------
    FileFormatError
        If it is not a model file, damaged, from a newer version, or holds what its manifest does not name.
    """
    place = Path(path)
    if not place.is_file():
        problem = "is a folder" if place.is_dir() else "does not exist"
        raise MissingFileError(f"model file {place} {problem}; `pauci fit ... -o {place.stem}.pauci` writes one.")
    with place.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _read(archive, place)
        except PauciError:
            raise
        except Exception as error:  # zipfile raises nearly anything on damaged and hostile files
            if place.suffix == ".safetensors":
                raise FileFormatError(
                    f"{place} is not a model file of `pauci fit`. If `pauci train` wrote it, Python reads it: "
                    "pauci.training.Result.load."
                ) from error
            raise FileFormatError(
                f"{place} is truncated, damaged or not a model file ({error}); copy it again or fit anew."
            ) from error


def _read(archive: zipfile.ZipFile, path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    members = archive.infolist()
    names = [member.filename for member in members]
    if _MANIFEST not in names:
        raise FileFormatError(f"{path} is a zip file, but not a model file: it has no {_MANIFEST}.")
    if len(names) != len(set(names)):
        raise FileFormatError(f"{path} is damaged: it holds a part twice.")
    # Others would be unpacked in full, whatever size a member gives.
    if strange := [each.filename for each in members if each.compress_type not in _COMPRESSION]:
        raise FileFormatError(f"{path} is not a model file of pauci: {strange[0]!r} is compressed in another way.")
    if (size := sum(member.file_size for member in members)) > _LARGEST:
        raise FileFormatError(f"{path} would take {size / 2**30:.0f} GiB of memory, more than any model file.")
    manifest = _manifest(archive.read(_MANIFEST), path)
    expected = manifest["parts"]
    if {*expected, _MANIFEST} != set(names):
        differing = sorted({*expected, _MANIFEST} ^ set(names))
        raise FileFormatError(f"{path} is damaged: {differing[0]!r} is missing, or is not named in its manifest.")
    parts = {name: archive.read(name) for name in expected}
    for name, part in parts.items():
        if len(part) != expected[name]["size"] or _digest(part) != expected[name]["sha256"]:
            raise FileFormatError(
                f"{path} is damaged: {name!r} does not match its checksum; copy it again or fit anew."
            )
    facts: dict[str, Any] = manifest["facts"]
    if manifest.get("sha256") != _facts_digest(facts):
        raise FileFormatError(f"{path} is damaged: its {_MANIFEST} does not match its checksum, or has none; fit anew.")
    return facts, parts


def _manifest(content: bytes, path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(content)
    except ValueError as error:
        raise FileFormatError(f"{path} is damaged: its {_MANIFEST} is not JSON ({error}).") from error
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise FileFormatError(f"{path} is a zip file, but not a model file of pauci.")
    if not isinstance(manifest.get("version"), int) or manifest["version"] > _VERSION:
        raise FileFormatError(
            f"{path} was written by a newer pauci (its format is {manifest.get('version')!r}, this one reads "
            f"{_VERSION}); upgrade with: pip install --upgrade pauci"
        )
    facts, parts = manifest.get("facts"), manifest.get("parts")
    described = isinstance(parts, dict) and all(
        _PLAIN_NAME.fullmatch(name) and isinstance(part, dict) and {"size", "sha256"} <= part.keys()
        for name, part in parts.items()
    )
    for name, proper in (("facts", isinstance(facts, dict)), ("parts", described)):
        if not proper:
            raise FileFormatError(f"{path} is damaged: its {_MANIFEST} has no proper {name!r}.")
    return manifest


def _facts_digest(facts: Mapping[str, Any]) -> str:
    return _digest(json.dumps(facts, sort_keys=True, default=_as_python).encode())


def _as_python(value: Any) -> Any:
    """Turn numpy's numbers, which searches over parameters hand on, into those that JSON can hold."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be kept in a model file")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _packages() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
