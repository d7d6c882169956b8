import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pauci import Region
from pauci.errors import PauciError, RegionError

rates = st.floats(0, 1)


@st.composite
def regions(draw: st.DrawFn) -> Region:
    low_x, high_x = sorted(draw(st.tuples(rates, rates).filter(lambda t: t[0] != t[1])))
    low_y, high_y = sorted(draw(st.tuples(rates, rates).filter(lambda t: t[0] != t[1])))
    return Region(max_fpr=high_x, min_fpr=low_x, max_tpr=high_y, min_tpr=low_y)


def test_paper_names():
    region = Region(max_fpr=0.3, min_tpr=0.6)
    assert region.beta == 0.3
    assert region.alpha == pytest.approx(0.4)
    assert region.area == pytest.approx(0.12)


@pytest.mark.parametrize(
    "edges",
    [{"max_fpr": 0}, {"max_fpr": 1.5}, {"max_fpr": -0.1}, {"min_tpr": 1}, {"max_fpr": math.nan}, {"max_fpr": "0.3"},
     {"max_fpr": None}, {"max_fpr": True}, {"min_tpr": False}, {"max_fpr": np.True_},
     {"min_fpr": 0.5, "max_fpr": 0.5}, {"min_tpr": 0.6, "max_tpr": 0.5}],
)  # fmt: skip
def test_malformed_regions_are_errors(edges):
    with pytest.raises(RegionError, match=next(iter(edges))):
        Region(**edges)
    assert issubclass(RegionError, ValueError)
    assert issubclass(RegionError, PauciError)


def test_is_frozen_hashable_and_keyword_only():
    region = Region(max_fpr=0.3)
    with pytest.raises(AttributeError):
        region.max_fpr = 0.5
    assert {region: 1}[Region(max_fpr=0.3)] == 1
    with pytest.raises(TypeError):
        Region(0.3)


@given(regions())
@example(Region(min_tpr=math.nextafter(1, 0)))
@example(Region(min_fpr=0.3, max_fpr=math.nextafter(0.3, 1)))
@example(Region(max_fpr=1 / 3))
def test_text_round_trip(region):
    assert Region.parse(str(region)) == region
    assert eval(repr(region)) == region


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fpr<=0.05,tpr>=0.5", Region(max_fpr=0.05, min_tpr=0.5)),
        (" FPR <= 5 % ", Region(max_fpr=0.05)),
        ("0.01<=fpr<=0.1", Region(min_fpr=0.01, max_fpr=0.1)),
        ("fpr>=.1,tpr<=.9", Region(min_fpr=0.1, max_tpr=0.9)),
        ("fpr≤5%, tpr≥0.5", Region(max_fpr=0.05, min_tpr=0.5)),
        ("fpr<=0.7%", Region(max_fpr=0.007)),
        ("0.01 ≤ fpr ≤ 0.1", Region(min_fpr=0.01, max_fpr=0.1)),
        ("all", Region()),
    ],
)
def test_parse(text, expected):
    assert Region.parse(text) == expected


def test_only_the_edge_that_was_given_is_blamed():
    with pytest.raises(RegionError, match=r"^max_fpr=0 must be above 0"):
        Region(max_fpr=0)
    with pytest.raises(RegionError, match=r"^min_tpr=1 must be below 1"):
        Region(min_tpr=1)


@pytest.mark.parametrize("text", ["fpr<=0", "tpr>=100%", "fpr>=0.3, fpr<=0.2", "fpr<=-1"])
def test_a_region_that_cannot_be_is_quoted_as_it_was_typed(text):
    with pytest.raises(RegionError, match=f"^region '{text}': (max_fpr|min_tpr|min_fpr)="):
        Region.parse(text)


def test_per_cent_without_their_sign_are_recognised():
    with pytest.raises(RegionError, match=r"5 is not between 0 and 1; write 0\.05 or 5%\."):
        Region.parse("fpr<=5")


@pytest.mark.parametrize("text", ["", "fpr<0.05", "fpr<=x", "fnr<=0.1", "fpr<=0.1,fpr<=0.2", "0.05", "fpr<=nan"])
def test_parse_errors_are_typed(text):
    with pytest.raises(RegionError):
        Region.parse(text)


@given(regions())
def test_chance_area_is_the_area_under_the_diagonal(region):
    steps = 4000
    xs = [region.min_fpr + region.width * (i + 0.5) / steps for i in range(steps)]
    total = sum(min(max(x - region.min_tpr, 0), region.height) for x in xs) * region.width / steps
    assert region.chance_area == pytest.approx(total, abs=1e-6)


@given(st.integers(1, 2000), st.integers(1, 1000))
def test_floor_counts_are_exact_for_decimal_rates(n, thousandths):
    counts = Region(max_fpr=thousandths / 1000).counts(n, n)
    assert counts.negatives == (0, n * thousandths // 1000)


@given(regions(), st.integers(1, 500), st.integers(1, 500))
def test_counts_lie_within_the_classes(region, n_positive, n_negative):
    for cut in ("floor", "interpolate"):
        counts = region.counts(n_positive, n_negative, cut=cut)
        assert 0 <= counts.positives[0] <= counts.positives[1] <= n_positive
        assert 0 <= counts.negatives[0] <= counts.negatives[1] <= n_negative


def test_unknown_cut():
    with pytest.raises(RegionError, match="cut='round'"):
        Region().counts(1, 1, cut="round")


@pytest.mark.parametrize("cut", ["floor", "interpolate"])
@pytest.mark.parametrize(("sizes", "name"), [((-1, 5), "n_positive=-1"), ((5, -2), "n_negative=-2")])
def test_classes_of_negative_size(sizes, name, cut):
    with pytest.raises(RegionError, match=name):
        Region(max_fpr=0.5).counts(*sizes, cut=cut)


@pytest.mark.parametrize("power", range(3, 13))
def test_floor_counts_are_exact_for_any_size(power):
    assert Region(max_fpr=0.29).counts(10, 10**power).negatives == (0, 29 * 10 ** (power - 2))


def test_counts_of_many_samples_at_once():
    sizes = np.array([[4], [10]])
    counts = Region(max_fpr=0.25).counts(sizes, sizes, cut="interpolate")
    np.testing.assert_array_equal(counts.negatives[1], [[1.0], [2.5]])
    with pytest.raises(RegionError, match="n_negative"):
        Region(max_fpr=0.25).counts(sizes, sizes - 5, cut="interpolate")


def test_widened():
    assert Region(max_fpr=0.4, min_tpr=0.5).widened(3) == Region(max_fpr=1.0, min_tpr=0.5)
    assert Region(max_fpr=0.2, min_fpr=0.1).widened(2) == Region(max_fpr=0.4, min_fpr=0.05)
    assert Region(max_fpr=0.05).widened(np.float64(3)) == Region(max_fpr=0.15)
    for factor in (0.5, math.nan, "3", None):
        with pytest.raises(RegionError, match="factor"):
            Region().widened(factor)
