"""Parameters of the libraries that `PartialAUCBooster` decides on itself."""

from collections.abc import Mapping
from typing import Any

from pauci.boosting.objectives import Library
from pauci.errors import InputError

_ROUNDS = "use max_rounds: how many rounds are best is found on held-out rows"
_STOPPING = "use patience"
_OBJECTIVE = (
    "the candidates are logloss and its blends with a surrogate of partial AUC; for training of your own pass "
    "lightgbm_objective or xgboost_objective to the library"
)
_WEIGHTS = "logloss alone would follow it; use class_weight, which holds for all candidates"
#: Parameters that a library would let win over the candidates, or lose to ours without a word, and what to do instead.
_DECIDED = (
    dict.fromkeys(("num_iterations", "num_iteration", "n_iter", "num_tree", "num_trees", "num_round"), _ROUNDS)
    | dict.fromkeys(("num_rounds", "nrounds", "num_boost_round", "n_estimators", "max_iter"), _ROUNDS)
    | dict.fromkeys(("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"), _STOPPING)
    | dict.fromkeys(("objective", "objective_type", "app", "application", "loss"), _OBJECTIVE)
    | dict.fromkeys(("scale_pos_weight", "is_unbalance", "unbalance", "unbalanced_sets"), _WEIGHTS)
    | {"sigmoid": "scores are log-odds, in which candidates are blended"}
    | dict.fromkeys(("eta", "shrinkage_rate"), "use learning_rate")
    | dict.fromkeys(("random_seed", "random_state"), "use the booster's own random_state")
)


def check_params(params: Mapping[str, Any], library: Library) -> None:
    """Refuse parameters under which candidates would not be what they are called.

    Raises
    ------
    InputError
        With what to use instead.

    Examples
    --------
    >>> check_params({"num_leaves": 15}, "lightgbm")
    """
    for name, value in params.items():
        if name in _DECIDED:
            raise InputError(f"params={{{name!r}: {value!r}}} cannot be handed to {library}: {_DECIDED[name]}.")
    if "dart" in (params.get(name) for name in ("booster", "boosting", "boosting_type", "boost")):
        raise InputError(
            f"params={dict(params)!r} drops earlier trees (DART), so that the first trees of a model are no smaller "
            "model, and the best number of rounds cannot be found; use gbdt (LightGBM) or gbtree (XGBoost), or pass "
            "lightgbm_objective or xgboost_objective to the library."
        )
    if params.get("booster") == "gblinear":
        raise InputError(f"params={dict(params)!r} makes linear models, not trees; use booster='gbtree'.")
    if any(params.get(name) in ("rf", "random_forest") for name in ("boosting", "boosting_type", "boost")):
        raise InputError(f"params={dict(params)!r} makes a random forest, not a sum of trees; use boosting='gbdt'.")
