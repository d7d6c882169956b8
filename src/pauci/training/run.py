"""`train`: run a recipe from data to a result."""

import copy
import dataclasses
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import nn

from pauci.data.schema import Column
from pauci.errors import CheckpointError, InputError, OtherNetworkError
from pauci.training.claim import RECIPE, RESULT, alone_in, claim, is_claimed
from pauci.training.inputs import Inputs, load_inputs
from pauci.training.lanes import finished
from pauci.training.network import check_is_network, layers_digest
from pauci.training.observers import Observer
from pauci.training.pace import Pace
from pauci.training.phases import check_run, run_steps
from pauci.training.ranks import local_device
from pauci.training.recipe import Recipe, check_is_recipe
from pauci.training.rehearsal import rehearse
from pauci.training.result import Result, write_summary
from pauci.training.sitting import Sitting, sitting
from pauci.training.source import load_source


def train(
    recipe: Recipe,
    data: Any = None,
    *,
    model: nn.Module | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    device: str | torch.device | None = None,
    compiled: bool = False,
    graphs: bool = False,
    save_every: float = 60.0,
    keep: int = 2,
    warmups: str | os.PathLike[str] | None = None,
    observers: Sequence[Observer] = (),
    timeout: float = 300.0,
) -> Result:
    """Run a recipe.

    Parameters
    ----------
    recipe : Recipe
        The recipe to run.
    data : Task, mapping or tuple, optional
        Parts ``train``, ``val`` and perhaps ``test`` with x and y, or one pair (x, y), of which a share is set aside
        for validation. By default the task or table that the recipe names.
    model : nn.Module, optional
        A network to train instead of the recipe's; it is copied, not changed.
    out : path, optional
        Folder for recipe, log, checkpoints and result; without it nothing is written.
    resume : bool, default False
        Whether to continue the run in `out`, if there is one, with the same recipe and data. The result is then bit for
        bit that of a run that was never interrupted (on the CPU, with the same number of threads).
    device : str or torch.device, optional
        By default a GPU where there is one.
    compiled, graphs : bool, default False
        Whether to compile the network with `torch.compile`; whether to replay the passes of a training step as a CUDA
        graph, in a single process. Both need passes that do not depend on values.
    save_every : float, default 60
        Seconds between checkpoints.
    keep : int, default 2
        Number of checkpoints that are kept, at least 1.
    warmups : path, optional
        Folder in which results of warm-up phases are shared between runs; by default inside `out`.
    observers : sequence of Observer
        Objects that are told what happens.
    timeout : float, default 300
        Seconds after which a silent process of a distributed run counts as dead.

    Returns
    -------
    Result
        Selected weights, metrics, history.

    Raises
    ------
    RecipeError, InputError
        Something does not fit together.
    DivergedError
        The loss is no longer finite.
    CheckpointError
        A checkpoint cannot be read or written, `out` holds another run, or another process trains there.
    KeyboardInterrupt
        After Ctrl-C, once the checkpoint is written.

    See Also
    --------
    load_recipe : Reads a recipe from a file, or takes one that ships with the package.
    tune : Searches for better settings.
    PartialAUCClassifier : Networks on tables behind scikit-learn's interface.

    Examples
    --------
    >>> import numpy as np
    >>> from pauci import Region
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(400) < 0.2
    >>> x = rng.normal(size=(400, 3)) + y[:, None]
    >>> recipe = Recipe(region=Region(max_fpr=0.3), epochs=5, batch_size=64)
    >>> result = train(recipe, (x, y), device="cpu")
    >>> result.val_metrics["target"] > 0.5
    True
    >>> result.scores(x[:2]).shape
    (2,)
    """
    check_is_recipe(recipe)
    if model is not None:
        check_is_network(model)
    observers = list(observers)
    if classes := [each for each in observers if isinstance(each, type)]:
        raise InputError(f"observers holds the class {classes[0].__name__}; make one of it: {classes[0].__name__}().")
    where = local_device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    folder = None if out is None else Path(out)
    columns: tuple[Column, ...] = ()
    if data is None:
        recipe, data, columns = load_source(recipe)
    with sitting(where, timeout=timeout) as here, ExitStack() as stack:
        ranks = here.ranks
        check_run(recipe, here, folder=folder, graphs=graphs, keep=keep)
        is_finished = folder is not None and ranks.rank == 0 and _is_finished(folder, recipe, resume=resume)
        inputs = _inputs(recipe, data, where)
        _check_same(recipe, inputs, here)
        if model is not None:
            inputs = dataclasses.replace(inputs, digests={**inputs.digests, "model": layers_digest(model)})
        if ranks.agree(is_finished, where) and folder is not None:
            return _finished_run(folder, inputs, model)
        rehearse(recipe, inputs, here, model=model, is_kept=folder is not None)
        if folder is not None and ranks.rank == 0:
            stack.enter_context(alone_in(folder))
            # Another process may have been here since.
            _is_finished(folder, recipe, resume=resume)
            claim(folder, recipe)
        result = finished(
            run_steps(
                recipe,
                inputs,
                here,
                model=model,
                folder=folder,
                resume=resume,
                warmups=Path(warmups) if warmups else folder and folder / "warmups",
                observers=[*observers, Pace()] if where.type == "cpu" and ranks.rank == 0 else observers,
                compiled=compiled,
                graphs=graphs,
                save_every=save_every,
                keep=keep,
            )
        )
        result = dataclasses.replace(result, columns=columns)
        if folder is not None and ranks.rank == 0:
            write_summary(result, folder)
            result.save(folder / RESULT)
        return result


def _inputs(recipe: Recipe, data: Any, device: torch.device) -> Inputs:
    if isinstance(data, Inputs):
        if data.spec != recipe.data or data.train.y.device != device:
            raise InputError("data were made for another recipe.data or device; make them anew with load_inputs.")
        return data
    return load_inputs(data, recipe.data, device=device, seed=recipe.seed, categorical=recipe.categorical)


def _check_same(recipe: Recipe, inputs: Inputs, here: Sitting) -> None:
    """Refuse processes of which each would train something else."""
    told = f"{recipe.hash} {inputs.digests['train']} {inputs.digests['val']}"
    if not here.ranks.have_same(told, here.device):
        raise InputError(
            f"the {here.ranks.size} processes of this run have different data or recipes, so that rows of one are not "
            "those of another; give all of them the same. Shuffling or splitting without a seed is a likely cause."
        )


def _is_finished(folder: Path, recipe: Recipe, *, resume: bool) -> bool:
    """Whether a folder holds this run to its end; one that is not free for it is refused."""
    if (folder / RECIPE).exists() and not resume:
        raise CheckpointError(
            f"{folder} holds a run already; resume it (resume=True, --resume) or choose another folder."
        )
    if not is_claimed(folder, recipe) and (folder / RESULT).exists():
        raise CheckpointError(
            f"{folder} holds the result of a run, but no {RECIPE} that says which; choose another folder."
        )
    return (folder / RESULT).exists()


def _finished_run(folder: Path, inputs: Inputs, model: nn.Module | None) -> Result:
    try:
        result = Result.load(folder / RESULT, model=copy.deepcopy(model))
    except OtherNetworkError as error:
        raise OtherNetworkError(f"{error} Or choose another folder.") from error
    except CheckpointError as error:
        raise CheckpointError(f"{error} Remove it and resume: the last checkpoint makes it anew.") from error
    if other := result.other_parts(inputs.digests):
        raise CheckpointError(
            f"{folder} holds a finished run with other data or another network (other {', '.join(other)}); pass what "
            "it was made with, or choose another folder."
        )
    return result
