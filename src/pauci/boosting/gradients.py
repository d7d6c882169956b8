"""Gradient and Hessian of a region objective in the raw scores: what a boosting library asks for each round."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.instancewise import instancewise_gradient
from pauci.boosting.logistic import add_logloss
from pauci.boosting.pairwise import pairwise_gradient
from pauci.boosting.rows import ClassRows
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.errors import InputError, LabelError, ScoreError
from pauci.objectives.selectors import Softplus
from pauci.region import Region

Surrogate = Literal["sigmoid", "pauci"]
Selection = Literal["exact", "softplus"]

#: Keeps leaves divisible where a row has neither a part in the region nor an anchor.
_FLOOR = np.float32(1e-9)
#: How many labels an error names.
_NAMED = 5


class Gradient(NamedTuple):
    """Derivatives in the raw score of every row; the second ones are positive bounds.

    Attributes
    ----------
    first, second : ndarray
        Gradient and Hessian.
    """

    first: Array
    second: Array


@dataclass(frozen=True, kw_only=True)
class RegionObjective:
    """A surrogate of 1 - partial AUC in a region, blended with logloss.

    The objective is ``n (R + anchor * C / n)``, with n the (weighted) number of positives, R the mean of the surrogate
    over the region, and C the sum of all rows' logloss. Logloss at full strength has anchor 1, and the surrogate's
    share of a positive does not depend on how rare positives are.

    Parameters
    ----------
    region : Region
        The region to train for, exactly as given: nothing is widened here.
    surrogate : {"sigmoid", "pauci"}
        ``"sigmoid"`` is the share of wrongly ordered pairs with the step smoothed to a sigmoid, bounded by 1;
        ``"pauci"`` the paper's square loss of ``sigmoid(score)`` with its inner variables solved for in every round.
    anchor : float
        Weight of logloss, at least 0.
    temperature : float
        Width of the sigmoid of ``"sigmoid"``, in units of the raw score.
    selection : {"exact", "softplus"}
        How rows of the region are selected: by the cut itself, or smoothly with sharpness `kappa`.
    kappa : float
        Sharpness of ``"softplus"``: per unit of raw score for ``"sigmoid"``, of instance loss for ``"pauci"``.
    omega : float
        Weight of gamma's regulariser in ``"pauci"``.

    Examples
    --------
    >>> objective = RegionObjective(region=Region(max_fpr=0.5), anchor=0.0)
    >>> objective.gradient(np.array([1.0, 0.0, 0.0]), np.zeros(3)).first.round(3)
    array([-0.5 ,  0.25,  0.25], dtype=float32)
    """

    region: Region
    surrogate: Surrogate = "sigmoid"
    anchor: float = 0.1
    temperature: float = 0.5
    selection: Selection = "exact"
    kappa: float = 4.0
    omega: float = 1.0

    def __post_init__(self) -> None:
        for name, choices in (("surrogate", get_args(Surrogate)), ("selection", get_args(Selection))):
            if getattr(self, name) not in choices:
                known = " or ".join(map(repr, choices))
                raise InputError(f"{name}={getattr(self, name)!r} is not known; use {known}.")
        for name in ("anchor", "omega"):
            if not 0 <= getattr(self, name) < np.inf:
                raise InputError(f"{name}={getattr(self, name)!r} must be a finite number of at least 0.")
        for name in ("temperature", "kappa"):
            if not 0 < getattr(self, name) < np.inf:
                raise InputError(f"{name}={getattr(self, name)!r} must be a positive, finite number.")

    def gradient(
        self, y_true: Array, raw: Array, sample_weight: Array | None = None, *, workers: Workers = ALONE
    ) -> Gradient:
        """Return the derivatives in every raw score.

        Parameters
        ----------
        y_true : ndarray of shape (n,)
            Labels: bool, {0, 1} or {-1, 1}. A worker may have those of one class only.
        raw : ndarray of shape (n,)
            Raw scores (log-odds).
        sample_weight : ndarray of shape (n,), optional
            Non-negative weights.
        workers : Workers
            The workers that have the other rows.

        Returns
        -------
        Gradient
            Gradient and Hessian, of this worker's rows. The Hessian bounds the curvature of the surrogate from above,
            so that no leaf overshoots.

        Raises
        ------
        LabelError
            Other labels, or one class only.
        InputError
            Weights that are negative or not finite.
        ScoreError
            Raw scores that are not finite, or not one for each label.
        """
        raw, labels = np.asarray(raw, dtype=np.float64), np.asarray(y_true)
        positive = labels == 1
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        total = self._check(labels, positive, raw, weight, workers)
        members = np.flatnonzero(positive), np.flatnonzero(~positive)
        classes = [ClassRows(raw[rows], None if weight is None else weight[rows]) for rows in members]
        softness = Softplus(self.kappa) if self.selection == "softplus" else None
        if self.surrogate == "sigmoid":
            parts = pairwise_gradient(
                *classes, region=self.region, temperature=self.temperature, softness=softness, workers=workers
            )
        else:
            parts = instancewise_gradient(
                *classes, region=self.region, softness=softness, omega=self.omega, workers=workers
            )
        first, second = np.zeros(raw.size, dtype=np.float32), np.full(raw.size, _FLOOR)
        for rows, part in zip(members, parts, strict=True):
            chosen = rows[part.rows]
            for block in blocks(len(chosen)):
                here = chosen[block]
                first[here] = total * part.first[block]
                second[here] = total * part.second[block] + _FLOOR
        add_logloss(first, second, raw=raw, positives=members[0], weight=weight, scale=self.anchor)
        return Gradient(first, second)

    def _check(self, labels: Array, positive: Array, raw: Array, weight: Array | None, workers: Workers) -> float:
        """Return the weight of the positives, of all workers; what is wrong with one's rows is an error of all."""
        if raw.shape != positive.shape:
            raise ScoreError(
                f"there are {positive.size} labels and raw scores of shape {raw.shape}; expected one each."
            )
        ones, zeros = np.count_nonzero(positive), np.count_nonzero(labels == 0)
        minus_ones = 0 if ones + zeros == labels.size else np.count_nonzero(labels == -1)
        of_positives, of_negatives, unfit = float(ones), float(labels.size - ones), False
        if weight is not None:
            of_positives = float(weight[positive].sum())
            of_negatives = float(weight.sum()) - of_positives
            unfit = not np.isfinite(of_positives + of_negatives) or bool((weight < 0).any())
        others, infinite = labels.size - ones - zeros - minus_ones, not np.isfinite(raw).all()
        mine = [of_positives, of_negatives, zeros, minus_ones, others, unfit, infinite]
        of_positives, of_negatives, zeros, minus_ones, others, unfit, infinite = workers.total(np.array(mine, float))
        if others or (zeros and minus_ones):
            everyones = workers.gather(np.unique(labels)[:_NAMED])
            raise LabelError(
                f"the labels are {_in_words(everyones)}; expected bool, {{0, 1}} or {{-1, 1}}. Train on y == the class "
                "to be found, without the rows that have no label."
            )
        if unfit:
            raise InputError("weights are negative, NaN or infinite in some rows; they must be finite and at least 0.")
        if infinite:
            raise ScoreError("raw scores are NaN or infinite: training has diverged. Lower the learning rate.")
        if not of_positives > 0 or not of_negatives > 0:
            missing = "positives" if not of_positives > 0 else "negatives"
            raise LabelError(f"there are no {missing} of positive weight; a partial AUC compares the two classes.")
        return float(of_positives)


def _in_words(labels: Array) -> str:
    values = [f"{value:g}" for value in np.unique(labels)[:_NAMED]]
    return ", ".join(values) + (", ..." if len(values) == _NAMED else "")
