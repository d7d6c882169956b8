"""The mean of several models of XGBoost, put together from their JSON: the library itself cannot merge them."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit, logit

from pauci.boosting.xgboost_trees import XGBoostEnsemble
from pauci.errors import InputError


def xgboost_mean(ensembles: Sequence[XGBoostEnsemble]) -> XGBoostEnsemble:
    """See `mean_ensemble`.

    XGBoost keeps leaf values, and adds them up, in single precision: every division by the number of ensembles rounds
    by up to 6e-8 of the leaf. Linear models and DART do not come here: `pauci.boosting.params` refuses them.
    """
    models = [json.loads(bytes(ensemble.booster.save_raw("json"))) for ensemble in ensembles]
    learners = [model["learner"] for model in models]
    forests = [learner["gradient_booster"]["model"] for learner in learners]
    _check(learners, forests)
    trees: list[dict[str, Any]] = []
    edges = [0]
    for ensemble, forest in zip(ensembles, forests, strict=True):
        ends = forest["iteration_indptr"][: ensemble.rounds + 1]
        edges += [len(trees) + end for end in ends[1:]]
        for tree in forest["trees"][: ends[-1]]:
            trees.append({**_scaled(tree, 1 / len(ensembles)), "id": len(trees)})
    merged = {
        **forests[0],
        "gbtree_model_param": {**forests[0]["gbtree_model_param"], "num_trees": str(len(trees))},
        "iteration_indptr": edges,
        "tree_info": [0] * len(trees),
        "trees": trees,
    }
    learner = {
        **learners[0],
        "attributes": {},
        "gradient_booster": {"model": merged, "name": "gbtree"},
        "learner_model_param": {**learners[0]["learner_model_param"], "base_score": _base_score(learners)},
    }
    content = json.dumps({**models[0], "learner": learner}).encode()
    offset = float(np.mean([ensemble.offset for ensemble in ensembles]))
    mean = XGBoostEnsemble.from_bytes(
        content, rounds=len(edges) - 1, offset=offset, categorical=ensembles[0].categorical
    )
    # A file does not say how many threads to use.
    settings = json.loads(ensembles[0].booster.save_config())["learner"]["generic_param"]
    mean.booster.set_param({"nthread": settings["nthread"]})
    return mean


def _check(learners: Sequence[dict[str, Any]], forests: Sequence[dict[str, Any]]) -> None:
    for name, values in {
        "objective": [learner["objective"] for learner in learners],
        "feature_names": [learner["feature_names"] for learner in learners],
        "feature_types": [learner["feature_types"] for learner in learners],
        "cats": [forest.get("cats") for forest in forests],
        "num_feature": [learner["learner_model_param"]["num_feature"] for learner in learners],
        "num_parallel_tree": [forest["gbtree_model_param"]["num_parallel_tree"] for forest in forests],
    }.items():
        for value in values:
            if value != values[0]:
                raise InputError(
                    f"ensembles differ in {name} ({values[0]!r} and {value!r}), so that their mean means nothing; "
                    "pass those grown on the same columns for the same objective."
                )


def _scaled(tree: dict[str, Any], factor: float) -> dict[str, Any]:
    """Leaves keep their values where other nodes keep what they split at."""
    nodes = zip(tree["split_conditions"], tree["left_children"], strict=True)
    return {
        **tree,
        "base_weights": [factor * weight for weight in tree["base_weights"]],
        "split_conditions": [factor * value if child == -1 else value for value, child in nodes],
    }


def _base_score(learners: Sequence[dict[str, Any]]) -> str:
    """Return what XGBoost adds where it is given no offset: a probability, whose log-odds are averaged."""
    chances = [float(learner["learner_model_param"]["base_score"].strip("[]")) for learner in learners]
    return f"{expit(logit(chances).mean()):.9g}"
