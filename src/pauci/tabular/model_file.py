"""Models as files: what `pauci fit` writes and `pauci predict` reads."""

import os
from typing import Any

import safetensors
import safetensors.torch

from pauci.boosting import PartialAUCBooster
from pauci.boosting import state as booster_state
from pauci.errors import FileFormatError, InputError
from pauci.estimators import PartialAUCClassifier
from pauci.estimators import state as classifier_state
from pauci.estimators.unseen import Range
from pauci.tabular.archive import read_archive, write_archive
from pauci.tabular.model import TabularModel

_WEIGHTS = "weights.safetensors"


def save_model(model: TabularModel, path: str | os.PathLike[str]) -> None:
    """Write a model file: a zip of JSON, safetensors and the booster's own format, each with its checksum.

    Parameters
    ----------
    model : TabularModel
        Fitted.
    path : path-like
        Name of the file, by custom ``*.pauci``. The file is written in full or not at all.

    See Also
    --------
    load_model : Reads the file.
    export_model : Writes a model for use without this package.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from pauci.data import Column
    >>> from pauci.estimators import PartialAUCClassifier
    >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    >>> classifier = PartialAUCClassifier(0.5, confidence=None, columns=[Column("age", "numeric")]).fit(X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.pauci")
    >>> save_model(TabularModel(classifier, target="fraud", positive="yes"), path)
    >>> load_model(path).columns
    (Column(name='age', kind='numeric', categories=()),)
    """
    if not isinstance(getattr(model.estimator, "architecture", ""), str):
        raise InputError(
            "architecture= is a function of your own, which a model file cannot hold; keep what to_state of "
            "pauci.estimators.state gives, and hand the function to from_state."
        )
    facts: dict[str, Any] = {"target": model.target, "positive": model.positive, "source": model.source}
    facts["ranges"] = model.ranges
    if isinstance(model.estimator, PartialAUCBooster):
        facts["booster"], parts = booster_state.to_state(model.estimator)
    else:
        facts["classifier"], tensors = classifier_state.to_state(model.estimator)
        parts = {_WEIGHTS: safetensors.torch.save(tensors)}
    if not model.columns:
        raise InputError(
            "the estimator was fitted on a matrix whose columns have no names, so that it could not read a file; fit "
            "it on a DataFrame, or with columns=."
        )
    write_archive(path, facts, parts)


def load_model(path: str | os.PathLike[str]) -> TabularModel:
    """Read a model file; every part is checked, and nothing in it is executed.

    Parameters
    ----------
    path : path-like
        Name of the file.

    Returns
    -------
    TabularModel
        The model, which scores and decides as the original did.

    Raises
    ------
    FileFormatError
        If the file is not a model file, is damaged, or comes from a newer version.

    See Also
    --------
    save_model : Writes the file.
    export_model : Writes a model for use without this package.

    Examples
    --------
    >>> load_model("model.pauci")  # as `pauci fit -o model.pauci` and `save_model` write them
    Traceback (most recent call last):
    pauci.errors.MissingFileError: model file model.pauci does not exist; ...
    """
    facts, parts = read_archive(path)
    try:
        estimator: PartialAUCBooster | PartialAUCClassifier
        if "booster" in facts:
            estimator = booster_state.from_state(facts["booster"], parts)
        else:
            tensors = safetensors.torch.load(parts[_WEIGHTS])
            estimator = classifier_state.from_state(facts["classifier"], tensors)
        told = str(facts["target"]), str(facts["positive"]), str(facts.get("source", ""))
        model = TabularModel(estimator, *told, _ranges(facts))
        _ = model.region  # made of settings, which nothing else looks at before the first row is scored
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, safetensors.SafetensorError) as error:
        raise FileFormatError(f"{path} is damaged or not a model of a table: {error!r}.") from error
    if estimator.n_features_in_ != len(model.columns):
        raise FileFormatError(
            f"{path} is damaged: {len(model.columns)} columns for a model of {estimator.n_features_in_}."
        )
    if len(model.ranges) not in (0, len(model.columns)):
        raise FileFormatError(f"{path} is damaged: {len(model.ranges)} ranges for {len(model.columns)} columns.")
    return model


def _ranges(facts: dict[str, Any]) -> tuple[Range, ...]:
    try:
        pairs = [None if pair is None else (float(pair[0]), float(pair[1])) for pair in facts.get("ranges", ())]
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise FileFormatError(f"its ranges are not pairs of numbers ({error}).") from error
    return tuple(pairs)
