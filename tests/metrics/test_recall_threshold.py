import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from oracles import samples
from pauci.errors import InputError, LabelError, TooFewSamplesError
from pauci.metrics import fpr_at_tpr, precision_at_threshold, threshold_at_fpr, threshold_at_tpr

shares = st.one_of(st.sampled_from([1e-300, 0.05, 0.3, 0.5, 0.9, 0.95, 1.0]), st.floats(1e-9, 1))


@given(samples(), shares)
def test_is_the_largest_threshold_that_finds_the_share(sample, min_tpr):
    y, s = sample
    found = threshold_at_tpr(y, s, min_tpr=min_tpr)
    assert found.tpr == np.mean(s[y] >= found.threshold) >= min_tpr - 1e-9
    assert found.fpr == np.mean(s[~y] >= found.threshold) == fpr_at_tpr(y, s, min_tpr=min_tpr)
    assert found.threshold in s[y]
    above = s[s > found.threshold]
    assert not above.size or np.mean(s[y] >= above.min()) < min_tpr
    assert 0 <= found.tpr_lower <= found.tpr


@given(samples(), shares, st.integers(0, 2**32 - 1))
def test_weights(sample, min_tpr, seed):
    y, s = sample
    weight = np.random.default_rng(seed).random(len(y)) + 0.01
    found = threshold_at_tpr(y, s, min_tpr=min_tpr, sample_weight=weight)
    assert found.tpr == pytest.approx(weight[y & (s >= found.threshold)].sum() / weight[y].sum())
    assert found.tpr >= min_tpr - 1e-8
    assert found.tpr_lower is None
    above = s[s > found.threshold]
    assert not above.size or weight[y & (s >= above.min())].sum() / weight[y].sum() < min_tpr


@given(samples(), st.floats(0.01, 0.99), st.floats(0.01, 0.9))
def test_is_the_reversed_problem(sample, min_tpr, confidence):
    y, s = sample
    try:
        missed = threshold_at_fpr(~y, -s, max_fpr=1 - min_tpr, confidence=confidence)
    except TooFewSamplesError:
        with pytest.raises(TooFewSamplesError, match=f"positives, but there are {y.sum()}"):
            threshold_at_tpr(y, s, min_tpr=min_tpr, confidence=confidence)
        return
    found = threshold_at_tpr(y, s, min_tpr=min_tpr, confidence=confidence)
    np.testing.assert_array_equal(s >= found.threshold, s > -missed.threshold)
    assert found.tpr_lower == 1 - missed.fpr_upper


@pytest.mark.parametrize("decimals", [16, 1, 0], ids=["continuous", "ties", "coarse"])
def test_true_share_keeps_the_promise(decimals):
    rng = np.random.default_rng(0)
    simulations, n, min_tpr, confidence = 4000, 300, 0.9, 0.95
    population = np.sort(np.round(rng.normal(size=400_000), decimals))
    y = np.append(np.ones(n, dtype=int), 0)
    found = [
        threshold_at_tpr(y, np.append(s, 0.0), min_tpr=min_tpr, confidence=confidence)
        for s in rng.choice(population, size=(simulations, n))
    ]
    share = 1 - np.searchsorted(population, [one.threshold for one in found]) / len(population)
    kept, tolerance = np.mean(share >= min_tpr), 4 * math.sqrt(confidence * (1 - confidence) / simulations)
    assert kept >= confidence - tolerance
    assert np.mean(share >= [one.tpr_lower for one in found]) >= confidence - tolerance
    if decimals == 16:
        assert kept <= confidence + 0.02, "not needlessly careful"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_decision_holds_in_the_type_of_the_scores(dtype):
    s, y = torch.tensor([0.1, 0.7, 0.3, 0.7, 0.2, 0.9], dtype=dtype), torch.tensor([0, 0, 0, 1, 1, 1])
    found = threshold_at_tpr(y, s, min_tpr=2 / 3)
    assert (s >= found.threshold).tolist() == [False, True, False, True, False, True]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.bool_])
def test_whole_numbers(dtype):
    s, y = np.array([0, 1, 1, 0, 1], dtype=dtype), [0, 0, 1, 1, 1]
    assert (threshold_at_tpr(y, s, min_tpr=0.6).threshold, threshold_at_tpr(y, s, min_tpr=0.7).threshold) == (1, 0)
    assert threshold_at_tpr(y, s, min_tpr=0.6, sample_weight=[1, 1, 1, 3, 1]).threshold == 0


def test_what_it_finds_can_be_judged():
    y, s = np.repeat([1, 0], [50, 200]), np.arange(250.0)[::-1]
    found = threshold_at_tpr(y, s, min_tpr=0.8)
    assert precision_at_threshold(y, s, threshold=found).estimate == 1
    with pytest.raises(TooFewSamplesError, match=r"min_tpr=0\.99 needs at least 299 positives, but there are 50"):
        threshold_at_tpr(y, s, min_tpr=0.99, confidence=0.95)


def test_a_share_next_to_nothing_is_not_found_in_what_weighs_nothing():
    found = threshold_at_tpr([1, 1, 0, 0], [3.0, 2.0, 2.5, 1.0], min_tpr=1e-10, sample_weight=[0, 1, 1, 1])
    assert (found.threshold, found.tpr, found.fpr) == (2.0, 1.0, 0.5)


def test_bad_input_is_an_error():
    y, s = [0, 1, 1], [0.1, 0.5, 0.4]
    for error, name, labels, options in (
        (InputError, "min_tpr=0 is reached", y, {"min_tpr": 0}),
        (InputError, "min_tpr", y, {"min_tpr": 90}),
        (InputError, "min_tpr", y, {"min_tpr": math.nan}),
        (InputError, "min_tpr=1 cannot be guaranteed .*a looser rate", y, {"min_tpr": 1, "confidence": 0.9}),
        (InputError, "confidence", y, {"min_tpr": 0.5, "confidence": 95}),
        (InputError, "weighted positives", y, {"min_tpr": 0.5, "confidence": 0.9, "sample_weight": [1, 1, 1]}),
        (LabelError, "y_true", [1, 1, 1], {"min_tpr": 0.5}),
    ):
        with pytest.raises(error, match=name):
            threshold_at_tpr(labels, s, **options)
