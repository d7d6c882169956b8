"""A budget for cases that belong together: fewer may be used up where they raise alarms together."""

from typing import Any

from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import beta

from pauci.metrics.worth import independent_worth

Array = NDArray[Any]


def clustered_budget(alarms: Array, groups: Array, budget: float, confidence: float) -> float | None:
    """Give the rate that may be seen, so that the true one is about within the budget with some confidence.

    It is the exact bound of as many independent cases as these are worth (Korn and Graubard, 1998): their number,
    divided by how much more the rate varies from one draw of groups to the next than it would from one draw of cases.

    Parameters
    ----------
    alarms : ndarray of bool of shape (n,)
        Which cases lie beyond a threshold that keeps the budget in this sample.
    groups : ndarray of shape (n,)
        What they belong to.
    budget : float
        Largest true rate.
    confidence : float
        With what probability.

    Returns
    -------
    float or None
        The rate; None if they are worth too few cases for any.

    Examples
    --------
    >>> import numpy as np
    >>> alarms = np.arange(1000) % 20 == 0
    >>> alone, together = np.arange(1000), np.where(alarms, np.arange(1000) // 200, np.arange(1000))
    >>> [round(clustered_budget(alarms, groups, 0.05, 0.95), 3) for groups in (alone, together)]
    [0.038, 0.013]
    """
    worth = independent_worth(alarms, groups, confidence=confidence)

    def beyond(seen: float) -> float:
        return float(beta.ppf(confidence, seen * worth + 1, worth * (1 - seen))) - budget

    return None if beyond(0.0) > 0 else float(brentq(beyond, 0.0, budget))
