"""The two classes of a batch, as losses over pairs take them: each by itself, or the batch whole."""

from typing import NamedTuple

import torch
from torch import Tensor

from pauci.objectives import Side, rank_weights, selected_sides
from pauci.region import Region


class Pairs(NamedTuple):
    """The two classes of one label of a batch, of all processes.

    Attributes
    ----------
    positives, negatives : Tensor
        Scores, differentiable.
    p, q : Tensor
        Weights of positives and negatives; each sums to 1.
    rows : Tensor or None
        Dataset indices of the positives, when there is something to remember of them.
    label : int
        Which label.
    own : Tensor or None
        Where a batch is taken whole, both classes list all of its instances, those of the other class with weight 0;
        this tells which are positives. None where each class lists its own.
    """

    positives: Tensor
    negatives: Tensor
    p: Tensor
    q: Tensor
    rows: Tensor | None
    label: int
    own: Tensor | None = None

    @property
    def are_there(self) -> Tensor | None:
        """Whether there are pairs at all, as a mask of one number; None where that is known already."""
        return None if self.own is None else self.own.any()


def in_region(pairs: Pairs, region: Region) -> Pairs:
    """Keep what lies in a region, any rectangle: weights become those of the selected part of each class.

    They again sum to 1; an instance that an edge cuts counts by the fraction inside.
    """
    of_positives, of_negatives = selected_sides(region)
    p = _select(-pairs.positives, pairs.p, of_positives)
    return pairs._replace(p=p, q=_select(pairs.negatives, pairs.q, of_negatives))


def weighed(pairs: Pairs) -> Pairs:
    """Leave out instances without weight, unless the batch is taken whole."""
    if pairs.own is not None:
        return pairs
    i, j = pairs.p > 0, pairs.q > 0
    rows = None if pairs.rows is None else pairs.rows[i]
    return Pairs(pairs.positives[i], pairs.negatives[j], pairs.p[i], pairs.q[j], rows, pairs.label)


def split_pairs(score: Tensor, positive: Tensor, weight: Tensor, rows: Tensor | None, label: int) -> Pairs | None:
    """List each class by itself, if there are pairs; on a GPU the host waits to learn how many there are."""
    p, q = weight[positive], weight[~positive]
    total_p, total_q = p.sum(), q.sum()
    if not (total_p > 0 and total_q > 0):
        return None
    rows = None if rows is None else rows[positive]
    return Pairs(score[positive], score[~positive], p / total_p, q / total_q, rows, label)


def whole_pairs(score: Tensor, positive: Tensor, weight: Tensor, rows: Tensor | None, label: int) -> Pairs:
    """List all instances in both classes, those of the other class with weight 0 and a score that is harmless there.

    There must be at least one. Where a class is absent, there is something finite, which `Pairs.are_there` tells.
    """
    p, q = torch.where(positive, weight, 0.0), torch.where(positive, 0.0, weight)
    both = (p.sum() > 0) & (q.sum() > 0)
    p, q = (torch.where(both, side, 1.0) for side in (p, q))
    # No pair is harder than those of true positives and true negatives: nothing overflows that does not there.
    positives = _filled(score, positive | ~both, -torch.inf)
    negatives = _filled(score, ~(positive & both), torch.inf)
    return Pairs(positives, negatives, p / p.sum(), q / q.sum(), rows, label, positive & both)


def _filled(score: Tensor, is_own: Tensor, worst: float) -> Tensor:
    """Give instances of the other class the easiest score of the own one, which is farthest from the worst."""
    own = torch.where(is_own, score.detach(), worst)
    return torch.where(is_own, score, own.amax() if worst < 0 else own.amin())


def _select(key: Tensor, weight: Tensor, side: Side) -> Tensor:
    if side.kind == "whole":
        return weight
    kept = weight * rank_weights(key, side=side, weights=weight)
    return kept / kept.sum()
