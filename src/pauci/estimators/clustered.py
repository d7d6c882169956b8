"""A budget for cases that belong together: fewer may be used up where they raise alarms together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import beta

from pauci.metrics.worth import independent_worth

Array = NDArray[Any]


def clustered_budget(scores: Array, groups: Array, budget: float, confidence: float) -> float | None:
    """Give the rate that may be seen, so that the true one is about within the budget with some confidence.

    It is the exact bound of as many independent cases as these are worth (Korn and Graubard, 1998): their number,
    divided by how much more the rate varies from one draw of groups to the next than it would from one draw of cases.
    That is judged at the budget and at twice it: large groups that just miss the one threshold are seen at the other.

    None if the cases, of which the highest scores raise alarms, are worth too few for any rate.

    Examples
    --------
    >>> scores, alone = np.arange(1000), np.arange(1000)
    >>> [round(clustered_budget(scores, groups, 0.05, 0.95), 3) for groups in (alone, alone // 10)]
    [0.038, 0.012]
    """
    # Beyond a third, halfway to all cases, among which there are no differences.
    thresholds = np.quantile(scores, [1 - budget, 1 - min(2 * budget, (1 + budget) / 2)])
    worth = min(independent_worth(scores >= each, groups, confidence=confidence) for each in thresholds)

    def beyond(seen: float) -> float:
        return float(beta.ppf(confidence, seen * worth + 1, worth * (1 - seen))) - budget

    if beyond(0.0) > 0:
        return None
    # With less confidence than a half more might be seen than the budget itself.
    return budget if beyond(budget) <= 0 else float(brentq(beyond, 0.0, budget))
