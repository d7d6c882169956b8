import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import regions, samples
from pauci import Region, partial_auc_score
from pauci.metrics.sample import Sample


@given(samples(), regions(), st.sampled_from(["half", "correct"]), st.booleans())
def test_shares_are_the_scores_and_leave_the_sample_alone(sample, region, ties, weighted):
    y, a = (np.repeat(values, 2) for values in sample)
    b = -a
    weight = np.arange(1.0, len(y) + 1) if weighted else None
    read = Sample.read(y, {"a": a, "b": b}, sample_weight=weight)
    expected = [partial_auc_score(y, s, region=region, ties=ties, sample_weight=weight) for s in (a, b)]
    assert read.shares(region, ties=ties) == expected
    np.testing.assert_array_equal(read.scores[0].negatives, a[~y])
    np.testing.assert_array_equal(read.scores[1].negatives, b[~y])


def test_inside_counts_instances_or_what_weights_leave_of_them():
    y, region = np.repeat([1, 0], [50, 200]), Region(max_fpr=0.1, min_tpr=0.4)
    s = np.random.default_rng(0).normal(size=250)
    assert Sample.read(y, {"s": s}).inside(region) == pytest.approx((30, 20))
    assert Sample.read(y, {"s": s}, sample_weight=np.full(250, 7.0)).inside(region) == pytest.approx((30, 20))
    heavy = np.where(np.arange(250) % 50 == 0, 1e9, 1.0)
    assert Sample.read(y, {"s": s}, sample_weight=heavy).inside(region) == pytest.approx((0.6, 0.4), rel=1e-3)


def test_weights_are_as_uneven_as_they_are_inside():
    y, s = np.repeat([1, 0], [40, 400]), np.arange(440.0)
    weight = np.where(np.arange(440) % 40 < 4, 9.0, 1.0)
    sample = Sample.read(y, {"s": s}, sample_weight=np.where(y == 1, weight, 1.0))  # the lowest four are heavy
    assert sample.inside(Region(min_tpr=0.5)) == pytest.approx((4, 400))
    assert sample.inside(Region(max_tpr=0.5)) == pytest.approx((36, 400))
    assert sample.inside(Region(min_tpr=0.25, max_tpr=0.75)) == pytest.approx((36**2 / (2 * 81 + 18), 400))
    tied = Sample.read(y, {"s": np.zeros(440)}, sample_weight=weight)
    assert tied.inside(Region(max_fpr=0.1))[1] == pytest.approx(0.1 * 720**2 / (40 * 81 + 360))


def test_inside_counts_groups_with_an_instance_there():
    y, s = np.repeat([1, 0], [40, 400]), np.arange(440.0)
    region = Region(max_fpr=0.1, min_tpr=0.5)
    copies = Sample.read(y, {"s": s}, groups=np.arange(440) // 4)
    assert copies.inside(region) == (5, 10)
    spread = Sample.read(y, {"s": s}, groups=np.arange(440) % 8)
    assert spread.inside(region) == (8, 8)
    both = Sample.read(y, {"s": s, "t": (s * 7) % 440}, groups=np.arange(440) // 4)
    assert both.inside(region) == (5, 10)
    assert both.independent_pairs(region) == 5


def test_groups_inside_are_those_at_the_top_of_the_negatives_by_weight():
    y, s = np.repeat([1, 0], [100, 150]), np.concatenate([np.full(100, 9.0), -np.arange(150.0)])
    groups = np.concatenate([np.arange(100), np.repeat([100, 101], 50), np.arange(102, 152)])
    weight = np.where(groups == 100, 2.0, 1.0)
    for weights, inside in ((None, 2), (weight, 1)):
        sample = Sample.read(y, {"s": s}, groups=groups, sample_weight=weights)
        assert sample.inside(Region(max_fpr=0.5))[1] == inside
        assert sample.inside(Region(min_fpr=0.5))[1] == 51


@given(st.data(), st.integers(4, 12), st.booleans())
def test_inside_does_not_depend_on_the_order_of_tied_rows(data, size, weighted):
    def row(values):
        return st.lists(values, min_size=size, max_size=size).map(np.array)

    s, groups, weight = (data.draw(row(st.integers(1, top))) for top in (3, 5, 3))
    y, order = np.arange(size) % 2 == 0, data.draw(st.permutations(range(size)))
    groups[:4] = 1, 1, 2, 2
    region = data.draw(regions())

    def inside(rows):
        weights = weight[rows] if weighted else None
        return Sample.read(y[rows], {"s": s[rows]}, sample_weight=weights, groups=groups[rows]).inside(region)

    assert inside(np.array(order)) == pytest.approx(inside(np.arange(size)))


def test_inside_counts_the_groups_of_all_that_are_tied_where_an_edge_cuts():
    y, groups = np.repeat([1, 0], [10, 100]), np.concatenate([np.arange(10), np.arange(100) // 10])
    constant = Sample.read(y, {"s": np.zeros(110)}, groups=groups)
    assert constant.inside(Region(max_fpr=0.1, min_tpr=0.5)) == pytest.approx((5, 10))
    assert constant.inside(Region(max_fpr=0.05)) == pytest.approx((10, 5))


def test_groups_of_one_instance_each_are_no_groups():
    y, scores = np.arange(40) % 4 == 0, {"y_score": np.arange(40.0)}
    assert Sample.read(y, scores, groups=np.arange(40)).groups is None
    assert Sample.read(y, scores, groups=np.arange(40) // 2).groups is not None
