"""How precisely a sample determines a partial AUC, or a difference of two: by bootstrap or by DeLong."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from pauci.errors import InputError
from pauci.metrics.area import Ties
from pauci.metrics.bootstrap import bootstrap_shares
from pauci.metrics.delong import influences
from pauci.metrics.draws import check_draws
from pauci.metrics.inputs import Array
from pauci.metrics.sample import Sample
from pauci.region import Cut, Region

#: A standard error of a share below this is what rounding leaves of 0.
_ROUNDING = 1e-9

Method = Literal["bootstrap", "delong"]


@dataclass(frozen=True)
class StandardError:
    """Standard error of an estimate, and how well it is itself known.

    Attributes
    ----------
    value : float
        The standard error; 0 when nothing varies, or nothing shows how much.
    freedom : float
        Degrees of freedom of Student's distribution to use with it.

    Examples
    --------
    >>> round(StandardError(0.1, freedom=9.0).half_width(0.95), 3)
    0.226
    """

    value: float
    freedom: float

    def half_width(self, level: float) -> float:
        """Half the width of a two-sided interval."""
        return self.value * float(stdtrit(self.freedom, (1 + level) / 2))

    def p_value(self, estimate: float) -> float:
        """Two-sided p-value of the estimate if its true value were 0."""
        return 2 * float(stdtr(self.freedom, -abs(estimate) / self.value))


def standard_error(
    sample: Sample,
    contrast: Sequence[float],
    region: Region,
    *,
    cut: Cut = "interpolate",
    ties: Ties = "half",
    method: Method = "bootstrap",
    n_resamples: int = 1000,
    seed: int = 0,
) -> StandardError:
    """Return the standard error of a linear combination of the shares that a sample's scores win.

    A few badly ranked instances can carry most of the variance, which is then poorly known: its own variance,
    from the fourth moment of the instances' effects, gives the degrees of freedom by Satterthwaite's rule. As with
    a trimmed mean (Tukey and McLaughlin, 1963), what counts as the size of a class is the number of its instances,
    or groups, inside the region: m of them correct the variance by m / (m - 1), and never leave more than m - 1
    degrees of freedom, however equal their effects happen to be. Fewer than two show no spread at all, whatever that of
    the other class: there is no standard error then. Groups are of any size, and a value follows a large one, so that
    its effect looks smaller than it is: effects in either class are raised to those of leaving a group out there, as
    the jackknife does.

    Parameters
    ----------
    sample : Sample
        The instances.
    contrast : sequence of float
        Factor of each of the sample's scores: ``[1]`` for one share, ``[1, -1]`` for a difference.
    region, cut, ties
        As in `partial_auc_score`.
    method, n_resamples, seed
        As in `partial_auc_interval`.

    Returns
    -------
    StandardError
        Its value and degrees of freedom.

    Examples
    --------
    >>> sample = Sample.read([0, 0, 1, 1], {"y_score": [0.1, 0.7, 0.4, 0.9]})
    >>> round(standard_error(sample, [1.0], Region(), method="delong").value, 4)
    0.3536
    """
    if method not in ("bootstrap", "delong"):
        raise InputError(f"method={method!r} is not known; use 'bootstrap' or 'delong'.")
    check_draws(n_resamples, seed)
    if sample.shows_no_spread(region):
        return StandardError(0.0, freedom=1.0)
    effects = independent_effects(sample, region, cut=cut, ties=ties, left_out=True)
    squares = [(np.asarray(contrast) @ of_scores) ** 2 for of_scores in effects]
    sizes = sample.sizes(region)
    parts = [square.sum() * size / (size - 1) for square, size in zip(squares, sizes, strict=True)]
    variance = sum(parts)
    doubt = sum(square @ square - square.sum() ** 2 / len(square) for square in squares)
    doubt += sum(2 * part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    freedom = 2 * variance**2 / doubt if doubt > 0 else min(sizes) - 1
    if method == "bootstrap":
        shares = bootstrap_shares(sample, region, cut=cut, ties=ties, n_resamples=int(n_resamples), seed=seed)
        # Resampling a few is as far below the truth as leaving their variance uncorrected.
        if sample.groups is not None:
            effects = independent_effects(sample, region, cut=cut, ties=ties)
        plain = sum(((np.asarray(contrast) @ of_scores) ** 2).sum() for of_scores in effects)
        correction = variance / plain if plain > 0 else 1.0
        variance = correction * np.var(shares @ np.asarray(contrast), ddof=1)
    value = math.sqrt(variance)
    return StandardError(value if value > _ROUNDING else 0.0, float(freedom))


def independent_effects(
    sample: Sample, region: Region, *, cut: Cut = "interpolate", ties: Ties = "half", left_out: bool = False
) -> list[Array]:
    """First-order effects of what was sampled independently on the share that each of the scores wins.

    Parameters
    ----------
    sample : Sample
        The instances.
    region, cut, ties
        As in `partial_auc_score`.
    left_out : bool, default False
        Whether effects of groups are those of leaving them out, in either class, relative to groups of equal size.

    Returns
    -------
    list of ndarray of shape (n_scores, n)
        Those of the positives and those of the negatives (see `influences`); or one array, of the groups.

    Examples
    --------
    >>> sample = Sample.read([0, 0, 1, 1], {"y_score": [0.1, 0.7, 0.4, 0.9]}, groups=[1, 2, 1, 2])
    >>> independent_effects(sample, Region())
    [array([[0., 0.]])]
    """
    effects = [influences(scores, region, cut=cut, ties=ties) for scores in sample.scores]
    classes = [np.stack(each) for each in zip(*effects, strict=True)]
    if (groups := sample.groups) is None:
        return classes
    first = sample.scores[0]
    members = (groups.positives, first.positive_weight), (groups.negatives, first.negative_weight)
    summed = []
    for of, (where, weight) in zip(classes, members, strict=True):
        sums = np.stack([np.bincount(where, weights=row, minlength=groups.number) for row in of])
        summed.append(sums * _leverage(where, weight, groups.number) if left_out else sums)
    return [np.sum(summed, axis=0)]


def _leverage(members: Array, weight: Array | None, number: int) -> Array:
    """How much larger the effect of leaving a group out is than its first-order effect; 1 if all are equal."""
    held = np.bincount(members, weights=weight, minlength=number) / (len(members) if weight is None else weight.sum())
    leverage: Array = (1 - 1 / np.count_nonzero(held)) / np.maximum(1 - held, _ROUNDING)
    return leverage
