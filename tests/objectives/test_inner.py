"""The inner optimum against stationarity, the saddle inequalities and an independent solver."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from pauci import Region
from pauci.errors import InputError, ScoreError
from pauci.objectives import (
    Dual,
    Hinge,
    InnerVariables,
    Softplus,
    TopK,
    gamma_curvature,
    gamma_domain,
    inner_boxes,
    inner_optimum,
    instancewise_objective,
    minimax_objective,
)

ONE_WAY, TWO_WAY = Region(max_fpr=0.3), Region(max_fpr=0.4, min_tpr=0.5)
REGIONS = [ONE_WAY, TWO_WAY, Region(min_tpr=0.7), Region(max_fpr=0.3, max_tpr=0.6), Region(min_fpr=0.2), Region()]
scores = st.lists(st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1), min_size=1, max_size=20)


def sample(seed, n_positive=50, n_negative=80):
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.beta(3, 2, n_positive)), torch.from_numpy(rng.beta(2, 3, n_negative))


def gradients(positives, negatives, inner, region, selector, omega):
    """Derivatives of the objective in a, b, gamma, s_pos, s_neg by autograd."""
    point = {
        name: torch.tensor(getattr(inner, name), dtype=torch.float64, requires_grad=True)
        for name in ("a", "b", "gamma", "s_pos", "s_neg")
    }
    value = minimax_objective(
        positives, negatives, InnerVariables(**point), region=region, selector=selector, omega=omega
    )
    found = torch.autograd.grad(value, list(point.values()), allow_unused=True)
    return [0.0 if gradient is None else gradient.item() for gradient in found]


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("selector", [Softplus(0.5), Softplus(4.0), Softplus(50.0), Dual(0.1), Dual(1.0)], ids=repr)
@pytest.mark.parametrize("omega", [0.0, 1.0])
def test_every_derivative_vanishes_and_the_point_is_feasible(region, selector, omega):
    for seed in range(2):
        positives, negatives = sample(seed)
        inner = inner_optimum(positives, negatives, region=region, selector=selector, omega=omega)
        assert np.abs(gradients(positives, negatives, inner, region, selector, omega)).max() < 1e-10
        assert inner.gamma == pytest.approx((inner.b - inner.a) / (1 + omega), abs=1e-14)
        assert (inner.theta_a, inner.theta_b) == (0.0, 0.0)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@given(scores, scores, st.data())
def test_the_optimum_lies_in_the_boxes_and_in_the_domain_of_gamma(region, positives, negatives, data):
    selector = data.draw(st.sampled_from([Softplus(0.3), Softplus(10.0), Dual(0.05), Dual(2.0), Hinge(), TopK()]))
    omega = data.draw(st.sampled_from([0.0, 1.0, 5.0]))
    positives, negatives = (torch.tensor(x, dtype=torch.float64) for x in (positives, negatives))
    inner = inner_optimum(positives, negatives, region=region, selector=selector, omega=omega)
    for name, (low, high) in dataclasses.asdict(inner_boxes(region, selector)).items():
        assert low - 1e-12 <= getattr(inner, name) <= high + 1e-12
    low, high = gamma_domain(inner.a, inner.b, region=region)
    assert low - 1e-12 <= inner.gamma <= high


@pytest.mark.parametrize(("region", "selector", "omega"), [
    (ONE_WAY, Softplus(4.0), 1.0), (ONE_WAY, Softplus(2.0), 0.5), (TWO_WAY, Softplus(6.0), 2.0),
    (TWO_WAY, Dual(0.5), 2.0), (Region(max_fpr=0.3, max_tpr=0.6), Softplus(4.0), 1.0),
])  # fmt: skip
def test_it_is_the_saddle_an_independent_solver_finds(region, selector, omega):
    """Brute force: minimise the maximum over gamma, from another start, without any knowledge of the structure."""
    positives, negatives = sample(7)
    inner = inner_optimum(positives, negatives, region=region, selector=selector, omega=omega)
    flipped = region.max_tpr < 1

    def objective(x, ascent):
        (a, b, s_neg), (gamma, s_pos) = x[:3], ascent
        point = InnerVariables(a=a, b=b, gamma=gamma, s_pos=s_pos, s_neg=s_neg)
        return minimax_objective(positives, negatives, point, region=region, selector=selector, omega=omega).item()

    def largest(x):
        if flipped:  # The threshold of the positives ascends together with gamma.
            return -minimize(lambda y: -objective(x, y), [-0.1, -0.9], method="BFGS", options={"gtol": 1e-6}).fun
        best = minimize_scalar(
            lambda gamma: -objective(x, (gamma, x[3])), bounds=(-1, 1), method="bounded", options={"xatol": 1e-10}
        )
        return -best.fun

    start = [0.5, 0.5, 1.0] if flipped else [0.5, 0.5, 1.0, -0.5]
    found = minimize(largest, start, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-11, "maxfev": 2000})
    here = [inner.a, inner.b, inner.s_neg] + ([] if flipped else [inner.s_pos])
    known = 3 if region.min_tpr == 0 else 4
    np.testing.assert_allclose(found.x[:known], here[:known], atol=2e-4)
    assert found.fun == pytest.approx(objective(here, (inner.gamma, inner.s_pos)), abs=1e-8)


@pytest.mark.parametrize("region", [ONE_WAY, TWO_WAY], ids=str)
def test_where_there_is_no_saddle_gamma_still_maximises_the_minimum_over_the_rest(region):
    positives, negatives = sample(8)
    selector = Softplus(30.0)
    inner = inner_optimum(positives, negatives, region=region, selector=selector)
    assert gamma_curvature(positives, negatives, inner, region=region, selector=selector) > 0

    def smallest(gamma):
        def value_and_gradient(x):
            point = InnerVariables(a=x[0], b=x[1], s_pos=x[2], s_neg=x[3], gamma=gamma)
            found = gradients(positives, negatives, point, region, selector, 0.0)
            value = minimax_objective(positives, negatives, point, region=region, selector=selector).item()
            return value, np.array([found[0], found[1], found[3], found[4]])

        start = [inner.a, inner.b, inner.s_pos, inner.s_neg]
        return minimize(value_and_gradient, start, jac=True, method="BFGS", options={"gtol": 1e-7}).fun

    best = minimax_objective(positives, negatives, inner, region=region, selector=selector).item()
    assert smallest(inner.gamma) == pytest.approx(best, abs=1e-10)
    for gamma in (inner.gamma - 0.02, inner.gamma + 0.02, *np.linspace(-0.9, 0.9, 7)):
        assert smallest(gamma) < best


@pytest.mark.parametrize("region", [ONE_WAY, TWO_WAY], ids=str)
def test_descent_ascent_arrives_there_from_any_start(region):
    positives, negatives = sample(3)
    selector, omega = Softplus(4.0), 1.0
    inner = inner_optimum(positives, negatives, region=region, selector=selector, omega=omega)
    assert gamma_curvature(positives, negatives, inner, region=region, selector=selector, omega=omega) < 0
    boxes = inner_boxes(region, selector)
    rng = np.random.default_rng(0)
    point = boxes.clip(InnerVariables(**{name: rng.uniform(-1, 1) for name in ("a", "b", "gamma", "s_pos", "s_neg")}))
    for _ in range(1500):
        a, b, gamma, s_pos, s_neg = gradients(positives, negatives, point, region, selector, omega)
        point = boxes.clip(
            InnerVariables(
                a=point.a - 0.05 * a,
                b=point.b - 0.05 * b,
                gamma=point.gamma + 0.05 * gamma,
                s_pos=point.s_pos - 0.05 * s_pos,
                s_neg=point.s_neg - 0.05 * s_neg,
            )
        )
    names = ("a", "b", "gamma", "s_neg") if region is ONE_WAY else ("a", "b", "gamma", "s_neg", "s_pos")
    for name in names:
        assert getattr(point, name) == pytest.approx(getattr(inner, name), abs=1e-6)


@pytest.mark.parametrize("region", [*REGIONS, Region(min_fpr=0.1, max_fpr=0.4)], ids=str)
@pytest.mark.parametrize("omega", [0.0, 2.0])
def test_exact_selection_has_the_closed_form(region, omega):
    positives, negatives = sample(5)
    inner = inner_optimum(positives, negatives, region=region, selector=TopK(), omega=omega)
    point = {name: torch.tensor(getattr(inner, name), requires_grad=True) for name in ("a", "b", "gamma")}
    value = instancewise_objective(positives, negatives, **point, region=region) - omega * point["gamma"] ** 2
    for gradient in torch.autograd.grad(value, list(point.values())):
        assert abs(gradient.item()) < 1e-6  # float32 scalars


def test_hinge_without_omega_has_no_joint_saddle_and_the_order_here_is_the_papers():
    """Max-min and min-max of the joint problem differ; thresholds inside gamma's step give the risk."""
    positives, negatives = sample(11, 20, 30)
    inner = inner_optimum(positives, negatives, region=ONE_WAY, selector=Hinge())
    at = {"region": ONE_WAY, "selector": Hinge()}
    best = minimax_objective(positives, negatives, inner, **at).item()
    better = max(
        minimax_objective(positives, negatives, dataclasses.replace(inner, gamma=g), **at).item()
        for g in np.linspace(-1, 1, 401)
    )
    assert better > best + 1e-3
    exact = instancewise_objective(positives, negatives, a=inner.a, b=inner.b, gamma=inner.gamma, region=ONE_WAY)
    assert best == pytest.approx(exact.item(), abs=1e-10)


@pytest.mark.parametrize("selector", [Softplus(1e4), Dual(1e-4)], ids=repr)
@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_sharp_selectors_approach_the_closed_form(selector, region):
    positives, negatives = sample(6)
    sharp = inner_optimum(positives, negatives, region=region, selector=selector, omega=1.0)
    exact = inner_optimum(positives, negatives, region=region, selector=Hinge(), omega=1.0)
    for name in ("a", "b", "gamma"):
        assert getattr(sharp, name) == pytest.approx(getattr(exact, name), abs=1e-3)


def test_degenerate_classes_and_low_precision():
    for selector in (Softplus(4.0), Dual(0.1), Hinge(), TopK()):
        same = inner_optimum(torch.full((3,), 0.5), torch.full((9,), 0.5), region=TWO_WAY, selector=selector)
        assert (same.a, same.b, same.gamma) == pytest.approx((0.5, 0.5, 0.0), abs=1e-12)
        far = inner_optimum(torch.ones(1), torch.zeros(1), region=TWO_WAY, selector=selector, omega=1.0)
        assert (far.a, far.b, far.gamma) == pytest.approx((1.0, 0.0, -0.5), abs=1e-12)
    positives, negatives = (scores.to(torch.float16) for scores in sample(1))
    half = inner_optimum(positives, negatives, region=TWO_WAY, selector=Softplus(4.0))
    full = inner_optimum(positives.double(), negatives.double(), region=TWO_WAY, selector=Softplus(4.0))
    assert half == full


def test_sample_weights_are_repetitions():
    positives, negatives = sample(2, 6, 6)
    counts = torch.tensor([1, 4, 2, 1, 3, 1])
    for selector in (Softplus(3.0), Dual(0.1), TopK()):
        weighted = inner_optimum(
            positives, negatives, region=TWO_WAY, selector=selector,
            positive_weight=counts.double(), negative_weight=counts.double(),
        )  # fmt: skip
        repeated = inner_optimum(
            positives.repeat_interleave(counts), negatives.repeat_interleave(counts), region=TWO_WAY, selector=selector
        )
        for name, value in dataclasses.asdict(repeated).items():
            assert getattr(weighted, name) == pytest.approx(value, abs=1e-10)


def test_input_is_checked():
    with pytest.raises(InputError, match="omega=-1"):
        inner_optimum(*sample(0), region=ONE_WAY, selector=Hinge(), omega=-1)
    with pytest.raises(ScoreError, match="sigmoid"):
        inner_optimum(torch.tensor([2.0]), torch.tensor([0.5]), region=ONE_WAY, selector=Hinge())
