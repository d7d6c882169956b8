"""The threshold a classifier decides by, and whether what it promises is guaranteed."""

import dataclasses
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.errors import TooFewSamplesError
from pauci.estimators.clustered import clustered_budget
from pauci.estimators.weights import weights_of
from pauci.metrics import Threshold, threshold_at_fpr
from pauci.metrics.budget import cases_within
from pauci.metrics.threshold import rate_at
from pauci.region import Region

Array = NDArray[Any]

#: From where a warning is raised, one call below `decide`, to where `fit` was called.
_TO_USER = 6


class GuaranteeWarning(UserWarning):
    """The requested confidence is not guaranteed: the threshold keeps it approximately, or only on its own data."""


@dataclass(frozen=True)
class DecisionThreshold(Threshold):
    """A threshold that keeps to a region, with or without a guarantee; the decision is ``score >= threshold``.

    Attributes
    ----------
    threshold, fpr, tpr : float
        As in `Threshold`, for scores by models that had not seen the rows, unless `held_out` says otherwise.
    fpr_upper : float or None
        As in `Threshold`.
    guaranteed : bool
        Whether the promise holds for future cases with the requested confidence. Otherwise it holds for the rows that
        the threshold was chosen on.
    promise : str
        What is promised, such as ``"fpr<=0.05"``.
    approximate : bool
        Whether it is not guaranteed, but holds for future cases with about the requested confidence, as far as the
        groups that rows belong to tell.
    held_out : bool
        Whether there were rows that the models had not seen. Otherwise the rates are those of the rows that the model
        was fitted on, and look better than they will be.

    Examples
    --------
    >>> print(DecisionThreshold(1.3, fpr=0.041, tpr=0.62, fpr_upper=0.05, guaranteed=True, promise="fpr<=0.05"))
    fpr<=0.05 (guaranteed): held-out fpr 0.0410, tpr 0.6200
    """

    guaranteed: bool
    promise: str
    approximate: bool = False
    held_out: bool = True

    def __str__(self) -> str:
        if self.guaranteed:
            kept = "guaranteed"
        elif self.approximate:
            kept = "approximately, judging by the groups"
        else:
            kept = "on the data it was chosen on, not guaranteed"
        rates = f"fpr {self.fpr:.4f}, tpr {self.tpr:.4f}"
        return f"{self.promise} ({kept}): {f'held-out {rates}' if self.held_out else f'{rates} on the training rows'}"


def decide(
    y_true: Array,
    y_score: Array,
    *,
    region: Region,
    confidence: float | None,
    sample_weight: Array | None = None,
    own: Array | None = None,
    of_mean: bool = False,
    groups: Array | None = None,
) -> DecisionThreshold:
    """Choose the threshold for a region: within its FPR budget, or else where its least TPR is reached.

    It lies halfway between two neighbouring scores: rounding decides nothing, and the promise is kept with a margin.
    And it is the safer one of two where the final model's own scores are known: where many rows score nearly the same,
    models of folds may place them on both sides of a threshold, and the final model all of them on the wrong one.

    Parameters
    ----------
    y_true, y_score : ndarray of shape (n,)
        Labels and scores of rows that the scoring model has not seen.
    region : Region
        With ``max_fpr`` below 1, the smallest threshold within that budget. Otherwise, with a ``min_tpr``, the largest
        one that finds that share of the positives. In the whole plane there is nothing to keep to, and the threshold
        is the one with the fewest errors.
    confidence : float or None
        As in `threshold_at_fpr`. With too few cases, or cases that weigh differently, a `GuaranteeWarning` says that
        the threshold is the empirical one.
    sample_weight : ndarray of shape (n,), optional
        Weights.
    own : ndarray of shape (n,), optional
        Scores of the same rows by the model that the threshold is for, which has seen them.
    of_mean : bool
        Whether the threshold is for the mean of models of which each has scored some of the rows. That mean lies closer
        to the middle of a class than its members: beyond the middle a threshold from them keeps its promise all the
        more, but before it, as with ``max_fpr=0.7``, it does not, and nothing is guaranteed.
    groups : ndarray of shape (n,), optional
        What rows belong to: the bound of independent ones would promise too much, and the promise is kept by an
        approximation (see `clustered_budget`), which is no guarantee.

    Examples
    --------
    >>> y, s = np.repeat([0, 1], [100, 20]), np.arange(120) / 120
    >>> found = decide(y, s, region=Region(max_fpr=0.05), confidence=0.95)
    >>> found.guaranteed, found.fpr
    (True, 0.01)
    >>> print(decide(y, s, region=Region(min_tpr=0.8), confidence=None))
    tpr>=0.8 (on the data it was chosen on, not guaranteed): held-out fpr 0.0000, tpr 0.8000
    """
    cases = _Cases(y_true > 0, y_score, own, sample_weight, groups)
    if region.max_fpr < 1:
        found, kept = _promised(cases, region.max_fpr, confidence, "negatives")
        kept = kept and not (of_mean and _is_before_middle(found.threshold, y_score[~cases.positive]))
        # A promise counts negatives, which weigh alike then; positives need not.
        found = dataclasses.replace(found, tpr=cases.rates(found.threshold)[1])
        if found.tpr < region.min_tpr:
            warnings.warn(
                f"within fpr<={region.max_fpr:g} the model finds {found.tpr:.3g} of the held-out positives, fewer than "
                f"min_tpr={region.min_tpr:g} asks for: the budget decides. Allow more false positives, or fewer finds.",
                GuaranteeWarning,
                stacklevel=_TO_USER - 1,
            )
        how = _how(kept, groups, confidence, "negatives")
        return DecisionThreshold(**dataclasses.asdict(found), **how, promise=f"fpr<={region.max_fpr:g}")
    if region.min_tpr > 0:
        missed, kept = _promised(cases.reversed(), region.alpha, confidence, "positives")
        threshold = math.nextafter(-missed.threshold, math.inf)
        kept = kept and not (of_mean and _is_before_middle(-threshold, -y_score[cases.positive]))
        promise = f"tpr>={region.min_tpr:g}"
    else:
        threshold, kept, promise = cases.fewest_errors(), False, "fewest errors"
    fpr, tpr = cases.rates(threshold)
    how = _how(kept, groups, confidence, "positives")
    return DecisionThreshold(threshold, fpr, tpr, fpr_upper=None, **how, promise=promise)


@dataclass(frozen=True)
class _Cases:
    """What a threshold is chosen on (see `decide`)."""

    positive: Array
    score: Array
    own: Array | None
    weight: Array | None
    groups: Array | None

    def reversed(self) -> "_Cases":
        """Return those of the reversed problem, in which missing a positive is a false alarm."""
        own = None if self.own is None else -self.own
        return dataclasses.replace(self, positive=~self.positive, score=-self.score, own=own)

    def rates(self, threshold: float) -> tuple[float, float]:
        """Return the false and the true positive rate at a threshold."""
        fpr, tpr = (
            rate_at(self.score[rows], threshold, weights_of(self.weight, rows))
            for rows in (~self.positive, self.positive)
        )
        return fpr, tpr

    def within(self, budget: float, confidence: float | None = None) -> Threshold:
        """Find the lowest threshold that keeps a budget, for the final model's own scores, too, if they are known."""
        found = self._lowest(self.score, budget, confidence)
        if self.own is None:
            return found
        safer = self._lowest(self.own, budget, confidence).threshold
        if safer <= found.threshold:
            return found
        fpr, tpr = self.rates(safer)
        return dataclasses.replace(found, threshold=safer, fpr=fpr, tpr=tpr)

    def _lowest(self, scores: Array, budget: float, confidence: float | None) -> Threshold:
        """Raise the threshold towards the next score, without passing any: what it promises holds all the more."""
        found = threshold_at_fpr(
            self.positive, scores, max_fpr=budget, confidence=confidence, sample_weight=self.weight
        )
        above = scores[scores >= found.threshold]
        if not len(above) or not (scores < found.threshold).any():
            return found
        return dataclasses.replace(found, threshold=float((found.threshold + above.min()) / 2))

    def fewest_errors(self) -> float:
        """Find the threshold that is wrong about the least weight."""
        order = np.argsort(-self.score, kind="stable")
        sign = np.where(self.positive[order], 1.0, -1.0) * (1.0 if self.weight is None else self.weight[order])
        scores = self.score[order]
        last_of_ties = np.append(scores[1:] != scores[:-1], True)
        won = np.where(last_of_ties, np.cumsum(sign), -math.inf)
        if won.max() < 0:  # to act on nobody is better
            return math.nextafter(float(scores[0]), math.inf)
        return float(scores[int(won.argmax())])


def _promised(cases: _Cases, budget: float, confidence: float | None, counted: str) -> tuple[Threshold, bool]:
    """Find the threshold for a budget of negatives, and tell whether the confidence is kept; warn if it is not."""
    if confidence is None:
        return cases.within(budget), False
    negative = ~cases.positive
    weight = weights_of(cases.weight, negative)
    alike = dataclasses.replace(cases, weight=None)
    if weight is not None and (weight != weight[0]).any():
        reason = f"confidence={confidence:g} cannot be promised for {counted} of different sample_weight."
    elif cases.groups is not None:
        if (seen := clustered_budget(cases.score[negative], cases.groups[negative], budget, confidence)) is not None:
            return alike.within(seen), True
        reason = f"confidence={confidence:g} cannot be promised: the {counted} belong to too few groups."
    else:
        promise = f"max_fpr={budget:g}" if counted == "negatives" else f"min_tpr={1 - budget:g}"
        try:
            # Asked first, in the words of the promise: `within` would speak of the reversed problem.
            cases_within(int(negative.sum()), budget, confidence, promise=promise, cases=counted)
            return alike.within(budget, confidence), True
        except TooFewSamplesError as error:
            reason = str(error)
    warnings.warn(
        f"{reason} The threshold keeps its promise on the held-out rows only; confidence=None asks for no more.",
        GuaranteeWarning,
        stacklevel=_TO_USER,
    )
    return cases.within(budget), False


def _is_before_middle(threshold: float, counted: Array) -> bool:
    """Tell whether a mean of models may raise more alarms at a threshold than its members do, and warn of it."""
    if threshold >= max(counted.mean(), np.median(counted)):
        return False
    warnings.warn(
        "confidence cannot be promised for the mean of the folds' models where most of a class passes the threshold. "
        "The promise holds for the single models on held-out rows only; average=False keeps one model.",
        GuaranteeWarning,
        stacklevel=_TO_USER,
    )
    return True


def _how(kept: bool, groups: Array | None, confidence: float | None, counted: str) -> dict[str, bool]:
    """Tell how a confidence is kept; warn if by an approximation."""
    approximate = kept and groups is not None
    if approximate:
        warnings.warn(
            f"confidence={confidence:g} is kept approximately for {counted} that belong together in groups: it "
            "rests on how much these groups differ, and is not guaranteed.",
            GuaranteeWarning,
            stacklevel=_TO_USER,
        )
    return {"guaranteed": kept and not approximate, "approximate": approximate}
