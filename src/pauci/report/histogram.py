"""How the scores of either class are distributed."""

from dataclasses import dataclass

import numpy as np

from pauci.metrics.inputs import Array
from pauci.report.scored_model import ScoredModel

_BINS = 60


@dataclass(frozen=True)
class Histogram:
    """Counts of either class between equidistant edges, of which there is one more."""

    edges: Array
    positives: Array
    negatives: Array


def score_histogram(model: ScoredModel) -> Histogram:
    """Count the scores of either class in the same bins, from the lowest score to the highest.

    Examples
    --------
    >>> found = score_histogram(ScoredModel("a", [0, 0, 1, 1], [0.0, 0.4, 0.6, 1.0]))
    >>> int(found.negatives[:30].sum()), int(found.positives[30:].sum())
    (2, 2)
    """
    low = float(min(model.positives.min(), model.negatives.min()))
    high = float(max(model.positives.max(), model.negatives.max()))
    if low == high:
        margin, largest = max(0.5, abs(low) / 100), np.finfo(np.float64).max
        low, high = max(low - margin, -largest), min(high + margin, largest)
    # Written so that neither the largest numbers overflow nor neighbours end up in the wrong order.
    share = np.linspace(0, 1, _BINS + 1)
    edges = np.unique(np.clip(low * (1 - share) + high * share, low, high))
    positives, negatives = (np.histogram(each, edges)[0] for each in (model.positives, model.negatives))
    return Histogram(edges, positives, negatives)
