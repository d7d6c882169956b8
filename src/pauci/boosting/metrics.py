"""Partial AUC as an evaluation metric of LightGBM and XGBoost."""

from dataclasses import dataclass
from typing import Any

from pauci.boosting.call import read_call
from pauci.boosting.objectives import Library
from pauci.boosting.workers import Array, xgboost_workers
from pauci.metrics.score import partial_auc_score
from pauci.region import Region


@dataclass(frozen=True)
class CustomMetric:
    """Partial AUC in the forms the libraries call.

    Attributes
    ----------
    region : Region
        The part of the ROC plane that is judged.
    library : {"lightgbm", "xgboost"}
        Who calls, which decides the form of the answer.
    """

    region: Region
    library: Library

    @property
    def __name__(self) -> str:
        """Name in logs; the beginning tells XGBoost, which goes by it, that more is better."""
        return f"auc({self.region})"

    def __call__(self, first: Any, second: Any, sample_weight: Array | None = None, group: Array | None = None) -> Any:
        """Return the score for the arguments of either interface (see `read_call`)."""
        y_true, raw, weight, native = read_call(first, second, sample_weight, group, library=self.library)
        if self.library == "xgboost":
            gather = xgboost_workers().gather
            y_true, raw, weight = gather(y_true), gather(raw), None if weight is None else gather(weight)
        value = float(partial_auc_score(y_true, raw, region=self.region, sample_weight=weight))
        if self.library == "lightgbm":
            return self.__name__, value, True
        return (self.__name__, value) if native else value


def lightgbm_metric(
    max_fpr: float = 0.05, *, min_tpr: float = 0.0, min_fpr: float = 0.0, max_tpr: float = 1.0
) -> CustomMetric:
    """Build partial AUC as a metric for LightGBM.

    Pass it as ``feval=`` to `lightgbm.train` and `lightgbm.cv`, or as ``eval_metric=`` to the `fit` of
    `lightgbm.LGBMClassifier`. It tells LightGBM that more is better. To stop early by this metric alone, set
    ``metric="None"``; otherwise LightGBM watches its own metric, too.

    Parameters
    ----------
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).

    Returns
    -------
    CustomMetric
        The callable.

    See Also
    --------
    lightgbm_objective : Trains for the region.

    Examples
    --------
    >>> import numpy as np
    >>> lightgbm_metric(max_fpr=0.5)(np.array([0, 0, 1]), np.array([0.1, 0.7, 0.9]), None)
    ('auc(fpr<=0.5)', 1.0, True)
    """
    return CustomMetric(Region(max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr), "lightgbm")


def xgboost_metric(
    max_fpr: float = 0.05, *, min_tpr: float = 0.0, min_fpr: float = 0.0, max_tpr: float = 1.0
) -> CustomMetric:
    """Build partial AUC as a metric for XGBoost.

    Pass it as ``custom_metric=`` to `xgboost.train` and `xgboost.cv`, or as ``eval_metric=`` to
    `xgboost.XGBClassifier`. XGBoost maximises it because its name begins with ``auc``. In distributed training it is
    the score of all workers' rows together.

    Parameters
    ----------
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).

    Returns
    -------
    CustomMetric
        The callable.

    See Also
    --------
    xgboost_objective : Trains for the region.

    Examples
    --------
    >>> import numpy as np
    >>> xgboost_metric(max_fpr=0.5)(np.array([0, 0, 1]), np.array([0.1, 0.7, 0.9]))
    1.0
    """
    return CustomMetric(Region(max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr), "xgboost")
