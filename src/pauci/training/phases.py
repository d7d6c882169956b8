"""From data on a device to a result: the warm-up, the run itself, and the verdict on the test part."""

import copy
from collections.abc import Sequence
from pathlib import Path

from torch import nn

from pauci.errors import CheckpointError, InputError, RecipeError
from pauci.training.capture import is_capturable
from pauci.training.checkpoint import Checkpoints
from pauci.training.evaluation import all_metrics, score_part
from pauci.training.inputs import Inputs
from pauci.training.lanes import Steps
from pauci.training.loop import Loop
from pauci.training.network import blank_model
from pauci.training.objective import build_objective
from pauci.training.observers import Observer, run_logs
from pauci.training.recipe import Recipe
from pauci.training.result import Result
from pauci.training.sitting import Sitting
from pauci.training.state import State, copy_weights
from pauci.training.warmup import WarmupStore


def run_steps(
    recipe: Recipe,
    inputs: Inputs,
    here: Sitting,
    *,
    model: nn.Module | None = None,
    folder: Path | None = None,
    resume: bool = False,
    warmups: Path | None = None,
    observers: Sequence[Observer] = (),
    compiled: bool = False,
    graphs: bool = False,
    save_every: float = 60.0,
    keep: int = 2,
) -> Steps[Result]:
    """Run a recipe with a pause after every step, and between the preparations.

    Parameters
    ----------
    recipe, model, resume, observers, compiled, graphs, save_every, keep
        As for `train`.
    inputs : Inputs
        The data, on their device.
    here : Sitting
        Where and with whom.
    folder : Path, optional
        For logs and checkpoints.
    warmups : Path, optional
        Folder in which results of warm-up phases are shared between runs.

    Returns
    -------
    Result
        Selected weights, metrics, history.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from pauci.training import load_inputs
    >>> from pauci.training.lanes import finished
    >>> from pauci.training.sitting import sitting
    >>> x, y = np.arange(400.0).reshape(200, 2), np.arange(200) % 4 == 0
    >>> recipe, cpu = Recipe(epochs=1, batch_size=32), torch.device("cpu")
    >>> with sitting(cpu) as here:
    ...     result = finished(run_steps(recipe, load_inputs((x, y), recipe.data, device=cpu), here))
    >>> result.best_epoch
    1
    """
    check_run(recipe, here, folder=folder, graphs=graphs, keep=keep)
    device, ranks = here.device, here.ranks
    blank = blank_model(recipe, inputs, model)
    # Runs that take turns with this one keep the device busy while the next piece is made.
    yield

    def phase(
        recipe: Recipe, folder: Path | None, observers: Sequence[Observer], *, is_warmup: bool = False
    ) -> Steps[State]:
        """Go through the warm-up or the run itself, from a copy of the network as it is by then."""
        owner = inputs.owner(recipe)
        loop = Loop(
            recipe,
            inputs,
            copy.deepcopy(blank),
            here,
            checkpoints=None if folder is None else Checkpoints(folder / "checkpoints", owner=owner, keep=keep),
            save_every=save_every,
            compiled=compiled,
            graphs=graphs,
        )
        if resume:
            loop.resume()
        try:
            return (yield from loop.steps(observers, is_warmup=is_warmup))
        finally:
            for observer in observers:
                observer.end()

    if recipe.warmup.epochs:
        store = WarmupStore(warmups, recipe, inputs, blank)
        weights = store.get()
        if ranks.agree(weights is None, device) or weights is None:
            warmup = phase(recipe.warmup_recipe(), folder and folder / "warmup", observers, is_warmup=True)
            weights = (yield from warmup).best
            if ranks.rank == 0:
                store.put(weights)
        blank.load_state_dict(weights)
    logs = run_logs(folder) if folder is not None and ranks.rank == 0 else []
    state = yield from phase(recipe, folder, [*logs, *observers])
    return _judge(recipe, inputs, state, blank.to(device), here.device_name)


def check_run(recipe: Recipe, here: Sitting, *, folder: Path | None, graphs: bool, keep: int) -> None:
    """Refuse what cannot be run, before anything is written.

    Raises
    ------
    RecipeError, InputError
        What does not fit together.
    """
    if recipe.rollback.times and folder is None:
        raise RecipeError("rollback.times needs checkpoints to go back to; pass out, or --out on the command line.")
    if keep < 1:
        raise InputError(f"keep={keep!r} would leave no checkpoint to resume from; keep at least 1.")
    if graphs and (here.device.type != "cuda" or recipe.accumulate > 1):
        raise InputError(
            f"graphs=True needs a GPU and accumulate=1, not {here.device} and {recipe.accumulate}; leave it out."
        )
    if graphs and here.ranks.size > 1:
        raise InputError(f"graphs=True is for a single process, but there are {here.ranks.size}; leave it out.")
    if graphs and not is_capturable(build_objective(recipe), recipe.batch_size):
        raise InputError(
            f"graphs=True: loss.name={recipe.loss.name!r} changes on the host while it trains, which a recorded graph "
            f"does not notice, or is over pairs of more instances than batch_size={recipe.batch_size} may have there; "
            "leave it out. (A loss that keeps all that changes in buffers says capturable = True.)"
        )


def _judge(recipe: Recipe, inputs: Inputs, state: State, blank: nn.Module, device_name: str) -> Result:
    progress = state.progress
    if progress.best_epoch is None:
        raise CheckpointError("the run ended before its first epoch did; there are no weights to keep.")
    last = copy_weights(state.judged)
    blank.load_state_dict(state.best)
    test = {}
    if inputs.test is not None:
        test = all_metrics(inputs.test.y, score_part(blank, inputs.test, precision=recipe.precision), recipe.region)
    return Result(
        recipe=recipe,
        model=blank.eval(),
        last=last,
        best_epoch=progress.best_epoch,
        history=progress.history,
        val_metrics=progress.history[progress.best_epoch - 1]["val"],
        test_metrics=test,
        seconds=progress.seconds,
        device=device_name,
        mean=inputs.mean,
        std=inputs.std,
        digests=inputs.digests,
    )
