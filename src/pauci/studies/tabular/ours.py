"""The project's estimators as members of the families."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data import Column
from pauci.estimators import PartialAUCClassifier
from pauci.region import Region
from pauci.studies.tabular.boosters import tree_parameters
from pauci.studies.tabular.models import ENCODED, FAMILIES

#: The estimator without any surrogate: what the mean over folds gains by itself.
ANCHOR = "ce-mean"

#: What the estimators keep: results under another rule are other results, though no parameter tells them apart.
_RULE = "mean of the candidates within a standard error, cross-fitted below 250,000 rows"
_LINEAR_RULE = f"{_RULE}; categories at their scale; plain penalty by partial AUC"

#: Family to the methods that ours may start from, and what it needs to be told besides their configuration.
ANCHORS: dict[str, dict[str, dict[str, Any]]] = {
    "linear": {"ce": {"class_weight": None}, "class-weight": {"class_weight": "balanced"}},
    "mlp": {"ce": {}},
    "lightgbm": {"ce": {}},
    "xgboost": {"ce": {}},
}


def fit_ours(
    family: str,
    X: NDArray[Any],
    y: NDArray[np.int64],
    X_new: NDArray[Any],
    *,
    columns: Sequence[Column],
    region: Region,
    config: Mapping[str, Any],
    seed: int,
) -> tuple[NDArray[Any], NDArray[Any], dict[str, Any]]:
    """Fit the anchored estimator of a family and score new rows.

    Parameters
    ----------
    X, X_new : ndarray
        The matrix of a table, which trees take as it is.
    region : Region
        What is judged.
    config : mapping
        Configuration of the cross-entropy model to start from, as tuned for this region; linear scorers find
        their penalty, boosters their rounds by themselves.

    Returns
    -------
    tuple of two ndarray and dict
        Scores of the new rows, by what was chosen and by its anchor, the mean of cross-entropy models of the same
        folds; and what was chosen, with the gain that the estimator expects of it.
    """
    estimator = _estimator(family, config, max_fpr=region.max_fpr, min_tpr=region.min_tpr, random_state=seed)
    if family in ENCODED:
        estimator.set_params(columns=columns)
    estimator.fit(X, y)
    choice = estimator.report_.choice
    found = {"chosen": choice.name, "expected": round(choice.gain.difference, 6)}
    return estimator.decision_function(X_new), estimator.anchor_scores(X_new), found


def ours_parameters(family: str) -> dict[str, str]:
    """Return the settings of the estimator of a family as text, to tell results under other settings from these."""
    config = {**FAMILIES[family]["ce"].configs[0], **ANCHORS[family]["ce"]}
    parameters = _estimator(family, config).get_params()
    rule = _LINEAR_RULE if family == "linear" else _RULE
    return {"rule": rule} | {name: repr(value) for name, value in sorted(parameters.items())}


def _estimator(family: str, config: Mapping[str, Any], **parameters: Any) -> Any:
    if family == "linear":
        return PartialAUCClassifier(architecture="linear", class_weight=config["class_weight"], **parameters)
    if family == "mlp":
        return PartialAUCClassifier(architecture="mlp", **config, **parameters)
    from pauci.boosting import PartialAUCBooster
    from pauci.boosting.objectives import Library

    trees = tree_parameters(family, config["leaves"])
    base: Library = "lightgbm" if family == "lightgbm" else "xgboost"
    return PartialAUCBooster(base=base, params=trees, n_jobs=1, **parameters)
