"""The mean difference over cells, and in how many of them there is one."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauci.metrics.comparison import Comparison, student_comparison
from pauci.studies.paired import LEVEL, combined_error, paired_comparison
from pauci.studies.tabular.comparison import split_error
from pauci.studies.tabular.summary import Cell, average


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
    """Mean difference, averaged over the cells of each table, then over tables; there must be a cell."""
    by_task: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_task[cell.task].append(cell)
    gains, variances, freedoms = [], [], []
    for members in by_task.values():
        mean = average(members)
        gains.append(float(mean.differences.mean()))
        variances.append(split_error(mean.differences, mean.parts) ** 2)
        freedoms.append(mean.parts.shape[1] - 1)
    error = combined_error([variance / len(gains) ** 2 for variance in variances], freedoms)
    here = student_comparison(float(np.mean(gains)), error, level=LEVEL)
    return Gain(here, paired_comparison(gains))


def counts(cells: Sequence[Cell]) -> dict[str, int]:
    """Count the cells of a method in which it is better or worse.

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
