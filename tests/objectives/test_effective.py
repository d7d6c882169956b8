import numpy as np
import pytest
import torch

from pauci import Region
from pauci.errors import InputError, ScoreError
from pauci.objectives import (
    Dual,
    Hinge,
    InnerVariables,
    Softplus,
    TopK,
    effective_region,
    inner_optimum,
    minimax_objective,
)


def shares(region, selector, n=1000):
    rng = np.random.default_rng(4)
    positives, negatives = torch.from_numpy(rng.beta(3, 2, n)), torch.from_numpy(rng.beta(2, 3, n))
    inner = inner_optimum(positives, negatives, region=region, selector=selector)
    effective = effective_region(positives, negatives, inner, region=region, selector=selector)
    value = 1 + minimax_objective(positives, negatives, inner, region=region, selector=selector).item()
    return effective.positives, effective.negatives, value


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), Region(max_fpr=0.4, min_tpr=0.5), Region(max_tpr=0.6)])
def test_sharper_selection_lies_more_in_the_region_and_is_less_biased(region):
    found = [shares(region, Softplus(kappa)) for kappa in (2.0, 6.0, 20.0, 100.0, 1e4)]
    for side, share in ((0, region.height), (1, region.width)):
        inside = [row[side] for row in found]
        if share == 1:
            assert inside == pytest.approx([1.0] * 5)
        else:
            # Weight that did not look at the scores would lie in the region by the region's share.
            assert share < inside[0] < 0.75
            assert all(np.diff(inside) > 0)
            assert inside[-1] > 0.99
    exact = shares(region, TopK())
    assert exact[:2] == pytest.approx((1.0, 1.0))
    biases = [abs(row[2] - exact[2]) for row in found]
    assert all(np.diff(biases) < 0)


def test_exact_selectors_and_the_dual():
    region = Region(max_fpr=0.3, min_tpr=0.5)
    assert shares(region, Hinge())[:2] == pytest.approx((1.0, 1.0))
    assert shares(region, Dual(1e-4))[1] > 0.99 > shares(region, Dual(1.0))[1]


@pytest.mark.parametrize("n", [1, 5, 33])
def test_an_instance_on_the_edge_lies_in_the_region_by_the_part_that_is_selected(n):
    assert shares(Region(max_fpr=0.3, min_tpr=0.5), TopK(), n)[:2] == pytest.approx((1.0, 1.0))


def test_where_losses_fall_with_the_scores_nothing_of_the_region_is_selected():
    inner, scores = InnerVariables(a=0.0, b=1.0, gamma=-1.0), torch.linspace(0, 1, 11)
    assert effective_region(scores, scores, inner, region=Region(max_fpr=0.3), selector=TopK()).negatives == 0.0


@pytest.mark.parametrize("selector", [TopK(), Softplus(3.0), Dual(0.3)])
def test_weights_are_repetitions(selector):
    scores, counts = torch.tensor([0.2, 0.7, 0.4, 0.9], dtype=torch.float64), torch.tensor([2, 1, 4, 3])
    options = {"region": Region(max_fpr=0.45, min_tpr=0.3), "selector": selector}
    inner = InnerVariables(a=0.6, b=0.3, gamma=0.2, s_pos=-1.0, s_neg=1.5)
    repeated = effective_region(*[scores.repeat_interleave(counts)] * 2, inner, **options)
    weight = counts.double()
    weighted = effective_region(scores, scores, inner, **options, positive_weight=weight, negative_weight=weight)
    assert (weighted.positives, weighted.negatives) == pytest.approx((repeated.positives, repeated.negatives))


@pytest.mark.parametrize(
    ("positives", "options", "error"),
    [
        ([0.5, 1.5], {}, ScoreError),
        ([0.5, 0.6], {"positive_weight": torch.tensor([-1.0, 1.0])}, InputError),
        ([0.5, 0.6], {"negative_weight": torch.tensor([-1.0, 1.0])}, InputError),
    ],
)
def test_bad_input_is_an_error(positives, options, error):
    negatives, inner = torch.tensor([0.1, 0.2]), InnerVariables(a=0.5, b=0.5, gamma=0.0)
    with pytest.raises(error):
        effective_region(
            torch.tensor(positives), negatives, inner, region=Region(max_fpr=0.5), selector=TopK(), **options
        )


def test_nothing_selected_is_zero_not_nan():
    inner = InnerVariables(a=0.5, b=0.5, gamma=0.0, s_neg=5.0)
    scores = torch.tensor([0.1, 0.2])
    assert effective_region(scores, scores, inner, region=Region(max_fpr=0.5), selector=Hinge()).negatives == 0.0
