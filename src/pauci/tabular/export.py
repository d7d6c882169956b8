"""Models for where there is no pauci: ONNX for networks, the library's own file for boosters."""

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from pauci.boosting import PartialAUCBooster
from pauci.errors import InputError
from pauci.replacing import replacing
from pauci.tabular.model import TabularModel

#: Suffix of each library's own file, and how to have it score rows.
_LIBRARIES = {
    "lightgbm": (".txt", "offset + lightgbm.Booster(model_file=FILE).predict(X, raw_score=True)"),
    "xgboost": (
        ".ubj",
        "xgboost.Booster(model_file=FILE).predict(xgboost.DMatrix(X, base_margin=numpy.full(len(X), offset), "
        # In single precision the threshold would be rounded to one of the scores that it lies between.
        "feature_types=feature_types, enable_categorical=True), output_margin=True).astype(numpy.float64)",
    ),
}


def export_model(model: TabularModel, path: str | os.PathLike[str]) -> list[Path]:
    """Write a model, and next to it a JSON file that says how to use it.

    Parameters
    ----------
    model : TabularModel
        Fitted.
    path : path-like
        ``*.onnx`` for networks and linear models. This file takes rows, includes all preparation, and returns scores,
        probabilities and decisions. For boosters, the library's own format: ``*.txt`` for LightGBM, ``*.ubj`` for
        XGBoost.

    Returns
    -------
    list of Path
        The model, and a file of the same name with ``.json`` after it. The second file holds the columns in their order
        with the codes of their categories, and explains the model's output, above all the threshold and what it
        promises.

    See Also
    --------
    save_model : Writes a model file that this package reads again.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pauci.data import Column
    >>> X, y = np.arange(200.0)[:, None] % 37, np.arange(200) % 37 > 20
    >>> booster = PartialAUCBooster(0.3, columns=[Column("age", "numeric")], confidence=None, max_rounds=5, n_jobs=1)
    >>> model = TabularModel(booster.fit(X, y), target="fraud", positive="yes")
    >>> [path.name for path in export_model(model, Path(tempfile.mkdtemp(), "model.txt"))]
    ['model.txt', 'model.txt.json']
    """
    place, facts = Path(path), usage(model)
    if isinstance(model.estimator, PartialAUCBooster):
        _check_suffix(place, _LIBRARIES[model.estimator.base][0])
        content = model.estimator.ensemble_.to_bytes()
    else:
        from pauci.tabular.onnx_file import onnx_bytes

        _check_suffix(place, ".onnx")
        content = onnx_bytes(model, facts)
    beside = place.with_name(f"{place.name}.json")
    for name, part in ((place, content), (beside, json.dumps(facts, indent=1).encode())):
        with replacing(name) as unfinished:
            unfinished.write_bytes(part)
    return [place, beside]


def usage(model: TabularModel) -> dict[str, Any]:
    """Say how to use an exported model: what goes in, and what to make of what comes out."""
    estimator, threshold = model.estimator, model.estimator.threshold_
    is_booster = isinstance(estimator, PartialAUCBooster)
    # An unknown category is not a missing one for a network.
    absent = "missing or, of a category, unknown" if is_booster else "missing, -1 for new categories"
    facts: dict[str, Any] = {
        "target": model.target,
        "positive": model.positive,
        "region": str(model.region),
        "promise": threshold.promise,
        "guaranteed": threshold.guaranteed,
        "approximate": threshold.approximate,
        "columns": [dataclasses.asdict(column) for column in model.columns],
        # None of the formats looks at the names of a DataFrame.
        "values": "float64, the columns in the order of 'columns', by which alone the model knows them: numbers as "
        "they are, booleans as 0 and 1, dates as days since 1970, categories as their place in 'categories'; "
        f"NaN where {absent}",
    }
    if not isinstance(estimator, PartialAUCBooster):
        return facts | {"input": "X", "outputs": ["score", "probability", "decision"], "decision": "score >= 0"}
    kinds = ["c" if column.kind == "categorical" else "q" for column in model.columns]
    return facts | {
        "library": estimator.base,
        "score": _LIBRARIES[estimator.base][1],
        "offset": estimator.ensemble_.offset,
        "feature_types": kinds,
        "threshold": threshold.threshold,
        "decision": "score >= threshold",
        # The library's own score is raw; that which `pauci predict` writes is relative to the threshold.
        "score_of_predict": "score - threshold",
        "probability": "1 / (1 + exp(-(slope * score + intercept)))",
        "slope": estimator.calibration_.slope,
        "intercept": estimator.calibration_.offset,
    }


def _check_suffix(path: Path, suffix: str) -> None:
    if path.suffix.lower() != suffix:
        raise InputError(f"{path}: this model is exported as a {suffix} file; name it {path.with_suffix(suffix).name}.")
