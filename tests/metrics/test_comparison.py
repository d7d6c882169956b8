import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from oracles import regions, samples
from pauci import Region, partial_auc_score
from pauci.errors import InputError, LabelError, ScoreError, TooFewSamplesError
from pauci.metrics import compare_partial_auc, partial_auc_interval
from pauci.metrics.delong import influences
from pauci.metrics.inputs import read_binary

METHODS = ["bootstrap", "delong"]


def two_scores(n_positive=100, n_negative=1000, *, shifts=(2.0, 1.5), shared=0.7, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    common, *own = rng.normal(size=(3, len(y)))
    a, b = (
        shift * y + math.sqrt(shared) * common + math.sqrt(1 - shared) * each
        for shift, each in zip(shifts, own, strict=True)
    )
    return y, a, b


@pytest.mark.parametrize("method", METHODS)
@given(sample=samples(), region=regions(), seed=st.integers(0, 99))
def test_difference_is_that_of_the_scores_and_turns_round(method, sample, region, seed):
    y, a = (np.repeat(values, 2) for values in sample)
    b = np.random.default_rng(seed).permutation(a)
    options = {"region": region, "method": method, "n_resamples": 10}
    forth, back = compare_partial_auc(y, a, b, **options), compare_partial_auc(y, b, a, **options)
    expected = partial_auc_score(y, a, region=region) - partial_auc_score(y, b, region=region)
    assert forth.difference == pytest.approx(expected, abs=1e-12)
    assert (back.difference, back.low, back.high) == pytest.approx(
        (-forth.difference, -forth.high, -forth.low), abs=1e-9
    )
    assert back.p_value == pytest.approx(forth.p_value)
    assert -1 <= forth.low <= forth.difference <= forth.high <= 1
    assert 0 <= forth.p_value <= 1


@pytest.mark.parametrize("method", METHODS)
def test_p_value_and_interval_agree(method):
    y, a, b = two_scores()
    result = compare_partial_auc(y, a, b, max_fpr=0.1, method=method)
    assert 0 < result.p_value < 0.05
    edge = compare_partial_auc(y, a, b, max_fpr=0.1, method=method, level=1 - result.p_value)
    assert edge.low == pytest.approx(0, abs=1e-9)


def test_a_region_is_given_whole_or_by_its_edges():
    y, a, b = two_scores()
    edges = {"max_fpr": 0.5, "min_tpr": 0.2, "min_fpr": 0.1, "max_tpr": 0.9}
    whole = compare_partial_auc(y, a, b, region=Region(**edges), method="delong")
    assert compare_partial_auc(y, a, b, **edges, method="delong") == whole


def test_names_of_classes_seeds_and_numbers_of_resamples_are_heeded():
    y, a, b = two_scores(20, 100)
    plain = compare_partial_auc(y, a, b, max_fpr=0.3)
    assert compare_partial_auc(np.where(y, "a", "b"), a, b, max_fpr=0.3, pos_label="a") == plain
    assert compare_partial_auc(y, a, b, max_fpr=0.3, seed=1) != plain
    assert compare_partial_auc(y, a, b, max_fpr=0.3, n_resamples=999) != plain


def test_pairing_uses_what_the_scores_share():
    y, a, b = two_scores(shared=0.95)
    paired = compare_partial_auc(y, a, b, max_fpr=0.1)
    one, other = (partial_auc_interval(y, s, max_fpr=0.1) for s in (a, b))
    unpaired = math.hypot(one.high - one.low, other.high - other.low)
    assert paired.high - paired.low < 0.6 * unpaired


def test_delong_variance_in_the_whole_plane():
    y, a, b = two_scores(40, 60)
    effects = [influences(read_binary(y, s), Region()) for s in (a, b)]
    positives, negatives = (first - second for first, second in zip(*effects, strict=True))
    variance = (positives**2).sum() * 40 / 39 + (negatives**2).sum() * 60 / 59
    result = compare_partial_auc(y, a, b, method="delong", level=0.6827)
    assert (result.high - result.low) / 2 == pytest.approx(math.sqrt(variance), rel=0.03)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cut", "ties"), [("interpolate", "half"), ("interpolate", "correct"), ("floor", "half")])
def test_width_is_that_of_explicit_resamples_under_every_rule(method, cut, ties):
    y, a, b = (values.round() for values in two_scores(400, 1200, shifts=(1.5, 1.0)))
    options, rng = {"max_fpr": 0.1, "cut": cut, "ties": ties}, np.random.default_rng(1)
    resamples = (np.concatenate([rng.integers(400, size=400), rng.integers(400, 1600, 1200)]) for _ in range(2000))
    spread = np.std(
        [np.subtract(*(partial_auc_score(y[rows], s[rows], **options) for s in (a, b))) for rows in resamples]
    )
    result = compare_partial_auc(y, a, b, method=method, **options)
    assert result.difference == pytest.approx(np.subtract(*(partial_auc_score(y, s, **options) for s in (a, b))))
    assert (result.high - result.low) / (2 * norm.ppf(0.975)) == pytest.approx(spread, rel=0.08)


def test_scales_weights_groups_and_whole_instances():
    y, a, b = two_scores()
    plain = compare_partial_auc(y, a, b, max_fpr=0.1)
    area = compare_partial_auc(y, a, b, max_fpr=0.1, scale="area")
    assert (area.difference, area.low, area.high) == pytest.approx(
        [0.1 * v for v in (plain.difference, plain.low, plain.high)]
    )
    assert area.p_value == plain.p_value
    mcclish = compare_partial_auc(y, a, b, max_fpr=0.1, convention="sklearn")
    assert mcclish.difference == pytest.approx(
        partial_auc_score(y, a, max_fpr=0.1, convention="sklearn")
        - partial_auc_score(y, b, max_fpr=0.1, convention="sklearn")
    )
    weight = np.random.default_rng(0).random(len(y)) + 0.5
    weighted = compare_partial_auc(y, a, b, max_fpr=0.1, sample_weight=weight)
    assert weighted.difference == pytest.approx(
        partial_auc_score(y, a, max_fpr=0.1, sample_weight=weight)
        - partial_auc_score(y, b, max_fpr=0.1, sample_weight=weight)
    )
    copies = [np.repeat(values, 3) for values in (y, a, b)]
    grouped = compare_partial_auc(*copies, max_fpr=0.1, groups=np.repeat(np.arange(len(y)), 3))
    assert grouped.high - grouped.low == pytest.approx(plain.high - plain.low, rel=0.12)
    whole = compare_partial_auc(y, a, b, max_fpr=0.1, convention="paper")
    assert (whole.difference, whole.low, whole.high) == pytest.approx(
        (plain.difference, plain.low, plain.high), abs=0.02
    )


@pytest.mark.parametrize("method", METHODS)
def test_nothing_varies(method):
    y = np.repeat([1, 0], [20, 300])
    same = compare_partial_auc(y, y + 0.0, 5.0 * y, max_fpr=0.5, method=method)
    assert (same.difference, same.p_value) == (0, 1)
    assert same.low < 0 < same.high
    opposite = compare_partial_auc(y, y + 0.0, -1.0 * y, max_fpr=0.5, method=method)
    assert opposite.difference == 1
    assert (opposite.low, opposite.high) == pytest.approx((0.025 ** (1 / 20), 1))
    assert opposite.p_value == 2.0**-19


def test_bad_input_is_an_error():
    y, a, b = two_scores(10, 50)
    cases = [
        (ScoreError, "score_b", (y, a, np.where(b > 0, math.inf, b)), {}),
        (ScoreError, "score_a", (y, a.astype(str), b), {}),
        (LabelError, "score_b", (y, a, b[1:]), {}),
        (LabelError, "y_true", (np.zeros(60), a, b), {}),
        (InputError, "level", (y, a, b), {"level": 0}),
        (InputError, "method", (y, a, b), {"method": "mcnemar"}),
        (InputError, "groups", (y, a, b), {"cut": "floor", "groups": np.arange(60)}),
        (TooFewSamplesError, "positives", ([1, 0, 0], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), {}),
    ]
    for error, name, arguments, options in cases:
        with pytest.raises(error, match=name):
            compare_partial_auc(*arguments, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "edges", "simulations"),
    [
        ("delong", {"max_fpr": 0.1}, 1500),
        ("delong", {"max_fpr": 0.5, "min_tpr": 0.5}, 1500),
        ("bootstrap", {"max_fpr": 0.1}, 1000),
    ],
)
def test_p_values_are_uniform_without_a_difference(method, edges, simulations):
    p_values, excluded = [], 0
    for seed in range(simulations):
        y, a, b = two_scores(100, 600, shifts=(1.5, 1.5), seed=seed)
        result = compare_partial_auc(y, a, b, **edges, method=method, n_resamples=200, seed=seed)
        p_values.append(result.p_value)
        excluded += not result.low <= 0 <= result.high
    assert kstest(p_values, "uniform").pvalue > 0.01
    assert excluded / simulations == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_few_groups_seldom_show_a_difference_that_is_not_there(method, n_groups):
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(n_groups), 40)
    y = np.arange(len(groups)) % 4 == 0
    found = 0
    for seed in range(300):
        a, b = (1.5 * y + rng.normal(size=(2, n_groups))[y * 1, groups] + rng.normal(size=len(y)) for _ in range(2))
        result = compare_partial_auc(y, a, b, max_fpr=0.3, groups=groups, method=method, n_resamples=50, seed=seed)
        found += result.p_value < 0.05
    assert found / 300 <= 0.08


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("region", "sizes"), [(Region(min_tpr=0.9), (10, 300)), (Region(max_fpr=0.01), (100, 100))])
def test_fewer_than_two_inside_show_no_difference(method, region, sizes):
    for seed in range(20):
        y, a, b = two_scores(*sizes, shifts=(1.5, 1.5), seed=seed)
        result = compare_partial_auc(y, a, b, region=region, method=method, n_resamples=50)
        assert result.p_value == 1
        assert result.low < 0 < result.high


def test_groups_of_unequal_size_seldom_show_a_difference_that_is_not_there():
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(2000):
        groups = np.repeat(np.arange(10), np.maximum(4, np.exp(2 + 1.2 * rng.normal(size=10))).astype(int))
        y = np.arange(len(groups)) % 3 == 0
        a, b = (1.5 * y + rng.normal(size=(2, 10))[y * 1, groups] + rng.normal(size=len(y)) for _ in range(2))
        found += compare_partial_auc(y, a, b, groups=groups, method="delong").p_value < 0.05
    assert found / 2000 <= 0.055
