"""What every estimator for a region does once it can score rows: decide, give probabilities, be scored."""

import dataclasses
import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from pauci.errors import InputError, ScoreError
from pauci.estimators.anchored import Anchored, Observer
from pauci.estimators.calibration import Calibration
from pauci.estimators.frame import as_frame
from pauci.estimators.labels import positives_of
from pauci.estimators.report import Report
from pauci.estimators.threshold import DecisionThreshold, GuaranteeWarning, decide
from pauci.estimators.weights import Counted, weights_of
from pauci.estimators.widening import training_region
from pauci.metrics import partial_auc_score
from pauci.metrics.inputs import read_classes
from pauci.region import Region

Array = NDArray[Any]


class RegionClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the estimators: turns scores into decisions that keep to a region of the ROC plane.

    A subclass has the parameters `max_fpr`, `min_tpr`, `train_region` and `confidence`, prepares rows in `_prepared`,
    and fits in `_fit`, where it sets `classes_` when it begins and calls `_conclude` when it has.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    threshold_ : DecisionThreshold
        What `predict` decides by.
    calibration_ : Calibration
        How scores become probabilities.
    scorer_, anchor_ : callable
        What scores prepared rows, and what plain cross-entropy would have.
    report_ : Report
        What was chosen, and what it is expected to bring.
    """

    max_fpr: float
    min_tpr: float
    train_region: Region | None
    confidence: float | None
    classes_: Array
    threshold_: DecisionThreshold
    calibration_: Calibration
    scorer_: Any
    anchor_: Any
    report_: Report

    @property
    def region(self) -> Region:
        """The target region, which the estimator is judged by."""
        return Region(max_fpr=self.max_fpr, min_tpr=self.min_tpr)

    @property
    def _trained_region(self) -> Region:
        """What the surrogate is trained on."""
        return training_region(self.region) if self.train_region is None else self.train_region

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the candidates, keep the best of them, and find the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or pyarrow.Table of shape (n, n_features)
            Rows.
        y : array-like of shape (n,)
            Labels of two classes. The larger one is the positive class; a warning says so where that is not evident.
        sample_weight : array-like of shape (n,), optional
            Weights; 2 stands for a row that occurs twice. If their mean is less than 1 (as for weights that sum to 1),
            or more than 10^9, only their ratios count.
        groups : array-like of shape (n,), optional
            What rows that are not independent belong to: patients, accounts. A group is never on both sides of
            cross-validation, so models are judged on groups that are new to them. `confidence` is then kept
            approximately, by how much groups differ, without a guarantee.

        Returns
        -------
        PartialAUCClassifier or PartialAUCBooster
            Itself.
        """
        self._fit(as_frame(X), y, sample_weight, groups, None)
        return self

    def fit_observed(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, observe: Observer
    ) -> Anchored:
        """Fit, and report progress; Ctrl-C then ends the fit early and keeps the best so far.

        The best so far is the mean of the best candidate's models that the folds have fitted. Its threshold comes from
        the rows that were held out from them.

        Parameters
        ----------
        X, y : array-like
            Rows and labels, as for `fit`.
        sample_weight, groups : array-like of shape (n,), optional
            Weights, and what rows belong to, as for `fit`.
        observe : callable
            Called after each step with the number of steps done and the total number of steps.

        Returns
        -------
        Anchored
            The fitted models, whether the fit is complete, and the scores of rows by models that had not seen them.

        Raises
        ------
        KeyboardInterrupt
            If there was nothing to keep.

        Examples
        --------
        >>> from pauci.estimators import PartialAUCClassifier
        >>> X, y = np.arange(200.0)[:, None] % 37, np.arange(200) % 37 > 20
        >>> classifier = PartialAUCClassifier(max_fpr=0.3, confidence=None, shares=(1.0,))
        >>> classifier.fit_observed(X, y, observe=lambda done, total: None).complete
        True
        """
        return self._fit(as_frame(X), y, sample_weight, groups, observe)

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
        """Decide within the region's FPR budget or, if it has none, at its smallest TPR.

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
            Probabilities in the order of `classes_`. They rank rows as `decision_function` does, except those that
            round to 0 or 1.
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

        Raises
        ------
        LabelError
            Labels that are missing, or not among `classes_`.
        """
        scores = self.decision_function(X)
        positive = positives_of(read_classes(y, name="y"), self.classes_)
        return float(partial_auc_score(positive, scores, region=self.region, sample_weight=sample_weight))

    def anchor_scores(self, X: Any) -> Array:
        """Score rows by the cross-entropy model that the choice started from, averaged in the same way.

        The difference to these scores shows what the region is worth. Where cross-entropy was chosen, there is no
        difference.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Scores, on a scale of their own: no threshold belongs to them.

        Raises
        ------
        InputError
            If the model was loaded from a file that does not hold the cross-entropy model; files of boosters do not.

        Examples
        --------
        >>> from pauci.estimators import PartialAUCClassifier
        >>> X, y = np.arange(200.0)[:, None] % 37, np.arange(200) % 37 > 20
        >>> classifier = PartialAUCClassifier(max_fpr=0.3, confidence=None, method="ce").fit(X, y)
        >>> raw = classifier.decision_function(X) + classifier.threshold_.threshold
        >>> bool(np.allclose(classifier.anchor_scores(X), raw))  # there was no other candidate
        True
        """
        check_is_fitted(self)
        if not hasattr(self, "anchor_"):
            raise InputError("a model file of a booster holds the chosen trees alone; anchor_scores needs a new fit.")
        scores: Array = self.anchor_(self._prepared(as_frame(X)))
        return scores

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, observe: Observer | None) -> Anchored:
        """Fit, and set all that is known afterwards."""

    @abstractmethod
    def _prepared(self, X: Any) -> Any:
        """Rows as the scorers take them."""

    def _score_rows(self, X: Any) -> Array:
        """Raw scores of checked or unchecked rows, in double precision."""
        scores: Array = self.scorer_(self._prepared(as_frame(X)))
        if lost := int(np.count_nonzero(~np.isfinite(scores))):
            raise ScoreError(
                f"{lost:,} of {len(scores):,} rows of X have no finite score: their numbers are too large for the "
                "model, far beyond those it was fitted on. Repair them, mark them as missing, or leave these rows out."
            )
        return scores

    def _conclude(self, result: Anchored, counted: Counted, model: str) -> None:
        """Keep what was fitted; nothing is promised if models had seen the rows that their threshold comes from."""
        self.anchor_, self.scorer_ = result.anchor, result.scorer
        rows, parts, groups = result.fits.rows, result.fits.parts, counted.groups
        confidence, region = self.confidence, self.region
        if not parts and confidence is not None and region != Region():
            warnings.warn(
                f"confidence={confidence:g} cannot be promised: a class has too few different "
                f"{'rows' if groups is None else 'groups'} to hold any out, and the threshold comes from rows that the "
                "model was fitted on. Fit on more rows; confidence=None asks for no more.",
                GuaranteeWarning,
                stacklevel=4,
            )
            confidence = None
        labels, held_out, of_rows = counted.positive[rows], result.held_out, weights_of(counted.weight, rows)
        threshold = decide(
            labels,
            held_out.cautious,
            region=region,
            confidence=confidence,
            sample_weight=of_rows,
            own=held_out.own,
            of_mean=result.members > 1,
            groups=None if groups is None else groups[rows],
        )
        self.threshold_ = dataclasses.replace(threshold, held_out=parts > 0)
        self.calibration_ = Calibration.fit(labels, held_out.scores, sample_weight=of_rows)
        # A single part compares nothing.
        judged = parts if parts > 1 else 0
        name = model if result.complete else f"{model}, broken off"
        self.report_ = Report(name, region, self._trained_region, result.choice, self.threshold_, judged)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
