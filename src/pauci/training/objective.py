"""The objective of a recipe: a loss on the training region, mixed with cross-entropy."""

import inspect
from typing import Any

from torch import nn

from pauci.errors import RecipeError
from pauci.losses import Anneal, CrossEntropyLoss, MixedLoss
from pauci.losses.weighted_auc import WeightedAUCLoss
from pauci.training.component import Component
from pauci.training.recipe import Recipe


def build_objective(recipe: Recipe, *, data_size: int | None = None) -> nn.Module:
    """Create the loss of a recipe.

    Parameters
    ----------
    recipe : Recipe
        Options of the loss given as a table with start, end and steps become an `Anneal`, in epochs.
    data_size : int, optional
        Number of training instances, for losses that remember something about each of them.

    Returns
    -------
    nn.Module
        Called as ``loss(y_score, y_true, index)``.

    Examples
    --------
    >>> build_objective(Recipe()).region
    Region(max_fpr=0.1)
    """
    options = {name: _annealed(name, value) for name, value in recipe.loss.options.items()}
    loss: nn.Module = Component(recipe.loss.name, options).build(
        "loss", region=recipe.train_region, data_size=data_size
    )
    if isinstance(loss, WeightedAUCLoss) and loss.warmup >= recipe.epochs:
        raise RecipeError(
            f"loss.warmup={loss.warmup} leaves no epoch of epochs={recipe.epochs} in which the weights of "
            f"{recipe.loss.name!r} count; lower it, or train longer."
        )
    if recipe.loss.ce_weight > 0:
        return MixedLoss(loss, CrossEntropyLoss(), weight=1 - recipe.loss.ce_weight)
    _check_takes_rows(loss, recipe.loss.name)
    return loss


def _check_takes_rows(loss: nn.Module, name: str) -> None:
    try:
        inspect.signature(loss.forward).bind(None, None, None)
    except TypeError:
        raise RecipeError(
            f"loss {name!r} is called with scores, labels and row numbers, but takes other arguments; let its forward "
            "take a third one, or say loss.ce_weight: a mixture calls losses of torch as they want it."
        ) from None


def _annealed(name: str, value: Any) -> Any:
    wanted = {"start", "end", "steps"}
    if not isinstance(value, dict) or not wanted <= value.keys():
        return value
    if unknown := sorted(value.keys() - wanted):
        raise RecipeError(f"loss.{name}.{unknown[0]} is not known; a value that changes has start, end and steps.")
    return Anneal(**value)
