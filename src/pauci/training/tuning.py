"""Tuning a recipe on validation data: Optuna where it is installed, random search otherwise."""

import importlib.util
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pauci.errors import DivergedError, FileFormatError, InputError, RecipeError
from pauci.locking import lock_file
from pauci.rounding import is_number
from pauci.training.claim import claim
from pauci.training.files import make_folder, write_bytes
from pauci.training.observers import Observer, Record, Start
from pauci.training.recipe import Recipe, check_is_recipe
from pauci.training.recipe_file import field_kind, with_changes
from pauci.training.recipe_toml import recipe_to_toml
from pauci.training.run import train
from pauci.training.space import Choice, Range, Space, drawn, paper_space

#: Told the epoch and its value; True gives a trial up.
Watch = Callable[[int, float], bool]

#: Where Optuna keeps its trials in the folder.
STUDY = "study.db"

_LOCK = ".tuning.lock"
#: Where trials would differ in the data or the region that judge them; the seed draws the part that is set aside.
_JUDGED_BY = (
    *("region", "seed"),
    *(f"data.{key}" for key in ("task", "variant", "table", "target", "positive", "val_share")),
)


@dataclass(frozen=True)
class Trial:
    """One recipe that was tried.

    Attributes
    ----------
    number : int
        Number among the trials of the same search, from 0.
    changes : dict
        What the trial differs in: dotted path to value.
    value : float or None
        Validation metric the trial was selected by; None if the run diverged or was given up.
    search : {"random", "optuna"}
        The search that proposed it.

    Examples
    --------
    >>> Trial(number=0, changes={"loss.kappa": 6.0}, value=0.83).changes
    {'loss.kappa': 6.0}
    """

    number: int
    changes: dict[str, Any]
    value: float | None
    search: str = "random"


def tune(
    recipe: Recipe,
    data: Any = None,
    *,
    trials: int,
    out: str | os.PathLike[str],
    space: Space | None = None,
    device: str | None = None,
    optuna: bool | None = None,
) -> list[Trial]:
    """Try recipes and keep the best one as ``best.toml``.

    Finished trials are in `out` and are not repeated, so the same call continues. With Optuna, several processes may
    work on one folder at the same time. The best recipe is the best of all trials in the folder, whichever search and
    ranges they come from. Optuna's median rule gives up trials that fall behind; random search runs all trials to the
    end.

    Parameters
    ----------
    recipe : Recipe
        The recipe to vary.
    data : Task, mapping or tuple, optional
        As for `train`.
    trials : int
        Number of further trials to run.
    out : path
        Folder of the study. It belongs to one recipe and refuses another one. It does not know `data`: use another
        folder for other data.
    space : dict, optional
        Dotted path to `Range` or `Choice`; by default the ranges of the paper's appendix.
    device : str, optional
        As for `train`.
    optuna : bool, optional
        Whether to use Optuna; by default where it is installed.

    Returns
    -------
    list of Trial
        All trials in `out`, best first.

    Raises
    ------
    CheckpointError
        `out` belongs to another recipe, or cannot be written to.

    See Also
    --------
    train : Runs one recipe.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(200) < 0.3
    >>> x = rng.normal(size=(200, 2)) + y[:, None]
    >>> recipe = Recipe(epochs=1, batch_size=64)
    >>> found = tune(recipe, (x, y), trials=2, out=tempfile.mkdtemp(), device="cpu", optuna=False)
    >>> len(found)
    2
    """
    check_is_recipe(recipe)
    folder = Path(out)
    space = paper_space(recipe) if space is None else space
    if not hasattr(trials, "__index__") or trials < 0:
        raise InputError(f"trials={trials!r} must be a whole number of at least 0.")
    _check_space(space, recipe)
    make_folder(folder)
    with lock_file(folder / _LOCK):
        claim(folder, recipe)
        _stored_trials(folder, recipe)  # what cannot be read must fail now as well

    def evaluate(changes: dict[str, Any], watch: Watch | None = None) -> float | None:
        metric = "target" if recipe.selection.metric == "last" else recipe.selection.metric
        observers = [_Watcher(watch, metric)] if watch is not None else []
        # Going back after a divergence needs checkpoints, of which nothing is kept.
        with TemporaryDirectory() as place:
            run = Path(place, "run") if recipe.rollback.times else None
            try:
                result = train(with_changes(recipe, changes), data, device=device, observers=observers, out=run)
            except DivergedError:
                return None
        return result.val_metrics[metric]

    if optuna is None:
        optuna = importlib.util.find_spec("optuna") is not None
    if optuna:
        from pauci.training.optuna_search import optuna_trials

        optuna_trials(evaluate, space, trials=trials, folder=folder, name=recipe.hash)
    else:
        _random_trials(evaluate, space, trials=trials, path=_random_file(folder, recipe))
    # Processes that end together must not overwrite the best of more trials by that of fewer.
    with lock_file(folder / _LOCK):
        found = _stored_trials(folder, recipe)
        if found and found[0].value is not None:
            write_bytes(folder / "best.toml", recipe_to_toml(with_changes(recipe, found[0].changes)).encode())
    return found


def _check_space(space: Space, recipe: Recipe) -> None:
    """Refuse now what would fail in some trial, or leave trials that do not compare."""
    if judged := [path for path in space if path in _JUDGED_BY]:
        raise RecipeError(
            f"{judged[0]} decides what trials are judged by, so that they could not be compared; search in one folder "
            "for each of its values."
        )
    for path, entry in space.items():
        if not isinstance(entry, Range | Choice):
            raise InputError(f"space: {path} is {entry!r}, expected a Range or a Choice, such as Range(1, 2).")
        if isinstance(entry, Range) and not entry.whole and field_kind(path) is int:
            raise RecipeError(
                f"{path} takes whole numbers alone: search in {path}={entry.low:g}:{entry.high:g}:int, from Python in "
                "Range(..., whole=True)."
            )
    # A path that does not exist.
    with_changes(recipe, drawn(space, 0))


class _Watcher(Observer):
    """Looks at the epochs of the run itself: those of a warm-up are the same for many trials, and judged elsewhere."""

    def __init__(self, watch: Watch, metric: str) -> None:
        self._watch, self._metric, self._sleeps = watch, metric, False

    def start(self, start: Start) -> None:
        self._sleeps = start.is_warmup

    def epoch(self, record: Record) -> bool:
        return not self._sleeps and self._watch(record["epoch"], record["val"][self._metric])


def _stored_trials(folder: Path, recipe: Recipe) -> list[Trial]:
    """All trials of either search, best first."""
    found = _read_random(_random_file(folder, recipe))
    if (folder / STUDY).exists():
        from pauci.training.optuna_search import stored_trials

        found += stored_trials(folder, recipe.hash)
    return sorted(found, key=lambda trial: -1.0 if trial.value is None else trial.value, reverse=True)


def _random_trials(
    evaluate: Callable[[dict[str, Any]], float | None], space: Space, *, trials: int, path: Path
) -> None:
    """Trial k is drawn from seed k: an interrupted search continues with the trials it would have made."""
    found = _read_random(path)
    for number in range(len(found), len(found) + trials):
        changes = drawn(space, number)
        found.append(Trial(number, changes, evaluate(changes)))
        write_bytes(path, "".join(json.dumps(asdict(trial)) + "\n" for trial in found).encode())


def _random_file(folder: Path, recipe: Recipe) -> Path:
    return folder / f"trials-{recipe.hash}.jsonl"


def _read_random(path: Path) -> list[Trial]:
    lines = path.read_bytes().splitlines() if path.exists() else []
    try:
        found = [Trial(**json.loads(line)) for line in lines]
        for trial in found:
            if not isinstance(trial.changes, dict) or not (trial.value is None or is_number(trial.value)):
                raise ValueError(trial)
        return found
    except (TypeError, ValueError, RecursionError) as error:
        raise FileFormatError(f"{path} holds what is not a trial ({error}); tune in another folder.") from error
