"""The mean difference over cells, and in how many of them there is one."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from pauci.metrics import Comparison
from pauci.studies.paired import paired_comparison
from pauci.studies.tabular.comparison import split_error
from pauci.studies.tabular.summary import LEVEL, Cell, average


@dataclass(frozen=True)
class Gain:
    """Mean difference over cells, every table counting the same.

    Attributes
    ----------
    here : Comparison
        On these tables: as certain as their rows make it.
    elsewhere : Comparison
        On tables of which these are a sample: as certain as their number makes it.
    """

    here: Comparison
    elsewhere: Comparison


def mean_gain(cells: Sequence[Cell]) -> Gain:
    """Mean difference, averaged over the cells of each table, then over tables.

    Parameters
    ----------
    cells : sequence of Cell
        At least one.

    Returns
    -------
    Gain
        With two intervals.
    """
    by_task: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_task[cell.task].append(cell)
    gains, variances, freedoms = [], [], []
    for members in by_task.values():
        mean = average(members)
        gains.append(float(mean.differences.mean()))
        variances.append(split_error(mean.differences, mean.parts) ** 2)
        freedoms.append(mean.parts.shape[1] - 1)
    gain, error = float(np.mean(gains)), math.sqrt(sum(variances)) / len(gains)
    # Satterthwaite's degrees of freedom.
    share = [variance / sum(variances) for variance in variances] if error else []
    freedom = 1 / sum(part**2 / each for part, each in zip(share, freedoms, strict=True)) if error else 1.0
    half = error * float(stats.t.ppf((1 + LEVEL) / 2, freedom))
    p_value = float(2 * stats.t.sf(abs(gain) / error, freedom)) if error else 1.0
    return Gain(Comparison(gain, gain - half, gain + half, p_value, LEVEL), paired_comparison(gains, level=LEVEL))


def counts(cells: Sequence[Cell]) -> dict[str, int]:
    """Count the cells in which a method is better or worse.

    Parameters
    ----------
    cells : sequence of Cell
        Of one method.

    Returns
    -------
    dict
        ``cells``; ``better`` and ``worse`` after correction for all of them; ``better_uncorrected`` and
        ``worse_uncorrected`` by single intervals.
    """
    verdicts = Counter(cell.verdict for cell in cells)
    alone = Counter((cell.comparison.low > 0) - (cell.comparison.high < 0) for cell in cells)
    return {
        "cells": len(cells),
        "better": verdicts[1],
        "worse": verdicts[-1],
        "better_uncorrected": alone[1],
        "worse_uncorrected": alone[-1],
    }
