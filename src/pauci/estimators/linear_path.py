"""From logistic regression along a path of growing shares of a surrogate, for linear scorers."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import nn

from pauci.estimators.folds import Folds
from pauci.estimators.linear import LinearScorer, continue_on, fit_logistic
from pauci.estimators.objective import full_batch_stages
from pauci.estimators.penalty import PenaltyTrials
from pauci.estimators.weights import prior_log_odds
from pauci.region import Region

Array = NDArray[Any]


@dataclass(frozen=True)
class LinearPath:
    """Fits a linear scorer by cross-entropy, then by cross-entropy plus shares of a surrogate.

    Attributes
    ----------
    method : str or nn.Module
        The surrogate.
    target, region : Region
        What is judged, and what the surrogate is trained on.
    strength : float
        Weight of the squared penalty beside a surrogate.
    plain : float
        Weight of the squared penalty of cross-entropy alone.
    log_odds : float, optional
        Those of the positive class among all rows, once tuned: each fit's intercept is moved from its own to these.
        Where columns tell little, folds would differ more in level than rows do in score.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), np.arange(100) < 30
    >>> path = LinearPath("pairwise-sigmoid", Region(max_fpr=0.2), Region(max_fpr=0.5))
    >>> scorers = path.fit(X + y[:, None], y, None, shares=[1.0, 4.0])
    >>> len(scorers), scorers[0](X).shape
    (3, (100,))
    """

    method: str | nn.Module
    target: Region
    region: Region
    strength: float = 1.0
    plain: float = 1.0
    log_odds: float | None = None

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Return a path with the strengths that suit the data, judged on rows that were left out.

        Beside a surrogate it is the one of least cross-entropy. Alone, cross-entropy may have a stronger penalty: of
        those within a standard error of the largest partial AUC the weakest. Where columns are many, a ranking at one
        end of the scores can gain from a penalty that costs probabilities more than it saves.

        Without folds the strengths stay.
        """
        if not folds.number:
            return self
        trials = PenaltyTrials(X, positive, weight, folds)
        strength = trials.least_loss(self.strength)
        plain = trials.best_ranking(strength, region=self.target, support=self.region)
        return dataclasses.replace(self, strength=strength, plain=plain, log_odds=prior_log_odds(positive, weight))

    def fit(
        self,
        X: Any,
        positive: Array,
        weight: Array | None,
        *,
        shares: Sequence[float],
        start: LinearScorer | None = None,
        seed: int = 0,  # noqa: ARG002 - nothing is random here, unlike for networks
        groups: Array | None = None,  # noqa: ARG002 - nothing is set aside
    ) -> list[LinearScorer]:
        """Fit the candidates: that of cross-entropy alone, then one for each share.

        Shares increase, and each begins where the one before ended.
        """
        scorers = [fit_logistic(X, positive, weight, strength=self.plain, start=start)]
        stages = full_batch_stages(self.method, self.region, positive, weight)
        scorer = scorers[0]
        if shares and self.strength != self.plain:
            scorer = fit_logistic(X, positive, weight, strength=self.strength, start=scorer)
        for share in shares:
            for surrogate in stages:
                scorer = continue_on(
                    X, positive, weight, strength=self.strength, surrogate=surrogate, share=share, start=scorer
                )
            scorers.append(scorer)
            # Softer stages lead from cross-entropy to the surrogate; what is past the first share is there.
            stages = stages[-1:]
        raised = 0.0 if self.log_odds is None else self.log_odds - prior_log_odds(positive, weight)
        return [dataclasses.replace(scorer, intercept=scorer.intercept + raised) for scorer in scorers]

    def mean(self, scorers: Sequence[LinearScorer]) -> LinearScorer:
        """Return the scorer whose scores are the mean of those of several: its coefficients are the means of theirs."""
        return LinearScorer(
            np.mean([scorer.weights for scorer in scorers], axis=0),
            float(np.mean([scorer.intercept for scorer in scorers])),
        )
