import numpy as np
import pytest
import torch

from pauci import Region
from pauci.objectives import Dual, Hinge, Softplus, TopK, effective_region, inner_optimum, minimax_objective


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


def test_nothing_selected_is_zero_not_nan():
    from pauci.objectives import InnerVariables

    inner = InnerVariables(a=0.5, b=0.5, gamma=0.0, s_neg=5.0)
    scores = torch.tensor([0.1, 0.2])
    assert effective_region(scores, scores, inner, region=Region(max_fpr=0.5), selector=Hinge()).negatives == 0.0
