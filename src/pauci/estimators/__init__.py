"""scikit-learn estimators for a region of the ROC plane, and what they share with boosting."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.estimators.choice import Choice
    from pauci.estimators.classifier import PartialAUCClassifier
    from pauci.estimators.report import Report
    from pauci.estimators.threshold import DecisionThreshold, GuaranteeWarning
    from pauci.estimators.unseen import UnseenWarning
    from pauci.positive_class import PositiveClassWarning

__all__ = [
    "Choice",
    "DecisionThreshold",
    "GuaranteeWarning",
    "PartialAUCClassifier",
    "PositiveClassWarning",
    "Report",
    "UnseenWarning",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "choice": ["Choice"],
        "classifier": ["PartialAUCClassifier"],
        "labels": ["PositiveClassWarning"],
        "report": ["Report"],
        "threshold": ["DecisionThreshold", "GuaranteeWarning"],
        "unseen": ["UnseenWarning"],
    },
)
