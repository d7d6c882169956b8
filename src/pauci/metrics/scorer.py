"""`partial_auc_scorer`: partial AUC for scikit-learn's model selection."""

from functools import cache
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from pauci.errors import InputError, LabelError
from pauci.metrics.area import Ties
from pauci.metrics.convention import Convention, Scale, rescale, resolve
from pauci.metrics.inputs import ArrayLike, read_classes
from pauci.metrics.score import partial_auc_score
from pauci.metrics.several import Average, MultiClass, check_several
from pauci.positive_class import warn_unless_evident
from pauci.region import Cut, Region, one_region


def partial_auc_scorer(
    *,
    region: Region | None = None,
    max_fpr: float = 1.0,
    min_tpr: float = 0.0,
    min_fpr: float = 0.0,
    max_tpr: float = 1.0,
    scale: Scale = "normalized",
    cut: Cut = "interpolate",
    ties: Ties = "half",
    convention: Convention | None = None,
    multi_class: MultiClass | None = None,
    average: Average = "macro",
    pos_label: Any = None,
) -> Any:
    """Make a scorer for `cross_val_score`, `GridSearchCV` and anything else that takes ``scoring=``.

    The scorer ranks by `decision_function`, or else by `predict_proba`. Of two classes of any type, the second of
    ``estimator.classes_`` is positive, unless `pos_label` names the first. The scorer warns where the labels do not say
    by themselves which class is positive: unlike the AUC, the partial AUC of the other class is another number.
    `sample_weight` may be passed to the scorer or routed to it.

    Parameters
    ----------
    region : Region, optional
        The rectangle. Alternatively, give its edges:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    scale, cut, ties, convention : str, optional
        As in `partial_auc_score`.
    multi_class : {"ovr", "ovo"}, optional
        As in `partial_auc_score`; with it the scorer uses `predict_proba`. Of two classes it judges the one that a
        scorer without it would.
    average : {"macro", "weighted", "micro"}
        How the scores of several classes or labels become the one number that model selection needs.
    pos_label : object, optional
        The positive one of two classes. Classes are sorted, so name the positive class if it comes first, such as
        "fraud" of "fraud" and "ok".

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``; larger is better.

    See Also
    --------
    partial_auc_score : The number itself.
    PartialAUCClassifier : Its `score` is this number, for its own region.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = make_classification(random_state=0)
    >>> cross_val_score(LogisticRegression(), X, y, scoring=partial_auc_scorer(max_fpr=0.1)).shape
    (5,)
    """
    where = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
    # Whatever can be wrong is an error now, not in every fold.
    rescale(0.0, where, scale=resolve(convention, scale, cut, ties)[0])
    check_several(multi_class, average)
    if average is None:
        raise InputError("average=None would return several numbers, and a scorer must return one; use 'macro'.")
    if pos_label is not None and multi_class is not None:
        raise InputError(f"pos_label={pos_label!r} is for two classes; drop it, or drop multi_class.")
    return make_scorer(
        _score,
        response_method="predict_proba" if multi_class else ("decision_function", "predict_proba"),
        region=where,
        scale=scale,
        cut=cut,
        ties=ties,
        convention=convention,
        multi_class=multi_class,
        average=average,
        pos_label=pos_label,
    )


def _score(
    y_true: ArrayLike, y_score: ArrayLike, *, multi_class: MultiClass | None, pos_label: Any, **options: Any
) -> Any:
    labels = read_classes(y_true)
    # Of two classes scikit-learn hands over one column, so that the same scorer serves two classes and more.
    is_column = np.ndim(y_score) == 1
    multi_class = None if is_column else multi_class
    if multi_class is None and labels.ndim == 1 and pos_label is None:
        # scikit-learn sorts classes and hands over the column of the last one, so that one is positive.
        classes = np.unique(labels)
        if len(classes) == 1:
            raise LabelError(
                f"y_true holds one class only, {classes.tolist()[0]!r} in all {len(labels)} rows: a ROC curve needs "
                "both. Let every fold hold both classes: StratifiedKFold does, or fewer folds."
            )
        if len(classes) > 2 and is_column:
            raise LabelError(
                f"y_true holds {len(classes)} classes, {classes[:3].tolist()} ..., but the model gives one score, as "
                "for two; was it fitted on rows of two classes alone? For more, pass multi_class='ovr'."
            )
        pos_label = classes[-1]
        if len(classes) == 2 and not options["region"].is_full:
            _warn_once(*classes.tolist())
    return partial_auc_score(labels, y_score, multi_class=multi_class, pos_label=pos_label, **options)


# Once: scikit-learn makes Python forget what it has told, so that every fold of a search would repeat it.
@cache
def _warn_once(first: Any, last: Any) -> None:
    remedy = f"Name the one to be found: partial_auc_scorer(..., pos_label={first!r}), or pos_label={last!r}."
    warn_unless_evident(first, last, remedy=remedy, stacklevel=3)
