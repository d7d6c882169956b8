"""Gradient boosting with logloss: one fit serves every number of rounds."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.extras import require

#: That of `PartialAUCBooster`.
_LEARNING_RATE = 0.05

#: Raw scores of some rows after so many rounds.
_Staged = Callable[[NDArray[Any], int], NDArray[Any]]


def booster_scores(
    X: NDArray[Any],
    y: NDArray[np.int64],
    X_new: NDArray[Any],
    configs: Sequence[Mapping[str, Any]],
    *,
    base: str,
    seed: int,
) -> list[NDArray[Any]]:
    """Boost trees and score new rows after the rounds each configuration asks for.

    Configurations that differ in their rounds alone share one fit, cut off where each ends.

    Parameters
    ----------
    X, y : ndarray
        Features (NaN where missing) and labels to train on.
    configs : sequence of mapping
        ``leaves`` and ``rounds``; ``pos_weight`` is a factor on the positives, as a power of the class ratio.
    base : {"lightgbm", "xgboost"}
        The library.

    Returns
    -------
    list of ndarray
        Raw scores of the new rows, one array per configuration.
    """
    fit = {"lightgbm": _lightgbm, "xgboost": _xgboost}[base]
    ratio = np.count_nonzero(y == 0) / np.count_nonzero(y)
    kinds = [(config["leaves"], ratio ** config.get("pos_weight", 0.0)) for config in configs]
    fits: dict[tuple[int, float], _Staged] = {}
    for kind in dict.fromkeys(kinds):
        rounds = max(config["rounds"] for config, other in zip(configs, kinds, strict=True) if other == kind)
        fits[kind] = fit(X, y, *kind, rounds, seed)
    return [fits[kind](X_new, config["rounds"]) for config, kind in zip(configs, kinds, strict=True)]


def tree_parameters(base: str, leaves: int) -> dict[str, Any]:
    """Name the most leaves of a tree as a library does; both libraries grow the most promising leaf first.

    Examples
    --------
    >>> tree_parameters("lightgbm", 7)
    {'num_leaves': 7}
    """
    if base == "lightgbm":
        return {"num_leaves": leaves}
    return {"tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "max_leaves": leaves}


def _lightgbm(X: NDArray[Any], y: NDArray[np.int64], leaves: int, weight: float, rounds: int, seed: int) -> _Staged:
    lightgbm = require("lightgbm", purpose="the family lightgbm of the study")
    parameters = {
        "objective": "binary",
        "learning_rate": _LEARNING_RATE,
        **tree_parameters("lightgbm", leaves),
        "scale_pos_weight": weight,
        "num_threads": 1,
        "deterministic": True,
        "seed": seed,
        "verbosity": -1,
    }
    booster = lightgbm.train(parameters, lightgbm.Dataset(X, y), num_boost_round=rounds)
    return lambda rows, stage: booster.predict(rows, raw_score=True, num_iteration=stage, num_threads=1)


def _xgboost(X: NDArray[Any], y: NDArray[np.int64], leaves: int, weight: float, rounds: int, seed: int) -> _Staged:
    xgboost = require("xgboost", purpose="the family xgboost of the study")
    parameters = {
        "objective": "binary:logistic",
        "learning_rate": _LEARNING_RATE,
        **tree_parameters("xgboost", leaves),
        "scale_pos_weight": weight,
        "nthread": 1,
        "seed": seed,
    }
    booster = xgboost.train(parameters, xgboost.DMatrix(X, y, nthread=1), num_boost_round=rounds)
    return lambda rows, stage: booster.predict(
        xgboost.DMatrix(rows, nthread=1), output_margin=True, iteration_range=(0, stage)
    )
