"""The mean of several ensembles, as one model of their library."""

from collections.abc import Sequence
from typing import Any

from pauci.boosting.ensemble import Ensemble
from pauci.boosting.lightgbm_mean import lightgbm_mean
from pauci.boosting.lightgbm_trees import LightGBMEnsemble
from pauci.boosting.xgboost_mean import xgboost_mean


def mean_ensemble(ensembles: Sequence[Ensemble]) -> Ensemble:
    """Merge ensembles into one whose raw score is the mean of theirs.

    It has the trees of all, those that score, with leaf values divided by the number of ensembles. So it is a model of
    the library like any other: one file, one call, importances and contributions of columns as always. Gains of splits
    stay as they are: importances are the sums of the ensembles'.

    The ensembles are of one library, grown on the same columns for raw scores that are log-odds. One alone is returned
    itself. The `rounds` of the mean are all that were grown and score, its `offset` is the mean. So are raw scores, up
    to the rounding of LightGBM's double precision or XGBoost's single one: 1e-14 and 2e-6 of the largest score for 500
    rounds.

    Raises
    ------
    InputError
        If columns differ, or if the model is not a sum of trees.

    Examples
    --------
    >>> import numpy as np
    >>> from pauci.boosting.ensemble import TreeSettings, plant
    >>> X = np.arange(200.0)[:, None]
    >>> halves = [
    ...     plant("lightgbm", X[half], X[half, 0] > 90, None, TreeSettings(learning_rate=0.1, threads=1)).grow(5, None)
    ...     for half in (slice(0, 200, 2), slice(50, 200))
    ... ]
    >>> mean = mean_ensemble(halves)
    >>> mean.rounds
    10
    >>> np.allclose(mean(X), (halves[0](X) + halves[1](X)) / 2, rtol=1e-12, atol=0)
    True
    """
    if len(ensembles) == 1:
        return ensembles[0]
    of_library: Any = lightgbm_mean if isinstance(ensembles[0], LightGBMEnsemble) else xgboost_mean
    mean: Ensemble = of_library(ensembles)
    return mean
