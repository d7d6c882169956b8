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
