"""Train and judge classifiers on the part of the ROC curve you will operate in."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.metrics.score import partial_auc_score
    from pauci.region import Region

__version__ = "0.1.0"
__all__ = ["Region", "partial_auc_score"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "metrics.score": ["partial_auc_score"],
        "region": ["Region"],
    },
    submodules=["data", "metrics", "objectives"],
)
