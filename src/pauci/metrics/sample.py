"""The instances that an interval or a comparison is about: labels, one or several scores, weights, groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pauci.errors import InputError, LabelError, TooFewSamplesError
from pauci.metrics.groups import Groups
from pauci.metrics.inputs import (
    Array,
    ArrayLike,
    BinaryScores,
    read_binary,
    read_labels,
    read_scores,
    read_weight,
    to_numpy,
)
from pauci.region import Cut, Region


@dataclass(frozen=True)
class Sample:
    """One or several scores of the same instances.

    Attributes
    ----------
    scores : tuple of BinaryScores
        The scores, taken apart by class; all with the same weights.
    groups : Groups or None
        What was sampled independently: these groups, or else every instance.

    Examples
    --------
    >>> sample = Sample.read([0, 0, 1, 1], {"y_score": [0.1, 0.4, 0.3, 0.8]})
    >>> sample.scores[0].positives
    array([0.3, 0.8])
    """

    scores: tuple[BinaryScores, ...]
    groups: Groups | None = None

    @classmethod
    def read(
        cls,
        y_true: ArrayLike,
        scores: Mapping[str, ArrayLike],
        *,
        cut: Cut = "interpolate",
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
    ) -> Self:
        """Check labels, scores (by the name of their argument), weights and groups."""
        for name, given in (("sample_weight", sample_weight), ("groups", groups)):
            if cut == "floor" and given is not None:
                raise InputError(f"{name} cannot be combined with cut='floor', which counts whole instances; drop one.")
        columns = {name: read_scores(values, name=name) for name, values in scores.items()}
        positive = read_labels(y_true, pos_label=pos_label)
        for name, column in columns.items():
            if len(column) != len(positive):
                raise LabelError(
                    f"y_true has {len(positive)} entries but {name} has {len(column)}; they must match one to one."
                )
        weight = None if sample_weight is None else read_weight(sample_weight, positive)
        both = tuple(read_binary(positive, column, sample_weight=weight) for column in columns.values())
        grouping = None if groups is None else Groups.of(groups, positive)
        if weight is not None and not weight.all():
            # A resample of instances that do not count would be empty.
            kept = weight > 0
            remaining = {name: column[kept] for name, column in columns.items()}
            some_groups = None if groups is None else to_numpy(groups)[kept]
            return cls.read(positive[kept], remaining, sample_weight=weight[kept], groups=some_groups)
        for name, count in (("positives", len(both[0].positives)), ("negatives", len(both[0].negatives))):
            if count < 2:
                raise TooFewSamplesError(f"y_true holds {count} of the {name}; an interval needs at least 2 of them.")
        return cls(both, grouping)

    def independent_pairs(self, region: Region) -> float:
        """How many pairs of a positive and a negative inside the region have no instance (or group) in common."""
        first, groups = self.scores[0], self.groups
        positives = _independent(first.positives, first.positive_weight, None if groups is None else groups.positives)
        negatives = _independent(first.negatives, first.negative_weight, None if groups is None else groups.negatives)
        return max(1.0, min(positives * region.height, negatives * region.width))


def _independent(scores: Array, weight: Array | None, groups: Array | None) -> float:
    """How many equally weighted, independent instances of a class the given ones are worth at most."""
    size = float(len(scores)) if weight is None else float(weight.sum() ** 2 / (weight**2).sum())
    return size if groups is None else min(size, float(len(np.unique(groups))))
