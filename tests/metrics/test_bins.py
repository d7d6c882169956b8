import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci import Region, partial_auc_score
from pauci.errors import LabelError, RegionError
from pauci.metrics.bins import bin_of, binned_share

floats = st.floats(allow_nan=False, allow_infinity=False)
classes = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=15), min_size=2, max_size=2)


@given(st.lists(floats, min_size=2, max_size=30), st.integers(10, 20))
def test_bins_keep_the_order(scores, bits):
    ordered = torch.tensor(sorted(scores), dtype=torch.float64)
    bins = bin_of(ordered, bits)
    assert (bins.diff() >= 0).all()
    assert bins.min() >= 0
    assert bins.max() < 2**bits


@given(st.floats(1e-30, 1e30), st.integers(10, 20), st.sampled_from([1.0, -1.0]))
def test_scores_further_apart_than_the_resolution_have_bins_of_their_own(score, bits, sign):
    near = sign * torch.tensor([score, score * (1 + 2.0 ** (10 - bits))], dtype=torch.float64)
    first, second = bin_of(near, bits)
    assert first != second


def test_both_zeros_share_a_bin_and_extremes_keep_theirs():
    scores = torch.tensor([-1e300, -0.0, 0.0, 1e300], dtype=torch.float64)
    lowest, minus, plus, highest = bin_of(scores, 16).tolist()
    assert minus == plus
    assert 0 <= lowest < minus < highest < 2**16


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.uint8, torch.bool])
def test_types_do_not_change_the_bin(dtype):
    scores = torch.tensor([0, 1, 1, 0])
    assert torch.equal(bin_of(scores.to(dtype), 16), bin_of(scores.double(), 16))


@pytest.mark.parametrize("cut", ["interpolate", "floor"])
def test_more_pairs_than_an_integer_holds(cut):
    positives, negatives = np.array([0, 3, 5]), np.array([4, 2, 2])
    few, many = (
        binned_share(k * positives, k * negatives, Region(max_fpr=0.5, min_tpr=0.25), cut=cut, ties="half")
        for k in (1, 2**40)
    )
    assert [many.low, many.value, many.high] == pytest.approx([few.low, few.value, few.high])


@given(
    classes,
    st.sampled_from(
        [Region(), Region(max_fpr=0.3), Region(max_fpr=0.7, min_tpr=0.4), Region(min_fpr=0.2, max_tpr=0.9)]
    ),
    st.sampled_from(["interpolate", "floor"]),
    st.sampled_from(["half", "correct"]),
)
def test_share_is_the_score_of_the_rounded_values_and_the_range_that_of_any_order_within_bins(
    values, region, cut, ties
):
    positives, negatives = map(np.array, values)
    y = np.repeat([1, 0], [len(positives), len(negatives)])
    counts = [np.bincount(v, minlength=6) for v in (positives, negatives)]

    def score(shift):
        moved = np.concatenate([positives + shift, negatives])
        return partial_auc_score(y, moved, region=region, cut=cut, ties=ties)

    try:
        expected = score(0.0)
    except RegionError:
        with pytest.raises(RegionError):
            binned_share(*counts, region, cut=cut, ties=ties)
        return
    share = binned_share(*counts, region, cut=cut, ties=ties)
    assert share.value == pytest.approx(expected, abs=1e-13)
    assert share.low == pytest.approx(score(-0.1), abs=1e-13)
    assert share.high == pytest.approx(score(0.1), abs=1e-13)


def test_one_class_is_an_error():
    with pytest.raises(LabelError, match="no positives"):
        binned_share(np.zeros(4, int), np.ones(4, int), Region(), cut="interpolate", ties="half")
