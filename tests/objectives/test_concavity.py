import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci import Region
from pauci.errors import InputError, RegionError
from pauci.objectives import (
    Dual,
    Hinge,
    InnerVariables,
    Softplus,
    TopK,
    concavity_margin,
    gamma_curvature,
    inner_optimum,
    minimax_objective,
    negative_loss,
    positive_loss,
)

REGIONS = [Region(max_fpr=0.3), Region(max_fpr=0.5, min_tpr=0.5), Region(min_tpr=0.8), Region(max_tpr=0.5), Region()]
unit = st.floats(0, 1)
scores = st.lists(unit, min_size=1, max_size=10)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def numeric_curvature(positives, negatives, inner, step=1e-4, **options):
    value = [
        minimax_objective(positives, negatives, dataclasses.replace(inner, gamma=inner.gamma + h), **options).item()
        for h in (-step, 0.0, step)
    ]
    return (value[0] - 2 * value[1] + value[2]) / step**2


@pytest.mark.parametrize("region", REGIONS, ids=str)
@given(scores, scores, unit, unit, st.floats(-1, 1), st.floats(-4, 1), st.floats(0, 5), st.floats(0.5, 20))
def test_curvature_is_the_second_derivative_and_within_the_margin(
    region, positives, negatives, a, b, gamma, s_pos, s_neg, kappa
):
    inner = InnerVariables(a=a, b=b, gamma=gamma, s_pos=s_pos, s_neg=s_neg)
    data = tensor(positives), tensor(negatives)
    weights = {
        "positive_weight": 1.0 + torch.arange(len(positives)),
        "negative_weight": 1.0 + torch.arange(len(negatives)),
    }
    options = {"region": region, "selector": Softplus(kappa), "omega": 0.7, **weights}
    curvature = gamma_curvature(*data, inner, **options)
    assert curvature == pytest.approx(numeric_curvature(*data, inner, **options), abs=1e-3, rel=1e-3)
    assert curvature <= -concavity_margin(kappa, 0.7, region) + 1e-9


@pytest.mark.parametrize("region", REGIONS[:3], ids=str)
@pytest.mark.parametrize(("kappa", "omega"), [(2.0, 0.0), (4.0, 1.0), (0.5, 0.0)])
def test_the_margin_is_attained_and_the_papers_condition_fails(region, kappa, omega):
    """Scores of 1 whose losses sit at the threshold are the worst case: kappa <= 2 + 2 omega, yet not concave."""
    ones = torch.ones(3, dtype=torch.float64)
    inner = InnerVariables(
        a=0.5,
        b=0.5,
        gamma=0.0,
        s_pos=positive_loss(ones, a=0.5, gamma=0.0)[0].item(),
        s_neg=negative_loss(ones, b=0.5, gamma=0.0)[0].item(),
    )
    options = {"region": region, "selector": Softplus(kappa), "omega": omega}
    margin = concavity_margin(kappa, omega, region)
    assert numeric_curvature(ones, ones, inner, **options) == pytest.approx(-margin, abs=1e-5)
    if kappa >= 2.0:
        assert kappa <= 2 + 2 * omega
        assert margin < 0
    else:
        assert margin == pytest.approx(2 - 0.5 * sum(1 / s for s in (region.alpha, region.beta) if s < 1))


@given(scores, scores, st.floats(0.5, 50), st.floats(0.05, 0.95))
def test_the_tighter_margin_holds_at_optimal_thresholds(positives, negatives, kappa, share):
    region, data = Region(max_fpr=share), (tensor(positives), tensor(negatives))
    inner = inner_optimum(*data, region=region, selector=Softplus(kappa))
    tight = concavity_margin(kappa, 0.0, region, optimal_threshold=True)
    assert gamma_curvature(*data, inner, region=region, selector=Softplus(kappa)) <= -tight + 1e-6
    assert tight >= concavity_margin(kappa, 0.0, region) - 1e-12


@given(scores, scores, unit, unit, st.floats(-1, 1), st.floats(0, 5), st.floats(0.02, 3))
def test_dual_is_like_kappa_two_over_omega_c(positives, negatives, a, b, gamma, s_neg, omega_c):
    region = Region(max_fpr=0.3)
    inner = InnerVariables(a=a, b=b, gamma=gamma, s_neg=s_neg)
    curvature = gamma_curvature(tensor(positives), tensor(negatives), inner, region=region, selector=Dual(omega_c))
    assert curvature <= -concavity_margin(2 / omega_c, 0.0, region) + 1e-9


def test_a_bottom_is_concave_by_itself_and_exact_selectors_do_not_bend():
    region = Region(max_tpr=0.5)
    assert concavity_margin(1e6, 0.0, region) == 2.0
    data = tensor([0.2, 0.9]), tensor([0.4])
    inner = InnerVariables(a=0.5, b=0.5, gamma=0.0, s_pos=-0.5)
    assert gamma_curvature(*data, inner, region=region, selector=Softplus(5.0)) < -2
    for selector in (Hinge(), TopK()):
        assert gamma_curvature(*data, inner, region=region, selector=selector, omega=1.0) == -4


def test_settings_that_no_objective_has_are_refused():
    for kappa, omega, name in ((-4.0, 1.0, "kappa"), (4.0, -1.0, "omega"), (np.nan, 1.0, "kappa")):
        with pytest.raises(InputError, match=f"{name}="):
            concavity_margin(kappa, omega, Region(max_fpr=0.3))
    with pytest.raises(RegionError, match="band"):
        concavity_margin(4.0, 1.0, Region(min_fpr=0.1, max_fpr=0.3))
    data, inner = (tensor([0.9]), tensor([0.1, 0.4])), InnerVariables(a=0.5, b=0.5, gamma=0.0)
    with pytest.raises(RegionError, match="band"):
        gamma_curvature(*data, inner, region=Region(min_fpr=0.1, max_fpr=0.3), selector=Softplus(4.0))


def test_measured_curvature_is_milder_than_the_bound_at_the_recommended_setting():
    rng = np.random.default_rng(0)
    data = tensor(rng.beta(4, 2, 400)), tensor(rng.beta(2, 4, 2000))
    region, selector = Region(max_fpr=0.3), Softplus(4.0)
    inner = inner_optimum(*data, region=region, selector=selector, omega=1.0)
    assert concavity_margin(4.0, 1.0, region) == pytest.approx(-28 / 3)
    assert gamma_curvature(*data, inner, region=region, selector=selector, omega=1.0) < -2
