"""Objectives for LightGBM and XGBoost."""

from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

from pauci.boosting.call import read_call
from pauci.boosting.gradients import Gradient, RegionObjective, Selection, Surrogate
from pauci.boosting.workers import ALONE, Array, xgboost_workers
from pauci.region import Region

Library = Literal["lightgbm", "xgboost"]


class ObjectiveSettings(TypedDict, total=False):
    """Settings of `RegionObjective` besides its region."""

    surrogate: Surrogate
    anchor: float
    temperature: float
    selection: Selection
    kappa: float
    omega: float


@dataclass(frozen=True)
class CustomObjective:
    """A region objective in the forms the libraries call.

    Attributes
    ----------
    objective : RegionObjective
        What is differentiated.
    library : {"lightgbm", "xgboost"}
        Who calls; only XGBoost has a communicator to ask for the rows of other workers.
    """

    objective: RegionObjective
    library: Library

    def __call__(
        self, first: Any, second: Any, sample_weight: Array | None = None, group: Array | None = None
    ) -> Gradient:
        """Return gradient and Hessian for the arguments of either interface (see `read_call`)."""
        call = read_call(first, second, sample_weight, group, library=self.library)
        workers = xgboost_workers() if self.library == "xgboost" else ALONE
        return self.objective.gradient(call.y_true, call.raw, call.weight, workers=workers)


def lightgbm_objective(
    max_fpr: float = 0.05,
    *,
    min_tpr: float = 0.0,
    min_fpr: float = 0.0,
    max_tpr: float = 1.0,
    **settings: Unpack[ObjectiveSettings],
) -> CustomObjective:
    """Build an objective for LightGBM that trains for a region of the ROC plane.

    Pass it as ``params["objective"]`` to `lightgbm.train` and `lightgbm.cv`, or as ``objective=`` to
    `lightgbm.LGBMClassifier`; it understands both calls. As with every custom objective, LightGBM then starts from a
    raw score of 0 unless given an `init_score`, and predicts raw scores. So does `LGBMClassifier`: its `predict` and
    `predict_proba` both return raw scores, with a warning. The objective is meant to continue from a model of logloss
    (`init_score=`, `init_model=`), as `PartialAUCBooster` does. It trains for exactly the region that is given.

    Labels are bool, {0, 1} or {-1, 1}; LightGBM makes missing ones 0 before any objective sees them. Sample weights are
    honoured; `scale_pos_weight`, `is_unbalance` and the like have no effect on custom objectives: pass weights instead.
    A dataset with queries (`group=`) is an error, because the region is one of all rows.

    Parameters
    ----------
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`); for a region that only asks for a TPR, give ``max_fpr=1.0, min_tpr=0.8``.
    **settings : object
        `surrogate`, `anchor`, `temperature`, `selection`, `kappa` and `omega` of `RegionObjective`: the stand-in for
        partial AUC in the region, and how much logloss is blended in.

    Returns
    -------
    CustomObjective
        The callable.

    See Also
    --------
    lightgbm_metric : Partial AUC to watch while training.
    PartialAUCBooster : Chooses anchor, rounds and threshold by itself.

    Examples
    --------
    >>> import lightgbm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] + rng.normal(size=500) > 1
    >>> params = {"objective": lightgbm_objective(max_fpr=0.1), "verbosity": -1, "num_threads": 1}
    >>> raw = lightgbm.train(params, lightgbm.Dataset(X, label=y), num_boost_round=20).predict(X)
    >>> bool(raw[y].mean() > raw[~y].mean())
    True
    """
    region = Region(max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    return CustomObjective(RegionObjective(region=region, **settings), "lightgbm")


def xgboost_objective(
    max_fpr: float = 0.05,
    *,
    min_tpr: float = 0.0,
    min_fpr: float = 0.0,
    max_tpr: float = 1.0,
    **settings: Unpack[ObjectiveSettings],
) -> CustomObjective:
    """Build an objective for XGBoost that trains for a region of the ROC plane.

    Pass it as ``obj=`` to `xgboost.train` and `xgboost.cv`, or as ``objective=`` to `xgboost.XGBClassifier`; it
    understands both calls. With `xgboost.train` or `xgboost.cv`, add ``"objective": "binary:logistic"`` to the
    parameters. Then, as always in `XGBClassifier`, XGBoost starts from a raw score of 0 and predicts probabilities;
    leave `base_score` alone, because it is a probability then, and 0 is a raw score of -13.8. Without that parameter,
    XGBoost starts from a raw score of 0.5, or from `base_score`, and predicts raw scores. As with every custom
    objective, XGBoost does not look at the average label: give a `base_margin` to start from it.

    Labels are bool, {0, 1} or {-1, 1}. Sample weights are honoured; `scale_pos_weight` and the like have no effect on
    custom objectives: pass weights instead. A dataset with query groups is an error, because the region is one of all
    rows. In distributed training, cuts, inner variables and pair sums are those of all workers' rows, through XGBoost's
    own communicator, so the trees are those of a single process.

    Parameters
    ----------
    max_fpr, min_tpr, min_fpr, max_tpr : float
        As for `lightgbm_objective`.
    **settings : object
        As for `lightgbm_objective`.

    Returns
    -------
    CustomObjective
        The callable.

    See Also
    --------
    xgboost_metric : Partial AUC to watch while training.
    PartialAUCBooster : Chooses anchor, rounds and threshold by itself.

    Examples
    --------
    >>> import xgboost, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] + rng.normal(size=500) > 1
    >>> data = xgboost.DMatrix(X, label=y)
    >>> params = {"objective": "binary:logistic", "nthread": 1, "disable_default_eval_metric": True}
    >>> chance = xgboost.train(params, data, num_boost_round=20, obj=xgboost_objective(max_fpr=0.1)).predict(data)
    >>> bool(chance[y].mean() > chance[~y].mean())
    True
    """
    region = Region(max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    return CustomObjective(RegionObjective(region=region, **settings), "xgboost")
