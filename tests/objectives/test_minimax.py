"""Steps 2 to 4: selection by threshold, smoothing, regularisation."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci import Region
from pauci.errors import InputError, LabelError, RegionError
from pauci.objectives import (
    Dual,
    Hinge,
    InnerVariables,
    Softplus,
    TopK,
    bias_bound,
    gamma_domain,
    inner_optimum,
    instancewise_objective,
    minimax_objective,
    negative_loss,
    positive_loss,
    selected_risk,
    selected_sides,
    selection_threshold,
)

unit = st.floats(0, 1)
scores = st.lists(st.sampled_from([0.0, 0.3, 1.0]) | unit, min_size=1, max_size=15)
REGIONS = [
    Region(max_fpr=0.3),
    Region(max_fpr=0.5, min_tpr=0.5),
    Region(min_tpr=0.35),
    Region(max_tpr=0.6, max_fpr=0.4),
]
BANDS = [Region(min_fpr=0.1, max_fpr=0.45), Region(max_fpr=0.5, max_tpr=0.9, min_tpr=0.2)]


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def sample(seed, n_positive=40, n_negative=60):
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.beta(3, 2, n_positive)), torch.from_numpy(rng.beta(2, 3, n_negative))


def with_best_thresholds(positives, negatives, a, b, gamma, region, selector):
    positive_side, negative_side = selected_sides(region)
    return InnerVariables(
        a=a,
        b=b,
        gamma=gamma,
        s_pos=selection_threshold(positive_loss(positives, a=a, gamma=gamma), side=positive_side, selector=selector),
        s_neg=selection_threshold(negative_loss(negatives, b=b, gamma=gamma), side=negative_side, selector=selector),
    )


@pytest.mark.parametrize("region", REGIONS, ids=str)
@given(scores, scores, unit, unit, unit)
def test_g_with_best_thresholds_is_f_on_the_domain_of_gamma(region, positives, negatives, a, b, position):
    """Theorems 2 and 8: selecting by loss is selecting by score."""
    positives, negatives = tensor(positives), tensor(negatives)
    low, high = gamma_domain(a, b, region=region)
    gamma = low + position * (high - low)
    f = instancewise_objective(positives, negatives, a=a, b=b, gamma=gamma, region=region).item()
    inner = with_best_thresholds(positives, negatives, a, b, gamma, region, Hinge())
    for selector in (Hinge(), TopK()):
        g = minimax_objective(positives, negatives, inner, region=region, selector=selector).item()
        assert g == pytest.approx(f, abs=1e-7)


@pytest.mark.parametrize("region", [*REGIONS, *BANDS], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_value_at_the_optimum_is_the_pairwise_risk_and_so_is_its_gradient(region, seed):
    positives, negatives = (scores.requires_grad_() for scores in sample(seed))
    risk = selected_risk(positives, negatives, region=region)
    expected = torch.autograd.grad(risk, (positives, negatives))
    for selector in (TopK(),) if region in BANDS else (TopK(), Hinge()):
        inner = inner_optimum(positives, negatives, region=region, selector=selector)
        value = 1 + minimax_objective(positives, negatives, inner, region=region, selector=selector)
        torch.testing.assert_close(value, risk, atol=1e-10, rtol=0)
        if selector == TopK():
            gradients = torch.autograd.grad(value, (positives, negatives))
            torch.testing.assert_close(gradients, expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("selector", [Hinge(), Softplus(4.0), Dual(0.1)])
@pytest.mark.parametrize("region", BANDS, ids=str)
def test_bands_are_refused_where_one_threshold_cannot_cut_them(region, selector):
    point = InnerVariables(a=0.5, b=0.5, gamma=0.0)
    with pytest.raises(RegionError, match="selector='topk'"):
        minimax_objective(*sample(0), point, region=region, selector=selector)
    with pytest.raises(RegionError, match="selector='topk'"):
        inner_optimum(*sample(0), region=region, selector=selector)


@given(scores, scores, unit, unit, st.floats(-1, 1), st.floats(0.5, 1e4))
def test_the_full_plane_is_auc_m_whatever_the_selector(positives, negatives, a, b, gamma, kappa):
    """Ying et al.'s objective: p(1-p)-free, (f-a)^2 + (f-b)^2 + 2 (1+gamma)(E- f - E+ f) - gamma^2."""
    f, g = tensor(positives), tensor(negatives)
    auc_m = (((f - a) ** 2).mean() + ((g - b) ** 2).mean() + 2 * (1 + gamma) * (g.mean() - f.mean()) - gamma**2).item()
    point = InnerVariables(a=a, b=b, gamma=gamma, s_pos=-3.0, s_neg=4.0, theta_a=2.0, theta_b=3.0)
    for selector in (Softplus(kappa), Hinge(), TopK(), Dual(0.3)):
        value = minimax_objective(f, g, point, region=Region(), selector=selector).item()
        assert value == pytest.approx(auc_m, abs=1e-10)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@given(scores, scores, unit, unit, st.floats(-1, 1), st.floats(-4, 1), st.floats(0, 5), st.floats(0.5, 1e4))
def test_smoothing_moves_the_objective_by_at_most_the_bias_bound(
    region, positives, negatives, a, b, gamma, s_pos, s_neg, kappa
):
    point = InnerVariables(a=a, b=b, gamma=gamma, s_pos=s_pos, s_neg=s_neg)
    data = tensor(positives), tensor(negatives)
    hinge = minimax_objective(*data, point, region=region, selector=Hinge()).item()
    for selector in (Softplus(kappa), Dual(1 / kappa)):
        smooth = minimax_objective(*data, point, region=region, selector=selector).item()
        assert abs(smooth - hinge) <= bias_bound(selector, region) + 1e-9


@pytest.mark.parametrize("beta", [0.01, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("kappa", [2.0, 20.0, 200.0])
def test_at_the_best_threshold_the_bias_is_at_most_the_entropy_of_the_weights(beta, kappa):
    region = Region(max_fpr=beta)
    entropy = -(beta * np.log(beta) + (1 - beta) * np.log(1 - beta))
    positives, spread = sample(2, 50, 400)
    for negatives, reaches in ((spread, False), (torch.full((400,), 0.4, dtype=torch.float64), True)):
        risk = selected_risk(positives, negatives, region=region).item()
        bias = []
        for selector in (Softplus(kappa), Dual(1 / kappa)):
            inner = inner_optimum(positives, negatives, region=region, selector=selector)
            value = minimax_objective(positives, negatives, inner, region=region, selector=selector).item()
            bias.append(1 + value - risk)
        assert 0 <= bias[0] <= entropy / (kappa * beta) + 1e-9
        assert -1 / kappa - 1e-9 <= bias[1] <= 1e-9
        if reaches:
            assert bias[0] == pytest.approx(entropy / (kappa * beta), rel=1e-6)


@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_the_bias_of_the_optimal_value_falls_like_one_over_kappa_or_faster(region):
    positives, negatives = sample(1, 200, 300)
    risk = selected_risk(positives, negatives, region=region).item()
    kappas, biases = np.geomspace(2, 512, 9), []
    for kappa in kappas:
        selector = Softplus(kappa)
        inner = inner_optimum(positives, negatives, region=region, selector=selector)
        value = 1 + minimax_objective(positives, negatives, inner, region=region, selector=selector).item()
        biases.append(abs(value - risk))
        assert biases[-1] <= bias_bound(selector, region)
    slope = np.polyfit(np.log(kappas), np.log(biases), 1)[0]
    assert slope <= -1
    assert all(np.diff(biases) < 0)


def test_omega_adds_its_own_bias():
    positives, negatives = sample(2)
    region, omega = Region(max_fpr=0.3), 1.5
    inner = inner_optimum(positives, negatives, region=region, selector=TopK(), omega=omega)
    value = 1 + minimax_objective(positives, negatives, inner, region=region, selector=TopK(), omega=omega).item()
    lost = (inner.a - inner.b) ** 2 * omega / (1 + omega)
    assert value == pytest.approx(selected_risk(positives, negatives, region=region).item() - lost, abs=1e-12)


def test_batch_prior_is_the_papers_average_over_the_batch():
    positives, negatives = sample(3, 5, 20)
    point = InnerVariables(a=0.6, b=0.4, gamma=-0.1, s_pos=-1.0, s_neg=1.2, theta_a=0.3, theta_b=0.2)
    region, selector, p, kappa, omega = Region(max_fpr=0.3, min_tpr=0.4), Softplus(3.0), 0.25, 3.0, 0.5
    alpha, beta = region.alpha, region.beta
    total = 0.0
    for f, y in [(f, 1) for f in positives.tolist()] + [(f, 0) for f in negatives.tolist()]:
        losses = (f - 0.6) ** 2 - 2 * 0.9 * f + 1.0, (f - 0.4) ** 2 + 2 * 0.9 * f - 1.2
        r = [np.logaddexp(0, kappa * x) / kappa for x in losses]
        total += (-alpha + r[0]) * y / (alpha * p) + (beta * 1.2 + r[1]) * (1 - y) / (beta * (1 - p))
        total += -(1 + omega) * 0.01 - 0.2 * (0.4 - 1 + 0.1) - 0.3 * (-0.6 + 0.1)
    value = minimax_objective(
        positives, negatives, point, region=region, selector=selector, omega=omega, batch_prior=p
    ).item()
    assert value == pytest.approx(total / 25, abs=1e-12)
    by_class = minimax_objective(positives, negatives, point, region=region, selector=selector).item()
    own_prior = minimax_objective(positives, negatives, point, region=region, selector=selector, batch_prior=0.2)
    assert own_prior.item() == pytest.approx(by_class, abs=1e-12)


def test_sample_weights_are_repetitions():
    positives, negatives = sample(4, 6, 4)
    counts = torch.tensor([1, 4, 2, 1, 3, 1]), torch.tensor([3, 1, 1, 2])
    point = InnerVariables(a=0.6, b=0.4, gamma=-0.1, s_pos=-1.0, s_neg=1.2)
    repeated = positives.repeat_interleave(counts[0]), negatives.repeat_interleave(counts[1])
    weights = {"positive_weight": counts[0].double(), "negative_weight": counts[1].double()}
    for selector in (Softplus(3.0), Dual(0.1), Hinge(), TopK()):
        for prior in (None, 0.3):
            options = {"region": Region(max_fpr=0.3, min_tpr=0.4), "selector": selector, "batch_prior": prior}
            torch.testing.assert_close(
                minimax_objective(positives, negatives, point, **options, **weights),
                minimax_objective(*repeated, point, **options),
            )


@pytest.mark.parametrize("selector", [Softplus(3.0), Dual(0.5), TopK()], ids=repr)
def test_gradients_in_scores_and_inner_variables(selector):
    names = ("a", "b", "gamma", "s_pos", "s_neg", "theta_a", "theta_b")
    start = [tensor(v).requires_grad_() for v in (0.6, 0.4, -0.1, -1.0, 1.2, 0.1, 0.2)]
    positives, negatives = (scores.requires_grad_() for scores in sample(5, 5, 7))

    def value(positives, negatives, *inner):
        point = InnerVariables(**dict(zip(names, inner, strict=True)))
        return minimax_objective(
            positives, negatives, point, region=Region(max_fpr=0.3, min_tpr=0.4), selector=selector, omega=1.0
        )

    assert torch.autograd.gradcheck(value, (positives, negatives, *start))


def test_a_batch_of_one_class_is_an_error():
    with pytest.raises(LabelError):
        minimax_objective(
            torch.empty(0), torch.rand(3), InnerVariables(a=0.5, b=0.5, gamma=0.0), region=Region(), selector=Hinge()
        )


@pytest.mark.parametrize("prior", [0.0, 1.0, float("nan")])
def test_a_prior_that_is_no_share_is_an_error(prior):
    with pytest.raises(InputError, match="batch_prior="):
        minimax_objective(
            *sample(0), InnerVariables(a=0.5, b=0.5, gamma=0.0), region=Region(), selector=Hinge(), batch_prior=prior
        )
