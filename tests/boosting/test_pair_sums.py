import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.boosting.pair_sums import bump_sums
from pauci.errors import ScoreError


def brute(first, second, second_weight, temperature):
    x = np.minimum(np.abs(second[None, :] - first[:, None]) / temperature, 700)
    return (np.exp(-x) / (1 + np.exp(-x)) ** 2 / temperature) @ second_weight


@given(
    seed=st.integers(0, 10**6),
    temperature=st.sampled_from([0.05, 0.5, 3.0]),
    spread=st.sampled_from([0.0, 1e-6, 1.0, 20.0]),
    apart=st.sampled_from([0.0, 5.0, 1e4, -1e9]),
)
def test_stays_within_its_tolerance(seed, temperature, spread, apart):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=rng.integers(1, 40)) * spread, rng.normal(size=rng.integers(1, 40)) * spread + apart
    p, q = rng.random(len(first)), rng.random(len(second))
    of_first, of_second = bump_sums(first, p, second, q, temperature=temperature)
    tolerance = 1e-6 / temperature
    np.testing.assert_allclose(of_first, brute(first, second, q, temperature), atol=tolerance * q.sum())
    np.testing.assert_allclose(of_second, brute(second, first, p, temperature), atol=tolerance * p.sum())


def test_classes_further_apart_than_they_reach_see_nothing():
    for gap in np.linspace(0.5, 6, 23):
        of_first, of_second = bump_sums(np.zeros(3), np.ones(3), np.array([gap]), np.ones(1), temperature=0.05)
        np.testing.assert_allclose(of_first, brute(np.zeros(3), np.array([gap]), np.ones(1), 0.05), atol=2e-5)
        np.testing.assert_allclose(of_second, brute(np.array([gap]), np.zeros(3), np.ones(3), 0.05), atol=6e-5)


def test_many_points_cross_blocks():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=50), rng.normal(size=70_000)
    q = np.full(70_000, 1 / 70_000)
    of_first, _ = bump_sums(first, np.ones(50), second, q, temperature=0.3)
    np.testing.assert_allclose(of_first, brute(first, second, q, 0.3), atol=4e-6)


def test_scores_on_another_scale_are_an_error():
    scores = np.array([0.0, 1e6])
    with pytest.raises(ScoreError, match="temperature"):
        bump_sums(scores, np.ones(2), scores, np.ones(2), temperature=0.5)
