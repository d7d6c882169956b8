"""Reference metrics for a region of the ROC plane: scores, intervals, thresholds, curves, streams."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.metrics.curve import partial_roc_curve
    from pauci.metrics.display import PartialROCDisplay
    from pauci.metrics.score import partial_auc_score
    from pauci.metrics.streaming import StreamingPartialAUC

__all__ = ["PartialROCDisplay", "StreamingPartialAUC", "partial_auc_score", "partial_roc_curve"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "PartialROCDisplay": "pauci.metrics.display",
        "StreamingPartialAUC": "pauci.metrics.streaming",
        "partial_auc_score": "pauci.metrics.score",
        "partial_roc_curve": "pauci.metrics.curve",
    },
)
