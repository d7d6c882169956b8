"""Checkpoints: one safetensors file each, written under another name and renamed, the last few kept."""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from pauci.errors import CheckpointError
from pauci.training.files import make_folder, read_facts, read_tensors, write_tensors

_FORMAT = "pauci-checkpoint-1"


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
        """Write a checkpoint after so many steps, and remove the oldest ones; facts are anything JSON can hold."""
        metadata = {"format": _FORMAT, "owner": self.owner, "facts": json.dumps(facts)}
        make_folder(self.folder)
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
