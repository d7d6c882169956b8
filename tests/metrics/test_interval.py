import math

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import binomtest, norm

from oracles import regions, samples
from pauci import Region, partial_auc_score
from pauci.errors import InputError, LabelError, RegionError, ScoreError, TooFewSamplesError
from pauci.metrics import Interval, partial_auc_interval
from pauci.metrics.share_ends import down_to_the_corner, logit_ends

METHODS = ["bootstrap", "delong"]


def data(n_positive=100, n_negative=1000, *, shift=2.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    return y, rng.normal(size=len(y)) + shift * y


@pytest.mark.parametrize("method", METHODS)
@given(sample=samples(), region=regions(), ties=st.sampled_from(["half", "correct"]), weighted=st.booleans())
def test_interval_is_around_the_score_and_possible(method, sample, region, ties, weighted):
    y, s = (np.repeat(values, 2) for values in sample)
    options = {"region": region, "ties": ties, "sample_weight": np.arange(1, len(y) + 1.0) if weighted else None}
    result = partial_auc_interval(y, s, method=method, n_resamples=20, **options)
    assert result.estimate == pytest.approx(partial_auc_score(y, s, **options), abs=1e-12)
    assert 0 <= result.low <= result.estimate + 1e-12
    assert result.estimate - 1e-12 <= result.high <= 1
    assert result.low < result.high
    assert result.level == 0.95


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "options", [{"scale": "area"}, {"scale": "mcclish"}, {"convention": "sklearn"}, {"convention": "paper"}]
)
def test_scales_and_conventions(method, options):
    y, s = data()
    region = Region(max_fpr=0.1)
    result = partial_auc_interval(y, s, region=region, method=method, **options)
    assert result.estimate == pytest.approx(partial_auc_score(y, s, region=region, **options))
    plain = partial_auc_interval(y, s, max_fpr=0.1, method=method, convention=None)
    if options.get("scale") == "area":
        assert (result.low, result.high) == pytest.approx((0.1 * plain.low, 0.1 * plain.high))
    elif options.get("convention") != "paper":
        stretch = (result.high - result.low) / (plain.high - plain.low)
        assert stretch == pytest.approx(0.5 / (1 - 0.05))


def test_both_methods_and_all_inputs_agree():
    y, s = data(400, 4000)
    boot = partial_auc_interval(y, s, max_fpr=0.1, n_resamples=3000)
    delong = partial_auc_interval(y, s, max_fpr=0.1, method="delong")
    assert (boot.low, boot.high) == pytest.approx((delong.low, delong.high), abs=0.005)
    assert partial_auc_interval(torch.tensor(y), torch.tensor(s), max_fpr=0.1, n_resamples=3000) == boot
    assert partial_auc_interval(y.astype(bool), s.tolist(), max_fpr=0.1, n_resamples=3000) == boot
    names = np.where(y, "fraud", "fine")
    assert partial_auc_interval(names, s, max_fpr=0.1, n_resamples=3000, pos_label="fraud") == boot
    assert partial_auc_interval(y, s, max_fpr=0.1, n_resamples=3000, seed=1) != boot
    assert partial_auc_interval(y, s, max_fpr=0.1, n_resamples=2999) != boot


def test_a_region_is_given_whole_or_by_its_edges():
    y, s = data()
    edges = {"max_fpr": 0.5, "min_tpr": 0.2, "min_fpr": 0.1, "max_tpr": 0.9}
    whole = partial_auc_interval(y, s, region=Region(**edges), method="delong")
    assert partial_auc_interval(y, s, **edges, method="delong") == whole


@given(st.integers(2, 40), st.integers(2, 40), st.floats(-3, 3), st.integers(0, 99))
@example(2, 2, 0.0, 21)  # exactly one half
def test_a_reversed_score_has_the_mirrored_interval(n_positive, n_negative, shift, seed):
    y, s = data(n_positive, n_negative, shift=shift, seed=seed)
    forth, back = (partial_auc_interval(y, sign * s, method="delong") for sign in (1, -1))
    assert (back.low, back.high) == pytest.approx((1 - forth.high, 1 - forth.low), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cut", "ties"), [("interpolate", "half"), ("interpolate", "correct"), ("floor", "half")])
def test_width_is_that_of_explicit_resamples_under_every_rule(method, cut, ties):
    """Of coarse scores, so that the spread differs by a seventh or more from rule to rule."""
    y, s = data(400, 1200, shift=1.0)
    options = {"max_fpr": 0.05, "cut": cut, "ties": ties}
    s, rng = s.round(), np.random.default_rng(1)
    resamples = (np.concatenate([rng.integers(400, size=400), rng.integers(400, 1600, 1200)]) for _ in range(2000))
    spread = np.std([partial_auc_score(y[rows], s[rows], **options) for rows in resamples])
    result = partial_auc_interval(y, s, method=method, **options)
    reach = (logit(result.high) - logit(result.low)) / (2 * norm.ppf(0.975))
    assert reach * result.estimate * (1 - result.estimate) == pytest.approx(spread, rel=0.08)


@pytest.mark.parametrize("method", METHODS)
def test_equal_weights_and_groups_of_one_change_little(method):
    y, s = data(200, 2000)
    plain, weighted, grouped = (
        partial_auc_interval(y, s, max_fpr=0.1, method=method, n_resamples=2000, **extra)
        for extra in ({}, {"sample_weight": np.full(len(y), 3.0)}, {"groups": np.arange(len(y))})
    )
    for other in (weighted, grouped):
        assert (other.low, other.high) == pytest.approx((plain.low, plain.high), abs=0.006)


@pytest.mark.parametrize("method", METHODS)
def test_copies_in_groups_tell_nothing_new(method):
    y, s = data(80, 800)
    plain = partial_auc_interval(y, s, max_fpr=0.2, method=method, n_resamples=2000)
    copies = {"y_true": np.repeat(y, 4), "y_score": np.repeat(s, 4), "max_fpr": 0.2, "method": method}
    grouped = partial_auc_interval(**copies, groups=np.repeat(np.arange(len(y)), 4), n_resamples=2000)
    naive = partial_auc_interval(**copies, n_resamples=2000)
    assert grouped.high - grouped.low == pytest.approx(plain.high - plain.low, rel=0.1)
    assert naive.high - naive.low == pytest.approx((plain.high - plain.low) / 2, rel=0.15)


@pytest.mark.parametrize("method", METHODS)
def test_instances_without_weight_do_not_exist(method):
    y, s = data(30, 300)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    kept = weight > 0
    groups = np.arange(len(y)) // 2
    for extra in (None, groups):
        with_zeros = partial_auc_interval(y, s, max_fpr=0.3, sample_weight=weight, groups=extra, method=method)
        without = partial_auc_interval(
            y[kept], s[kept], max_fpr=0.3, sample_weight=weight[kept], method=method,
            groups=None if extra is None else extra[kept],
        )  # fmt: skip
        assert with_zeros == without


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("region", [Region(), Region(max_fpr=0.05), Region(min_fpr=0.1, max_fpr=0.4, min_tpr=0.5)])
def test_perfect_hopeless_and_constant_scores_leave_doubt(method, region):
    y = np.repeat([1, 0], [100, 10_000])
    perfect = partial_auc_interval(y, y + 0.0, region=region, method=method, n_resamples=50)
    assert perfect.estimate == 1
    assert perfect.high == 1
    pairs = min(100 * region.height, 10_000 * region.width)
    assert perfect.low == pytest.approx(0.025 ** (1 / pairs))
    hopeless = partial_auc_interval(y, -y + 0.0, region=region, method=method, n_resamples=50)
    assert (hopeless.estimate, hopeless.low, hopeless.high) == pytest.approx((0, 0, 1 - perfect.low), abs=1e-12)
    constant = partial_auc_interval(y, np.zeros(len(y)), region=region, method=method, n_resamples=50)
    assert constant.low <= constant.estimate < constant.high
    grouped = partial_auc_interval(y, y + 0.0, region=region, method=method, groups=np.arange(len(y)) // 10)
    assert grouped.low < perfect.low


@pytest.mark.parametrize("method", METHODS)
def test_level_orders_intervals(method):
    y, s = data()
    widths = []
    for level in (0.5, 0.9, 0.99):
        result = partial_auc_interval(y, s, max_fpr=0.1, level=level, method=method)
        widths.append(result.high - result.low)
    assert widths == sorted(widths)


def test_bad_input_is_an_error():
    y, s = data(10, 50)
    one = {"y_true": y, "y_score": s}
    cases = [
        (ScoreError, "y_score", {**one, "y_score": np.where(s > 0, math.nan, s)}),
        (LabelError, "y_true", {**one, "y_true": np.ones(60)}),
        (LabelError, "y_score", {**one, "y_score": s[1:]}),
        (LabelError, "sample_weight", {**one, "sample_weight": np.ones(3)}),
        (InputError, "sample_weight", {**one, "sample_weight": 1.0 - y}),
        (LabelError, "groups", {**one, "groups": np.arange(7)}),
        (LabelError, "groups", {**one, "groups": np.arange(7), "sample_weight": np.arange(60) % 3}),
        (TooFewSamplesError, "positives", {**one, "sample_weight": 1.0 * (np.arange(60) > 8)}),
        (InputError, "groups", {**one, "groups": np.where(y, math.nan, 1.0)}),
        (InputError, "groups", {**one, "groups": np.array([None, "a"] * 30, dtype=object)}),
        (InputError, "groups", {**one, "groups": np.arange(120).reshape(60, 2)}),
        (InputError, "groups", {**one, "groups": np.array([1, "a"] * 30, dtype=object)}),
        (InputError, "seed", {**one, "seed": -1}),
        (InputError, "seed", {**one, "seed": 0.5}),
        (TooFewSamplesError, "groups", {**one, "groups": y}),
        (InputError, "level", {**one, "level": 95}),
        (InputError, "level", {**one, "level": 1.0}),
        (InputError, "level", {**one, "level": math.nan}),
        (InputError, "method", {**one, "method": "jackknife"}),
        (InputError, "n_resamples", {**one, "n_resamples": 1}),
        (InputError, "n_resamples", {**one, "n_resamples": 99.5}),
        (InputError, "region", {**one, "region": Region(max_fpr=0.1), "max_fpr": 0.2}),
        (InputError, "scale", {**one, "scale": "percent"}),
        (RegionError, "region", {**one, "cut": "floor", "max_fpr": 0.001}),
        (InputError, "sample_weight", {**one, "cut": "floor", "sample_weight": np.ones(60)}),
        (InputError, "groups", {**one, "cut": "floor", "groups": np.arange(60)}),
    ]  # fmt: skip
    for error, name, arguments in cases:
        with pytest.raises(error, match=name):
            partial_auc_interval(**arguments)


def test_one_instance_of_a_class_is_too_few():
    with pytest.raises(TooFewSamplesError, match="positives"):
        partial_auc_interval([1, 0, 0], [0.1, 0.2, 0.3])
    with pytest.raises(TooFewSamplesError, match="negatives"):
        partial_auc_interval([1, 1, 0], [0.1, 0.2, 0.3])


def true_share(region, shift, spread):
    """Share of the region under the binormal curve, by the midpoint rule."""
    grid = np.linspace(region.min_fpr, region.max_fpr, 100_001)
    tpr = norm.cdf((shift + norm.ppf((grid[1:] + grid[:-1]) / 2)) / spread)
    return np.clip(tpr - region.min_tpr, 0, region.height).mean() / region.height


@pytest.mark.parametrize("method", METHODS)
def test_a_share_that_rounds_to_almost_one_is_one(method):
    y = [1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1]
    s = [18, 23, 11, 6, 16, 14, 0, 18, 22, 0, 0, 29]
    result = partial_auc_interval(y, s, min_fpr=0.2, min_tpr=0.2, method=method)
    assert result.estimate == pytest.approx(1)
    assert 0.4 < result.low < 0.5


@pytest.mark.parametrize("method", METHODS)
def test_one_mistake_makes_a_perfect_sample_hardly_more_certain(method):
    y = np.repeat([1, 0], [20, 1000])
    perfect = np.concatenate((np.linspace(2, 3, 20), np.linspace(0, 1, 1000)))
    flawed = perfect.copy()
    flawed[-1] = 2.01
    lows = [partial_auc_interval(y, s, max_fpr=0.1, method=method).low for s in (perfect, flawed)]
    assert lows[1] == pytest.approx(lows[0], abs=0.05)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sign", [1, -1])
def test_two_instances_beyond_hope_do_not_make_everything_possible(method, sign):
    """As if every pair were a coin, half of them independent: Wilson's interval for 49 of 50, not [0.69, 1]."""
    y = np.repeat([1, 0], [100, 1000])
    s = sign * np.concatenate((np.full(2, -9.0), np.linspace(2, 3, 98), np.linspace(0, 1, 1000)))
    result = partial_auc_interval(y, s, method=method)
    assert result.estimate == pytest.approx(0.98 if sign > 0 else 0.02)
    wilson = binomtest(49, 50).proportion_ci(0.95, method="wilson")
    assert (result.low if sign > 0 else 1 - result.high) == pytest.approx(wilson.low)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", [None, 0.1, 3.0])
def test_an_interval_of_a_half_is_symmetric_however_the_half_is_rounded(method, weight):
    y, s = np.array([0, 1, 1, 0, 0, 1]), np.array([0, 0, 1, 0, 1, 0])
    weights = None if weight is None else np.full(6, weight)
    found = partial_auc_interval(y, s, method=method, sample_weight=weights)
    assert found.estimate == pytest.approx(0.5)
    assert found.low + found.high == pytest.approx(1)


@pytest.mark.parametrize("method", METHODS)
def test_groups_of_unequal_size_may_leave_everything_possible(method):
    y = np.repeat([1, 0], [50, 1000])
    s = np.concatenate((np.full(40, -9.0), np.linspace(2, 3, 10), np.linspace(0, 1, 1000)))
    groups = np.concatenate((np.zeros(40), np.arange(1, 1011)))
    assert partial_auc_interval(y, s, groups=groups, method=method).high > 0.9


def test_few_hopeless_positives_are_allowed_for():
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [20, 1000])
    region = Region(max_fpr=0.1)
    truth = 0.95 * true_share(region, 4.0, 1.0) + 0.05 * true_share(region, -6.0, 1.0)
    covered = 0
    for _ in range(300):
        s = rng.normal(size=len(y))
        s[:20] += np.where(rng.random(20) < 0.05, -6, 4)
        result = partial_auc_interval(y, s, region=region, method="delong")
        covered += result.low <= truth <= result.high
    assert covered / 300 >= 0.93


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e305])
def test_the_scale_of_weights_does_not_matter(method, scale):
    y, s = data(20, 100)
    weight = np.random.default_rng(1).integers(1, 5, size=len(y)).astype(float)
    options = {"max_fpr": 0.2, "method": method, "n_resamples": 50}
    scaled = partial_auc_interval(y, s, sample_weight=scale * weight, **options)
    plain = partial_auc_interval(y, s, sample_weight=weight, **options)
    assert (scaled.estimate, scaled.low, scaled.high) == pytest.approx((plain.estimate, plain.low, plain.high))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edges", "mean"),
    [
        ({"max_fpr": 0.3, "min_tpr": 0.5}, 0.5),
        ({"max_fpr": 0.3, "min_tpr": 0.5}, 0.6),
        ({"max_fpr": 0.3, "min_tpr": 0.5}, 0.8),
        ({"max_fpr": 0.1, "min_tpr": 0.9}, 2.7),
        ({"min_fpr": 0.1, "max_tpr": 0.8}, 2.0),
    ],
)
def test_a_corner_is_covered_as_often_as_the_rest(edges, mean):
    """Of the first region nothing is left, then 0.003 and 0.03; of the last one all but 0.0006."""
    rng = np.random.default_rng(23)
    region = Region(**edges)
    truth = true_share(region, mean, 1.0)
    y = np.repeat([1, 0], [60, 100])
    covered = 0
    for _ in range(2000):
        result = partial_auc_interval(y, rng.normal(size=160) + mean * y, region=region, method="delong")
        covered += result.low <= truth <= result.high
    assert 0.945 <= covered / 2000 <= 0.99


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("region", "sizes"), [(Region(min_tpr=0.9), (15, 300)), (Region(max_fpr=0.01), (100, 150))])
def test_fewer_than_two_inside_tell_nothing_of_the_spread(method, region, sizes):
    """One positive decides between a TPR of 0.9 and 1; that the negatives hardly vary does not make it certain."""
    y, s = data(*sizes)
    result = partial_auc_interval(y, s, region=region, method=method)
    assert (result.low, 1 - result.high) == pytest.approx((0.025 * result.estimate, 0.025 * (1 - result.estimate)))
    enough = partial_auc_interval(*data(*(2 * size for size in sizes)), region=region, method=method)
    assert 0 < enough.high - enough.low < 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "edges", "shift", "spread", "n_negative"),
    [
        ("delong", {"max_fpr": 0.05}, 2.0, 1.0, 1000),
        ("delong", {"max_fpr": 0.1}, 1.0, 1.0, 1000),
        ("delong", {}, 3.0, 1.0, 1000),
        ("delong", {"max_fpr": 0.5, "min_tpr": 0.5}, 2.0, 1.5, 1000),
        ("delong", {"min_fpr": 0.02, "max_fpr": 0.2, "min_tpr": 0.2, "max_tpr": 0.9}, 1.5, 1.0, 1000),
        ("delong", {"min_tpr": 0.8}, 2.0, 1.0, 1000),
        ("delong", {"min_tpr": 0.9}, 2.0, 1.0, 1000),
        ("delong", {"max_fpr": 0.01}, 2.0, 1.0, 500),
        ("bootstrap", {"max_fpr": 0.05}, 2.0, 1.0, 1000),
        ("bootstrap", {"max_fpr": 0.3}, 3.0, 1.0, 1000),
        ("bootstrap", {"max_fpr": 0.5, "min_tpr": 0.5}, 2.0, 1.5, 1000),
        ("bootstrap", {"min_tpr": 0.9}, 2.0, 1.0, 1000),
        ("bootstrap", {"max_fpr": 0.01}, 2.0, 1.0, 500),
    ],
)
def test_intervals_cover_the_truth_as_often_as_they_say(method, edges, shift, spread, n_negative):
    rng = np.random.default_rng(20)
    y = np.repeat([1, 0], [100, n_negative])
    truth = true_share(Region(**edges), shift, spread)
    covered = 0
    for _ in range(2000):
        s = rng.normal(size=len(y))
        s[:100] = shift + spread * s[:100]
        result = partial_auc_interval(y, s, **edges, method=method, n_resamples=200, seed=7)
        covered += result.low <= truth <= result.high
    assert 0.93 <= covered / 2000 <= 0.97


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_groups", [2, 3, 5, 10])
def test_few_groups_keep_the_promise(method, n_groups):
    rng = np.random.default_rng(22)
    groups = np.repeat(np.arange(n_groups), 40)
    y = np.arange(len(groups)) % 4 == 0
    truth = true_share(Region(max_fpr=0.3), 1.5 / math.sqrt(2), 1.0)
    covered = 0
    for seed in range(500):
        s = 1.5 * y + rng.normal(size=(2, n_groups))[y * 1, groups] + rng.normal(size=len(y))
        result = partial_auc_interval(y, s, max_fpr=0.3, groups=groups, method=method, n_resamples=50, seed=seed)
        covered += result.low <= truth <= result.high
    assert 0.92 <= covered / 500 <= 0.99


@pytest.mark.parametrize("n_positive", [2, 3, 5])
def test_few_positives_miss_the_truth_seldom(n_positive):
    rng = np.random.default_rng(23)
    y = np.repeat([1, 0], [n_positive, 500])
    truth = true_share(Region(), 1.5, 1.0)
    covered = 0
    for _ in range(1000):
        result = partial_auc_interval(y, rng.normal(size=len(y)) + 1.5 * y, method="delong")
        covered += result.low <= truth <= result.high
    assert covered / 1000 >= 0.86


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_groups_keep_the_promise_where_instances_do_not(method):
    rng = np.random.default_rng(21)
    groups = np.repeat(np.arange(150), 6)
    truth = true_share(Region(max_fpr=0.3), 1.5, 1.0)
    covered = {"groups": 0, "instances": 0}
    for _ in range(400):
        # Patients differ in how ill they look; two of six examinations of every third patient are positive.
        y = (groups % 3 == 0) & (np.arange(900) % 6 < 2)
        s = 1.5 * y + np.sqrt(0.8) * rng.normal(size=150)[groups] + np.sqrt(0.2) * rng.normal(size=900)
        for name, given_groups in (("groups", groups), ("instances", None)):
            result = partial_auc_interval(y, s, max_fpr=0.3, groups=given_groups, method=method, n_resamples=100)
            covered[name] += result.low <= truth <= result.high
    assert covered["groups"] / 400 >= 0.92
    assert covered["instances"] / 400 < 0.92


def test_interval_is_frozen():
    with pytest.raises(AttributeError):
        Interval(0.5, 0.4, 0.6, 0.95).low = 0


@given(st.integers(1, 99), st.floats(0, 1))
def test_a_corner_that_is_left_out_is_the_mirror_image_of_one_that_is_cut_off(percent, half_width):
    share, cut_off, left_out = percent / 100, Region(max_fpr=0.1, min_tpr=0.9), Region(min_fpr=0.1, max_tpr=0.9)
    ends = logit_ends(share, half_width)
    low, high = down_to_the_corner(share, ends, half_width=half_width, region=cut_off)
    mirrored = down_to_the_corner(1 - share, (1 - ends[1], 1 - ends[0]), half_width=half_width, region=left_out)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
    # Of no width, it is a point.
    narrow = down_to_the_corner(share, (share, share), half_width=0.0, region=cut_off)
    assert narrow == pytest.approx((share, share))
    for one_way in (Region(max_fpr=0.1), Region(min_tpr=0.9), Region(min_fpr=0.1), Region(max_tpr=0.9)):
        assert down_to_the_corner(share, ends, half_width=half_width, region=one_way) == ends


def test_the_end_at_a_corner_is_0_or_1_where_the_curve_may_not_reach_it():
    far, near = (0.003, 0.13), (0.87, 0.997)
    assert down_to_the_corner(0.02, far, half_width=0.04, region=Region(max_fpr=0.1, min_tpr=0.9)) == (0, 0.13)
    assert down_to_the_corner(0.98, near, half_width=0.04, region=Region(min_fpr=0.1, max_tpr=0.9)) == (0.87, 1)
