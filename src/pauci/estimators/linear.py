"""Linear scorers: logistic regression, and what follows when a surrogate of partial AUC is added to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

Array = NDArray[Any]
#: Value of a surrogate for scores, and its gradient.
Surrogate = Callable[[Array], tuple[float, Array]]

#: Up to so many columns logistic regression is solved by Newton's method, which needs a matrix of their squares.
_NEWTON_COLUMNS = 400


@dataclass(frozen=True)
class LinearScorer:
    """Scores ``X @ weights + intercept``.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        One per column.
    intercept : float
        Score of a row of zeros.

    Examples
    --------
    >>> LinearScorer(np.array([1.0, 2.0]), 0.5)(np.array([[1.0, 1.0]]))
    array([3.5])
    """

    weights: Array
    intercept: float

    def __call__(self, X: Any) -> Array:
        """Score rows of a dense or sparse matrix."""
        scores: Array = X @ self.weights + self.intercept
        return scores


def fit_logistic(
    X: Any, positive: Array, weight: Array | None, *, strength: float, start: LinearScorer | None = None
) -> LinearScorer:
    """Fit a logistic regression with a squared penalty, on columns of about the same scale.

    `strength` is the weight of the penalty, half the squared norm of the weights, against the sum of the
    cross-entropies (scikit-learn's ``1 / C``).

    Examples
    --------
    >>> scorer = fit_logistic(np.array([[-1.0], [0.0], [1.0]]), np.array([False, False, True]), None, strength=1.0)
    >>> bool(scorer.weights[0] > 0)
    True
    """
    dense = isinstance(X, np.ndarray)
    model = LogisticRegression(
        C=1 / strength,
        solver="newton-cholesky" if dense and X.shape[1] <= _NEWTON_COLUMNS else "lbfgs",
        tol=1e-6,
        max_iter=1000,
        warm_start=start is not None,
    )
    if start is not None:
        model.coef_, model.intercept_ = start.weights[None, :].copy(), np.array([start.intercept])
        model.classes_ = np.array([False, True])
    model.fit(X, positive, sample_weight=weight)
    return LinearScorer(model.coef_[0], float(model.intercept_[0]))


def continue_on(
    X: Any,
    positive: Array,
    weight: Array | None,
    *,
    strength: float,
    surrogate: Surrogate,
    share: float,
    start: LinearScorer,
) -> LinearScorer:
    """Continue from a scorer on cross-entropy per positive plus a share of a surrogate, with the same penalty."""
    per_row = np.ones(len(positive)) if weight is None else weight
    scale = 1 / per_row[positive].sum()

    def objective(parameters: Array) -> tuple[float, Array]:
        scorer = LinearScorer(parameters[:-1], parameters[-1])
        scores = scorer(X)
        value, gradient = surrogate(scores)
        cross_entropy = per_row @ (np.logaddexp(0, scores) - positive * scores)
        gradient = share * gradient + scale * per_row * (expit(scores) - positive)
        penalty = strength * scorer.weights
        total = share * value + scale * (cross_entropy + penalty @ scorer.weights / 2)
        return total, np.append(X.T @ gradient + scale * penalty, gradient.sum())

    found = minimize(
        objective,
        np.append(start.weights, start.intercept),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 100, "ftol": 1e-7, "gtol": 1e-6},
    ).x
    return LinearScorer(found[:-1], float(found[-1]))
