import numpy as np
import pytest

from pauci import Region
from pauci.metrics.bootstrap import bootstrap_shares
from pauci.metrics.sample import Sample
from pauci.metrics.standard_error import independent_effects, standard_error

METHODS = ["bootstrap", "delong"]


def data(n_positive, n_negative, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    return y, rng.normal(size=len(y)) + 1.5 * y


def test_the_bootstrap_allows_for_few_instances_as_delong_does():
    """Four positives drawn again vary by a factor of 3 / 4 less than four new ones."""
    for seed in range(5):
        y, s = data(4, 2000, seed)
        sample = Sample.read(y, {"y_score": s})
        boot, delong = (standard_error(sample, [1.0], Region(), method=method, n_resamples=4000) for method in METHODS)
        assert boot.value == pytest.approx(delong.value, rel=0.05)
        assert boot.freedom == delong.freedom <= 3.2


def test_effects_of_equal_size_leave_the_freedom_of_a_sample_of_that_size():
    y, s = np.repeat([1, 0], [10, 50]), np.concatenate([np.repeat([2.0, -2.0], 5), np.linspace(0, 1, 50)])
    error = standard_error(Sample.read(y, {"y_score": s}), [1.0], Region(), method="delong")
    assert (error.value, error.freedom) == pytest.approx((np.sqrt(0.25 / 9), 9))


def test_weights_in_groups_count_like_repetitions():
    y, s = data(60, 240)
    rng = np.random.default_rng(1)
    groups, weight = (20 * rng.random(300) ** 2).astype(int), rng.integers(1, 4, 300)
    y_, s_, groups_ = (np.repeat(values, weight) for values in (y, s, groups))
    region = Region(max_fpr=0.5)
    once = Sample.read(y, {"y_score": s}, sample_weight=weight, groups=groups)
    weighted = standard_error(once, [1.0], region, method="delong")
    repeated = standard_error(Sample.read(y_, {"y_score": s_}, groups=groups_), [1.0], region, method="delong")
    assert (weighted.value, weighted.freedom) == pytest.approx((repeated.value, repeated.freedom))


def test_groups_correct_the_bootstrap_as_much_as_they_correct_delong():
    y, s = data(150, 450)
    groups = (20 * np.random.default_rng(1).random(600) ** 3).astype(int)
    sample = Sample.read(y, {"y_score": s}, groups=groups)
    (effects,) = independent_effects(sample, Region())
    boot, delong = (standard_error(sample, [1.0], Region(), method=method) for method in METHODS)
    spread = bootstrap_shares(sample, Region()).std(ddof=1)
    factor = delong.value / np.sqrt((effects**2).sum())
    assert factor > 1.05
    assert boot.value / spread == pytest.approx(factor)


def test_what_varies_only_in_the_second_order_is_left_to_the_bootstrap():
    sample = Sample.read([0, 0, 1, 1], {"y_score": [0.1, 0.7, 0.4, 0.9]}, groups=[1, 2, 1, 2])
    assert standard_error(sample, [1.0], Region(), method="delong").value == 0
    error = standard_error(sample, [1.0], Region())
    assert error.value == pytest.approx(bootstrap_shares(sample, Region()).std(ddof=1))
    assert error.freedom == 1
