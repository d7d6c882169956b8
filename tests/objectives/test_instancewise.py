"""Step 1 of the derivation: pairs become instances (Theorems 1 and 7, OP1 = OP2, OP3 = OP4)."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci import Region
from pauci.errors import InputError, LabelError, ScoreError
from pauci.objectives import (
    Softplus,
    gamma_domain,
    inner_optimum,
    instancewise_objective,
    minimax_objective,
    selected_risk,
)

scores = st.lists(st.sampled_from([0.0, 0.3, 0.3, 0.5, 1.0]) | st.floats(0, 1), min_size=1, max_size=12)
REGIONS = [
    Region(),
    Region(max_fpr=0.3),
    Region(max_fpr=0.5, min_tpr=0.5),
    Region(max_fpr=0.29, min_tpr=0.13),
    Region(min_tpr=0.8),
    Region(max_tpr=0.6, max_fpr=0.4),
    Region(min_fpr=0.1, max_fpr=0.45),
    Region(min_fpr=0.2, max_tpr=0.7, min_tpr=0.1),
]


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def covered(n, low, high):
    """Fraction of each of n ranks that lies between two shares."""
    return np.array([max(0.0, min(high * n, i + 1) - max(low * n, i)) for i in range(n)])


def pairwise_risk(positives, negatives, region):
    """Mean of (1 - (f+ - f-))^2 over the pairs in the region, pair by pair."""
    rising, falling = np.sort(positives), np.sort(negatives)[::-1]
    inside = np.outer(
        covered(len(rising), 1 - region.max_tpr, 1 - region.min_tpr),
        covered(len(falling), region.min_fpr, region.max_fpr),
    )
    losses = (1 - (rising[:, None] - falling[None, :])) ** 2
    return (inside * losses).sum() / inside.sum()


@pytest.mark.parametrize("region", REGIONS, ids=str)
@given(scores, scores)
def test_four_moments_are_the_pairwise_risk(region, positives, negatives):
    risk = selected_risk(tensor(positives), tensor(negatives), region=region)
    assert risk.item() == pytest.approx(pairwise_risk(positives, negatives, region), abs=1e-10)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_minimax_of_f_is_the_risk_minus_one_with_and_without_the_constraint(region, seed):
    """F is quadratic in a, b and gamma: its saddle on a fine grid around the exact one, and OP1 = OP2, OP3 = OP4."""
    rng = np.random.default_rng(seed)
    positives, negatives = rng.beta(3, 2, 17), rng.beta(2, 3, 23)
    risk = pairwise_risk(positives, negatives, region)

    def f(a, b, gamma):
        return instancewise_objective(tensor(positives), tensor(negatives), a=a, b=b, gamma=gamma, region=region)

    steps = np.linspace(0, 1, 41)
    # F = c + E (a - a*)^2 + ...: three evaluations give the exact parabola in each variable, with no cross terms.
    base = f(0.0, 0.0, 0.0).item()
    over_a = np.array([f(a, 0.0, 0.0).item() - base for a in steps])
    over_b = np.array([f(0.0, b, 0.0).item() - base for b in steps])
    gammas = np.linspace(-1, 1, 401)
    over_gamma = np.array([f(0.0, 0.0, g).item() - base for g in gammas])
    assert f(0.3, 0.6, -0.2).item() == pytest.approx(base + over_a[12] + over_b[24] + over_gamma[160], abs=1e-12), (
        "no cross terms"
    )
    free, constrained = np.inf, np.inf
    for i, a in enumerate(steps):
        for j, b in enumerate(steps):
            value = base + over_a[i] + over_b[j] + over_gamma
            low, _ = gamma_domain(a, b, region=region)
            free = min(free, value.max())
            constrained = min(constrained, value[gammas >= low - 1e-12].max())
    # A grid of steps h misses a minimum by at most 2 (h/2)^2 and a maximum of curvature 2 by (h/2)^2.
    tolerance = 2 * (1 / 80) ** 2 + (1 / 400) ** 2
    assert free + 1 == pytest.approx(risk, abs=tolerance)
    assert constrained == pytest.approx(free, abs=tolerance)


def test_weights_are_repetitions_and_gradients_flow():
    positives, negatives = tensor([0.9, 0.2, 0.7]), tensor([0.5, 0.8, 0.1])
    counts, region = torch.tensor([1, 3, 2]), Region(max_fpr=0.4, min_tpr=0.3)
    weights = {"positive_weight": counts.double(), "negative_weight": counts.double()}
    copies = positives.repeat_interleave(counts), negatives.repeat_interleave(counts)
    for function, point in ((selected_risk, {}), (instancewise_objective, {"a": 0.4, "b": 0.3, "gamma": -0.2})):
        weighted = function(positives, negatives, region=region, **point, **weights)
        torch.testing.assert_close(weighted, function(*copies, region=region, **point))
    assert torch.autograd.gradcheck(
        lambda p, n: selected_risk(p, n, region=region), (positives.requires_grad_(), negatives.requires_grad_())
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_many_weights_in_half_precision_add_up(dtype):
    generator = torch.Generator().manual_seed(0)
    positives, negatives = torch.rand(1000, generator=generator), torch.rand(70001, generator=generator)
    region, ones = Region(max_fpr=0.3), torch.ones(70001, dtype=dtype)
    point = inner_optimum(positives, negatives, region=region, selector=Softplus(4.0), negative_weight=ones)
    assert point == inner_optimum(positives, negatives, region=region, selector=Softplus(4.0))
    options = {"region": region, "selector": Softplus(4.0), "batch_prior": 0.1}
    for function, arguments in ((selected_risk, {"region": region}), (minimax_objective, {"inner": point, **options})):
        weighted = function(positives, negatives, negative_weight=ones, **arguments)
        torch.testing.assert_close(weighted, function(positives, negatives, **arguments))


@pytest.mark.parametrize(
    ("positives", "negatives", "error", "message"),
    [
        ([0.5], [], LabelError, "no negatives"),
        ([], [0.5], LabelError, "no positives"),
        ([float("nan")], [0.5], ScoreError, "nan"),
        ([0.5], [3.2], ScoreError, r"3\.2.*sigmoid"),
        ([[0.5]], [0.5], ScoreError, "vector"),
    ],
)
def test_bad_scores_are_errors(positives, negatives, error, message):
    with pytest.raises(error, match=message):
        selected_risk(tensor(positives), tensor(negatives), region=Region(max_fpr=0.3))


def test_what_is_no_tensor_is_an_error():
    one = tensor([0.5])
    with pytest.raises(InputError, match=r"positives: expected a Tensor, not a ndarray; use torch\.as_tensor"):
        selected_risk(one.numpy(), one, region=Region(max_fpr=0.3))
    with pytest.raises(InputError, match="negative_weight: expected a Tensor, not a list"):
        selected_risk(one, one, region=Region(max_fpr=0.3), negative_weight=[1.0])


@pytest.mark.parametrize("name", ["positive_weight", "negative_weight"])
@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, float("nan")]])
def test_bad_weights_are_errors(weights, name):
    two = tensor([0.5, 0.2])
    with pytest.raises(InputError, match=name):
        selected_risk(two, two, region=Region(max_fpr=0.3), **{name: tensor(weights)})
