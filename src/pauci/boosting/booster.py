"""`PartialAUCBooster`: boosted trees for a region of the ROC plane, anchored at logloss."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from pauci.boosting.constraints import constraints_by_position
from pauci.boosting.ensemble import Ensemble, TreeSettings
from pauci.boosting.gradients import Surrogate
from pauci.boosting.objectives import Library
from pauci.boosting.params import check_params
from pauci.boosting.path import BoostingPath
from pauci.boosting.unused import warn_of_unused
from pauci.boosting.workers import Array
from pauci.data import Column
from pauci.data.schema import categorical_places
from pauci.estimators.anchored import Anchored, Observer, fit_anchored, increasing_shares
from pauci.estimators.decision import RegionClassifier
from pauci.estimators.grouping import group_numbers
from pauci.estimators.labels import read_two_classes
from pauci.estimators.parameters import check_parameters
from pauci.estimators.table_rows import table_columns, table_rows, training_rows
from pauci.estimators.weights import counted_rows, fit_weights
from pauci.region import Region

_NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}


class PartialAUCBooster(RegionClassifier):
    """Boosted trees for the part of the ROC curve you will operate in.

    The candidates are logloss, with the number of rounds that is best for the region, and logloss blended with growing
    shares of a surrogate of partial AUC on a region wider than the target. Each is judged on rows that its trees have
    not seen. The booster keeps the mean of the five folds' trees of all candidates within a standard error of the best.
    This mean is one model of the library, and plain boosting has its part in it unless something was seen to be better.

    Parameters
    ----------
    max_fpr : float, default 0.05
        Largest false positive rate you can afford.
    min_tpr : float, default 0.0
        Smallest true positive rate of interest. With ``max_fpr=1``, `predict` keeps to it. Setting ``min_tpr=0.9``
        alone leaves `max_fpr` as it is.
    base : {"lightgbm", "xgboost"}, default "lightgbm"
        The library that grows the trees.
    surrogate : {"sigmoid", "pauci"}, default "sigmoid"
        The stand-in for partial AUC in training (see `RegionObjective`).
    shares : sequence of float, default (2, 10)
        Increasing factors of the surrogate that is added to the logloss per positive.
    temperature : float, default 0.5
        Width of the surrogate ``"sigmoid"`` in units of log-odds.
    train_region : Region, optional
        Region that the surrogate is trained on; by default about three times the target (see `training_region`).
    average : bool, default True
        Whether to keep such a mean. Otherwise one model is kept, grown on all rows: of the candidates within a standard
        error of the best, the one nearest to logloss. It has a fifth to a fifteenth of the trees, and may break its
        budget more often than `confidence` says (`benchmarks/guarantees.py`). From 250,000 rows on there is no such
        mean (see Notes).
    confidence : float or None, default 0.95
        Probability with which `predict` keeps within `max_fpr` on future cases. With None it keeps within it on
        held-out rows only.
    columns : sequence of Column, optional
        Description of the columns, if rows come as the matrix of `read_table`. DataFrames describe their own columns,
        or are read by these names.
    class_weight : dict, "balanced" or None
        Factors on the classes' weights while fitting.
    learning_rate : float, default 0.05
        Shrinkage of every tree.
    max_rounds, patience : int
        The largest number of rounds, and how many rounds without improvement of logloss on held-out rows end the search
        for the best number.
    params : dict, optional
        Further parameters of the library, such as ``{"num_leaves": 15}``; they override this estimator's own.
        Constraints may name columns of a DataFrame. Rounds, stopping, objective and class weights are not among them,
        because they decide what the candidates are.
    n_jobs : int, optional
        Number of threads; by default the library chooses.
    random_state : int, RandomState or None
        Decides on folds, and on everything random in the library.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    report_ : Report
        The choice, the results of the candidates, the gain over logloss with its interval, and the threshold.
    threshold_ : DecisionThreshold
        The threshold that `predict` decides by; ``threshold_.guaranteed`` says whether the requested confidence is
        reached.
    ensemble_ : Ensemble
        The trees: ``ensemble_.booster`` is the library's own model, ``ensemble_.rounds`` how many of its trees count,
        ``ensemble_.offset`` the log-odds they start from.
    anchor_ : Ensemble
        What logloss alone would have given; model files do not keep it.
    feature_importances_ : ndarray of shape (n_features,)
        Total gain of every column's splits, as shares of 1.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    PartialAUCClassifier : The same for linear models and networks.
    lightgbm_objective : The objective alone, for your own LightGBM models.
    xgboost_objective : The objective alone, for your own XGBoost models.

    Notes
    -----
    Missing values are left to the library. Columns of a DataFrame that hold neither numbers nor dates are categories,
    split as the library splits them; values not seen while fitting count as missing. Entries that a sparse matrix does
    not store are 0; for XGBoost, which would take them for missing, they are written out.

    From 250,000 rows on, one quarter is held out from one model, which is kept as it is. Then there is no mean.

    With a custom objective, neither library starts from the average label. All candidates start from the prior
    log-odds, `offset`. It is not part of the library's model, so the library's own predictions are smaller by `offset`.

    Some of scikit-learn's checks for estimators do not hold. `predict` keeps to the FPR budget, so its decisions do not
    change where `predict_proba` passes one half, and class weights do not change how many negatives raise an alarm. A
    weight counts like repetitions, except where the library bins or counts rows, as LightGBM's `min_data_in_leaf` does.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(3000, weights=[0.9], class_sep=0.6, random_state=0)
    >>> booster = PartialAUCBooster(max_fpr=0.05, learning_rate=0.3, max_rounds=20, n_jobs=1, random_state=0)
    >>> booster = booster.fit(X[:1500], y[:1500])
    >>> booster.report_.choice.names
    ('logloss', 'logloss + 2 x sigmoid', 'logloss + 10 x sigmoid')
    >>> alarms = booster.predict(X[1500:])
    >>> bool(alarms[y[1500:] == 0].mean() <= 0.06)
    True
    """

    columns_: tuple[Column, ...] | None

    def __init__(
        self,
        max_fpr: float = 0.05,
        min_tpr: float = 0.0,
        *,
        base: Library = "lightgbm",
        surrogate: Surrogate = "sigmoid",
        shares: Sequence[float] = (2.0, 10.0),
        temperature: float = 0.5,
        train_region: Region | None = None,
        average: bool = True,
        confidence: float | None = 0.95,
        columns: Sequence[Column] | None = None,
        class_weight: Any = None,
        learning_rate: float = 0.05,
        max_rounds: int = 1000,
        patience: int = 30,
        params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_fpr = max_fpr
        self.min_tpr = min_tpr
        self.base = base
        self.surrogate = surrogate
        self.shares = shares
        self.temperature = temperature
        self.train_region = train_region
        self.average = average
        self.confidence = confidence
        self.columns = columns
        self.class_weight = class_weight
        self.learning_rate = learning_rate
        self.max_rounds = max_rounds
        self.patience = patience
        self.params = params
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, observe: Observer | None) -> Anchored:
        check_parameters(self, PartialAUCBooster)
        region, shares = self.region, increasing_shares(self.shares)
        self.columns_ = table_columns(self.columns, X)
        matrix, y = training_rows(self, X, y, self.columns_, **_ROWS)
        matrix = self._as_libraries_like(matrix)
        self.classes_, positive = read_two_classes(y)
        counted = counted_rows(matrix, positive, group_numbers(groups, positive), sample_weight)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        result = fit_anchored(
            self._path(seed),
            counted.rows,
            counted,
            region=region,
            shares=shares,
            names=("logloss", self.surrogate),
            fit_weight=fit_weights(self.class_weight, self.classes_[counted.positive.astype(np.intp)], counted.weight),
            average=self.average,
            seed=seed,
            observe=observe,
        )
        members, rounds = result.members, cast(Ensemble, result.scorer).rounds
        grown = f"{members} x {round(rounds / members)}" if members > 1 else f"{rounds}"
        model = f"{_NAMES[self.base]}, {grown} rounds"
        self._conclude(result, counted, model)
        return result

    @property
    def ensemble_(self) -> Ensemble:
        """The trees that score."""
        return cast(Ensemble, self.scorer_)

    @property
    def feature_importances_(self) -> Array:
        """Total gain of every column's splits, as shares of 1; all 0 if there is no split."""
        gains = self.ensemble_.importances()
        total = gains.sum()
        return gains / total if total > 0 else gains

    def _path(self, seed: int) -> BoostingPath:
        params = dict(self.params or {})
        check_params(params, self.base)
        warn_of_unused(params, self.base)
        columns = self.columns_ or ()
        return BoostingPath(
            library=self.base,
            target=self.region,
            region=self._trained_region,
            surrogate=self.surrogate,
            temperature=self.temperature,
            settings=TreeSettings(
                learning_rate=self.learning_rate,
                params=constraints_by_position(
                    params, [column.name for column in columns], self.base, width=self.n_features_in_
                ),
                categorical=categorical_places(columns),
                threads=self.n_jobs,
                seed=seed,
            ),
            max_rounds=self.max_rounds,
            patience=self.patience,
        )

    def _prepared(self, X: Any) -> Any:
        return self._as_libraries_like(table_rows(self, X, self.columns_, **_ROWS))

    def _as_libraries_like(self, matrix: Any) -> Any:
        """Mark categories not seen while fitting as missing, in a copy: the matrix may be the caller's own."""
        places = list(categorical_places(self.columns_ or ()))
        if sparse.issparse(matrix):
            # LightGBM predicts for sparse matrices, but not for the sparse arrays that succeed them.
            matrix = sparse.csr_matrix(matrix, copy=bool(places))
            if places:
                matrix.data[(matrix.data < 0) & np.isin(matrix.indices, places)] = np.nan
        elif (unseen := matrix[:, places] < 0).any():
            matrix = matrix.copy()
            matrix[:, places] = np.where(unseen, np.nan, matrix[:, places])
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


_ROWS: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
