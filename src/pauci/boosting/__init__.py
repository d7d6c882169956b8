"""LightGBM and XGBoost for a region of the ROC plane: objectives, metrics and the anchored estimator."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.boosting.booster import PartialAUCBooster
    from pauci.boosting.gradients import RegionObjective
    from pauci.boosting.metrics import lightgbm_metric, xgboost_metric
    from pauci.boosting.objectives import lightgbm_objective, xgboost_objective

__all__ = [
    "PartialAUCBooster",
    "RegionObjective",
    "lightgbm_metric",
    "lightgbm_objective",
    "xgboost_metric",
    "xgboost_objective",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "booster": ["PartialAUCBooster"],
        "gradients": ["RegionObjective"],
        "metrics": ["lightgbm_metric", "xgboost_metric"],
        "objectives": ["lightgbm_objective", "xgboost_objective"],
    },
)
