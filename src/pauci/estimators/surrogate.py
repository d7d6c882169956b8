"""The share of wrongly ordered pairs in a region, smoothed and bounded, with its gradient, in O(n)."""

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.special import expit

from pauci.region import Region

Array = NDArray[Any]

#: Cells per temperature: the error of a pair is then below 2e-5.
_CELLS = 32
#: Temperatures from which on a pair is taken as decided.
_REACH = 16
#: Most cells; beyond it they become wider. Only scores that spread over 8,000 temperatures come here.
_MOST_CELLS = 1 << 18


def pairwise_sigmoid(
    positives: Array,
    negatives: Array,
    *,
    region: Region,
    temperature: float,
    positive_weight: Array | None = None,
    negative_weight: Array | None = None,
) -> tuple[float, Array, Array]:
    """Mean of ``sigmoid((f_j - f_i) / temperature)`` over the pairs in a region, and its gradient.

    What `PairwiseSigmoidLoss` is for batches, for whole data sets: instead of every pair, the sums over one class are
    tabulated on a grid of scores much finer than the temperature and read off by the other.

    The highest negatives count, and the lowest positives where the region has a `min_tpr`. The temperature is the
    difference of scores at which a pair costs 0.73 or 0.27. The gradient comes in two parts, for positives and for
    negatives.

    Examples
    --------
    >>> value, to_positives, to_negatives = pairwise_sigmoid(
    ...     np.array([2.0, 1.0]), np.array([2.0, 0.0]), region=Region(max_fpr=0.5), temperature=0.1)
    >>> round(value, 3), to_positives.round(2), to_negatives.round(2)
    (0.75, array([-1.25, -0.  ]), array([1.25, 0.  ]))
    """
    p = _inside(-positives, positive_weight, 1 - region.max_tpr, region.alpha)
    q = _inside(negatives, negative_weight, region.min_fpr, region.max_fpr)
    kept_p, kept_q = np.flatnonzero(p), np.flatnonzero(q)
    grid = _Grid(negatives[kept_q], temperature)
    of_positives, of_negatives = grid.cells(positives[kept_p]), grid.cells(negatives[kept_q])
    wrong, slope = _kernels(grid.size, grid.cells_per_temperature)
    from_positives, from_negatives = grid.spectrum(of_positives, p[kept_p]), grid.spectrum(of_negatives, q[kept_q])
    to_positives, to_negatives = np.zeros(len(positives)), np.zeros(len(negatives))
    to_positives[kept_p] = -p[kept_p] * of_positives.read(grid.table(from_negatives * slope)) / temperature
    to_negatives[kept_q] = q[kept_q] * of_negatives.read(grid.table(from_positives * slope)) / temperature
    return float(p[kept_p] @ of_positives.read(grid.table(from_negatives * wrong))), to_positives, to_negatives


class _Grid:
    """Equidistant scores, around those of the selected negatives; sums over pairs are convolutions on it."""

    def __init__(self, scores: Array, temperature: float) -> None:
        self.low = scores.min() - _REACH * temperature
        span = scores.max() + _REACH * temperature - self.low
        self.step = max(temperature / _CELLS, span / _MOST_CELLS)
        # Few different sizes, so that kernels are computed once.
        self.size = 1 << (int(span / self.step) + 1).bit_length()
        self.cells_per_temperature = temperature / self.step

    def cells(self, scores: Array) -> "_Cells":
        place = np.clip((scores - self.low) / self.step, 0, self.size - 1.000001)
        cell = place.astype(np.int64)
        return _Cells(cell, place - cell)

    def spectrum(self, cells: "_Cells", weight: Array) -> Array:
        """Fourier transform of the weights on the grid, followed by as much nothing."""
        mass = np.bincount(cells.left, weights=weight * (1 - cells.part), minlength=self.size)
        mass += np.bincount(cells.left + 1, weights=weight * cells.part, minlength=self.size)
        transform: Array = rfft(mass, 2 * self.size)
        return transform

    def table(self, spectrum: Array) -> Array:
        """Values on the grid."""
        values: Array = irfft(spectrum, 2 * self.size)[: self.size]
        return values


@functools.lru_cache(maxsize=32)
def _kernels(size: int, cells_per_temperature: float) -> tuple[Array, Array]:
    """Return transforms of the sigmoid and of its slope, so that sums run over ``kernel(score - t)`` for every t."""
    cells = np.arange(2 * size)
    offsets = np.where(cells < size, cells, cells - 2 * size) / cells_per_temperature
    return np.conj(rfft(expit(offsets))), np.conj(rfft(_slope(offsets)))


class _Cells(NamedTuple):
    """Where scores lie on a grid: between a cell's left end and the next, by a part of the step."""

    left: Array
    part: Array

    def read(self, table: Array) -> Array:
        values: Array = table[self.left] * (1 - self.part) + table[self.left + 1] * self.part
        return values


def _slope(t: Array) -> Array:
    value = expit(t)
    slope: Array = value * (1 - value)
    return slope


def _inside(keys: Array, weight: Array | None, first: float, last: float) -> Array:
    """Weights, which sum to 1, of what lies between two shares of the total when the highest keys come first."""
    if (first, last) == (0.0, 1.0):
        return np.full(len(keys), 1 / len(keys)) if weight is None else weight / weight.sum()
    sizes = np.ones(len(keys)) if weight is None else weight
    # Only what may lie inside is put into order.
    order = np.argsort(-keys) if weight is not None else _top(keys, last)
    end = np.cumsum(sizes[order])
    total = sizes.sum()
    inside = np.clip(np.minimum(end, last * total) - np.maximum(end - sizes[order], first * total), 0, None)
    kept = np.zeros(len(keys))
    kept[order] = inside / inside.sum()
    return kept


def _top(keys: Array, share: float) -> Array:
    number = min(len(keys), int(share * len(keys)) + 1)
    top = np.argpartition(-keys, number - 1)[:number]
    return top[np.argsort(-keys[top])]
