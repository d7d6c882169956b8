"""How many independent cases those are worth that belong together."""

import numpy as np
from scipy.stats import t

from pauci.metrics.inputs import Array


def independent_worth(hits: Array, groups: Array, *, confidence: float) -> float:
    """Return how many independent cases tell as much about a rate as these do.

    Their number is divided by how much more the rate varies from one draw of groups to the next than from one draw of
    cases, and by what few groups leave in doubt about that (Korn and Graubard, 1998).

    Parameters
    ----------
    hits : ndarray of bool of shape (n,)
        Which cases count for the rate.
    groups : ndarray of shape (n,)
        What they belong to.
    confidence : float
        Of the one-sided bound on the rate that the worth is for.

    Returns
    -------
    float
        At most n. Where all cases are hits, or none is, nothing shows how groups differ: the number of groups.

    Examples
    --------
    >>> hits = np.arange(1000) % 20 == 0
    >>> alone, together = np.arange(1000), np.where(hits, np.arange(1000) // 200, np.arange(1000))
    >>> [round(independent_worth(hits, groups, confidence=0.95)) for groups in (alone, together)]
    [1000, 106]
    """
    n, rate = len(hits), float(hits.mean())
    names, place = np.unique(groups, return_inverse=True)
    number = len(names)
    if number == 1 or not 0 < rate < 1:
        return float(number)
    excess = np.bincount(place, hits - rate)
    worse = (excess**2).sum() / (n * rate * (1 - rate)) * (number / (number - 1)) / (n / (n - 1))
    # Below 0.75 the quantiles near 0, where their ratio says little.
    level = max(confidence, 0.75)
    doubt = (t.ppf(level, number - 1) / t.ppf(level, n - 1)) ** 2
    return n / max(float(worse * doubt), 1.0)


def worth_by_likeness(hits: Array, groups: Array) -> float:
    """Return how many independent cases tell as much about a rate, judging by how alike the cases of a group are.

    Where hits are few, large groups without any hide how much the rate varies. How alike cases are, small groups tell
    as well: the number of cases is divided by ``1 + (m - 1) r``, with the intraclass correlation r of the analysis of
    variance, and m the mean size of a group as its cases see it.

    Parameters
    ----------
    hits, groups : ndarray of shape (n,)
        As in `independent_worth`.

    Returns
    -------
    float
        At most n: where no case has company, or those of a group are no more alike than others.

    Examples
    --------
    >>> pairs_and_a_crowd = np.minimum(np.arange(300) // 2, 100)
    >>> hits = (pairs_and_a_crowd < 100) & (pairs_and_a_crowd % 10 == 0)
    >>> round(independent_worth(hits, pairs_and_a_crowd, confidence=0.975))
    68
    >>> round(worth_by_likeness(hits, pairs_and_a_crowd))
    9
    """
    n, rate = len(hits), float(hits.mean())
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    spare = len(sizes) - 1
    if len(sizes) in (1, n) or not 0 < rate < 1:
        return float(n)
    seen = float((sizes**2).sum()) / n
    rates = np.bincount(place, hits) / sizes
    within = (sizes * rates * (1 - rates)).sum() / (n - len(sizes))
    between = (sizes * (rates - rate) ** 2).sum() / spare
    likeness = (between - within) / (between + ((n - seen) / spare - 1) * within)
    return n / (1 + (seen - 1) * max(0.0, float(likeness)))
