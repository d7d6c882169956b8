"""Checkpoints: one safetensors file each, written under another name and renamed, the last few kept."""

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from torch import Tensor

from pauci.errors import CheckpointError
from pauci.replacing import replacing
from pauci.training.checksum import checksum

_FORMAT = "pauci-checkpoint-1"
_CHECKSUM = "sha256"


class Checkpoints:
    """The checkpoints of one run, in one folder.

    Tensors and JSON facts share a file, so that no crash can leave one without the other.

    Parameters
    ----------
    folder : Path
        Where they are; made when the first is saved.
    owner : str
        Hash of recipe and data: others' checkpoints are refused.
    keep : int, default 2
        How many are kept.

    Examples
    --------
    >>> import tempfile, torch
    >>> checkpoints = Checkpoints(Path(tempfile.mkdtemp()), owner="abc")
    >>> checkpoints.save(7, {"weight": torch.ones(2)}, {"epoch": 1})
    >>> checkpoints.load()
    ({'weight': tensor([1., 1.])}, {'epoch': 1})
    """

    def __init__(self, folder: Path, *, owner: str, keep: int = 2) -> None:
        self.folder = folder
        self.owner = owner
        self.keep = keep

    def save(self, step: int, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Write a checkpoint and remove the oldest ones.

        Parameters
        ----------
        step : int
            Steps made so far; later checkpoints have larger numbers.
        tensors : mapping of str to Tensor
            On any device.
        facts : mapping
            Anything JSON can hold.
        """
        metadata = {"format": _FORMAT, "owner": self.owner, "facts": json.dumps(facts)}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_tensors(self.folder / f"step-{step:09d}.safetensors", tensors, metadata)
        for old in self._newest_first()[self.keep :]:
            old.unlink(missing_ok=True)

    def load(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """Read the newest checkpoint that can be read; a damaged one is passed over with a warning.

        Returns
        -------
        tuple or None
            Tensors on the CPU, and facts; None when there is no checkpoint at all.

        Raises
        ------
        CheckpointError
            There are checkpoints, but none can be used.
        """
        problems = []
        for path in self._newest_first():
            try:
                found = self._read(path)
            except CheckpointError as error:
                problems.append(str(error))
                continue
            if problems:
                warnings.warn(f"{' '.join(problems)} Continuing from {path.name} instead.", stacklevel=2)
            return found
        if problems:
            raise CheckpointError(f"{' '.join(problems)} No usable checkpoint is left; start the run anew.")
        return None

    def discard_from(self, step: int) -> None:
        """Remove checkpoints of `step` steps and more: what follows has shown that they are no good."""
        for path in self._newest_first():
            if int(path.stem.removeprefix("step-")) >= step:
                path.unlink()

    def _newest_first(self) -> list[Path]:
        return sorted(self.folder.glob("step-*.safetensors"), reverse=True)

    def _read(self, path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, metadata = read_tensors(path)
        if metadata.get("format") != _FORMAT:
            raise CheckpointError(f"checkpoint {path} is foreign: it was not written by this version of pauci.")
        if (owner := metadata.get("owner")) != self.owner:
            raise CheckpointError(
                f"checkpoint {path} belongs to a run with another recipe or other data ({owner}, not {self.owner})."
            )
        return tensors, read_facts(path, metadata)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    """Write a safetensors file so that it is there in full or not at all.

    Parameters
    ----------
    path : Path
        Its name.
    tensors : mapping of str to Tensor
        On any device, of any strides.
    metadata : dict of str to str
        Goes into the header, beside a checksum.
    """
    ready = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    write_bytes(path, safetensors.torch.save(ready, {**metadata, _CHECKSUM: checksum(ready, metadata)}))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it is there in full or not at all, also after a crash.

    Parameters
    ----------
    path : Path
        Its name.
    content : bytes
        What it holds.
    """
    with writing(f"{path} ({len(content) / 1e6:.1f} MB)"), replacing(path) as unfinished:
        unfinished.write_bytes(content)


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
    """Read a safetensors file.

    Parameters
    ----------
    path : Path
        Its name.

    Returns
    -------
    tensors : dict of str to Tensor
        On the CPU.
    metadata : dict of str to str
        From the header.

    Raises
    ------
    CheckpointError
        It cannot be read, or is not what was written. Files of older versions have no checksum to tell by.
    """
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, safetensors.SafetensorError) as error:
        raise CheckpointError(f"checkpoint {path} is truncated or not a checkpoint ({error}).") from error
    written = metadata.pop(_CHECKSUM, None)
    if written is not None and written != checksum(tensors, metadata):
        raise CheckpointError(f"checkpoint {path} is damaged: its checksum is not the one it carries.")
    return tensors, metadata


def read_facts(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    """Read the JSON facts that stand beside tensors.

    Parameters
    ----------
    path : Path
        The file, for the error.
    metadata : mapping of str to str
        From its header.

    Returns
    -------
    dict
        The facts.
    """
    try:
        facts = json.loads(metadata["facts"])
    except (KeyError, ValueError, RecursionError) as error:
        raise CheckpointError(f"checkpoint {path} is damaged: it has no facts that can be read ({error!r}).") from error
    if not isinstance(facts, dict):
        raise CheckpointError(f"checkpoint {path} is damaged: its facts are {type(facts).__name__}, not an object.")
    return facts
