"""What a report draws of a ROC curve: fewer vertices than there are, and none that was not there."""

from dataclasses import dataclass

import numpy as np

from pauci.metrics.band import bootstrap_tpr, roc_band
from pauci.metrics.curve import corners, interpolated_tpr, roc_points
from pauci.metrics.inputs import Array
from pauci.metrics.sample import Sample
from pauci.region import Region
from pauci.report.scored_model import ScoredModel

#: Cells per axis within which a picture cannot show any difference.
_CELLS = 600


@dataclass(frozen=True)
class Band:
    """A curve over false positive rates, with the ends of a pointwise band."""

    fpr: Array
    value: Array
    low: Array
    high: Array


def thinned_curve(model: ScoredModel, region: Region) -> tuple[Array, Array]:
    """Vertices of the ROC polyline, as counts of negatives and of positives, without those that no view could show.

    What lies between two that are kept stays within a cell of each view: of the region, of the whole plane, and of a
    logarithmic axis.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(200_000) < 0.1
    >>> false_alarms, found = thinned_curve(ScoredModel("a", y, rng.normal(size=len(y)) + y), Region(max_fpr=0.05))
    >>> len(found) < 4000
    True
    """
    points = roc_points(model.sample.scores[0])
    fpr, tpr, _ = points[:, corners(points)]
    zoomed = np.clip((fpr - region.min_fpr) / region.width, -0.5, 1.5)
    decades = np.log10(np.maximum(fpr, 0.5 / model.n_negative)) / np.log10(2 * model.n_negative)
    kept = np.any([_ends(np.floor(_CELLS * view)) for view in (fpr, zoomed, decades)], axis=0)
    return (np.rint(fpr[kept] * model.n_negative).astype(int), np.rint(tpr[kept] * model.n_positive).astype(int))


def drawing_grid(budgets: Array, region: Region) -> Array:
    """Rates at which bands are drawn: the budgets, and a few to either side of the region.

    Examples
    --------
    >>> drawing_grid(np.array([0.0, 0.1]), Region(max_fpr=0.1))[[0, 1, -1]]
    array([0. , 0.1, 1. ])
    """
    outside = [np.linspace(0, region.min_fpr, 41), np.linspace(region.max_fpr, 1, 61)]
    return np.unique(np.concatenate([budgets, *(side for side in outside if side[0] < side[-1])]))


def curve_band(model: ScoredModel, fpr: Array, *, level: float, n_resamples: int, seed: int) -> Band:
    """Return one model's ROC curve with its bootstrap band (see `pauci.metrics.band.roc_band`).

    Ties between the classes are diagonals, in the resamples too: a threshold cannot break them.
    """
    tied = len(np.intersect1d(model.positives, model.negatives)) > 0
    sample = _drawn_by_case(model) if tied else model.sample
    low, high = roc_band(sample, fpr, level=level, n_resamples=n_resamples, seed=seed)
    return Band(fpr, _tpr(model, fpr), low, high)


def paired_tpr(model: ScoredModel, fpr: Array, *, n_resamples: int, seed: int) -> Array:
    """Draw true positive rates in resamples of the cases, one per row, the same for all models of these cases."""
    return bootstrap_tpr(_drawn_by_case(model), fpr, n_resamples=n_resamples, seed=seed)


def difference_band(
    model: ScoredModel, other: ScoredModel, fpr: Array, draws: tuple[Array, Array], *, level: float
) -> Band:
    """Subtract from one model's true positive rate that of another one of the same cases, over ascending rates.

    `draws` are what `paired_tpr` draws for either; of them a share of `level` is inside the band at each point.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 900])
    >>> a, b = (ScoredModel(name, y, shift * y + rng.normal(size=1000)) for name, shift in (("a", 2.5), ("b", 1.5)))
    >>> fpr = np.array([0.05, 0.1])
    >>> draws = tuple(paired_tpr(each, fpr, n_resamples=200, seed=0) for each in (a, b))
    >>> band = difference_band(a, b, fpr, draws, level=0.95)
    >>> bool((band.low > 0).all()), bool((band.low < band.value).all())
    (True, True)
    """
    low, high = np.quantile(draws[0] - draws[1], [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(fpr, _tpr(model, fpr) - _tpr(other, fpr), low, high)


def _drawn_by_case(model: ScoredModel) -> Sample:
    # Weights, even equal ones, make the bootstrap draw cases, and which ones the seed alone decides.
    weight = np.ones(model.n_positive + model.n_negative)
    return Sample.read(model.y_true, {"y_score": model.y_score}, sample_weight=weight, groups=model.groups)


def _tpr(model: ScoredModel, fpr: Array) -> Array:
    return interpolated_tpr(model.sample.scores[0], fpr)


def _ends(cells: Array) -> Array:
    """Mask of the first and last entry of each run of equal numbers."""
    changes = np.diff(cells) != 0
    ends: Array = np.append(True, changes) | np.append(changes, True)
    return ends
