"""Trials by Optuna: samples where it pays, gives up what falls behind, remembers in SQLite."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pauci.errors import FileFormatError, RecipeError
from pauci.extras import require
from pauci.training.space import Range, Space
from pauci.training.tuning import STUDY, Trial, Watch

#: Seconds before a study is opened again.
_PAUSE = 0.5
#: What files of SQLite begin with.
_SQLITE = b"SQLite format 3\0"


def optuna_trials(
    evaluate: Callable[[dict[str, Any], Watch], float | None], space: Space, *, trials: int, folder: Path, name: str
) -> None:
    """Run so many further trials of a study that other processes may share.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(changes, watch)`` trains and returns the value, or None where training diverged.
    space : dict
        Dotted path to `Range` or `Choice`.
    folder, name
        Of the study's file, and of the study in it.
    """
    optuna = _library("tuning with pruning")

    def objective(trial: Any) -> float:
        given_up = False

        def watch(epoch: int, value: float) -> bool:
            nonlocal given_up
            trial.report(value, epoch)
            given_up = bool(trial.should_prune())
            return given_up

        value = evaluate({path: _suggest(trial, path, entry) for path, entry in space.items()}, watch)
        if given_up or value is None:
            raise optuna.TrialPruned
        return value

    with _study(optuna, folder / STUDY, name) as study:
        _check_kinds(optuna, study, space, folder)
        study.optimize(objective, n_trials=trials)


def stored_trials(folder: Path, name: str) -> list[Trial]:
    """Read the trials of a study, of all processes."""
    optuna = _library(f"reading the trials in {folder / STUDY}")
    complete = optuna.trial.TrialState.COMPLETE
    with _study(optuna, folder / STUDY, name) as study:
        found = study.trials
    return [Trial(t.number, t.params, t.value if t.state == complete else None, "optuna") for t in found]


def _library(purpose: str) -> Any:
    optuna = require("optuna", purpose=purpose)
    # Trials that end at a known moment must not print; the study says what happened. Nor those that fail: their error
    # is raised, which is enough.
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


@contextmanager
def _study(optuna: Any, path: Path, name: str) -> Iterator[Any]:
    """Open a study, and close its file afterwards."""
    # It is empty where another process is making it.
    if path.exists() and _head(path) not in (_SQLITE, b""):
        raise FileFormatError(
            f"{path} cannot be used as a study: it is not an SQLite file. Move it, or use another folder."
        )
    storage, study = _opened(optuna, path, name)
    try:
        yield study
    finally:
        storage.remove_session()
        storage.engine.dispose()


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_SQLITE))


def _opened(optuna: Any, path: Path, name: str, *, attempts: int = 8) -> tuple[Any, Any]:
    """Create a study or join it; processes that start together may trip over each other's half-made tables."""
    from sqlalchemy import URL
    from sqlalchemy.exc import SQLAlchemyError

    try:
        storage = optuna.storages.RDBStorage(URL.create("sqlite", database=str(path)).render_as_string())
        study = optuna.create_study(
            storage=storage,
            study_name=name,
            direction="maximize",
            load_if_exists=True,
            pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=1),
        )
    except (SQLAlchemyError, optuna.exceptions.OptunaError) as error:
        if attempts == 1:
            raise FileFormatError(f"{path} cannot be used as a study: {error}") from error
    else:
        return storage, study
    time.sleep(_PAUSE)
    return _opened(optuna, path, name, attempts=attempts - 1)


def _check_kinds(optuna: Any, study: Any, space: Space, folder: Path) -> None:
    """Refuse ranges that do not suit the trials of a study before another one is begun, and fails."""
    rehearsal = optuna.create_study().ask()
    for path, entry in space.items():
        _suggest(rehearsal, path, entry)
        now = rehearsal.distributions[path]
        for trial in study.get_trials(deepcopy=False):
            try:
                optuna.distributions.check_distribution_compatibility(trial.distributions.get(path, now), now)
            except ValueError:
                raise RecipeError(
                    f"the range of {path} has other choices, or is of another kind (choices, whole numbers, log), than "
                    f"in the trials in {folder}, and Optuna does not mix them; use another folder, or random search."
                ) from None


def _suggest(trial: Any, path: str, entry: Any) -> Any:
    if not isinstance(entry, Range):
        return trial.suggest_categorical(path, list(entry.values))
    if entry.whole:
        return trial.suggest_int(path, int(entry.low), int(entry.high), log=entry.log)
    return trial.suggest_float(path, entry.low, entry.high, log=entry.log)
