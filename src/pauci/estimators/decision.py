"""What every estimator for a region does once it can score rows: decide, give probabilities, be scored."""

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from pauci.errors import LabelError
from pauci.estimators.calibration import Calibration
from pauci.estimators.threshold import DecisionThreshold, GuaranteeWarning, decide
from pauci.metrics import partial_auc_score
from pauci.region import Region

Array = NDArray[Any]


class RegionClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the estimators: turns scores into decisions that keep to a region of the ROC plane.

    A subclass has the parameters `max_fpr`, `min_tpr` and `confidence`, scores rows in `_score_rows`, and calls
    `_read_labels` when it begins to fit and `_conclude` when it has.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    threshold_ : DecisionThreshold
        What `predict` decides by.
    calibration_ : Calibration
        How scores become probabilities.
    """

    max_fpr: float
    min_tpr: float
    confidence: float | None
    classes_: Array
    threshold_: DecisionThreshold
    calibration_: Calibration

    @property
    def region(self) -> Region:
        """What the estimator is judged by."""
        return Region(max_fpr=self.max_fpr, min_tpr=self.min_tpr)

    def decision_function(self, X: Any) -> Array:
        """Score rows, relative to the threshold.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            At least 0 where `predict` decides for the positive class.
        """
        check_is_fitted(self)
        return self._score_rows(X) - self.threshold_.threshold

    def predict(self, X: Any) -> Array:
        """Decide, within the FPR budget of the region (or, if it has none, at its least TPR).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Labels. The probability at the threshold is rarely 0.5: see `threshold_`.
        """
        acted = self.decision_function(X) >= 0
        return self.classes_[acted.astype(np.intp)]

    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, calibrated on scores by models that had not seen the rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, 2)
            In the order of `classes_`; they rank rows exactly as `decision_function` does.
        """
        check_is_fitted(self)
        positive = self.calibration_(self._score_rows(X))
        return np.column_stack([1 - positive, positive])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Partial AUC in the region, as a share of its area.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), optional
            Weights.

        Returns
        -------
        float
            1 is perfect.
        """
        scores = self.decision_function(X)
        positive = np.asarray(y) == self.classes_[1]
        return float(partial_auc_score(positive, scores, region=self.region, sample_weight=sample_weight))

    @abstractmethod
    def _score_rows(self, X: Any) -> Array:
        """Raw scores of checked or unchecked rows, in double precision."""

    def _read_labels(self, y: Any) -> NDArray[np.bool_]:
        """Set `classes_`; true for the positives."""
        check_classification_targets(y)
        labels = np.asarray(y)
        kind = type_of_target(labels, input_name="y", raise_unknown=True)
        classes = np.unique(labels)
        if kind != "binary" or len(classes) > 2:
            raise LabelError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(classes) < 2:
            raise LabelError(
                f"y holds one class only, {classes[0]!r} in all {len(labels)} rows; a classifier needs two classes. "
                "Check the label column, or fit on more rows."
            )
        self.classes_ = classes
        positive: NDArray[np.bool_] = labels == classes[1]
        return positive

    def _conclude(self, positive: Array, scores: Array, sample_weight: Array | None = None, *, held_out: bool) -> None:
        """Set threshold and calibration from scores; nothing is promised if the models had seen the rows."""
        confidence, region = self.confidence, self.region
        if not held_out and confidence is not None and region != Region():
            warnings.warn(
                f"confidence={confidence:g} cannot be promised: a class has too few different rows to hold any out, "
                "and the threshold comes from rows that the model was fitted on. Fit on more rows; confidence=None "
                "asks for no more.",
                GuaranteeWarning,
                stacklevel=3,
            )
            confidence = None
        self.threshold_ = decide(positive, scores, region=region, confidence=confidence, sample_weight=sample_weight)
        self.calibration_ = Calibration.fit(positive, scores, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
