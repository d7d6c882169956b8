"""Drawing instances again: how often each occurs in a bootstrap resample."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pauci.errors import InputError
from pauci.metrics.groups import Groups
from pauci.metrics.inputs import Array
from pauci.metrics.sample import Sample

#: Numbers held per array while resampling: resamples are worked off in chunks that fit a processor's cache.
_CHUNK = 2**15


def draw_counts(rng: np.random.Generator, sizes: Array, total: int, rows: int) -> Array:
    """How many of `total` draws with replacement from `total` instances fall into each cell.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    sizes : ndarray of int, shape (cells,)
        Instances in each cell; together at most `total`, the rest being of no interest.
    total : int
        Number of instances, and of draws.
    rows : int
        Number of resamples.

    Returns
    -------
    ndarray of int, shape (rows, cells)
        The counts.

    Examples
    --------
    >>> draw_counts(np.random.default_rng(0), np.array([3, 1]), 4, 2).sum(axis=1)
    array([4, 4])
    """
    inside, cells = int(sizes.sum()), len(sizes)
    missing = rng.binomial(total, inside / total, size=rows)
    counts: Array | int = 0
    # Given their sum, Poisson counts are multinomial. Their rate makes the sum stay just short of what is needed,
    # so that few single draws remain; a Poisson count costs as much as about eight of them.
    if inside > 8 * cells:
        rates = np.outer((missing - 4 * np.sqrt(missing)).clip(0) / inside, sizes)
        counts = rng.poisson(rates)
        while (over := counts.sum(axis=1) > missing).any():
            counts[over] = rng.poisson(rates[over])
        missing = missing - counts.sum(axis=1)
    cell = np.repeat(np.arange(cells), sizes)[rng.integers(0, max(inside, 1), size=missing.sum())]
    cell += np.repeat(np.arange(rows) * cells, missing)
    return counts + np.bincount(cell, minlength=rows * cells).reshape(rows, cells)


def instance_weights(sample: Sample, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield chunks of what each positive and each negative weighs in a resample."""
    scores = sample.scores[0]
    for positives, negatives in instance_counts(sample, n_resamples, rng):
        if scores.positive_weight is None or scores.negative_weight is None:
            yield positives, negatives
        else:
            yield positives * scores.positive_weight, negatives * scores.negative_weight


def instance_counts(sample: Sample, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield chunks of how often each positive and each negative is drawn."""
    groups, sizes = sample.groups, (len(sample.scores[0].positives), len(sample.scores[0].negatives))
    for rows in chunks(n_resamples, max(sizes)):
        if groups is None:
            positives, negatives = (draw_counts(rng, np.ones(n, dtype=np.intp), n, rows) for n in sizes)
            yield positives, negatives
            continue
        units = np.ones(groups.number, dtype=np.intp)
        drawn = draw_counts(rng, units, groups.number, rows)
        # A resample without one of the classes has no ROC curve and is drawn again.
        while (missing := ~_has_both(drawn, groups)).any():
            drawn[missing] = draw_counts(rng, units, groups.number, int(missing.sum()))
        yield drawn[:, groups.positives], drawn[:, groups.negatives]


def check_draws(n_resamples: Any, seed: Any) -> None:
    """Raise unless there are at least two resamples and a seed that a generator takes."""
    for name, value, least, usual in (("n_resamples", n_resamples, 2, 1000), ("seed", seed, 0, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name}={value!r} must be a whole number of at least {least}; {usual} is usual.")


def chunks(total: int, numbers_each: int) -> Iterator[int]:
    """Split `total` resamples so that a chunk holds a bounded number of numbers."""
    rows = max(1, _CHUNK // max(1, numbers_each))
    for start in range(0, total, rows):
        yield min(rows, total - start)


def _has_both(drawn: Array, groups: Groups) -> Array:
    return np.logical_and(drawn[:, groups.positives].any(axis=1), drawn[:, groups.negatives].any(axis=1))
