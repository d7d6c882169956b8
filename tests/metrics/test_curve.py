from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from oracles import brute_area, regions, samples
from pauci import Region, partial_auc_score
from pauci.errors import InputError, LabelError, RegionError, ScoreError
from pauci.metrics import partial_roc_curve


@st.composite
def weights(draw, y):
    values = np.array(draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))), dtype=float)
    values[[y.argmax(), y.argmin()]] = 1.0  # each class must weigh something
    return values


def area_inside(fpr, tpr, region):
    return np.trapezoid(np.clip(tpr, region.min_tpr, region.max_tpr) - region.min_tpr, fpr)


@given(st.data())
def test_area_under_the_curve_is_the_partial_auc(data):
    (y, s), region = data.draw(samples()), data.draw(regions())
    weight = data.draw(st.none() | weights(y))
    fpr, tpr, _ = partial_roc_curve(y, s, region=region, sample_weight=weight)
    area = area_inside(fpr, tpr, region)
    assert area == pytest.approx(partial_auc_score(y, s, region=region, scale="area", sample_weight=weight), abs=1e-14)
    assert area == pytest.approx(brute_area(y, s, region, weight) * region.area, abs=1e-14)


@given(samples(), regions(), st.booleans())
def test_curve_is_monotone_and_spans_the_region_with_vertices_on_its_edges(sample, region, drop):
    fpr, tpr, thresholds = partial_roc_curve(*sample, region=region, drop_intermediate=drop)
    assert fpr[0] == region.min_fpr
    assert fpr[-1] == region.max_fpr
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    higher = thresholds[~np.isnan(thresholds)]
    assert (higher[1:] < higher[:-1]).all()
    for edge in (region.min_tpr, region.max_tpr):
        assert (tpr >= edge).all() or (tpr <= edge).all() or (tpr == edge).any()


@given(samples(), regions(), st.booleans())
def test_every_threshold_gives_its_point(sample, region, drop):
    y, s = sample
    for fpr, tpr, threshold in zip(*partial_roc_curve(y, s, region=region, drop_intermediate=drop), strict=True):
        if np.isnan(threshold):
            assert fpr in (region.min_fpr, region.max_fpr) or tpr in (region.min_tpr, region.max_tpr)
        else:
            assert fpr == (s[y == 0] >= threshold).mean()
            assert tpr == (s[y == 1] >= threshold).mean()


@given(samples())
def test_whole_curve_is_scikit_learns(sample):
    assume(np.abs(sample[1]).max() < 1e300)  # beyond that scikit-learn's differences overflow
    for ours, theirs in zip(
        partial_roc_curve(*sample, drop_intermediate=False), roc_curve(*sample, drop_intermediate=False), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-15)


@given(samples())
def test_dropped_points_lie_on_the_lines_between_those_kept(sample):
    full, kept = partial_roc_curve(*sample, drop_intermediate=False), partial_roc_curve(*sample)
    assert set(kept[2]) <= set(full[2])
    exact = [[[Fraction(x).limit_denominator(40) for x in rates] for rates in curve[:2]] for curve in (kept, full)]
    corners, points = (list(zip(*rates, strict=True)) for rates in exact)
    for x, y in points:
        assert any(
            x0 <= x <= x1 and y0 <= y <= y1 and (x - x0) * (y1 - y0) == (y - y0) * (x1 - x0)
            for (x0, y0), (x1, y1) in pairwise(corners)
        )


def test_points_between_instances_have_no_threshold():
    fpr, tpr, thresholds = partial_roc_curve([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], max_fpr=0.5, min_tpr=0.25)
    assert fpr.tolist() == [0.0, 0.25, 0.5]
    assert tpr.tolist() == [0.0, 0.25, 0.5]
    np.testing.assert_array_equal(thresholds, [np.inf, np.nan, np.nan])


@settings(max_examples=25)
@given(samples(), st.sampled_from([np.float16, np.float32, np.int8, np.int64]))
def test_any_real_type_gives_the_same_curve(sample, dtype):
    y, s = sample[0], np.clip(sample[1], -100, 100).round()
    for narrow, wide in zip(partial_roc_curve(y, s.astype(dtype)), partial_roc_curve(y, s), strict=True):
        np.testing.assert_array_equal(narrow, wide)


def test_instances_of_weight_zero_leave_no_trace():
    y, s, w = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5], [1, 1, 0, 0, 2]
    kept = partial_roc_curve([1, 0, 1], [0.9, 0.8, 0.5], sample_weight=[1, 1, 2])
    for with_zeros, without in zip(partial_roc_curve(y, s, sample_weight=w), kept, strict=True):
        np.testing.assert_array_equal(with_zeros, without)


def test_weights_lost_beside_the_others_take_no_corner_with_them():
    # The second instance moves the curve by less than its coordinates can tell, right after a corner.
    y, s, weight = [1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], [1.0, 1e-20, 1.0, 1.0]
    fpr, tpr, _ = partial_roc_curve(y, s, sample_weight=weight)
    assert np.trapezoid(tpr, fpr) == partial_auc_score(y, s, sample_weight=weight) == 0.5


@pytest.mark.parametrize(
    ("y", "s", "options", "error"),
    [
        ([0, 1], [0.1, np.nan], {}, ScoreError),
        ([1, 1], [0.1, 0.2], {}, LabelError),
        ([0, 1, 1], [0.1, 0.2], {}, LabelError),
        ([0, 1], [0.1, 0.2], {"max_fpr": 0.0}, RegionError),
        ([0, 1], [0.1, 0.2], {"max_fpr": 0.5, "region": Region(max_fpr=0.5)}, InputError),
    ],
)
def test_bad_input_is_an_error(y, s, options, error):
    with pytest.raises(error):
        partial_roc_curve(y, s, **options)
