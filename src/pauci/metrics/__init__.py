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
    from pauci.metrics.score import partial_auc_score
    from pauci.metrics.scorer import partial_auc_scorer
    from pauci.metrics.streaming import StreamingPartialAUC
    from pauci.metrics.threshold import AlertThreshold, Threshold, threshold_at_alert_rate, threshold_at_fpr

__all__ = [
    "AlertThreshold",
    "Comparison",
    "Interval",
    "PartialROCDisplay",
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
    "tpr_at_fpr",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "AlertThreshold": "pauci.metrics.threshold",
        "Comparison": "pauci.metrics.comparison",
        "Interval": "pauci.metrics.interval",
        "PartialROCDisplay": "pauci.metrics.display",
        "StreamingPartialAUC": "pauci.metrics.streaming",
        "Threshold": "pauci.metrics.threshold",
        "compare_partial_auc": "pauci.metrics.comparison",
        "fpr_at_tpr": "pauci.metrics.operating_point",
        "partial_auc_interval": "pauci.metrics.interval",
        "partial_auc_score": "pauci.metrics.score",
        "partial_auc_scorer": "pauci.metrics.scorer",
        "partial_roc_curve": "pauci.metrics.curve",
        "precision_at_threshold": "pauci.metrics.precision",
        "tar_at_far": "pauci.metrics.operating_point",
        "threshold_at_alert_rate": "pauci.metrics.threshold",
        "threshold_at_fpr": "pauci.metrics.threshold",
        "tpr_at_fpr": "pauci.metrics.operating_point",
    },
)
