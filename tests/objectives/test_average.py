"""The average-top-k lemma, for fractional k, weights, bottoms and bands."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci.errors import LabelError, RegionError
from pauci.objectives import (
    Dual,
    Hinge,
    Side,
    Softplus,
    TopK,
    rank_weights,
    selected_average,
    selection_threshold,
    selection_weights,
)
from pauci.objectives.threshold import increasing_root

values = st.lists(st.sampled_from([-2.0, -0.5, 0.0, 0.25, 0.3, 1.0]) | st.floats(-4, 5), min_size=1, max_size=30)
shares = st.sampled_from([0.05, 0.29, 0.3, 0.5, 1.0]) | st.floats(0.001, 1)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def fractional_top(losses, weights, share):
    """Mean of the largest losses, filled up instance by instance until the share is used up."""
    room, total = share * sum(weights), 0.0
    for loss, weight in sorted(zip(losses, weights, strict=True), reverse=True):
        take = min(weight, room)
        total, room = total + take * loss, room - take
    return total / (share * sum(weights))


@given(values, shares, st.data())
def test_topk_and_hinge_equal_the_oracle_and_the_minimum_over_s(losses, share, data):
    weighted = data.draw(st.booleans())
    weights = data.draw(st.lists(st.floats(0.1, 3), min_size=len(losses), max_size=len(losses))) if weighted else None
    oracle = fractional_top(losses, weights or [1.0] * len(losses), share)
    x, w, side = tensor(losses), tensor(weights) if weights else None, Side(0.0, share)
    exact = selected_average(x, 0.0, side=side, selector=TopK(), weights=w)
    s = selection_threshold(x, side=side, selector=Hinge(), weights=w)
    hinge = selected_average(x, s, side=side, selector=Hinge(), weights=w)
    assert exact.item() == pytest.approx(oracle, abs=1e-9)
    assert hinge.item() == pytest.approx(oracle, abs=1e-7 / share)
    # The minimum of a piecewise linear function lies on a kink.
    brute = min(selected_average(x, kink, side=side, selector=Hinge(), weights=w).item() for kink in losses)
    assert brute == pytest.approx(oracle, abs=1e-9 / share)


@given(values, st.floats(0.01, 0.99))
def test_a_bottom_is_the_top_of_the_negated_losses_and_a_maximum_over_s(losses, share):
    x, side = tensor(losses), Side(1.0 - share, 1.0)
    oracle = -fractional_top([-loss for loss in losses], [1.0] * len(losses), side.share)
    assert selected_average(x, 0.0, side=side, selector=TopK()).item() == pytest.approx(oracle, abs=1e-9)
    best = max(selected_average(x, kink, side=side, selector=Hinge()).item() for kink in losses)
    assert best == pytest.approx(oracle, abs=1e-9 / share)
    s = selection_threshold(x, side=side, selector=Hinge())
    assert selected_average(x, s, side=side, selector=Hinge()).item() == pytest.approx(oracle, abs=1e-7 / share)


@given(values, st.tuples(st.floats(0, 1), st.floats(0, 1)).filter(lambda t: abs(t[0] - t[1]) > 1e-3))
def test_a_band_is_the_difference_of_two_tops(losses, edges):
    low, high = sorted(edges)
    ones = [1.0] * len(losses)
    inner = low * fractional_top(losses, ones, low) if low > 0 else 0.0
    oracle = (high * fractional_top(losses, ones, high) - inner) / (high - low)
    band = selected_average(tensor(losses), 0.0, side=Side(low, high), selector=TopK())
    assert band.item() == pytest.approx(oracle, abs=1e-8)


@pytest.mark.parametrize("selector", [Hinge(), Softplus(4.0), Dual(0.1)])
def test_a_band_needs_topk(selector):
    for function in (selected_average, selection_weights):
        with pytest.raises(RegionError, match="selector='topk'"):
            function(torch.rand(4), 0.0, side=Side(0.1, 0.5), selector=selector)
    with pytest.raises(RegionError, match="selector='topk'"):
        selection_threshold(torch.rand(4), side=Side(0.1, 0.5), selector=selector)


@given(values, st.floats(0.01, 0.99), st.booleans(), st.data())
def test_the_smooth_threshold_gives_the_share_and_is_optimal(losses, share, bottom, data):
    selector = data.draw(st.sampled_from([Softplus(0.5), Softplus(6.0), Softplus(100.0), Dual(0.05), Dual(1.0)]))
    x, side = tensor(losses), Side(1.0 - share, 1.0) if bottom else Side(0.0, share)
    start = data.draw(st.none() | st.floats(-20, 20))
    s = selection_threshold(x, side=side, selector=selector, start=start)
    assert selection_weights(x, s, side=side, selector=selector).mean().item() == pytest.approx(side.share, abs=1e-11)
    best = side.sign * selected_average(x, s, side=side, selector=selector).item()
    for other in (s - 0.3, s - 1e-3, s + 1e-3, s + 0.3):
        assert side.sign * selected_average(x, other, side=side, selector=selector).item() >= best - 1e-12


@pytest.mark.parametrize("kappa", [1e-3, 1e3, 1e6])
def test_the_threshold_is_found_at_extreme_sharpness(kappa):
    x = torch.from_numpy(np.random.default_rng(0).uniform(0, 5, 1000))
    side, selector = Side(0.0, 0.3007), Softplus(kappa)
    s = selection_threshold(x, side=side, selector=selector)
    assert selection_weights(x, s, side=side, selector=selector).mean().item() == pytest.approx(0.3007, abs=1e-8)


@given(values, shares)
def test_selection_weights_are_the_gradient_of_the_average(losses, share):
    x, side = tensor(losses).requires_grad_(), Side(0.0, share)
    for selector in (TopK(), Softplus(3.0), Dual(0.3)):
        s = selection_threshold(x, side=side, selector=selector)
        (gradient,) = torch.autograd.grad(selected_average(x, s, side=side, selector=selector), x)
        weights = selection_weights(x, s, side=side, selector=selector)
        torch.testing.assert_close(gradient, weights.detach() / (share * len(losses)), atol=1e-12, rtol=1e-9)


def test_whole_instances_are_not_split_by_rounding():
    x = torch.arange(100, dtype=torch.float64)
    fraction = rank_weights(x, side=Side(0.0, 0.29))
    torch.testing.assert_close(fraction, (x >= 71).double(), atol=1e-12, rtol=0)
    assert selection_threshold(x, side=Side(0.0, 0.29), selector=Hinge()) == 70.5


def test_sample_weights_are_repetitions():
    x, counts = tensor([0.3, 1.5, -0.2, 0.9]), torch.tensor([2, 1, 3, 1])
    repeated, side = x.repeat_interleave(counts), Side(0.0, 0.37)
    for selector in (TopK(), Hinge(), Softplus(5.0), Dual(0.2)):
        s = selection_threshold(repeated, side=side, selector=selector)
        assert selection_threshold(x, side=side, selector=selector, weights=counts.double()) == pytest.approx(s)
        torch.testing.assert_close(
            selected_average(x, s, side=side, selector=selector, weights=counts.double()),
            selected_average(repeated, s, side=side, selector=selector),
        )
        of_copies = selection_weights(repeated, s, side=side, selector=selector).split(counts.tolist())
        of_weighted = selection_weights(x, s, side=side, selector=selector, weights=counts.double())
        torch.testing.assert_close(of_weighted, torch.stack([copies.mean() for copies in of_copies]))


def test_an_empty_class_is_an_error():
    with pytest.raises(LabelError, match="no instances"):
        selected_average(torch.empty(0), 0.0, side=Side(0.0, 1.0), selector=Hinge())


@given(st.floats(-0.9, 0.9), st.floats(-1, 1), st.sampled_from([1e-3, 1.0, 1e5]))
def test_root_from_any_start(zero, start, steepness):
    def function(x):
        value = np.tanh(steepness * (x - zero)).item()
        return value, steepness * (1 - value**2)

    assert increasing_root(function, -1.0, 1.0, start=start) == pytest.approx(zero, abs=1e-12)
