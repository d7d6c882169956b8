"""The files of a run: there in full or not at all, and checked when they are read."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from pauci.errors import CheckpointError
from pauci.replacing import replacing

_CHECKSUM = "sha256"


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    """Write tensors, on any device and of any strides, to a safetensors file that is there in full or not at all.

    The metadata go into its header, beside a checksum.
    """
    ready = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    write_bytes(path, safetensors.torch.save(ready, {**metadata, _CHECKSUM: _checksum(ready, metadata)}))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it is there in full or not at all, also after a crash."""
    with writing(f"{path} ({len(content) / 1e6:.1f} MB)"), replacing(path) as unfinished:
        unfinished.write_bytes(content)


def make_folder(folder: Path) -> None:
    """Make a folder of runs where it is missing."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def writing(what: object) -> Iterator[None]:
    """Name what cannot be written within the block: a disk that is full does not.

    Parameters
    ----------
    what : object
        A file or a folder of a run.

    Raises
    ------
    CheckpointError
        It cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise CheckpointError(
            f"cannot write {what}: {error.strerror or error}. Free space or choose another folder, then resume; what "
            "was saved before is intact."
        ) from error


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read the tensors of a safetensors file to the CPU, and the metadata of its header.

    Raises
    ------
    CheckpointError
        It cannot be read, or is not what was written. Files of older versions have no checksum to tell by.
    """
    if not (path := Path(path)).is_file():
        problem = "is a folder; name the file in it, such as model.safetensors" if path.is_dir() else "does not exist"
        raise CheckpointError(f"{path} {problem}.")
    try:
        # Older versions of safetensors make tensors where the default device says.
        with torch.device("cpu"), safetensors.safe_open(path, framework="pt") as file:
            metadata = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, safetensors.SafetensorError) as error:
        raise CheckpointError(f"checkpoint {path} is truncated or not a checkpoint ({error}).") from error
    written = metadata.pop(_CHECKSUM, None)
    if written is not None and written != _checksum(tensors, metadata):
        raise CheckpointError(f"checkpoint {path} is damaged: its checksum is not the one it carries.")
    return tensors, metadata


def read_facts(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    """Read the JSON facts that stand beside the tensors of a file, which an error names."""
    try:
        facts = json.loads(metadata["facts"])
    except (KeyError, ValueError, RecursionError) as error:
        raise CheckpointError(f"checkpoint {path} is damaged: it has no facts that can be read ({error!r}).") from error
    if not isinstance(facts, dict):
        raise CheckpointError(f"checkpoint {path} is damaged: its facts are {type(facts).__name__}, not an object.")
    return facts


def _checksum(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Digest all that a file holds: safetensors itself has no checksum, and a weight with a flipped bit is a weight."""
    digest = hashlib.sha256(json.dumps(dict(metadata), sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name!r} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(raw_bytes(tensor))
    return digest.hexdigest()


def raw_bytes(tensor: Tensor) -> memoryview:
    """Return what a tensor of any type holds, for digests; numpy does not know all types."""
    return tensor.cpu().reshape(-1).view(torch.uint8).numpy().data
