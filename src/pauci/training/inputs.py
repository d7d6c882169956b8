"""The data of a run, on its device."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pauci.training.named_parts import named_parts
from pauci.training.part import Part, part_of, statistics
from pauci.training.recipe import Recipe
from pauci.training.specs import DataSpec


@dataclass(frozen=True)
class Inputs:
    """Everything a run sees.

    Attributes
    ----------
    train, val : Part
        What is trained on; what weights are selected by.
    test : Part or None
        Looked at once, at the end.
    mean, std : tuple of float
        Statistics of the training part, by which inputs are standardised: per channel or per column.
    digests : dict of str to str
        Of the content of each part, and of the layers of a network that no recipe describes ("model"): by them a
        finished run recognises them.
    spec : DataSpec
        How they were made.
    """

    train: Part
    val: Part
    test: Part | None
    mean: tuple[float, ...]
    std: tuple[float, ...]
    digests: dict[str, str]
    spec: DataSpec

    @property
    def features(self) -> int:
        """How many columns a table has, or channels the images."""
        return len(self.mean)

    @property
    def digest(self) -> str:
        """Of the training part, and of a network that came with it: by it a resumed run recognises them."""
        return self.digests["train"] + self.digests.get("model", "")

    def owner(self, recipe: Recipe) -> str:
        """Return the name under which a recipe's checkpoints on these data go on from each other."""
        # Validation data choose the epoch: with others, the epochs before and after could not be compared.
        return f"{recipe.hash}-{self.digest}-{self.digests['val']}"


def load_inputs(
    data: Any, spec: DataSpec, *, device: torch.device, seed: int = 0, categorical: tuple[int, ...] = ()
) -> Inputs:
    """Put data on a device.

    Parameters
    ----------
    data : Task, mapping or tuple
        Something with parts ``train``, ``val`` and perhaps ``test``, as attributes or keys; each part is a pair (x, y)
        or has attributes x and y. Or one pair (x, y), of which a share is set aside for validation. Images are uint8 of
        shape (n, height, width, channels), anything else is a table. Labels are bool, {0, 1} or {-1, 1}.
    spec : DataSpec
        Augmentation, and the share set aside.
    device : torch.device
        The device to train on.
    seed : int
        Seed of the split, where one is made.
    categorical : tuple of int
        Columns of a table that hold codes and are left as they are.

    Returns
    -------
    Inputs
        All parts on the device.

    Notes
    -----
    Missing values of a table (NaN) are filled: numbers with the mean of the training part, categories with -1, which
    stands for "missing or unseen".

    Examples
    --------
    >>> x, y = np.arange(20.0).reshape(10, 2), [0, 1] * 5
    >>> inputs = load_inputs((x, y), DataSpec(), device=torch.device("cpu"))
    >>> len(inputs.train), len(inputs.val), inputs.features
    (8, 2, 2)
    """
    parts = named_parts(data, val_share=spec.val_share, seed=seed)
    x, _ = parts["train"]
    mean, std = statistics(x, categorical)
    augmentation = {"flip": spec.flip, "pad": spec.pad, "max_angle": spec.max_angle}
    made = {
        name: part_of(
            rows,
            mean,
            std,
            labels=labels,
            device=device,
            categorical=categorical,
            augmentation=augmentation if name == "train" else {},
        )
        for name, (rows, labels) in parts.items()
    }
    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()  # whichever stream reads them finds them complete
    digests = {name: _digest(*pair) for name, pair in parts.items()}
    return Inputs(made["train"], made["val"], made.get("test"), mean, std, digests, spec)


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]
