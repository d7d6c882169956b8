"""Train and judge classifiers on the part of the ROC curve you will operate in."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.boosting.booster import PartialAUCBooster
    from pauci.estimators.classifier import PartialAUCClassifier
    from pauci.losses.mixed import MixedLoss
    from pauci.losses.pauci import PAUCILoss
    from pauci.metrics.score import partial_auc_score
    from pauci.optim.asgda import ASGDA
    from pauci.region import Region
    from pauci.tabular.model_file import load_model

__version__ = "0.1.0"
__all__ = [
    "ASGDA",
    "MixedLoss",
    "PAUCILoss",
    "PartialAUCBooster",
    "PartialAUCClassifier",
    "Region",
    "load_model",
    "partial_auc_score",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "boosting.booster": ["PartialAUCBooster"],
        "estimators.classifier": ["PartialAUCClassifier"],
        "losses.mixed": ["MixedLoss"],
        "losses.pauci": ["PAUCILoss"],
        "metrics.score": ["partial_auc_score"],
        "optim.asgda": ["ASGDA"],
        "region": ["Region"],
        "tabular.model_file": ["load_model"],
    },
    submodules=[
        "boosting",
        "data",
        "estimators",
        "losses",
        "metrics",
        "models",
        "objectives",
        "optim",
        "report",
        "tabular",
        "training",
    ],
)
