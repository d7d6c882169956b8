import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from oracles import samples
from pauci import Region
from pauci.errors import InputError, LabelError, ScoreError, TooFewSamplesError
from pauci.metrics import fpr_at_tpr, partial_roc_curve, threshold_at_alert_rate, threshold_at_fpr
from pauci.metrics.region_curve import operating_point

rates = st.one_of(st.sampled_from([0.0, 0.05, 0.1, 0.29, 0.5, 1.0]), st.floats(0, 1))
TYPES = [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_]


@given(samples(), rates)
def test_is_the_smallest_threshold_within_the_budget(sample, max_fpr):
    y, s = sample
    found = threshold_at_fpr(y, s, max_fpr=max_fpr)
    assert np.mean(s[~y] >= found.threshold) == found.fpr
    assert np.mean(s[y] >= found.threshold) == found.tpr
    assert found.fpr <= max_fpr + 1e-9
    below = s[s < found.threshold]
    if below.size:
        assert np.mean(s[~y] >= below.max()) > max_fpr
        assert found.threshold == np.nextafter(below.max(), np.inf)
    else:
        assert found.threshold == s.min()


@given(samples(), rates, st.integers(0, 2**32 - 1))
def test_weights(sample, max_fpr, seed):
    y, s = sample
    weight = np.random.default_rng(seed).random(len(y)) + 0.01
    found = threshold_at_fpr(y, s, max_fpr=max_fpr, sample_weight=weight)
    assert found.fpr == pytest.approx(weight[~y & (s >= found.threshold)].sum() / weight[~y].sum())
    assert found.tpr == pytest.approx(weight[y & (s >= found.threshold)].sum() / weight[y].sum())
    assert found.fpr <= max_fpr + 1e-8
    assert found.fpr_upper is None
    below = s[s < found.threshold]
    if below.size:
        assert weight[~y & (s >= below.max())].sum() / weight[~y].sum() > max_fpr


@pytest.mark.parametrize("dtype", TYPES)
def test_decision_holds_in_the_type_of_the_scores(dtype):
    s = np.array([0, 1, 1, 1, 0, 1], dtype=dtype)
    y = np.array([0, 0, 0, 1, 1, 1])
    found = threshold_at_fpr(y, s, max_fpr=0.5)
    assert not (s >= found.threshold).any()
    assert (s >= threshold_at_fpr(y, s, max_fpr=0.7).threshold).sum() == 4
    if dtype in (np.int8, np.int64, np.uint8):
        assert found.threshold == 2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_decision_holds_in_tensors(dtype):
    s, y = torch.tensor([0.1, 0.7, 0.7, 0.7, 0.1, 0.9], dtype=dtype), torch.tensor([0, 0, 0, 1, 1, 1])
    found = threshold_at_fpr(y, s, max_fpr=0.5)
    assert (s >= found.threshold).tolist() == [False] * 5 + [True]


def test_large_integers_and_the_largest_float():
    y = np.array([0, 1])
    big = np.array([2**62 + 1, 0])
    assert not (big >= threshold_at_fpr(y, big, max_fpr=0).threshold).any()
    top = np.array([np.finfo(float).max, 0.0])
    assert threshold_at_fpr(y, top, max_fpr=0).threshold == math.inf


@pytest.mark.parametrize(
    "judge",
    [
        lambda y, s: threshold_at_fpr(y, s, max_fpr=0),
        lambda y, s: fpr_at_tpr(y, s, min_tpr=0.5),
        lambda _, s: threshold_at_alert_rate(s, alerts=1, per_cases=2),
        lambda y, s: partial_roc_curve(y, s),
        lambda y, s: operating_point(y, s, Region(min_tpr=0.5)),
    ],
)
def test_integers_that_floats_cannot_tell_apart_are_refused(judge):
    y, s = [0, 1, 0, 1], np.arange(4)
    judge(y, s + 2**52)
    with pytest.raises(ScoreError, match="subtract an offset"):
        judge(y, s + 2**60)


def test_a_budget_of_one_is_kept_by_any_threshold():
    found = threshold_at_fpr([0] * 100 + [1], [*range(100), 50], max_fpr=1.0, confidence=0.9)
    assert (found.threshold, found.fpr, found.fpr_upper) == (0, 1, 1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("size", [4099, 70_000])
def test_a_budget_of_low_precision_is_computed_with_in_double(dtype, size):
    """In half precision 4099 negatives are 4100, and 70,000 are infinitely many."""
    y, s = np.append(np.zeros(size), 1), np.arange(size + 1.0)
    assert threshold_at_fpr(y, s, max_fpr=dtype(0.1)) == threshold_at_fpr(y, s, max_fpr=float(dtype(0.1)))
    assert fpr_at_tpr(1 - y, -s, min_tpr=dtype(0.9)) == fpr_at_tpr(1 - y, -s, min_tpr=float(dtype(0.9)))
    of_integers = threshold_at_alert_rate(s, alerts=np.int8(10), per_cases=np.int8(100))
    assert of_integers == threshold_at_alert_rate(s, alerts=10, per_cases=100)


def test_a_truth_value_is_no_budget():
    for judge in (partial(threshold_at_fpr, max_fpr=True), partial(fpr_at_tpr, min_tpr=True)):
        with pytest.raises(InputError, match="=True must be a number"):
            judge([0, 1], [0.1, 0.2])


def test_the_rounding_of_weights_does_not_lower_what_is_allowed():
    y, scores = np.repeat([0, 1], [10, 2]), np.arange(12.0)
    assert threshold_at_fpr(y, scores, max_fpr=0.3, sample_weight=np.full(12, 0.1)).fpr == pytest.approx(0.3)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e307])
def test_the_scale_of_weights_does_not_matter(scale):
    y, s = [0] * 10 + [1] * 5, range(15)
    weight = np.arange(1.0, 16.0)
    found = threshold_at_fpr(y, s, max_fpr=0.3, sample_weight=weight * scale)
    assert found == threshold_at_fpr(y, s, max_fpr=0.3, sample_weight=weight)
    assert fpr_at_tpr(y, s, min_tpr=0.5, sample_weight=weight * scale) == 0


def brute_allowed(n, max_fpr, confidence):
    """Largest k such that the k + 1 highest negatives reach beyond the budget with the confidence asked for."""
    allowed = [k for k in range(n) if binom.sf(k, n, max_fpr) >= confidence - 1e-12]
    return max(allowed, default=None)


@given(st.integers(1, 400), st.floats(0.005, 0.6), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@example(285, 0.5, 0.5)
def test_confidence_is_the_exact_binomial_order_statistic(n, max_fpr, confidence):
    y, s = np.append(np.zeros(n, dtype=int), 1), np.arange(n + 1.0)
    allowed = brute_allowed(n, max_fpr, confidence)
    if allowed is None:
        with pytest.raises(TooFewSamplesError) as raised:
            threshold_at_fpr(y, s, max_fpr=max_fpr, confidence=confidence)
        needed = int(str(raised.value).split("at least ")[1].split()[0])
        assert n < needed
        assert brute_allowed(needed, max_fpr, confidence) is not None
        assert brute_allowed(needed - 1, max_fpr, confidence) is None
        return
    found = threshold_at_fpr(y, s, max_fpr=max_fpr, confidence=confidence)
    assert found.fpr == allowed / n
    assert found.fpr_upper <= max_fpr + 1e-9
    assert binom.cdf(allowed, n, found.fpr_upper) == pytest.approx(1 - confidence)


@pytest.mark.parametrize("decimals", [16, 1, 0], ids=["continuous", "ties", "coarse"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_true_rate_keeps_the_promise_and_uses_the_budget(decimals, confidence):
    rng = np.random.default_rng(0)
    simulations, n, max_fpr = 4000, 500, 0.05
    population = np.sort(np.round(rng.normal(size=400_000), decimals))
    negatives = rng.choice(population, size=(simulations, n))
    y = np.append(np.zeros(n, dtype=int), 1)
    thresholds = [
        threshold_at_fpr(y, np.append(s, 9.0), max_fpr=max_fpr, confidence=confidence).threshold for s in negatives
    ]
    true_fpr = 1 - np.searchsorted(population, thresholds) / len(population)
    kept = np.mean(true_fpr <= max_fpr)
    assert kept >= confidence - 4 * math.sqrt(confidence * (1 - confidence) / simulations)
    if decimals == 16:
        # Not needlessly careful: one negative more would break the promise.
        exact = binom.sf(brute_allowed(n, max_fpr, confidence), n, max_fpr)
        assert kept == pytest.approx(exact, abs=0.02)
        assert exact < confidence + 0.05


def test_reported_bound_covers_without_confidence():
    rng = np.random.default_rng(1)
    y, covered = np.append(np.zeros(300, dtype=int), 1), 0
    for _ in range(1000):
        s = rng.random(301)
        found = threshold_at_fpr(y, s, max_fpr=0.1)
        covered += 1 - found.threshold <= found.fpr_upper
    assert covered / 1000 == pytest.approx(0.95, abs=0.025)


def test_known_numbers():
    y = np.append(np.zeros(298, dtype=int), [1, 1])
    with pytest.raises(TooFewSamplesError, match="at least 299 negatives, but there are 298"):
        threshold_at_fpr(y, np.arange(300.0), max_fpr=0.01, confidence=0.95)
    found = threshold_at_fpr(np.append(0, y), np.arange(301.0), max_fpr=0.01, confidence=0.95)
    assert (found.fpr, found.tpr) == (0, 1)
    assert found.threshold == np.nextafter(298.0, np.inf)


@pytest.mark.parametrize(("rate", "needed"), [(1e-300, "2.99573227355399e\\+300"), (5e-324, "inf")])
def test_rates_that_no_sample_guarantees_are_told_in_few_digits(rate, needed):
    y, s = np.repeat([0, 1], 50), np.arange(100.0)
    with pytest.raises(TooFewSamplesError, match=f"needs at least {needed} negatives, but there are 50"):
        threshold_at_fpr(y, s, max_fpr=rate, confidence=0.95)


def test_bad_input_is_an_error():
    y, s = [0, 0, 1], [0.1, 0.5, 0.4]
    cases = [
        (InputError, "max_fpr", (y, s), {"max_fpr": 5}),
        (InputError, "max_fpr", (y, s), {"max_fpr": math.nan}),
        (InputError, "max_fpr", (y, s), {"max_fpr": "0.1"}),
        (InputError, "max_fpr=0", (y, s), {"max_fpr": 0, "confidence": 0.9}),
        (InputError, "confidence", (y, s), {"max_fpr": 0.5, "confidence": 95}),
        (InputError, "confidence", (y, s), {"max_fpr": 0.5, "confidence": 0.9, "sample_weight": [1, 1, 1]}),
        (ScoreError, "y_score", (y, [0.1, math.nan, 0.2]), {"max_fpr": 0.5}),
        (LabelError, "y_true", ([0, 0, 0], s), {"max_fpr": 0.5}),
    ]
    for error, name, arguments, options in cases:
        with pytest.raises(error, match=name):
            threshold_at_fpr(*arguments, **options)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60), st.integers(0, 50))
@example([1, 2, 3], 50)
def test_alerts_stay_within_the_budget(scores, alerts):
    s = np.array(scores, dtype=float)
    found = threshold_at_alert_rate(s, alerts=alerts, per_cases=50)
    raised = (s >= found.threshold).sum()
    assert raised <= len(s) * alerts / 50 + 1e-9
    assert found.rate == raised / len(s)
    below = s[s < found.threshold]
    if below.size:
        assert (s >= below.max()).sum() > len(s) * alerts / 50


def test_alert_rate_with_confidence_is_that_of_negatives():
    s = np.random.default_rng(0).normal(size=1000)
    alert = threshold_at_alert_rate(s, alerts=5, per_cases=100, confidence=0.9)
    same = threshold_at_fpr(np.append(np.zeros(1000), 1), np.append(s, 0.0), max_fpr=0.05, confidence=0.9)
    assert (alert.threshold, alert.rate, alert.rate_upper) == (same.threshold, same.fpr, same.fpr_upper)
    with pytest.raises(TooFewSamplesError, match="cases"):
        threshold_at_alert_rate(s, alerts=1, per_cases=10_000, confidence=0.9)


@pytest.mark.parametrize(
    ("options", "name"),
    [({"alerts": -1, "per_cases": 10}, "alerts"), ({"alerts": 1, "per_cases": 0}, "per_cases"),
     ({"alerts": 0, "per_cases": 0}, "per_cases"),
     ({"alerts": 11, "per_cases": 10}, "alerts"), ({"alerts": "1", "per_cases": 10}, "alerts"),
     ({"alerts": math.nan, "per_cases": 10}, "alerts")],
)  # fmt: skip
def test_impossible_alert_rates_are_errors(options, name):
    with pytest.raises(InputError, match=name):
        threshold_at_alert_rate([0.1, 0.2], **options)
    with pytest.raises(InputError, match="empty"):
        threshold_at_alert_rate([], alerts=1, per_cases=2)
