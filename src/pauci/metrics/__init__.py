"""Reference metrics for a region of the ROC plane: scores, intervals, thresholds, curves, streams."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.metrics.comparison import Comparison, compare_partial_auc
    from pauci.metrics.curve import partial_roc_curve
    from pauci.metrics.display import PartialROCDisplay
    from pauci.metrics.interval import Interval, partial_auc_interval
    from pauci.metrics.operating_point import fpr_at_tpr, tar_at_far, tpr_at_fpr
    from pauci.metrics.precision import precision_at_threshold
    from pauci.metrics.recall_threshold import RecallThreshold, threshold_at_tpr
    from pauci.metrics.score import partial_auc_score
    from pauci.metrics.scorer import partial_auc_scorer
    from pauci.metrics.streaming import StreamingPartialAUC
    from pauci.metrics.threshold import AlertThreshold, Threshold, threshold_at_alert_rate, threshold_at_fpr

__all__ = [
    "AlertThreshold",
    "Comparison",
    "Interval",
    "PartialROCDisplay",
    "RecallThreshold",
    "StreamingPartialAUC",
    "Threshold",
    "compare_partial_auc",
    "fpr_at_tpr",
    "partial_auc_interval",
    "partial_auc_score",
    "partial_auc_scorer",
    "partial_roc_curve",
    "precision_at_threshold",
    "tar_at_far",
    "threshold_at_alert_rate",
    "threshold_at_fpr",
    "threshold_at_tpr",
    "tpr_at_fpr",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "comparison": ["Comparison", "compare_partial_auc"],
        "curve": ["partial_roc_curve"],
        "display": ["PartialROCDisplay"],
        "interval": ["Interval", "partial_auc_interval"],
        "operating_point": ["fpr_at_tpr", "tar_at_far", "tpr_at_fpr"],
        "precision": ["precision_at_threshold"],
        "recall_threshold": ["RecallThreshold", "threshold_at_tpr"],
        "score": ["partial_auc_score"],
        "scorer": ["partial_auc_scorer"],
        "streaming": ["StreamingPartialAUC"],
        "threshold": ["AlertThreshold", "Threshold", "threshold_at_alert_rate", "threshold_at_fpr"],
    },
)
