"""Reference metrics for a region of the ROC plane: scores, intervals, thresholds, curves, streams."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.metrics.score import partial_auc_score

__all__ = ["partial_auc_score"]

__getattr__, __dir__ = attach(__name__, {"partial_auc_score": "pauci.metrics.score"})
