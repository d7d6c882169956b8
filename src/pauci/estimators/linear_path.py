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
from pauci.region import Region

Array = NDArray[Any]

#: Factor between the strengths of the penalty that are tried, and the weakest and strongest.
_STRENGTH_STEP = 10.0
_STRENGTHS = (1e-4, 1e5)
#: From so many rows on one fold is enough to tell which strength is best.
_MANY_ROWS = 20_000


@dataclass(frozen=True)
class LinearPath:
    """Fits a linear scorer by cross-entropy, then by cross-entropy plus shares of a surrogate.

    Attributes
    ----------
    method : str or nn.Module
        The surrogate.
    region : Region
        What it is trained on.
    strength : float
        Weight of the squared penalty.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), np.arange(100) < 30
    >>> scorers = LinearPath("pairwise-sigmoid", Region(max_fpr=0.5)).fit(X + y[:, None], y, None, shares=[1.0, 4.0])
    >>> len(scorers), scorers[0](X).shape
    (3, (100,))
    """

    method: str | nn.Module
    region: Region
    strength: float = 1.0

    def tuned(self, X: Any, positive: Array, weight: Array | None, folds: Folds) -> Self:
        """Return a path with the strength that predicts best: least cross-entropy on rows that were left out.

        Parameters
        ----------
        X, positive, weight
            Matrix, labels, weights.
        folds : Folds
            What is left out; without any, the strength stays.

        Returns
        -------
        LinearPath
            With the best strength found, going from this one downhill.
        """
        splits = list(folds)[: 1 if len(positive) >= _MANY_ROWS else None]
        if not splits:
            return self
        losses: dict[float, float] = {}
        starts: list[LinearScorer | None] = [None] * len(splits)

        def loss(strength: float) -> float:
            if strength not in losses:
                parts = []
                for place, (fitted, judged) in enumerate(splits):
                    rows = None if weight is None else weight[fitted]
                    scorer = fit_logistic(X[fitted], positive[fitted], rows, strength=strength, start=starts[place])
                    starts[place] = scorer
                    scores = scorer(X[judged])
                    entropy = np.logaddexp(0, scores) - positive[judged] * scores
                    parts.append(np.average(entropy, weights=None if weight is None else weight[judged]))
                losses[strength] = float(np.mean(parts))
            return losses[strength]

        best = self.strength
        for factor in (1 / _STRENGTH_STEP, _STRENGTH_STEP):
            while _STRENGTHS[0] <= best * factor <= _STRENGTHS[1] and loss(best * factor) < loss(best):
                best *= factor
        return dataclasses.replace(self, strength=best)

    def fit(
        self,
        X: Any,
        positive: Array,
        weight: Array | None,
        *,
        shares: Sequence[float],
        start: LinearScorer | None = None,
        seed: int = 0,  # noqa: ARG002 - nothing is random here, unlike for networks
    ) -> list[LinearScorer]:
        """Fit the candidates.

        Parameters
        ----------
        X, positive, weight
            Matrix, labels, weights.
        shares : sequence of float
            Factors of the surrogate, increasing; each begins where the one before ended.
        start : LinearScorer, optional
            Where cross-entropy begins.
        seed : int
            Ignored.

        Returns
        -------
        list of LinearScorer
            First that of cross-entropy alone, then one for each share.
        """
        scorers = [fit_logistic(X, positive, weight, strength=self.strength, start=start)]
        stages = full_batch_stages(self.method, self.region, positive, weight)
        for share in shares:
            scorer = scorers[-1]
            for surrogate in stages:
                scorer = continue_on(
                    X, positive, weight, strength=self.strength, surrogate=surrogate, share=share, start=scorer
                )
            scorers.append(scorer)
            # Softer stages lead from cross-entropy to the surrogate; what is past the first share is there.
            stages = stages[-1:]
        return scorers

    def mean(self, scorers: Sequence[LinearScorer]) -> LinearScorer:
        """Return the scorer whose scores are the mean of those of several: its coefficients are the means of theirs."""
        return LinearScorer(
            np.mean([scorer.weights for scorer in scorers], axis=0),
            float(np.mean([scorer.intercept for scorer in scorers])),
        )
