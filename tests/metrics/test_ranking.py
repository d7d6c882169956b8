import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import brute_area, brute_pairs, regions, samples
from pauci import Region
from pauci.metrics.ranking import Ranking

seeds = st.integers(0, 2**32 - 1)


@given(samples(), regions(), seeds, st.sampled_from(["half", "correct"]))
def test_shares_of_weights_are_exact_areas(sample, region, seed, ties):
    y, s = sample
    weight = np.random.default_rng(seed).random((3, len(y))) + 0.01
    shares = Ranking.of(s[y], s[~y]).shares(weight[:, y], weight[:, ~y], region, ties=ties)
    assert shares == pytest.approx([brute_area(y, s, region, row, ties=ties) for row in weight], abs=1e-9)


@given(samples(), regions(), seeds, st.sampled_from(["half", "correct"]), st.sampled_from(["interpolate", "floor"]))
def test_shares_of_counts_are_those_of_the_repeated_instances(sample, region, seed, ties, cut):
    y, s = sample
    rng = np.random.default_rng(seed)
    counts = np.empty(len(y), dtype=int)
    for of_class in (y, ~y):
        counts[of_class] = np.bincount(rng.integers(of_class.sum(), size=of_class.sum()), minlength=of_class.sum())
    repeated = np.repeat(y, counts), np.repeat(s, counts)
    brute = brute_pairs if cut == "floor" else brute_area
    expected = brute(*repeated, region, ties=ties)
    if expected is None:
        return
    totals = int(y.sum()), int((~y).sum())
    shares = Ranking.of(s[y], s[~y]).shares(
        counts[None, y], counts[None, ~y], region, cut=cut, ties=ties, totals=totals
    )
    assert shares[0] == pytest.approx(expected, abs=1e-9)


def test_groups_of_equal_scores():
    ranking = Ranking.of(np.array([2, 5, 2, 9]), np.array([5, 5, 1, 7, 9]))
    assert ranking.at_or_above.tolist() == [0, 1, 2, 4]
    assert ranking.negatives_above.tolist() == [0, 2, 4]
    assert ranking.negatives_at_or_above.tolist() == [1, 4, 4]
    assert ranking.tied.tolist() == [0, 1]


def test_an_absent_positive_adds_nothing():
    ranking = Ranking.of(np.array([0.9, 0.1]), np.array([0.5, 0.5]))
    without_the_lower = ranking.shares(np.array([[2, 0]]), np.array([[1, 1]]), Region(max_fpr=0.5))
    assert without_the_lower.tolist() == [1.0]
