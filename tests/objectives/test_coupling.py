import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci import Region
from pauci.objectives import (
    InnerVariables,
    Softplus,
    gamma_domain,
    lagrangian_term,
    minimax_objective,
    project_gamma,
)

unit = st.floats(0, 1)
TWO_WAY = Region(max_fpr=0.5, min_tpr=0.5)


@given(unit, unit, st.floats(-2, 2), st.sampled_from([Region(), Region(max_fpr=0.2), Region(min_tpr=0.5), TWO_WAY]))
def test_projection_is_the_nearest_feasible_gamma_for_numbers_and_tensors(a, b, gamma, region):
    low, high = gamma_domain(a, b, region=region)
    of_positives, of_negatives = [-a] if region.min_tpr > 0 else [], [b - 1.0] if region.max_fpr < 1 else []
    assert (low, high) == (max([-1.0, *of_positives, *of_negatives]), 1.0)
    projected = project_gamma(gamma, a=a, b=b, region=region)
    assert low <= projected <= high
    assert projected == gamma or projected in (low, high)
    for wrap in ((torch.tensor, float), (float, torch.tensor), (torch.tensor, torch.tensor)):
        as_tensor = project_gamma(wrap[0](gamma), a=wrap[1](a), b=wrap[1](b), region=region)
        assert float(as_tensor) == pytest.approx(projected, abs=1e-6)


@pytest.mark.parametrize(("a", "b"), [(0.1, 0.2), (0.9, 0.8), (0.05, 0.95), (0.6, 0.4)])
def test_multipliers_solve_the_constrained_problem(a, b):
    """Max over the domain = min over theta >= 0 of the max over [-1, 1], where the objective is concave."""
    rng = np.random.default_rng(0)
    # Positives far above negatives: gamma wants to go below its domain.
    positives, negatives = torch.from_numpy(rng.beta(8, 2, 30)), torch.from_numpy(rng.beta(2, 8, 30))
    gammas = np.linspace(-1, 1, 1001)

    def over_gamma(theta_a, theta_b):
        return np.array([
            minimax_objective(
                positives, negatives,
                InnerVariables(a=a, b=b, gamma=g, s_pos=-1.0, s_neg=0.6, theta_a=theta_a, theta_b=theta_b),
                region=TWO_WAY, selector=Softplus(1.0), omega=2.0,
            ).item() for g in gammas
        ])  # fmt: skip

    free = over_gamma(0.0, 0.0)
    low, _ = gamma_domain(a, b, region=TWO_WAY)
    constrained = free[gammas >= low - 1e-9].max()
    slack_a, slack_b = gammas + a, gammas + 1 - b
    dual = min(
        (free + theta_a * slack_a + theta_b * slack_b).max()
        for theta_a in np.linspace(0, 8, 161)
        for theta_b in np.linspace(0, 8, 161)
    )
    assert dual == pytest.approx(constrained, abs=2e-3)
    np.testing.assert_allclose(over_gamma(1.5, 0.5), free + 1.5 * slack_a + 0.5 * slack_b, atol=1e-12)


def test_one_way_regions_have_one_multiplier():
    point = InnerVariables(a=0.3, b=0.9, gamma=-0.5, theta_a=2.0, theta_b=3.0)
    assert lagrangian_term(point, region=Region()) == 0
    assert lagrangian_term(point, region=Region(max_fpr=0.2)) == pytest.approx(-3 * 0.4)
    assert lagrangian_term(point, region=Region(min_tpr=0.2)) == pytest.approx(-2 * 0.2)
    assert lagrangian_term(point, region=TWO_WAY) == pytest.approx(-3 * 0.4 - 2 * 0.2)
