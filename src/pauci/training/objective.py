"""The objective of a recipe: a loss on the training region, mixed with cross-entropy."""

from typing import Any

from torch import nn

from pauci.losses import Anneal, CrossEntropyLoss, MixedLoss
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
    options = {name: _annealed(value) for name, value in recipe.loss.options.items()}
    loss: nn.Module = Component(recipe.loss.name, options).build(
        "loss", region=recipe.train_region, data_size=data_size
    )
    if recipe.loss.ce_weight > 0:
        return MixedLoss(loss, CrossEntropyLoss(), weight=1 - recipe.loss.ce_weight)
    return loss


def _annealed(value: Any) -> Any:
    return Anneal(**value) if isinstance(value, dict) and {"start", "end", "steps"} <= value.keys() else value
