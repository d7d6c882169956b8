import math

import numpy as np
import pytest
import torch
from scipy.stats import binomtest

from pauci.errors import InputError, TooFewSamplesError
from pauci.metrics import precision_at_threshold, threshold_at_alert_rate, threshold_at_fpr


def counts(hits, misses, false_alarms, quiet):
    """Labels and scores with these numbers of each outcome at threshold 1."""
    y = np.repeat([1, 1, 0, 0], [hits, misses, false_alarms, quiet])
    return y, np.repeat([1.0, 0.0, 1.0, 0.0], [hits, misses, false_alarms, quiet])


@pytest.mark.parametrize("outcome", [(30, 20, 10, 400), (0, 50, 3, 400), (5, 1, 0, 300), (1, 0, 1, 1)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_on_cases_like_these_the_interval_is_exact(outcome, level):
    result = precision_at_threshold(*counts(*outcome), threshold=1.0, level=level)
    expected = binomtest(outcome[0], outcome[0] + outcome[2]).proportion_ci(level, method="exact")
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high))
    assert result.estimate == outcome[0] / (outcome[0] + outcome[2])


def test_elsewhere_it_follows_from_the_rates():
    y, s = counts(80, 20, 30, 970)
    there = precision_at_threshold(y, s, threshold=1.0, prevalence=0.01)
    assert there.estimate == pytest.approx(0.01 * 0.8 / (0.01 * 0.8 + 0.99 * 0.03))
    same = precision_at_threshold(y, s, threshold=1.0, prevalence=100 / 1100)
    here = precision_at_threshold(y, s, threshold=1.0)
    assert same.estimate == pytest.approx(here.estimate)
    assert there.low < there.estimate < there.high
    bounds = [precision_at_threshold(y, s, threshold=1.0, prevalence=p).low for p in (0.001, 0.01, 0.1, 0.5, 0.999)]
    assert bounds == sorted(bounds)


def test_rates_of_zero_and_one_keep_honest_intervals():
    certain = precision_at_threshold(*counts(50, 0, 0, 500), threshold=1.0, prevalence=0.01)
    assert (certain.estimate, certain.high) == (1, 1)
    assert 0 < certain.low < 0.8
    useless = precision_at_threshold(*counts(0, 50, 20, 480), threshold=1.0, prevalence=0.01)
    assert (useless.estimate, useless.low) == (0, 0)
    assert 0 < useless.high < 0.1
    everything = precision_at_threshold(*counts(50, 0, 500, 0), threshold=1.0, prevalence=0.25)
    assert everything.estimate == pytest.approx(0.25)
    assert everything.low < 0.25 <= everything.high


@pytest.mark.parametrize(("tpr", "fpr"), [(0.6, 0.05), (0.9, 0.01), (0.3, 0.002)])
def test_intervals_cover(tpr, fpr):
    rng = np.random.default_rng(0)
    n_positive, n_negative, prevalence, simulations = 100, 1000, 0.02, 2000
    truth = prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)
    covered = drawn = 0
    for hits, alarms in zip(
        rng.binomial(n_positive, tpr, simulations), rng.binomial(n_negative, fpr, simulations), strict=True
    ):
        y, s = counts(hits, n_positive - hits, alarms, n_negative - alarms)
        result = precision_at_threshold(y, s, threshold=1.0, prevalence=prevalence)
        covered += result.low <= truth <= result.high
        drawn += 1
    assert 0.93 <= covered / drawn <= 0.98


def test_an_interval_as_narrow_as_a_point_is_one():
    rng = np.random.default_rng(0)
    for _ in range(200):
        y = np.arange(60) % 2
        found = precision_at_threshold(y, rng.normal(size=60) + y, threshold=0.5, prevalence=0.3, level=1e-9)
        assert found.low == pytest.approx(found.estimate, abs=1e-6)
        assert found.high == pytest.approx(found.estimate, abs=1e-6)


def test_threshold_may_be_what_choosing_one_returned():
    y, s = counts(80, 20, 30, 970)
    expected = precision_at_threshold(y, s, threshold=1.0)
    chosen = threshold_at_fpr(y, s, max_fpr=0.1)
    assert precision_at_threshold(y, s, threshold=chosen) == precision_at_threshold(y, s, threshold=chosen.threshold)
    alerts = threshold_at_alert_rate(s, alerts=1, per_cases=5)
    assert precision_at_threshold(y, s, threshold=alerts) == precision_at_threshold(y, s, threshold=alerts.threshold)
    for number in (torch.tensor(1.0), torch.tensor(1), torch.tensor([1.0]), np.float32(1)):
        assert precision_at_threshold(y, s, threshold=number) == expected


def test_bad_input_is_an_error():
    y, s = counts(5, 5, 5, 50)
    with pytest.raises(TooFewSamplesError, match="threshold=2"):
        precision_at_threshold(y, s, threshold=2.0)
    for options, name in (
        ({"threshold": math.nan}, "threshold"),
        ({"threshold": "1"}, "threshold"),
        ({"threshold": torch.tensor(math.nan)}, "threshold"),
        ({"threshold": torch.tensor([1.0, 2.0])}, "threshold"),
        ({"threshold": 1, "prevalence": 0.0}, "prevalence"),
        ({"threshold": 1, "prevalence": 3}, "prevalence"),
        ({"threshold": 1, "level": 1.5}, "level"),
    ):
        with pytest.raises(InputError, match=name):
            precision_at_threshold(y, s, **options)
