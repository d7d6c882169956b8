"""Sums of a smooth bump over all pairs of two classes, in linear time."""

import numpy as np

from pauci.boosting.blocks import blocks
from pauci.boosting.workers import ALONE, Array, Workers
from pauci.errors import ScoreError

#: Nodes per temperature. Cubic interpolation from them errs by less than 1e-6 of the bump's height.
_NODES = 16
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

    Parameters
    ----------
    first, second : ndarray
        Scores of the classes.
    first_weight, second_weight : ndarray
        Weights of the points.
    temperature : float
        Width of the bump.
    workers : Workers
        Who has the other points; sums run over those of all workers.

    Returns
    -------
    tuple of ndarray
        ``sum_j second_weight_j k(second_j - first_i)`` for every i, and the same the other way round.

    Raises
    ------
    ScoreError
        If the scores are spread over more than 10,000 temperatures.

    Examples
    --------
    >>> of_first, of_second = bump_sums(np.zeros(1), np.ones(1), np.zeros(2), np.full(2, 0.5), temperature=1.0)
    >>> of_first.round(6), of_second.round(6)
    (array([0.25]), array([0.25, 0.25]))
    """
    step = temperature / _NODES
    low, nodes, bounds = _grid(first, second, temperature, step, workers)
    first, second = np.clip(first, *bounds), np.clip(second, *bounds)
    on_grid = np.stack(
        [
            _spread(points, weight, low, step, nodes)
            for points, weight in ((first, first_weight), (second, second_weight))
        ]
    )
    smoothed = _convolve(workers.total(on_grid), temperature, step)
    return _read(first, smoothed[1], low, step), _read(second, smoothed[0], low, step)


def _grid(
    first: Array, second: Array, temperature: float, step: float, workers: Workers
) -> tuple[float, int, tuple[float, float]]:
    """First node, number of nodes, and the interval outside of which points no longer see the other class."""
    ends = [(-points.min(), points.max()) if len(points) else (-np.inf, -np.inf) for points in (first, second)]
    (low_first, high_first), (low_second, high_second) = workers.maximum(np.array(ends)) * [[-1, 1]]
    reach = _REACH * temperature
    # A point beyond the other class's reach is moved to where that begins: it still sees nothing.
    low = max(low_first, low_second) - reach
    high = min(high_first, high_second) + reach
    if high < low:
        middle = 0.5 * (low + high)
        low, high = middle - reach, middle + reach
    else:
        low, high = max(low, min(low_first, low_second)), min(high, max(high_first, high_second))
    # Two nodes before and two after, and one for rounding.
    nodes = int(min((high - low) / step, _MOST_NODES)) + 6
    if nodes >= _MOST_NODES:
        raise ScoreError(
            f"the scores that are compared lie up to {high - low:g} apart, more than 10,000 times the "
            f"temperature={temperature:g}. The model has diverged, or its scores are on another scale: raise the "
            "temperature, or lower the learning rate."
        )
    return low - 2 * step, nodes, (low, high)


def _spread(points: Array, weight: Array, low: float, step: float, nodes: int) -> Array:
    """Weights of points, given to the nodes around them."""
    grid = np.zeros(nodes)
    for block in blocks(len(points)):
        node, shares = _cubic((points[block] - low) / step)
        for offset, share in enumerate(shares, start=-1):
            grid += np.bincount(node + offset, weights=weight[block] * share, minlength=nodes)
    return grid


def _read(points: Array, grid: Array, low: float, step: float) -> Array:
    """Values at points, from those at the nodes around them."""
    answer = np.zeros(len(points))
    for block in blocks(len(points)):
        node, shares = _cubic((points[block] - low) / step)
        for offset, share in enumerate(shares, start=-1):
            answer[block] += share * grid[node + offset]
    return answer


def _cubic(position: Array) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    """Node left of each position, and Lagrange's weights of it, the one before it and the two after it."""
    node = position.astype(np.int64)
    right = position - node
    left = 1 - right
    product = left * right
    middle, edge = 1 + product / 2, -product / 6
    return node, (edge * (1 + left), left * middle, right * middle, edge * (1 + right))


def _convolve(on_grid: Array, temperature: float, step: float) -> Array:
    nodes = on_grid.shape[1]
    length = 1 << (2 * nodes - 1).bit_length()
    distance = np.minimum(np.arange(length), length - np.arange(length)) * step / temperature
    decay = np.exp(-np.minimum(distance, 700.0))
    kernel = decay / (1 + decay) ** 2 / temperature
    spectrum = np.fft.rfft(kernel).real * np.fft.rfft(on_grid, length, axis=1)
    answer: Array = np.fft.irfft(spectrum, length, axis=1)[:, :nodes]
    return answer
