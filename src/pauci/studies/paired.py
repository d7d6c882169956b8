"""Paired comparisons: differences over seeds, several at once, and their mean over the cells of a table."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pauci.errors import InputError, TooFewSamplesError
from pauci.metrics.comparison import Comparison, student_comparison
from pauci.metrics.standard_error import StandardError

Name = TypeVar("Name")

#: Confidence level of all intervals of the studies.
LEVEL = 0.95


def differences(first: Mapping[Name, float], second: Mapping[Name, float]) -> list[float]:
    """First minus second, for every seed (or name of a pair) that both have, in the order of the first.

    Examples
    --------
    >>> differences({1: 0.75, 2: 0.5, 3: 0.9}, {2: 0.25, 1: 0.5})
    [0.25, 0.25]
    """
    return [value - second[seed] for seed, value in first.items() if seed in second]


def paired_comparison(values: Sequence[float]) -> Comparison:
    """Mean of paired differences with Student's interval and test.

    Parameters
    ----------
    values : sequence of float
        One difference per pair; see `differences`.

    Returns
    -------
    Comparison
        One pair alone says nothing about spread: its interval is the whole line, its p-value 1.

    Examples
    --------
    >>> result = paired_comparison([0.01, 0.02, 0.03])
    >>> round(result.difference, 3), round(result.low, 4), round(result.p_value, 4)
    (0.02, -0.0048, 0.0742)
    """
    return mean_over_cells({"": values})


def mean_over_cells(cells: Mapping[Name, Sequence[float]]) -> Comparison:
    """Mean over cells of their mean differences, each cell counting the same.

    The spread within each cell, over its pairs, decides the interval; degrees of freedom are Satterthwaite's. Cells
    are taken as independent: average what shares runs (two regions judged on the same models) before.

    Parameters
    ----------
    cells : mapping to sequence of float
        Paired differences of each cell; they need not be equally many.

    Returns
    -------
    Comparison
        With one pair only in some cell, its interval is the whole line and its p-value 1.

    Examples
    --------
    >>> result = mean_over_cells({"birds": [0.01, 0.02, 0.03], "cats": [0.03, 0.04, 0.05]})
    >>> round(result.difference, 3), result.p_value < 0.01
    (0.03, True)
    """
    if not cells or not all(len(values) for values in cells.values()):
        raise TooFewSamplesError("there is nothing to compare: every cell needs at least one pair.")
    samples = [np.asarray(values, dtype=float) for values in cells.values()]
    if not all(np.isfinite(sample).all() for sample in samples):
        raise InputError("differences hold NaN or infinite values; leave runs that failed out.")
    mean = float(np.mean([sample.mean() for sample in samples]))
    if any(len(sample) < 2 for sample in samples):
        return Comparison(mean, -math.inf, math.inf, 1.0, LEVEL)
    variances = [float(sample.var(ddof=1)) / len(sample) / len(samples) ** 2 for sample in samples]
    error = combined_error(variances, [len(sample) - 1 for sample in samples])
    if error.value == 0:
        return Comparison(mean, mean, mean, 1.0 if mean == 0 else 0.0, LEVEL)
    return student_comparison(mean, error, level=LEVEL)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values of several tests by Holm's method.

    Returns
    -------
    list of float
        In the same order. Rejecting where these are below a level is wrong about any one of the tests at most that
        often, whatever their dependence.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p: npt.NDArray[np.float64] = np.asarray(p_values, dtype=float)
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError(f"p_values={list(p_values)!r} must lie between 0 and 1.")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(value) for value in adjusted]


def significant(found: Mapping[Name, Comparison | None]) -> set[Name]:
    """Tell which comparisons are significant at 0.05 after Holm's correction over all of them.

    Parameters
    ----------
    found : mapping
        Comparisons by name; None where there is nothing to compare.

    Examples
    --------
    >>> significant({"a": paired_comparison([1.0, 1.1, 0.9]), "b": paired_comparison([1.0, -1.1, 0.9]), "c": None})
    {'a'}
    """
    known = {name: comparison.p_value for name, comparison in found.items() if comparison is not None}
    return {name for name, p in zip(known, holm(list(known.values())), strict=True) if p < 0.05}


def combined_error(variances: Sequence[float], freedoms: Sequence[float]) -> StandardError:
    """Return the standard error of a sum of independent parts, with Satterthwaite's degrees of freedom.

    Examples
    --------
    >>> combined_error([9.0, 16.0], [1, 1])
    StandardError(value=5.0, freedom=1.85...)
    """
    variance = sum(variances)
    if variance == 0:
        return StandardError(0.0, 1.0)
    # Shares first: squares of tiny variances would underflow.
    doubt = sum((part / variance) ** 2 / freedom for part, freedom in zip(variances, freedoms, strict=True))
    return StandardError(math.sqrt(variance), 1 / doubt)
