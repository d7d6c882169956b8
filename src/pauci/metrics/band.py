"""How uncertain the ROC curve itself is: its bootstrap distribution at given false positive rates."""

import numpy as np

from pauci.metrics.curve import interpolated_tpr
from pauci.metrics.draws import check_draws, instance_weights
from pauci.metrics.inputs import Array, BinaryScores
from pauci.metrics.ranking import Ranking
from pauci.metrics.sample import Sample
from pauci.region import Region
from pauci.rounding import raised


def roc_band(
    sample: Sample, fpr: Array, *, level: float = 0.95, n_resamples: int = 1000, seed: int = 0
) -> tuple[Array, Array]:
    """Pointwise bootstrap band of the true positive rate.

    Where all positives are found, or none, resamples show no doubt. So the band also reaches as far as m independent
    positives could all have missed, from ``q tpr`` to ``1 - q (1 - tpr)`` with ``q = ((1 - level) / 2) ** (1 / m)``, as
    in `partial_auc_interval`. At an FPR of 1 all positives are found for sure.

    Parameters
    ----------
    sample : Sample
        One score with its classes, weights and groups.
    fpr : ndarray of shape (k,)
        False positive rates in ascending order.
    level : float
        Share of the resamples inside the band at each point, or more.
    n_resamples, seed : int
        Number of resamples; seed of the generator.

    Returns
    -------
    low, high : ndarray of shape (k,)
        The band.

    Examples
    --------
    >>> y = np.repeat([1, 0], [50, 200])
    >>> sample = Sample.read(y, {"y_score": np.concatenate([np.linspace(0.4, 1, 50), np.linspace(0, 0.6, 200)])})
    >>> low, high = roc_band(sample, np.array([0.0, 0.1, 0.5]))
    >>> bool((low <= [0.66, 0.76, 1.0]).all()), bool((high >= [0.66, 0.76, 1.0]).all())
    (True, True)
    """
    rates = bootstrap_tpr(sample, fpr, n_resamples=n_resamples, seed=seed)
    low, high = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    tpr = interpolated_tpr(sample.scores[0], fpr)
    unlike = np.where(fpr < 1, 1 - ((1 - level) / 2) ** (1 / sample.inside(Region())[0]), 0.0)
    return np.minimum(low, (1 - unlike) * tpr), np.maximum(high, tpr + unlike * (1 - tpr))


def bootstrap_tpr(sample: Sample, fpr: Array, *, n_resamples: int = 1000, seed: int = 0) -> Array:
    """Draw the true positive rates at given false positive rates in bootstrap resamples.

    Without weights and groups no instance is ever drawn: the negative that sets the threshold is an order
    statistic of a uniform sample, and the number of positives above it is binomial. A tie between the classes is
    then broken at random; with weights or groups it is a diagonal.

    Returns
    -------
    ndarray of shape (n_resamples, k)
        One row per resample; at a jump of the curve its upper end.

    Examples
    --------
    >>> sample = Sample.read([1, 1, 0, 0], {"y_score": [0.9, 0.4, 0.1, 0.7]})
    >>> sorted(set(bootstrap_tpr(sample, np.array([0.0]))[:, 0].tolist()))
    [0.0, 0.5, 1.0]
    """
    check_draws(n_resamples, seed)
    rng = np.random.default_rng(seed)
    (scores,) = sample.scores
    if sample.groups is None and scores.positive_weight is None:
        return _order_statistics(scores, fpr, n_resamples, rng)
    ranking = Ranking.of(scores.positives, scores.negatives)
    weights = instance_weights(sample, n_resamples, rng)
    return np.concatenate([_weighted_tpr(ranking, *each, fpr) for each in weights])


def _order_statistics(scores: BinaryScores, fpr: Array, n_resamples: int, rng: np.random.Generator) -> Array:
    n_positive, n_negative = len(scores.positives), len(scores.negatives)
    # The curve halfway through each negative's step is the share of positives ranked above that negative.
    share_above = interpolated_tpr(scores, (np.arange(n_negative) + 0.5) / n_negative)
    ranks = np.floor(raised(fpr * n_negative)) + 1
    # Running sums of exponentials, divided by their total, are the order statistics of a uniform sample.
    sums = np.cumsum(rng.standard_gamma(np.diff(ranks, prepend=0.0), size=(n_resamples, len(ranks))), axis=1)
    total = sums[:, -1:] + rng.standard_gamma(n_negative + 1 - ranks[-1], size=(n_resamples, 1))
    shares = np.append(share_above, 1.0)[np.floor(n_negative * sums / total).astype(np.intp)]
    # How many of the positives not yet found lie above the next threshold is binomial.
    found = np.zeros((n_resamples, len(ranks) + 1), dtype=np.int64)
    before = np.zeros(n_resamples)
    for column, share in enumerate(shares.T):
        gained = np.clip((share - before) / np.where(before < 1, 1 - before, 1.0), 0.0, 1.0)
        found[:, column + 1] = found[:, column] + rng.binomial(n_positive - found[:, column], gained)
        before = share
    return found[:, 1:] / n_positive


def _weighted_tpr(ranking: Ranking, positive_weight: Array, negative_weight: Array, fpr: Array) -> Array:
    """Read the curve off under each row of weights; it rises only from above to at a positive score."""
    true_positives, false_positives = ranking.totals(positive_weight, negative_weight)
    steps = ranking.at_or_above[:-1], ranking.at_or_above[1:]
    tpr = _interleaved(true_positives, *steps)
    rates = _interleaved(false_positives, ranking.negatives_above, ranking.negatives_at_or_above)
    return np.stack([np.interp(fpr, *curve) for curve in zip(rates, tpr, strict=True)])


def _interleaved(totals: Array, before: Array, after: Array) -> Array:
    """Rates before and after each step, in turn."""
    return totals[:, np.stack([before, after], axis=1).ravel()] / totals[:, -1:]
