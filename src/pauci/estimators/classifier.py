"""`PartialAUCClassifier`: linear scorers and networks for a region of the ROC plane, anchored at cross-entropy."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import torch
from sklearn.utils import check_random_state
from torch import nn

from pauci.data import Column
from pauci.errors import InputError
from pauci.estimators.anchored import Anchored, Observer, fit_anchored, increasing_shares
from pauci.estimators.decision import RegionClassifier
from pauci.estimators.encoding import Encoding
from pauci.estimators.grouping import group_numbers
from pauci.estimators.labels import read_two_classes
from pauci.estimators.linear_path import LinearPath
from pauci.estimators.network_path import NetworkPath
from pauci.estimators.network_scorer import NetworkScorer
from pauci.estimators.parameters import check_parameters
from pauci.estimators.scaling import Scaling
from pauci.estimators.table_rows import table_columns, table_rows, training_rows
from pauci.estimators.weights import counted_rows, fit_weights
from pauci.models import MLP
from pauci.region import Region

Architecture = Literal["linear", "mlp"] | Callable[[int], nn.Module]


class PartialAUCClassifier(RegionClassifier):
    """Binary classifier for the part of the ROC curve you will operate in.

    The classifier first fits a well regularised model by cross-entropy. From there it continues with cross-entropy plus
    growing shares of a bounded surrogate of partial AUC, on a region wider than the target. It judges each of these
    candidates, cross-entropy among them, on rows that their models have not seen. It keeps the mean of the five folds'
    models of all candidates within a standard error of the best. Cross-entropy has its part in this mean unless
    something was seen to be better.

    Parameters
    ----------
    max_fpr : float, default 0.05
        Largest false positive rate you can afford.
    min_tpr : float, default 0.0
        Smallest true positive rate of interest. With ``max_fpr=1``, `predict` keeps to it. Setting ``min_tpr=0.9``
        alone leaves `max_fpr` as it is.
    architecture : {"linear", "mlp"} or callable, default "linear"
        The scorer: a linear one, a small network, or a function from the number of columns to an `nn.Module` that gives
        one logit per row.
    method : str or nn.Module, default "pairwise-sigmoid"
        The surrogate: a loss of `pauci.losses`, by its name in recipes (``"pauci"``, ``"sopa"``, ...) or itself.
        ``"ce"`` adds nothing.
    shares : sequence of float, default (1, 4, 16, 64)
        Factors of the surrogate that is added to the cross-entropy per positive, in the order in which they are
        reached.
    train_region : Region, optional
        Region that the surrogate is trained on; by default about three times the target (see `training_region`). A loss
        that is passed as `method` itself keeps its own.
    average : bool, default True
        Whether to keep such a mean. Otherwise one model is kept, fitted on all rows: of the candidates within a
        standard error of the best, the one nearest to cross-entropy. From 250,000 rows on there is no such mean (see
        Notes).
    confidence : float or None, default 0.95
        Probability with which `predict` keeps within `max_fpr` on future cases. With None it keeps within it on
        held-out rows only.
    columns : sequence of Column, optional
        Description of the columns, if rows come as the matrix of `read_table`. DataFrames describe their own columns,
        or are read by these names. In both cases, missing values are filled as `TableEncoder` does; other matrices must
        not have any.
    class_weight : dict, "balanced" or None
        Factors on the classes' weights while fitting.
    max_epochs, patience : int
        For a network: the largest number of epochs of cross-entropy, and how many epochs without improvement on rows
        set aside end them.
    batch_size : int, optional
        For a network: rows per step; by default a 20th of all rows, from 32 to 4096.
    learning_rate, weight_decay : float
        For a network: those of AdamW. Linear scorers choose the weight of their penalty by cross-validation.
    device : str or torch.device, default "cpu"
        For a network: the device to train on, such as ``"cuda"``.
    warm_start : bool, default False
        Whether to begin from the cross-entropy solution of the last fit. Then one model of all rows is kept, as with
        ``average=False``. Only this model goes on from the last fit: the models of the folds must not have seen the
        rows they are judged on.
    n_jobs : int, optional
        Number of processes that fit folds side by side.
    random_state : int, RandomState or None
        Decides on folds, first weights and batches.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    report_ : Report
        The choice, the results of the candidates, the gain over cross-entropy with its interval, and the threshold.
    threshold_ : DecisionThreshold
        The threshold that `predict` decides by; ``threshold_.guaranteed`` says whether the requested confidence is
        reached.
    scorer_, anchor_ : callable
        The model that scores encoded rows, and the one that plain cross-entropy would have given.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    PartialAUCBooster : The same for boosted trees.
    partial_auc_scorer : To choose among other classifiers by partial AUC.
    threshold_at_fpr : The guarantee behind `predict`.

    Notes
    -----
    The threshold comes from cross-fitted scores, that is, from models that have not seen the rows they score. Its
    guarantee is that of `threshold_at_fpr`, as far as the model that is kept is like these models. Their mean varies
    less than they do, so with few rows it stays below its budget by more than it needs to. Where a class has fewer than
    four different rows, none can be held out: one model is fitted on all rows, and nothing is guaranteed. From 250,000
    rows on, one quarter is held out from one model, which is kept as it is. Then there is no mean, and the guarantee
    does not depend on such a likeness.

    All of this is for rows that are independent cases; with a table that holds each case several times, the guarantee
    promises too much. Where rows belong together, name what they belong to as ``groups`` of `fit`. Steps of a
    `Pipeline` before the classifier must not have looked at labels, because they would have seen the rows that folds
    hold out.

    Weights count like repetitions in fitting and selecting, but not in how a table is encoded (medians that fill gaps,
    rare categories). Where the weights of negatives differ, there is no exact guarantee, and the threshold is the
    weighted empirical one.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(2000, weights=[0.9], class_sep=0.6, random_state=0)
    >>> classifier = PartialAUCClassifier(max_fpr=0.05, random_state=0).fit(X[:1000], y[:1000])
    >>> classifier.threshold_.guaranteed, classifier.report_.choice.names[0]
    (True, 'CE')
    >>> alarms = classifier.predict(X[1000:])
    >>> bool(alarms[y[1000:] == 0].mean() <= 0.05)
    True
    """

    encoding_: Encoding | None
    scaling_: Scaling

    def __init__(
        self,
        max_fpr: float = 0.05,
        min_tpr: float = 0.0,
        *,
        architecture: Architecture = "linear",
        method: str | nn.Module = "pairwise-sigmoid",
        shares: Sequence[float] = (1.0, 4.0, 16.0, 64.0),
        train_region: Region | None = None,
        average: bool = True,
        confidence: float | None = 0.95,
        columns: Sequence[Column] | None = None,
        class_weight: Any = None,
        max_epochs: int = 100,
        patience: int = 8,
        batch_size: int | None = None,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-2,
        device: str | torch.device = "cpu",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_fpr = max_fpr
        self.min_tpr = min_tpr
        self.architecture = architecture
        self.method = method
        self.shares = shares
        self.train_region = train_region
        self.average = average
        self.confidence = confidence
        self.columns = columns
        self.class_weight = class_weight
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.device = device
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, observe: Observer | None) -> Anchored:
        check_parameters(self, PartialAUCClassifier)
        region, shares = self.region, () if self.method == "ce" else increasing_shares(self.shares)
        columns = table_columns(self.columns, X)
        rows, y = training_rows(self, X, y, columns, **self._accepted(columns))
        self.classes_, positive = read_two_classes(y)
        counted = counted_rows(rows, positive, group_numbers(groups, positive), sample_weight)
        self.encoding_ = None if columns is None else Encoding.fit(counted.rows, columns)
        matrix = counted.rows if self.encoding_ is None else self.encoding_(counted.rows)
        start = self._start(matrix.shape[1])
        categories = None if self.encoding_ is None else self.encoding_.categories
        self.scaling_ = Scaling.fit(matrix, counted.weight, categories=categories)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        result = fit_anchored(
            self._path(len(counted.positive)),
            self.scaling_(matrix),
            counted,
            region=region,
            shares=shares,
            names=("CE", _name(self.method)),
            fit_weight=fit_weights(self.class_weight, self.classes_[counted.positive.astype(np.intp)], counted.weight),
            average=self.average and not self.warm_start,
            seed=seed,
            start=start,
            n_jobs=self.n_jobs,
            observe=observe,
        )
        model = _name(self.architecture)
        if result.members > 1:
            model = f"{model}, mean of {result.members}"
        self._conclude(result, counted, model)
        return result

    def _prepared(self, X: Any) -> Any:
        encoding = self.encoding_
        columns = None if encoding is None else encoding.columns
        rows = table_rows(self, X, columns, **self._accepted(columns))
        return self.scaling_(rows if encoding is None else encoding(rows))

    def _accepted(self, columns: Sequence[Column] | None) -> dict[str, Any]:
        """Tell what rows may be: those of a table may have gaps, and others be sparse for a linear scorer."""
        if columns is None:
            return {"dtype": np.float64, "accept_sparse": "csr" if self.architecture == "linear" else False}
        return {"dtype": np.float64, "ensure_all_finite": "allow-nan"}

    @property
    def _trained_region(self) -> Region:
        own = getattr(self.method, "region", None)
        return own if isinstance(own, Region) else super()._trained_region

    def _path(self, rows: int) -> LinearPath | NetworkPath:
        # Not that of a loss of one's own, which knows it: cross-entropy is tuned as it is beside any other.
        region = super()._trained_region
        if self.architecture == "linear":
            return LinearPath(self.method, self.region, region)
        return NetworkPath(
            self.method,
            region,
            MLP if isinstance(self.architecture, str) else self.architecture,
            max_epochs=self.max_epochs,
            patience=self.patience,
            batch_size=min(max(rows // 20, 32), 4096) if self.batch_size is None else self.batch_size,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            device=self.device,
        )

    def _start(self, columns: int) -> Any:
        """Cross-entropy solution of the last fit, if it is to be the start."""
        if not (self.warm_start and hasattr(self, "anchor_")):
            return None
        if isinstance(self.anchor_, NetworkScorer) == (self.architecture == "linear"):
            raise InputError(
                f"warm_start=True continues the last fit, which was not of architecture={self.architecture!r}; fit a "
                "new classifier."
            )
        if (before := len(self.scaling_.mean)) != columns:
            raise InputError(
                f"warm_start=True continues a fit on {before} encoded columns, but X now has {columns}; "
                "fit a new classifier."
            )
        return self.anchor_.members[0] if isinstance(self.anchor_, NetworkScorer) else self.anchor_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.architecture == "linear"
        return tags


def _name(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    return getattr(thing, "__name__", type(thing).__name__)
