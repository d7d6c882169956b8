"""Paired comparisons agree with scipy, with brute force, and with the truth they were drawn from."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pauci.errors import InputError, TooFewSamplesError
from pauci.studies.paired import differences, holm, mean_over_cells, paired_comparison

numbers = st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 6))


def test_differences_pair_by_seed_not_by_position():
    assert differences({0: 1.0, 5: 2.0, 7: 9.0}, {5: 0.5, 0: 0.5, 1: 3.0}) == [0.5, 1.5]
    assert differences({0: 1.0}, {1: 1.0}) == []


@given(st.lists(numbers, min_size=2, max_size=12))
def test_one_cell_is_the_paired_t_test(values):
    found = paired_comparison(values)
    assert found.difference == pytest.approx(np.mean(values), abs=1e-12)
    if np.std(values) > 1e-9:
        expected = stats.ttest_1samp(values, 0.0)
        low, high = expected.confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6, abs=1e-9)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


def test_no_spread_and_no_pairs():
    assert paired_comparison([0.25, 0.25]).p_value == 0
    assert paired_comparison([0.25, 0.25]).low == 0.25
    assert paired_comparison([0.0, 0.0]).p_value == 1
    alone = paired_comparison([0.1])
    assert (alone.low, alone.high, alone.p_value) == (-math.inf, math.inf, 1)
    assert mean_over_cells({"a": [0.1, 0.2], "b": [0.1]}).high == math.inf
    for cells in ({}, {"a": []}, {"a": [0.1, 0.2], "b": []}):
        with pytest.raises(TooFewSamplesError):
            mean_over_cells(cells)


@pytest.mark.parametrize("values", [[0.1, float("nan")], [float("inf"), 0.1]])
def test_failed_runs_are_no_numbers(values):
    with pytest.raises(InputError):
        paired_comparison(values)


def test_two_equal_cells_are_welchs_test():
    # The sum of two means is the difference of one mean and the other's negative, which Welch's test compares.
    first, second = [0.1, 0.3, 0.2, 0.5], [0.4, 0.1, 0.15]
    found = mean_over_cells({"a": first, "b": second})
    welch = stats.ttest_ind(first, [-x for x in second], equal_var=False)
    assert found.p_value == pytest.approx(welch.pvalue)
    low, high = welch.confidence_interval(0.95)
    assert (2 * found.low, 2 * found.high) == pytest.approx((low, high))


def test_intervals_cover_the_mean_of_unequal_cells():
    rng = np.random.default_rng(0)
    truth = {"a": (0.02, 0.01, 5), "b": (-0.01, 0.03, 5), "c": (0.05, 0.002, 3)}
    mean = np.mean([center for center, _, _ in truth.values()])
    covered = 0
    for _ in range(2000):
        found = mean_over_cells({name: rng.normal(mu, sd, n) for name, (mu, sd, n) in truth.items()})
        covered += found.low <= mean <= found.high
    assert 0.935 < covered / 2000 < 0.985


def brute_force_holm(p_values):
    """Smallest level at which the step-down procedure rejects each hypothesis."""

    def rejected(level):
        out = set()
        for step, k in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
            if p_values[k] * (len(p_values) - step) > level:
                break
            out.add(k)
        return out

    levels = sorted({min(1.0, p * m) for p in p_values for m in range(1, len(p_values) + 1)} | {1.0})
    return [next((level for level in levels if k in rejected(level)), 1.0) for k in range(len(p_values))]


@given(st.lists(st.floats(0, 1).map(lambda x: round(x, 4)), max_size=7))
def test_holm_is_the_step_down_procedure(p_values):
    assert holm(p_values) == pytest.approx(brute_force_holm(p_values))


def test_holm_refuses_what_is_no_probability():
    with pytest.raises(InputError):
        holm([0.1, 1.5])
    with pytest.raises(InputError):
        holm([float("nan")])
