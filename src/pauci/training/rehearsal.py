"""A run before the run: what does not fit together is found out while nothing is written yet."""

import torch
from torch import Tensor, nn

from pauci.errors import InputError
from pauci.training.inputs import Inputs
from pauci.training.loop import Loop
from pauci.training.network import blank_model
from pauci.training.precision import autocast
from pauci.training.recipe import Recipe
from pauci.training.sitting import Sitting


def rehearse(recipe: Recipe, inputs: Inputs, here: Sitting, *, model: nn.Module | None, is_kept: bool) -> None:
    """Build what a run consists of once, and score a batch: what does not fit is refused before anything is written.

    Where a run `is_kept` in a folder, so is what checkpoints cannot hold, as far as it is there before the first step.

    Raises
    ------
    RecipeError, InputError
        What does not fit together.
    """
    loop = Loop(recipe, inputs, blank_model(recipe, inputs, model), here)
    if is_kept:
        loop.state.pack()
    few = inputs.train.pick(torch.arange(min(recipe.batch_size, len(inputs.train)), device=here.device))
    try:
        with torch.no_grad(), autocast(here.device, recipe.precision):
            scores = loop.state.model.eval()(few)
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise  # of the device, such as too little memory
        raise InputError(
            f"model: the network cannot take a batch of shape {tuple(few.shape)}: {error}. Is it made for other data?"
        ) from error
    if not isinstance(scores, Tensor):
        raise InputError(
            f"model: the network returns a {type(scores).__name__}, where a tensor with one score per row is needed; "
            "wrap it in a module that returns the scores alone."
        )
    if scores.numel() != len(few):
        raise InputError(
            f"model: the network makes {tuple(scores.shape)} of a batch of shape {tuple(few.shape)}; let it end in one "
            "score per row; of two outputs that is the second minus the first."
        )
