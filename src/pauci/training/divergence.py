"""Noticing that numbers went wrong, and saying why they probably did."""

import torch
from torch import Tensor

from pauci.errors import DivergedError
from pauci.training.part import Part
from pauci.training.recipe import Recipe


def first_bad(losses: Tensor) -> int | None:
    """Position of the first loss that is NaN or infinite, with one look at the device.

    Examples
    --------
    >>> first_bad(torch.tensor([1.0, float("nan"), float("inf")]))
    1
    """
    bad = ~torch.isfinite(losses)
    position = int(torch.where(bad.any(), bad.int().argmax(), -1))
    return None if position < 0 else position


def explain(
    recipe: Recipe, train: Part, rows: Tensor, *, step: int, epoch: int, batch: int, rate: float
) -> DivergedError:
    """Build the error for a step whose loss or scores are not finite: with the place, the likely cause and the remedy.

    Parameters
    ----------
    recipe, train, rows
        What was run, on what data, and the rows of the batch.
    step, epoch, batch : int
        Where it happened, from 1.
    rate : float
        Learning rate relative to the optimiser's own.
    """
    if not bool(torch.isfinite(train.pick(rows)).all()):
        cause = "the inputs of this batch hold NaN or infinite values: repair the data"
    elif recipe.precision == "fp16":
        cause = "numbers beyond 65504, the largest in fp16: use precision='bf16'"
    else:
        lr = recipe.optimizer.options.get("lr", recipe.optimizer.options.get("nu"))
        at = f" ({lr * rate:g} at this step)" if isinstance(lr, (int, float)) else ""
        cause = f"a learning rate{at} that is too high: lower optimizer.lr, set clip=1, or lengthen schedule.warmup"
    return DivergedError(
        f"the loss is not finite at step {step} (epoch {epoch}, batch {batch}). Likely cause: {cause}. "
        "Checkpoints from before are intact; rollback.times=3 would go back to them by itself.",
        step=step - 1,
    )
