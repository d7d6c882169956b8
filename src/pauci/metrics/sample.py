"""The instances that an interval or a comparison is about: labels, one or several scores, weights, groups."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from pauci.errors import TooFewSamplesError
from pauci.metrics.area import Ties
from pauci.metrics.convention import check_whole
from pauci.metrics.groups import Groups
from pauci.metrics.inputs import (
    Array,
    ArrayLike,
    BinaryScores,
    check_length,
    read_binary,
    read_labels,
    read_scores,
    read_weight,
    to_numpy,
)
from pauci.metrics.score import won_share
from pauci.region import Cut, Region
from pauci.rounding import lowered, raised


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
        check_whole(cut, sample_weight=sample_weight, groups=groups)
        columns = {name: read_scores(values, name=name) for name, values in scores.items()}
        positive = read_labels(y_true, pos_label=pos_label)
        for name, column in columns.items():
            check_length("y_true", positive, column, of=name)
        weight = None if sample_weight is None else read_weight(sample_weight, positive)
        both = tuple(read_binary(positive, column, sample_weight=weight) for column in columns.values())
        grouping = None if groups is None else Groups.of(groups, positive)
        if grouping is not None and grouping.number == len(positive):
            grouping = None  # every instance is a group of its own
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

    def shares(self, region: Region, *, cut: Cut = "interpolate", ties: Ties = "half") -> list[float]:
        """Share of the region that each of the scores wins.

        Examples
        --------
        >>> Sample.read([0, 0, 1, 1], {"y_score": [0.1, 0.4, 0.3, 0.8]}).shares(Region())
        [0.75]
        """
        # Scoring reorders the negatives, which belong to groups and to each other by their position.
        copies = (replace(each, negatives=each.negatives.copy()) for each in self.scores)
        return [won_share(each, region, cut=cut, ties=ties) for each in copies]

    def inside(self, region: Region) -> tuple[float, float]:
        """How many independent positives, and negatives, lie inside the region.

        With groups it is how many of them have an instance inside, whichever of the scores shows fewest.

        Examples
        --------
        >>> sample = Sample.read([1] * 50 + [0] * 200, {"y_score": range(250)})
        >>> sample.inside(Region(max_fpr=0.1, min_tpr=0.5))
        (25.0, 20.0)
        """
        of_groups = (None, None) if self.groups is None else (self.groups.positives, self.groups.negatives)
        tpr, fpr = (region.min_tpr, region.max_tpr), (region.min_fpr, region.max_fpr)
        positives = (_independent(each.positives, each.positive_weight, of_groups[0], tpr) for each in self.scores)
        negatives = (_independent(each.negatives, each.negative_weight, of_groups[1], fpr) for each in self.scores)
        return min(positives), min(negatives)

    def sizes(self, region: Region) -> list[float]:
        """How many lie inside of each of what varies independently, the classes or the groups: 2 at least."""
        inside = [max(2.0, number) for number in self.inside(region)]
        return inside if self.groups is None else [min(inside)]

    def independent_pairs(self, region: Region) -> float:
        """How many pairs of a positive and a negative inside the region have no instance (or group) in common.

        One at least: less than two are one, of which Markov's inequality tells how far it may be from the truth.
        """
        return 1.0 if self.shows_no_spread(region) else min(self.inside(region))

    def shows_no_spread(self, region: Region) -> bool:
        """Whether fewer than two positives, or negatives, lie inside: one does not show how it varies.

        Examples
        --------
        >>> sample = Sample.read([1] * 10 + [0] * 200, {"y_score": range(210)})
        >>> sample.shows_no_spread(Region(min_tpr=0.9)), sample.shows_no_spread(Region(min_tpr=0.8))
        (True, False)
        """
        return bool(raised(min(self.inside(region))) < 2)


def _independent(scores: Array, weight: Array | None, groups: Array | None, edges: tuple[float, float]) -> float:
    """How many equally weighted, independent instances those of a class between two rates are worth at most."""
    size = len(scores) * (edges[1] - edges[0])
    if weight is None and groups is None:
        return size
    _, place = np.unique(scores, return_inverse=True)
    held = np.bincount(place, weights=weight)
    at_or_above = np.append(np.cumsum(held[::-1])[::-1], 0.0)
    begin, end = (edge * at_or_above[0] for edge in edges)
    if weight is not None:
        # Kish's rule, of those inside alone: they may be the heavy ones. Tied instances are inside in equal parts.
        within = -np.diff(np.clip(at_or_above, begin, end))
        size = float(within.sum() ** 2 / (within / held @ np.bincount(place, weights=weight**2)))
    if groups is None:
        return size
    # Of tied instances none is inside rather than another: where an edge cuts a tie, all of them are.
    inside = (at_or_above[:-1] > raised(begin)) & (at_or_above[1:] < lowered(end))
    return min(size, float(len(np.unique(groups[inside[place]]))))
