"""Weights after the cross-entropy phase, shared between recipes that begin with the same one."""

import hashlib
from pathlib import Path

from torch import Tensor, nn

from pauci.training.checkpoint import read_tensors, write_tensors
from pauci.training.inputs import Inputs
from pauci.training.recipe import Recipe


class WarmupStore:
    """A folder with one file per warm-up, named by everything that decides its result.

    Parameters
    ----------
    folder : Path or None
        Where; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, recipe: Recipe, inputs: Inputs, start: nn.Module) -> dict[str, Tensor] | None:
        """Weights after the warm-up of this recipe, or None when nobody has run it yet."""
        path = self._path(recipe, inputs, start)
        return read_tensors(path)[0] if path is not None and path.exists() else None

    def put(self, recipe: Recipe, inputs: Inputs, start: nn.Module, weights: dict[str, Tensor]) -> None:
        """Keep weights for others. Runs that finish at the same time write the same."""
        path = self._path(recipe, inputs, start)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_tensors(path, weights, {"format": "pauci-warmup-1"})

    def _path(self, recipe: Recipe, inputs: Inputs, start: nn.Module) -> Path | None:
        if self._folder is None:
            return None
        digest = hashlib.sha256(f"{recipe.warmup_recipe().hash} {inputs.digest}".encode())
        for name, value in start.state_dict().items():
            digest.update(name.encode())
            digest.update(value.cpu().contiguous().numpy())
        return self._folder / f"{digest.hexdigest()[:24]}.safetensors"
