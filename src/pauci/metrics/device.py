"""Partial AUC where the scores are: on an accelerator, with one transfer for value and checks together."""

from collections.abc import Callable
from typing import Any

import torch

from pauci.errors import InputError, LabelError, ScoreError
from pauci.metrics.area import Ties, segment_areas
from pauci.metrics.pairs import whole_ranks
from pauci.region import Cut, Region
from pauci.rounding import raised


def partial_auc_on_device(
    y_true: torch.Tensor,
    y_score: torch.Tensor,
    region: Region,
    *,
    cut: Cut = "interpolate",
    ties: Ties = "half",
    sample_weight: torch.Tensor | None = None,
) -> float:
    """Share of the region's area (or pairs) won, computed on the scores' own device.

    Everything is of shape (n,); weights go only with ``cut="interpolate"``. Value and input checks reach the host in a
    single transfer.

    Examples
    --------
    >>> y, s = torch.tensor([0, 0, 1]), torch.tensor([0.1, 0.7, 0.3])
    >>> partial_auc_on_device(y, s, Region())
    0.5
    """
    # Half types have no kernels for everything below, and widening them is exact.
    scores = y_score.float() if y_score.dtype in (torch.float16, torch.bfloat16, torch.bool) else y_score
    scores, order = torch.sort(scores)
    positive = y_true > 0
    weight = torch.ones_like(scores, dtype=torch.float64) if sample_weight is None else _scaled(sample_weight)
    rates = _rates if sample_weight is None else _weighted_rates
    won = _won_share(scores, positive[order], weight[order], region, cut=cut, ties=ties, rates=rates)
    ones, signs = positive.to(y_true.dtype), torch.where(positive, 1, -1)
    checks = [
        torch.isfinite(y_score).all(),
        (y_true == ones).all() | (y_true == signs).all(),
        (torch.isfinite(weight) & (weight >= 0)).all(),
        positive.sum(),
        (weight * positive).sum(),
        (weight * ~positive).sum(),
    ]
    value, finite, known, weighable, n_positive, *totals = torch.stack([won, *(c.double() for c in checks)]).tolist()
    if not finite:
        raise ScoreError("y_score holds NaN or infinite values; drop or repair these rows first.")
    if not known:
        raise LabelError("y_true must hold bool, {0, 1} or {-1, 1} labels only.")
    if n_positive in (0, len(y_true)):
        raise LabelError("y_true holds one class only: a ROC curve needs both classes.")
    if not weighable or min(totals) <= 0:
        raise InputError("sample_weight must be finite, at least 0, and not zero for a whole class.")
    if cut == "floor":
        whole_ranks(region, int(n_positive), len(y_true) - int(n_positive))
    return float(value)


def on_one_device(*values: Any) -> bool:
    """Whether all values, apart from None, are tensors on the same device.

    Examples
    --------
    >>> on_one_device(torch.zeros(2), torch.ones(2), None), on_one_device(torch.zeros(2), [1, 1])
    (True, False)
    """
    present = [value for value in values if value is not None]
    return all(isinstance(value, torch.Tensor) for value in present) and len({value.device for value in present}) == 1


def _won_share(
    scores: torch.Tensor,
    positive: torch.Tensor,
    weight: torch.Tensor,
    region: Region,
    *,
    cut: Cut,
    ties: Ties,
    rates: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Normalised value for scores in ascending order; every shape is static, so nothing waits for the host."""
    first, end = torch.searchsorted(scores, scores), torch.searchsorted(scores, scores, right=True)
    if cut == "interpolate":
        tpr, fpr = rates(weight * positive), rates(weight * ~positive)
        areas: torch.Tensor = segment_areas(torch, tpr[end], tpr[first], fpr[end], fpr[first], region, ties=ties)
        leads_its_group = first == torch.arange(len(scores), device=scores.device)
        return (areas * leads_its_group).sum().clamp(max=region.area) / region.area
    positives, negatives = positive.long(), (~positive).long()
    rank_positive = positives.cumsum(0) - 1
    rank_negative = negatives.sum() - negatives.cumsum(0)
    low, high = _whole(positives.sum(), 1 - region.max_tpr), _whole(positives.sum(), region.alpha)
    left, right = _whole(negatives.sum(), region.min_fpr), _whole(negatives.sum(), region.max_fpr)
    chosen_positive = positives * (low <= rank_positive) * (rank_positive < high)
    chosen_negative = negatives * (left <= rank_negative) * (rank_negative < right)
    below = _below(chosen_negative)
    # Halves in float64: whole numbers would be divided in torch's default precision, whatever that is.
    correct = (below[first] + below[end]).double() / 2 if ties == "half" else below[end]
    pairs = chosen_positive.sum().double() * chosen_negative.sum()
    return (correct * chosen_positive).sum().double() / pairs


def _scaled(weight: torch.Tensor) -> torch.Tensor:
    """Weights of which the largest is between 1/2 and 1, as `read_weight` makes them."""
    weight = weight.double()
    return torch.ldexp(weight, -torch.frexp(weight.max()).exponent) if len(weight) else weight


def _below(values: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(values.cumsum(0), (1, 0))


def _rates(held: torch.Tensor) -> torch.Tensor:
    """Share of the whole from each place upwards: as differences from 1, whose steps add up to 1 exactly."""
    below = _below(held)
    return 1 - below / below[-1]


def _weighted_rates(held: torch.Tensor) -> torch.Tensor:
    """Compute the same by sums from the top, where a small weight keeps its digits."""
    above = torch.nn.functional.pad(held.flip(0).cumsum(0).flip(0), (0, 1))
    return above / above[0]


def _whole(count: torch.Tensor, share: float) -> torch.Tensor:
    return torch.floor(raised(count.double() * share)).long()
