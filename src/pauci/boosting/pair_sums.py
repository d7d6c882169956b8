"""Sums of a smooth bump over all pairs of two classes, in linear time."""

from dataclasses import dataclass

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.errors import ScoreError

#: Nodes per temperature. Cubic interpolation from them errs by less than 1e-6 of the bump's height.
_NODES = 16
#: Points see a grid so much finer, filled in by the cubics: linear interpolation from it errs by about 1e-6 as well.
_FINER = 16
_SHARING = 1 << 16
#: Beyond this many temperatures the bump is below 1e-16 of its height.
_REACH = 38.0
_MOST_NODES = 1 << 18


def bump_sums(
    first: Array,
    first_weight: Array,
    second: Array,
    second_weight: Array,
    *,
    temperature: float,
    workers: Workers = ALONE,
) -> tuple[Array, Array]:
    """For every point of either class, sum the slope of a sigmoid over the points of the other.

    The slope is ``k(x) = sigmoid'(x / temperature) / temperature``, an even bump. Both classes are spread over the
    nodes of a common grid, the bump is applied there by a fast Fourier transform, and the answer is read off at the
    points; all errors together stay below 1e-6 / temperature times the weight of the other class. Time is linear in
    the number of points.

    What is returned is ``sum_j second_weight_j k(second_j - first_i)`` for every i, and the same the other way round,
    in single precision, over the points of all workers.

    Raises
    ------
    ScoreError
        If the scores are spread over more than 10,000 temperatures.

    Examples
    --------
    >>> of_first, of_second = bump_sums(np.zeros(1), np.ones(1), np.zeros(2), np.full(2, 0.5), temperature=1.0)
    >>> of_first.round(6), of_second.round(6)
    (array([0.25], dtype=float32), array([0.25, 0.25], dtype=float32))
    """
    grid = _common_grid(first, second, temperature, workers)
    on_grid = np.stack([grid.spread(first, first_weight), grid.spread(second, second_weight)])
    smoothed = _convolve(workers.total(on_grid), temperature, grid.step)
    return grid.read(first, smoothed[1]), grid.read(second, smoothed[0])


def _common_grid(first: Array, second: Array, temperature: float, workers: Workers) -> "_Grid":
    ends = [(-points.min(), points.max()) if len(points) else (-np.inf, -np.inf) for points in (first, second)]
    (low_first, high_first), (low_second, high_second) = workers.maximum(np.array(ends)) * [[-1, 1]]
    reach = _REACH * temperature
    # A point beyond the other class's reach is moved to where that begins: it still sees nothing.
    low = max(low_first, low_second) - reach
    high = min(high_first, high_second) + reach
    if high < low + reach:  # between the classes lies more than the reach: both ends would move towards each other
        middle = 0.5 * (low + high)
        low, high = middle - reach, middle + reach
    else:
        low, high = max(low, min(low_first, low_second)), min(high, max(high_first, high_second))
    # Two nodes before and two after, and one for rounding.
    step = temperature / _NODES
    nodes = int(min((high - low) / step, _MOST_NODES)) + 6
    if nodes >= _MOST_NODES:
        raise ScoreError(
            f"the scores that are compared lie up to {high - low:g} apart, more than 10,000 times the "
            f"temperature={temperature:g}. The model has diverged, or its scores are on another scale: raise the "
            "temperature, or lower the learning rate."
        )
    return _Grid(low - 2 * step, step, nodes, (low, high))


@dataclass(frozen=True)
class _Grid:
    """Nodes that scores are spread over and values read from.

    Attributes
    ----------
    low, step : float
        First node, and from one to the next.
    nodes : int
        How many.
    bounds : tuple of float
        The interval outside of which points no longer see the other class.
    """

    low: float
    step: float
    nodes: int
    bounds: tuple[float, float]

    def spread(self, points: Array, weight: Array) -> Array:
        """Give weights of points to the nodes around them: what `read` does, transposed."""
        size = self.nodes * _FINER
        fine, passed_on = np.zeros(size), np.zeros(size)
        # A block's sums are as long as the fine grid: many rows share one.
        for block in blocks(len(points), size=_SHARING):
            node, way = self._place(points[block])
            way *= weight[block]
            fine += np.bincount(node, weights=weight[block], minlength=size)
            passed_on += np.bincount(node, weights=way, minlength=size)
        fine -= passed_on
        fine[1:] += passed_on[:-1]
        of_nodes = fine.reshape(self.nodes, _FINER) @ _CUBIC
        grid: Array = of_nodes[:, 1].copy()
        grid[:-1] += of_nodes[1:, 0]
        grid[1:] += of_nodes[:-1, 2]
        grid[2:] += of_nodes[:-2, 3]
        return grid

    def read(self, points: Array, values: Array) -> Array:
        """Values at points, from those at the nodes around them."""
        around = np.stack([np.roll(values, -offset) for offset in range(-1, 3)])
        fine = (_CUBIC @ around).T.ravel()
        level, rise = fine.astype(np.float32), np.diff(fine, append=0.0).astype(np.float32)
        answer = np.empty(len(points), dtype=np.float32)
        for block in blocks(len(points)):
            node, way = self._place(points[block])
            way *= rise[node]
            np.add(way, level[node], out=answer[block])
        return answer

    def _place(self, points: Array) -> tuple[Array, Array]:
        """Nodes of the fine grid left of points, and how far on the way to the next one these are."""
        way = np.clip(points, *self.bounds)
        way -= self.low
        way *= _FINER / self.step
        node = way.astype(np.int64)
        way -= node
        return node, way


def _cubic(right: Array) -> Array:
    """Lagrange's weights of the node left of each place, of the one before it and of the two after it."""
    left = 1 - right
    product = left * right
    middle, edge = 1 + product / 2, -product / 6
    return np.stack([edge * (1 + left), left * middle, right * middle, edge * (1 + right)], axis=1)


_CUBIC = _cubic(np.arange(_FINER) / _FINER)


def _convolve(on_grid: Array, temperature: float, step: float) -> Array:
    nodes = on_grid.shape[1]
    length = 1 << (2 * nodes - 1).bit_length()
    distance = np.minimum(np.arange(length), length - np.arange(length)) * step / temperature
    decay = np.exp(-np.minimum(distance, 700.0))
    kernel = decay / (1 + decay) ** 2 / temperature
    spectrum = np.fft.rfft(kernel).real * np.fft.rfft(on_grid, length, axis=1)
    return np.fft.irfft(spectrum, length, axis=1)[:, :nodes]
