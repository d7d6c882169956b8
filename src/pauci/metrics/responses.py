"""What a scikit-learn classifier has to say about one of its two classes."""

from typing import Any

import numpy as np

from pauci.errors import InputError
from pauci.metrics.inputs import Array

# Probabilities round to 1 just where a narrow region lies, so that decision_function, if there is one, comes first.
_METHODS = ("decision_function", "predict_proba")


def positive_scores(estimator: Any, X: Any, response_method: str = "auto", pos_label: Any = None) -> tuple[Array, Any]:
    """Scores of the positive class, and which class that is.

    Parameters
    ----------
    estimator : classifier
        Fitted, for two classes.
    X : array-like
        Data to score.
    response_method : {"auto", "decision_function", "predict_proba"}
        What gives the scores; "auto" takes the first of the two that the estimator has.
    pos_label : object, optional
        The positive class; by default the second of ``estimator.classes_``.

    Returns
    -------
    scores : ndarray of shape (n,)
        Higher for the positive class.
    pos_label
        The class.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0.0], [1.0]], ["no", "yes"])
    >>> positive_scores(model, [[3.0]], pos_label="no")[0] < 0
    array([ True])
    """
    if response_method not in ("auto", *_METHODS):
        raise InputError(f"response_method={response_method!r} is not known; use 'auto' or one of {_METHODS}.")
    wanted = _METHODS if response_method == "auto" else (response_method,)
    method = next((name for name in wanted if hasattr(estimator, name)), None)
    classes = list(getattr(estimator, "classes_", ()))
    if method is None or len(classes) != 2:
        raise InputError(
            f"estimator={type(estimator).__name__} must be a fitted classifier for two classes with "
            f"{' or '.join(wanted)}; it has {len(classes)} classes."
        )
    pos_label = classes[1] if pos_label is None else pos_label
    if pos_label not in classes:
        raise InputError(f"pos_label={pos_label!r} is none of the estimator's classes {classes}.")
    column = classes.index(pos_label)
    scores = np.asarray(getattr(estimator, method)(X))
    # Of LightGBM with an objective of one's own, predict_proba gives one column of raw scores.
    if scores.ndim == 2:
        return scores[:, column], pos_label
    return (scores if column == 1 else -scores), pos_label
