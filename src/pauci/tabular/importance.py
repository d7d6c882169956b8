"""How much of the partial AUC rests on each column."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.metrics.score import partial_auc_score
from pauci.region import Region

Array = NDArray[Any]

#: Rows of each class that are scored again for every column; more change nothing that could be printed.
_ROWS_PER_CLASS = 5_000
#: How often each column is shuffled.
_SHUFFLES = 3


@dataclass(frozen=True)
class Importance:
    """The loss of partial AUC when a column is shuffled.

    Attributes
    ----------
    name : str
        The column.
    loss : float
        Partial AUC as it is, minus partial AUC with the column's values shuffled among the rows; mean of a few
        shuffles.
    error : float
        Standard error of that mean: how much it depends on the shuffle.

    Examples
    --------
    >>> max([Importance("age", 0.02, 0.004), Importance("amount", 0.31, 0.01)], key=lambda each: each.loss).name
    'amount'
    """

    name: str
    loss: float
    error: float


def column_importances(
    score: Callable[[Array], Array],
    X: Array,
    y: Array,
    *,
    names: Sequence[str],
    region: Region,
    seed: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> list[Importance]:
    """Measure the loss of partial AUC when each column in turn is shuffled (Breiman, 2001).

    Parameters
    ----------
    score : callable
        Function from rows to scores.
    X, y : ndarray
        Rows, preferably rows that the model was not fitted on, and their labels (positives are greater than 0). If a
        class has more than 5,000 rows, 5,000 of them are drawn at random; partial AUC does not depend on the share of
        positives.
    names : sequence of str
        Names of the columns of `X`.
    region : Region
        Region in which partial AUC is measured.
    seed : int
        Seed of draws and shuffles.
    advance : callable
        Called after each column.

    Returns
    -------
    list of Importance
        The most important first.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> first, second = column_importances(lambda X: X[:, 1], X, X[:, 1] > 1, names=["a", "b"], region=Region())
    >>> first.name, first.loss > 0.4, second.loss
    ('b', True, 0.0)
    """
    rng = np.random.default_rng(seed)
    rows = np.concatenate([_some(np.flatnonzero(part), rng) for part in (y > 0, ~(y > 0))])
    X, y = X[rows], y[rows] > 0
    whole = float(partial_auc_score(y, score(X), region=region))
    found = []
    for place, name in enumerate(names):
        losses = []
        for _ in range(_SHUFFLES):
            shuffled = X.copy()
            shuffled[:, place] = rng.permutation(X[:, place])
            losses.append(whole - float(partial_auc_score(y, score(shuffled), region=region)))
        found.append(Importance(name, float(np.mean(losses)), float(np.std(losses, ddof=1)) / math.sqrt(_SHUFFLES)))
        advance()
    return sorted(found, key=lambda importance: -importance.loss)


def _some(rows: Array, rng: np.random.Generator) -> Array:
    return rows if len(rows) <= _ROWS_PER_CLASS else rng.choice(rows, _ROWS_PER_CLASS, replace=False)
