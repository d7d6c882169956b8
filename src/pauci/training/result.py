"""What a run leaves behind: weights, metrics, history."""

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pauci.data.schema import Column
from pauci.errors import CheckpointError, OtherNetworkError
from pauci.metrics.inputs import ArrayLike, to_numpy
from pauci.rounding import is_number
from pauci.training.claim import SUMMARY
from pauci.training.evaluation import score_part
from pauci.training.files import read_facts, read_tensors, write_bytes, write_tensors
from pauci.training.network import build_model, check_is_network
from pauci.training.part import part_of
from pauci.training.recipe import Recipe
from pauci.training.recipe_tree import recipe_from_dict


@dataclass(frozen=True)
class Result:
    """A finished run.

    Attributes
    ----------
    recipe : Recipe
        The recipe that was run.
    model : nn.Module
        The network with the selected weights, in evaluation mode.
    last : dict of str to Tensor
        Weights of the last epoch (averaged, if the recipe averages); empty in a result read from a file.
    best_epoch : int
        Epoch of the selected weights, counted from 1.
    history : list of dict
        One record per epoch, with validation metrics.
    val_metrics, test_metrics : dict of str to float
        Metrics of the selected weights. The test part was looked at once, at the end, and may be absent.
    seconds : float
        Training time, including evaluation but not warm-up.
    device : str
        Device it ran on.
    mean, std : tuple of float
        Mean and standard deviation by which inputs are standardised.
    digests : dict of str to str
        Digests of the parts of its data; empty where an older version wrote the result.
    columns : tuple of Column
        Columns of the recipe's table, with their categories, for `read_rows`; empty for other data.

    Examples
    --------
    >>> from pauci.training import train
    >>> x, y = np.arange(400.0).reshape(200, 2), np.arange(200) % 4 == 0
    >>> result = train(Recipe(epochs=2, batch_size=32), (x, y), device="cpu")
    >>> len(result.history), sorted(result.val_metrics)[:2]
    (2, ['auc', 'opauc@0.01'])
    """

    recipe: Recipe
    model: nn.Module = field(repr=False)
    last: Mapping[str, Tensor] = field(repr=False)
    best_epoch: int
    history: list[dict[str, Any]] = field(repr=False)
    val_metrics: dict[str, float]
    test_metrics: dict[str, float]
    seconds: float
    device: str
    mean: tuple[float, ...] = field(repr=False)
    std: tuple[float, ...] = field(repr=False)
    digests: dict[str, str] = field(repr=False, default_factory=dict)
    columns: tuple[Column, ...] = field(repr=False, default=())

    def scores(self, x: ArrayLike) -> npt.NDArray[np.float32]:
        """Score new instances.

        Parameters
        ----------
        x : array-like
            Images or a table, raw as in training; `read_rows` reads a table from a file. Columns are taken by their
            places, also those of a data frame.

        Returns
        -------
        ndarray of shape (n,)
            Logits of the positive class, in single precision; metrics of the run were taken in the recipe's precision.
        """
        device = next(self.model.parameters()).device
        part = part_of(to_numpy(x), self.mean, self.std, device=device, categorical=self.recipe.categorical)
        return score_part(self.model, part).cpu().numpy()

    def other_parts(self, digests: Mapping[str, str]) -> list[str]:
        """Name the parts of data, and "model", that are not those of this result; of an older one, as far as it tells.

        Parameters
        ----------
        digests : mapping of str to str
            Of what is at hand, as in `digests`.

        Returns
        -------
        list of str
            Names, sorted.
        """
        # Earlier versions did not write down which data, or which network, they had seen.
        told = [name for name in digests.keys() | self.digests.keys() if name != "model" or name in self.digests]
        return sorted(name for name in told if self.digests and self.digests.get(name) != digests.get(name))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write selected weights and all facts to one safetensors file.

        Parameters
        ----------
        path : path-like
            Name of the file.
        """
        facts = {
            entry.name: getattr(self, entry.name)
            for entry in dataclasses.fields(self)
            if entry.name not in ("recipe", "model", "last")
        }
        facts["recipe"] = self.recipe.to_dict()
        facts["columns"] = [dataclasses.asdict(column) for column in self.columns]
        facts["features"] = len(self.mean)
        write_tensors(Path(path), self.model.state_dict(), {"format": _FORMAT, "facts": json.dumps(facts)})

    @classmethod
    def load(cls, path: Path, *, model: nn.Module | None = None) -> "Result":
        """Read a file that `save` wrote; its recipe may name code to run, so read files from people you trust.

        Parameters
        ----------
        path : Path
            Name of the file.
        model : nn.Module, optional
            The network, if the recipe alone does not build it.

        Returns
        -------
        Result
            The result, on the CPU; `last` is empty.

        Raises
        ------
        OtherNetworkError
            The file is sound, but the network has no place for its weights.
        """
        if model is not None:
            check_is_network(model)
        tensors, metadata = read_tensors(path)
        if metadata.get("format") != _FORMAT:
            raise CheckpointError(f"{path} is not a result of this version of pauci.")
        facts = read_facts(path, metadata)
        try:
            recipe = recipe_from_dict(facts.pop("recipe"))
            features = facts.pop("features")
            is_described = model is None
            if model is None:
                with torch.random.fork_rng(devices=[]):
                    model = build_model(recipe, features)
            _take_over(model, tensors, path, "the recipe describes" if is_described else "the model that was passed")
            facts |= {name: _numbers(facts[name], name) for name in ("mean", "std")}
            facts["columns"] = tuple(
                Column(column["name"], column["kind"], tuple(column["categories"]))
                for column in facts.get("columns", ())
            )
            return cls(recipe=recipe, model=model.eval(), last={}, **facts)
        except (KeyError, TypeError) as error:
            raise CheckpointError(f"{path} is damaged, or not the result of a run: {error!r}.") from error


_FORMAT = "pauci-result-1"


def _numbers(values: Any, name: str) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(map(is_number, values)):
        raise TypeError(f"{name} is not a list of numbers")
    return tuple(values)


def _take_over(model: nn.Module, tensors: Mapping[str, Tensor], path: Path, given: str) -> None:
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise  # of the device, such as too little memory
        raise OtherNetworkError(
            f"{path} is the result of another network than {given}; pass model=, the one it was made with."
        ) from error


def write_summary(result: Result, folder: Path) -> None:
    """Write what a person or a script wants to read: ``result.json``."""
    facts = {
        "recipe": result.recipe.hash,
        "name": result.recipe.name,
        "seed": result.recipe.seed,
        "region": str(result.recipe.region),
        "best_epoch": result.best_epoch,
        "val_metrics": result.val_metrics,
        "test_metrics": result.test_metrics,
        "seconds": result.seconds,
        "device": result.device,
    }
    write_bytes(folder / SUMMARY, (json.dumps(facts, indent=2) + "\n").encode())
