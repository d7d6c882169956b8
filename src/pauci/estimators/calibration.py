"""From scores to probabilities, without a change of the ranking."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

Array = NDArray[Any]

#: Scores count for something even where they rank no better than chance; the order is theirs in any case.
_LEAST_SLOPE = 1e-3


@dataclass(frozen=True)
class Calibration:
    """Probability of the positive class as a strictly increasing function of the score (Platt, 1999).

    Attributes
    ----------
    slope, offset : float
        The probability is ``sigmoid(slope * score + offset)``; the slope is positive.

    Examples
    --------
    >>> Calibration(2.0, 0.0)(np.array([-1.0, 0.0, 1.0])).round(3)
    array([0.119, 0.5  , 0.881])
    """

    slope: float
    offset: float

    def __call__(self, scores: Array) -> Array:
        """Probability of the positive class for each score."""
        probability: Array = expit(self.slope * scores + self.offset)
        return probability

    @classmethod
    def fit(cls, y_true: Array, y_score: Array, *, sample_weight: Array | None = None) -> "Calibration":
        """Find the function of the greatest likelihood, for labels smoothed as Platt advises.

        The scoring model has not seen the rows.

        Examples
        --------
        >>> y = np.repeat([0, 1], [300, 100])
        >>> found = Calibration.fit(y, np.zeros(400))
        >>> found(np.zeros(1)).round(2)
        array([0.25])
        """
        weight = np.ones(len(y_true)) if sample_weight is None else sample_weight
        positive = y_true > 0
        n_positive, n_negative = weight[positive].sum(), weight[~positive].sum()
        target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
        centre = np.average(y_score, weights=weight)
        spread = math.sqrt(np.average((y_score - centre) ** 2, weights=weight)) or 1.0
        scores = (y_score - centre) / spread

        def objective(parameters: Array) -> tuple[float, Array]:
            logits = parameters[0] * scores + parameters[1]
            wrong = weight * (expit(logits) - target)
            loss = weight @ (np.logaddexp(0, logits) - target * logits)
            return loss / weight.sum(), np.array([wrong @ scores, wrong.sum()]) / weight.sum()

        start = np.array([1.0, np.log((n_positive + 1) / (n_negative + 1))])
        slope, offset = minimize(
            objective, start, jac=True, method="L-BFGS-B", bounds=[(_LEAST_SLOPE, None), (None, None)]
        ).x
        return cls(float(slope / spread), float(offset - slope * centre / spread))
