"""A training run as a report knows it, read from the folder that `pauci train` leaves behind."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from pauci.errors import FileFormatError, MissingDataError, MissingFileError, OtherNetworkError, RecipeError
from pauci.report.loss_state import RunDiagnosis, diagnose_run
from pauci.report.scored_model import ScoredModel
from pauci.rounding import is_number
from pauci.training.claim import LOG, RECIPE, RESULT, SUMMARY
from pauci.training.evaluation import score_part
from pauci.training.inputs import Inputs, load_inputs
from pauci.training.recipe import Recipe
from pauci.training.recipe_file import load_recipe
from pauci.training.result import Result
from pauci.training.source import load_source

_OTHER_NETWORK = "its network was passed to train(), and may be another than that of the recipe"


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """Everything a folder tells about a run, finished or not.

    Attributes
    ----------
    name : str
        The folder's name.
    folder : Path
        Path of the folder.
    recipe : Recipe
        The recipe that was run.
    history : sequence of mapping
        One record per finished epoch.
    summary : mapping or None
        Best epoch, metrics, seconds and device; None while the run is not finished.
    model : ScoredModel or None
        Scores of the selected weights on the test part, or else the validation part; None while the run is not
        finished, or where its data are not at hand.
    part : str
        The part that was scored: "test" or "validation".
    diagnosis : RunDiagnosis or None
        How the loss worked on the validation part; None for losses without a diagnosis.
    missing : str
        Why there are no scores; empty if there are.

    Examples
    --------
    >>> run = TrainingRun("first", Path("runs/first"), Recipe(epochs=2), history=[], summary=None)
    >>> run.summary is None  # it is not finished
    True
    """

    name: str
    folder: Path
    recipe: Recipe
    history: Sequence[Mapping[str, Any]]
    summary: Mapping[str, Any] | None
    model: ScoredModel | None = None
    part: str = ""
    diagnosis: RunDiagnosis | None = None
    missing: str = ""


def read_run(folder: str | os.PathLike[str], *, name: str | None = None) -> TrainingRun:
    """Read a run's folder, and score its data again if the recipe says where the data are.

    Parameters
    ----------
    folder : path
        The folder given to `train` as `out`, or ``runs/NAME-HASH`` on the command line.
    name : str, optional
        What to call the run; by default the folder's name.

    Returns
    -------
    TrainingRun
        Everything the folder tells.

    Raises
    ------
    MissingFileError
        The folder holds no run.
    FileFormatError
        A file of the run is damaged.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pauci.training import train
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.3
    >>> x = rng.normal(size=(300, 2)) + y[:, None]
    >>> folder = tempfile.mkdtemp()
    >>> _ = train(Recipe(epochs=2, batch_size=64), (x, y), out=folder, device="cpu")
    >>> run = read_run(folder)
    >>> len(run.history), run.missing
    (2, 'the recipe names no data: they were passed as arrays')
    """
    folder = Path(folder)
    if not (folder / RECIPE).is_file():
        raise MissingFileError(
            f"{folder} holds no recipe.toml, so it is not the folder of a training run; "
            "name one that `pauci train --out` wrote, or a file with scores."
        )
    recipe, title = load_recipe(folder / RECIPE), name or folder.resolve().name
    run = TrainingRun(title, folder, recipe, _history(folder), _summary(folder))
    weights = folder / RESULT
    if run.summary is None or not weights.is_file():
        return replace(run, missing="the run is not finished")
    try:
        inputs = _inputs(recipe)
    except RecipeError:
        return replace(run, missing="the recipe names no data: they were passed as arrays")
    except (MissingDataError, MissingFileError) as error:
        return replace(run, missing=f"its data are not at hand: {error}")
    try:
        result = Result.load(weights)
    except OtherNetworkError:
        return replace(run, missing=_OTHER_NETWORK)
    if "model" in (other := result.other_parts(inputs.digests)):  # of the same sizes, it may compute something else
        return replace(run, missing=_OTHER_NETWORK)
    if other:
        changed = f"its data have changed since ({', '.join(other)}): rows that it was trained on may be anywhere now"
        return replace(run, missing=changed)
    part, cases = ("validation", inputs.val) if inputs.test is None else ("test", inputs.test)
    scores = score_part(result.model, cases, precision=recipe.precision)
    model = ScoredModel(title, cases.y.numpy(), scores.numpy())
    return replace(run, model=model, part=part, diagnosis=diagnose_run(folder, result, inputs))


def _inputs(recipe: Recipe) -> Inputs:
    recipe, data, _ = load_source(recipe)
    cpu = torch.device("cpu")
    return load_inputs(data, recipe.data, device=cpu, seed=recipe.seed, categorical=recipe.categorical)


def _history(folder: Path) -> list[dict[str, Any]]:
    path = folder / LOG
    if not path.is_file():
        return []
    records = []
    # A last line without an end is being written, or was when the run was killed.
    *lines, _ = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        record = _parsed(line, f"{path}, line {number}")
        if not _are_numbers(record, "epoch", "loss") or not _are_numbers(record.get("val"), "target"):
            raise FileFormatError(f"{path}, line {number} is not a record of an epoch; the log is damaged or foreign.")
        records.append(record)
    return records


def _summary(folder: Path) -> dict[str, Any] | None:
    path = folder / SUMMARY
    if not path.is_file():
        return None
    summary = _parsed(path.read_bytes(), str(path))
    judged = _are_numbers(summary.get("val_metrics"), "target")
    tested = summary.get("test_metrics") == {} or _are_numbers(summary.get("test_metrics"), "target")
    if not (judged and tested and _are_numbers(summary, "best_epoch", "seconds")):
        raise FileFormatError(f"{path} is not the result of a training run; the file is damaged or foreign.")
    return summary


def _parsed(text: bytes, place: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{place} is not JSON ({error}); the file is damaged.") from None
    if not isinstance(found, dict):
        raise FileFormatError(f"{place} holds {type(found).__name__}, not an object; the file is damaged or foreign.")
    return found


def _are_numbers(found: Any, *names: str) -> bool:
    """Whether these entries are there and can be drawn."""
    return isinstance(found, dict) and all(is_number(found.get(name)) for name in names)
