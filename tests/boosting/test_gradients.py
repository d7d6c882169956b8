"""Gradients against brute force over pairs, finite differences, and the tensor version of the paper's objective."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from pauci import Region
from pauci.boosting.gradients import RegionObjective
from pauci.boosting.workers import ALONE, Workers
from pauci.errors import InputError, LabelError, RegionError, ScoreError
from pauci.objectives import Hinge, Softplus, inner_optimum, minimax_objective, selected_risk

REGIONS = [
    Region(max_fpr=0.3),
    Region(max_fpr=0.37, min_tpr=0.41),
    Region(min_tpr=0.8),
    Region(),
    Region(max_fpr=0.5, max_tpr=0.7),
]


def sample(seed, n=60, *, tied=False, weighted=False):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(float)
    y[:2] = 0, 1
    z = rng.normal(size=n) * 2 + y
    if tied:
        z = np.round(z)
    return y, z, rng.uniform(0.2, 3, n) if weighted else None


def inside_by_rank(key, low, high, w):
    """Fractions inside the side, tied rows sharing alike."""
    part, room = np.zeros(len(key)), w / w.sum()
    for value in np.unique(key):
        above, equal = room[key > value].sum(), room[key == value].sum()
        covered = max(0.0, min(above + equal, high) - max(above, low))
        part[key == value] = covered / equal
    return part


def exact_shares(y, z, w, region):
    p = w[y > 0] * inside_by_rank(-z[y > 0], 1 - region.max_tpr, region.alpha, w[y > 0])
    q = w[y == 0] * inside_by_rank(z[y == 0], region.min_fpr, region.max_fpr, w[y == 0])
    return p / p.sum(), q / q.sum()


def logloss(y, z, w):
    return (w * np.logaddexp(0, np.where(y > 0, -z, z))).sum()


def pairwise_value(z, y, w, p, q, objective):
    differences = z[y == 0][None, :] - z[y > 0][:, None]
    mean = p @ (1 / (1 + np.exp(-differences / objective.temperature))) @ q
    return w[y > 0].sum() * mean + objective.anchor * logloss(y, z, w)


def slopes(value, z, step=1e-5):
    return np.array([(value(z + step * e) - value(z - step * e)) / (2 * step) for e in np.eye(len(z))])


@pytest.mark.parametrize("region", [*REGIONS, Region(min_fpr=0.1, max_fpr=0.5)], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_sigmoid_is_the_slope_of_the_mean_over_pairs(region, weighted, tied):
    y, z, weight = sample(3, tied=tied, weighted=weighted)
    w = np.ones_like(z) if weight is None else weight
    objective = RegionObjective(region=region, anchor=0.3, temperature=0.7)
    p, q = exact_shares(y, z, w, region)
    expected = slopes(lambda at: pairwise_value(at, y, w, p, q, objective), z)
    np.testing.assert_allclose(objective.gradient(y, z, weight).first, expected, atol=2e-5)


def test_exact_selection_is_the_derivative_of_the_moving_selection_too():
    y, z, _ = sample(5)
    w, region = np.ones_like(z), Region(max_fpr=0.37, min_tpr=0.41)
    objective = RegionObjective(region=region, anchor=0.0)
    expected = slopes(lambda at: pairwise_value(at, y, w, *exact_shares(y, at, w, region), objective), z, step=1e-7)
    np.testing.assert_allclose(objective.gradient(y, z).first, expected, atol=1e-5)


@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_soft_sigmoid_selects_with_the_share_as_mean(region):
    y, z, weight = sample(7, n=80, weighted=True)
    objective = RegionObjective(region=region, anchor=0.0, selection="softplus", kappa=3.0)
    shares = []
    for key, low, high, w in (
        (-z[y > 0], 1 - region.max_tpr, region.alpha, weight[y > 0]),
        (z[y == 0], region.min_fpr, region.max_fpr, weight[y == 0]),
    ):
        sign = -1 if low > 0 else 1

        def part_at(s, key=key, sign=sign):
            return 1 / (1 + np.exp(-3 * sign * (key - s)))

        part = np.ones(len(key))
        if high - low < 1:
            part = part_at(brentq(lambda s: w @ part_at(s) / w.sum() - (high - low), -40, 40))  # noqa: B023
        shares.append(w * part / (w @ part))
    expected = slopes(lambda at: pairwise_value(at, y, weight, *shares, objective), z)
    np.testing.assert_allclose(objective.gradient(y, z, weight).first, expected, atol=2e-4)


def paper_value(z, y, weight, *, region, selector, omega):
    f = torch.from_numpy(1 / (1 + np.exp(-z)))
    at, w = torch.from_numpy(y > 0), None if weight is None else torch.from_numpy(weight)
    weights = {"positive_weight": None if w is None else w[at], "negative_weight": None if w is None else w[~at]}
    settings = {"region": region, "selector": selector, "omega": omega, **weights}
    best = inner_optimum(f[at], f[~at], **settings)
    return minimax_objective(f[at], f[~at], best, **settings).item()


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("selection", ["exact", "softplus"])
def test_pauci_is_the_slope_of_the_optimal_value(region, weighted, selection):
    y, z, weight = sample(11, n=40, weighted=weighted)
    objective = RegionObjective(region=region, surrogate="pauci", anchor=0.0, selection=selection, omega=1.0)
    selector = Hinge() if selection == "exact" else Softplus(objective.kappa)
    scale = (y > 0).sum() if weight is None else weight[y > 0].sum()
    expected = scale * slopes(
        lambda at: paper_value(at, y, weight, region=region, selector=selector, omega=1.0), z, step=1e-6
    )
    np.testing.assert_allclose(objective.gradient(y, z, weight).first, expected, atol=2e-4)


def test_pauci_without_omega_is_the_risk_of_the_pairs():
    y, z, _ = sample(13)
    region = Region(max_fpr=0.4)

    def risk(at):
        f = torch.from_numpy(1 / (1 + np.exp(-at)))
        return (y > 0).sum() * selected_risk(f[y > 0], f[y == 0], region=region).item()

    found = RegionObjective(region=region, surrogate="pauci", anchor=0.0, omega=0.0).gradient(y, z)
    np.testing.assert_allclose(found.first, slopes(risk, z, step=1e-6), atol=1e-6)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    surrogate=st.sampled_from(["sigmoid", "pauci"]),
    selection=st.sampled_from(["exact", "softplus"]),
    region=st.sampled_from(REGIONS),
    spread=st.sampled_from([0.0, 1e-3, 1.0, 30.0]),
    shift=st.sampled_from([0.0, -500.0, 500.0]),
)
def test_properties(seed, surrogate, selection, region, spread, shift):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 50))
    y = (rng.random(n) < 0.3).astype(float)
    y[:2] = 0, 1
    z = rng.normal(size=n) * spread + shift
    objective = RegionObjective(region=region, surrogate=surrogate, selection=selection, anchor=0.0)
    found = objective.gradient(y, z)
    assert (found.second > 0).all()
    assert (found.first[y > 0] <= 1e-9).all()
    assert (found.first[y == 0] >= -1e-9).all()
    if surrogate == "sigmoid":
        # Pairs push their two ends apart with equal force, and no leaf moves by more than the temperature.
        assert abs(found.first.sum()) <= 1e-5 * n
        np.testing.assert_allclose(found.second, np.abs(found.first) / objective.temperature, rtol=1e-5, atol=2e-9)
    # Rows of weight 2 are rows twice over, those of weight 0 are not there.
    weight = rng.integers(0, 4, n)
    weight[:2] += 1
    rows = np.repeat(np.arange(n), weight)
    again = np.bincount(rows, objective.gradient(y[rows], z[rows]).first, minlength=n)
    np.testing.assert_allclose(objective.gradient(y, z, weight).first, again, atol=1e-5)


def test_the_hessian_bounds_the_curvature():
    for surrogate in ("sigmoid", "pauci"):
        y, z, _ = sample(17)
        objective = RegionObjective(region=Region(max_fpr=0.4), surrogate=surrogate, anchor=0.2)
        steps = 1e-4 * np.eye(len(z))
        curvature = [
            (objective.gradient(y, z + e).first[i] - objective.gradient(y, z - e).first[i]) / 2e-4
            for i, e in enumerate(steps)
        ]
        assert (np.array(curvature) <= objective.gradient(y, z).second + 1e-3).all()


def test_the_hessian_of_pauci_bounds_both_parts_of_the_curvature():
    y, z, _ = sample(17)
    found = RegionObjective(region=Region(), surrogate="pauci", anchor=0.0).gradient(y, z)
    rise, share = np.exp(-z) / (1 + np.exp(-z)) ** 2, np.where(y > 0, 1.0, y.sum() / (1 - y).sum())
    np.testing.assert_allclose(found.second, np.abs(found.first) + 2 * share * rise**2, rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("anchor", [0.5, 1.0, 3.0])
def test_the_anchor_adds_as_much_of_logloss(weighted, anchor):
    y, z, weight = sample(19, weighted=weighted)
    found, without = (
        RegionObjective(region=Region(max_fpr=0.3), anchor=value).gradient(y, z, weight) for value in (anchor, 0.0)
    )
    chance, scale = 1 / (1 + np.exp(-z)), anchor if weight is None else anchor * weight
    np.testing.assert_allclose(found.first - without.first, scale * (chance - y), atol=1e-5)
    np.testing.assert_allclose(found.second - without.second, scale * chance * (1 - chance), atol=1e-5)


def test_a_perfect_distant_ranking_is_left_alone():
    y, z = np.array([1.0, 1.0, 0.0, 0.0]), np.array([900.0, 901.0, -900.0, -2000.0])
    assert np.abs(RegionObjective(region=Region(max_fpr=0.5), anchor=0.0).gradient(y, z).first).max() < 1e-12


def test_rows_beyond_the_reach_of_the_other_class_are_left_alone_however_far():
    y, z = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1e7, 0.3, 0.1, -1e7])
    found = RegionObjective(region=Region(), anchor=0.0, temperature=1.0).gradient(y, z).first
    slope = 2 * 0.25 / (1 + np.exp(0.2)) / (1 + np.exp(-0.2))
    np.testing.assert_allclose(found, [0, -slope, slope, 0], atol=1e-6)


def test_labels_of_every_spelling_are_the_same():
    y, z, _ = sample(1)
    objective = RegionObjective(region=Region(max_fpr=0.1))
    expected = objective.gradient(y, z)
    for labels in (y > 0, 2 * y - 1, y.astype(np.float32)):
        np.testing.assert_array_equal(objective.gradient(labels, z), expected)


def test_what_is_wrong_with_the_rows_of_one_worker_is_an_error_of_all():
    y, z, _ = sample(1)
    objective = RegionObjective(region=Region(max_fpr=0.1))
    for wrong, named in ((4, "labels"), (5, "weights"), (6, "raw scores")):
        with_another = Workers(total=lambda mine, at=wrong: mine + (np.arange(len(mine)) == at), maximum=ALONE.maximum)
        with pytest.raises(InputError, match=named):
            objective.gradient(y, z, workers=with_another)


def test_errors():
    y, z, _ = sample(1)
    objective = RegionObjective(region=Region(max_fpr=0.1))
    with pytest.raises(LabelError, match="no positives"):
        objective.gradient(np.zeros_like(y), z)
    with pytest.raises(LabelError, match="no negatives"):
        objective.gradient(np.ones_like(y), z)
    for wrong, named in ((y + 1, "1, 2"), (y * 0.5, "0, 0.5"), (np.where(z > 0, y, np.nan), "0, 1, nan")):
        with pytest.raises(LabelError, match=f"labels are {named}; expected bool"):
            objective.gradient(wrong, z)
    with pytest.raises(LabelError, match="labels are -1, 0, 1; expected"):
        objective.gradient(np.where(z > 0, y, -1), z)
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="weights are negative, NaN or infinite"):
            objective.gradient(y, z, np.where(z > 0, 1.0, wrong))
    with pytest.raises(ScoreError, match="diverged"):
        objective.gradient(y, z * np.inf)
    with pytest.raises(ScoreError, match="one each"):
        objective.gradient(y, z[:-1])
    with pytest.raises(ScoreError, match="temperature"):
        objective.gradient(y, z * 1e6)
    with pytest.raises(RegionError, match=r"band.*selection='exact'"):
        RegionObjective(region=Region(min_fpr=0.1, max_fpr=0.2), selection="softplus").gradient(y, z)
    for wrong in ({"surrogate": "hinge"}, {"selection": "dual"}, {"anchor": -1}, {"temperature": 0}, {"omega": np.nan}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            RegionObjective(region=Region(max_fpr=0.1), **wrong)
