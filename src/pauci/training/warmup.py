"""Weights after the cross-entropy phase, shared between recipes that begin with the same one."""

import hashlib
from pathlib import Path

from torch import Tensor, nn

from pauci.training.files import make_folder, raw_bytes, read_tensors, write_tensors
from pauci.training.inputs import Inputs
from pauci.training.recipe import Recipe


class WarmupStore:
    """The file of a warm-up, named by everything that decides its result; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, recipe: Recipe, inputs: Inputs, start: nn.Module) -> None:
        self._path = None if folder is None else folder / f"{_digest(recipe, inputs, start)}.safetensors"

    def get(self) -> dict[str, Tensor] | None:
        """Weights after the warm-up, or None when nobody has run it yet."""
        return read_tensors(self._path)[0] if self._path is not None and self._path.exists() else None

    def put(self, weights: dict[str, Tensor]) -> None:
        """Keep weights for others. Runs that finish at the same time write the same."""
        if self._path is not None:
            make_folder(self._path.parent)
            write_tensors(self._path, weights, {"format": "pauci-warmup-1"})


def _digest(recipe: Recipe, inputs: Inputs, start: nn.Module) -> str:
    digest = hashlib.sha256(f"{recipe.warmup_recipe().hash} {inputs.digest}".encode())
    for name, value in start.state_dict().items():
        digest.update(name.encode())
        digest.update(raw_bytes(value))
    return digest.hexdigest()[:24]
