"""A fitted booster as plain facts and the library's own file: nothing that has to be unpickled."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pauci.boosting.booster import PartialAUCBooster
from pauci.boosting.ensemble import Ensemble
from pauci.boosting.lightgbm_trees import LightGBMEnsemble
from pauci.boosting.xgboost_file import check_xgboost_file
from pauci.boosting.xgboost_trees import XGBoostEnsemble
from pauci.data import Column
from pauci.data.schema import categorical_places
from pauci.errors import FileFormatError, InputError
from pauci.estimators.calibration import Calibration
from pauci.estimators.facts import built, parameter_facts, parameters_of, told
from pauci.estimators.report import Report
from pauci.estimators.threshold import DecisionThreshold

_FORMAT = 2
_FILES = {"lightgbm": "lightgbm.txt", "xgboost": "xgboost.ubj"}


def to_state(booster: PartialAUCBooster) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Take a fitted booster apart.

    Parameters
    ----------
    booster : PartialAUCBooster
        Fitted; its `random_state` must be an int or None.

    Returns
    -------
    facts : dict
        What JSON can hold.
    files : dict of str to bytes
        The library's own model file, by name.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(400, random_state=0)
    >>> fitted = PartialAUCBooster(max_rounds=20, confidence=None, n_jobs=1, random_state=0).fit(X, y)
    >>> facts, files = to_state(fitted)
    >>> list(files)
    ['lightgbm.txt']
    >>> bool((from_state(facts, files).decision_function(X) == fitted.decision_function(X)).all())
    True
    """
    check_is_fitted(booster)
    settings = parameter_facts(booster)
    if not isinstance(settings["random_state"], int | None):
        raise InputError(
            f"random_state={settings['random_state']!r} is a generator, which a file cannot hold; fit with an int."
        )
    columns = None if booster.columns_ is None else [dataclasses.asdict(column) for column in booster.columns_]
    facts = {
        "format": _FORMAT,
        "settings": settings | {"columns": None if settings["columns"] is None else columns},
        "columns": columns,
        "classes": booster.classes_.tolist(),
        "classes_type": booster.classes_.dtype.str,
        "n_features": int(booster.n_features_in_),
        "feature_names": getattr(booster, "feature_names_in_", np.array([])).tolist(),
        "rounds": booster.ensemble_.rounds,
        "offset": booster.ensemble_.offset,
        "threshold": dataclasses.asdict(booster.threshold_),
        "calibration": dataclasses.asdict(booster.calibration_),
        "report": dataclasses.asdict(booster.report_),
    }
    return facts, {_FILES[booster.base]: booster.ensemble_.to_bytes()}


def from_state(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> PartialAUCBooster:
    """Put a booster together again.

    Parameters
    ----------
    facts, files : mapping
        As `to_state` returned them; through JSON and back is fine.

    Returns
    -------
    PartialAUCBooster
        Scores, decides and reports as the original does.

    Raises
    ------
    FileFormatError
        If these are not facts of a booster, or of another version.
    """
    found = facts.get("format") if isinstance(facts, Mapping) else facts
    if found != _FORMAT:
        raise FileFormatError(
            f"the booster has format {found!r}, this version reads {_FORMAT}; "
            "it was written by another version of pauci, or is something else."
        )
    try:
        return _rebuilt(facts, files)
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FileFormatError(f"the booster's facts are incomplete or of the wrong kind: {error!r}.") from error


def _rebuilt(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> PartialAUCBooster:
    settings = parameters_of(facts["settings"])
    columns = None if facts["columns"] is None else tuple(built(Column, each) for each in facts["columns"])
    settings["columns"] = None if settings["columns"] is None else columns
    booster = PartialAUCBooster(**settings)
    booster.classes_ = np.array(facts["classes"], dtype=facts["classes_type"])
    if len(booster.classes_) != 2:
        raise FileFormatError(f"classes={facts['classes']!r} are not two.")
    booster.columns_ = columns
    booster.n_features_in_ = told(facts, "n_features", int)
    if told(facts, "feature_names", list[str]):
        booster.feature_names_in_ = np.array(facts["feature_names"], dtype=object)
    booster.threshold_ = built(DecisionThreshold, facts["threshold"])
    booster.calibration_ = built(Calibration, facts["calibration"])
    booster.report_ = Report.from_facts(facts["report"])
    rounds, offset = told(facts, "rounds", int), told(facts, "offset", float)
    booster.scorer_ = _ensemble(booster, files, rounds, offset)
    return booster


def _ensemble(booster: PartialAUCBooster, files: Mapping[str, bytes], rounds: int, offset: float) -> Ensemble:
    content = files[_FILES[booster.base]]
    if booster.base == "lightgbm":
        return LightGBMEnsemble.from_bytes(content, rounds=rounds, offset=offset)
    check_xgboost_file(content, features=booster.n_features_in_)
    places = categorical_places(booster.columns_ or ())
    return XGBoostEnsemble.from_bytes(content, rounds=rounds, offset=offset, categorical=places)
