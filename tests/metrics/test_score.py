import typing

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from oracles import brute_area, brute_pairs, regions, samples
from pauci import Region, partial_auc_score
from pauci.errors import InputError, LabelError, PauciError, RegionError, ScoreError
from pauci.metrics import partial_roc_curve
from pauci.metrics.convention import rescale
from pauci.metrics.device import on_one_device, partial_auc_on_device

POSITIVES = [0.9, 0.8, 0.6, 0.6, 0.3]
NEGATIVES = [0.7, 0.6, 0.5, 0.4, 0.35, 0.2, 0.15, 0.1, 0.05, 0.01]
Y = np.repeat([1, 0], [5, 10])
S = np.array(POSITIVES + NEGATIVES)
ties_rules = pytest.mark.parametrize("ties", ["half", "correct"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"max_fpr": 0.3, "scale": "mcclish"}, 0.7647),
        ({"max_fpr": 0.3, "convention": "sklearn"}, 0.7647),
        ({"max_fpr": 0.3, "scale": "area"}, 0.1800),
        ({"max_fpr": 0.3}, 0.6000),
        ({"max_fpr": 0.3, "convention": "paper"}, 0.6667),
        ({"max_fpr": 0.25, "scale": "mcclish"}, 0.7486),
        ({"max_fpr": 0.25, "scale": "area"}, 0.1400),
        ({"max_fpr": 0.25}, 0.5600),
        ({"max_fpr": 0.25, "convention": "paper"}, 0.6000),
        ({"max_fpr": 0.25, "cut": "floor"}, 0.5000),
        ({"max_fpr": 0.3, "min_tpr": 0.4, "convention": "paper"}, 0.4444),
        ({"max_fpr": 0.3, "min_tpr": 0.4, "cut": "floor"}, 0.3333),
    ],
)
def test_worked_numbers(options, expected):
    assert partial_auc_score(Y, S, **options) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 0.15), ({"cut": "floor"}, 0.5), ({"convention": "paper"}, 1.0), ({"ties": "correct"}, 1.0)],
)
def test_constant_scores(options, expected):
    assert partial_auc_score(Y, np.zeros(15), max_fpr=0.3, **options) == pytest.approx(expected)


@ties_rules
@given(samples(), regions())
@example((np.array([True, False, False, False]), np.array([1.0, 1.0, 1.0, 0.0])), Region(max_fpr=0.3))
def test_interpolated_area_equals_exact_integration(ties, sample, region):
    y, s = sample
    assert partial_auc_score(y, s, region=region, ties=ties) == pytest.approx(
        brute_area(y, s, region, ties=ties), abs=1e-9
    )


@ties_rules
@given(samples(), regions(), st.data())
def test_weighted_area_equals_exact_integration(ties, sample, region, data):
    y, s = sample
    weight = data.draw(hnp.arrays(float, len(y), elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
    assume(weight[y].sum() > 0 and weight[~y].sum() > 0)
    value = partial_auc_score(y, s, region=region, ties=ties, sample_weight=weight)
    assert value == pytest.approx(brute_area(y, s, region, weight, ties=ties), abs=1e-9)


@ties_rules
@given(samples(), regions())
def test_pair_count_equals_counting_pairs(ties, sample, region):
    y, s = sample
    expected = brute_pairs(y, s, region, ties=ties)
    if expected is None:
        with pytest.raises(RegionError, match="no whole instance"):
            partial_auc_score(y, s, region=region, cut="floor", ties=ties)
    else:
        value = partial_auc_score(y, s, region=region, cut="floor", ties=ties)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cut", ["interpolate", "floor"])
@ties_rules
@given(samples(), regions())
def test_device_path_equals_numpy_path(cut, ties, sample, region):
    y, s = sample
    assume(cut == "interpolate" or brute_pairs(y, s, region) is not None)
    value = partial_auc_on_device(torch.tensor(y), torch.tensor(s), region, cut=cut, ties=ties)
    assert value == pytest.approx(partial_auc_score(y, s, region=region, cut=cut, ties=ties), abs=1e-9)


def ranks(scores):
    """The same order and ties without the extreme values, whose differences overflow inside scikit-learn."""
    return np.unique(scores, return_inverse=True)[1]


@given(samples(), st.floats(0.01, 1))
def test_mcclish_scale_is_scikit_learns(sample, max_fpr):
    y, s = sample
    expected = roc_auc_score(y, ranks(s), max_fpr=max_fpr)
    assert partial_auc_score(y, s, max_fpr=max_fpr, convention="sklearn") == pytest.approx(expected, abs=1e-12)


@given(samples())
def test_whole_plane_is_auc(sample):
    y, s = sample
    for options in ({}, {"cut": "floor"}, {"scale": "mcclish"}, {"scale": "area"}):
        assert partial_auc_score(y, s, **options) == pytest.approx(roc_auc_score(y, ranks(s)), abs=1e-12)


@given(samples(), regions())
def test_scales_are_conversions_of_each_other(sample, region):
    y, s = sample
    area = partial_auc_score(y, s, region=region, scale="area")
    assert partial_auc_score(y, s, region=region) == pytest.approx(area / region.area, abs=1e-12)
    assume(region.area - region.chance_area > 1e-3)
    expected = (1 + (area - region.chance_area) / (region.area - region.chance_area)) / 2
    assert partial_auc_score(y, s, region=region, scale="mcclish") == pytest.approx(expected, abs=1e-9)


def test_mcclish_below_the_diagonal_is_an_error():
    with pytest.raises(InputError, match="mcclish"):
        partial_auc_score(Y, S, region=Region(min_fpr=0.5, max_tpr=0.5), scale="mcclish")


edges = st.tuples(st.integers(0, 1000), st.integers(0, 1000)).filter(lambda pair: pair[0] != pair[1]).map(sorted)


@given(edges, edges)
@example([300, 1000], [0, 300])
@example([300, 500], [100, 200])
def test_mcclish_is_undefined_exactly_below_the_diagonal(fpr, tpr):
    left, right, low, high = (edge / 1000 for edge in (*fpr, *tpr))
    region = Region(min_fpr=left, max_fpr=right, min_tpr=low, max_tpr=high)
    if fpr[0] >= tpr[1]:
        with pytest.raises(InputError, match="mcclish"):
            rescale(0.5, region, scale="mcclish")
    else:
        assert rescale(1.0, region, scale="mcclish") == 1.0
        assert rescale(region.chance_area / region.area, region, scale="mcclish") == 0.5


def test_mcclish_where_chance_rounds_to_everything():
    with pytest.raises(InputError, match="mcclish"):
        rescale(1.0, Region(min_fpr=0.5, max_tpr=0.5 + 1e-12), scale="mcclish")


@given(samples(), regions())
def test_integer_weights_repeat_instances(sample, region):
    y, s = sample
    repeats = np.arange(len(y)) % 3 + 1
    value = partial_auc_score(y, s, region=region, sample_weight=repeats)
    again = partial_auc_score(np.repeat(y, repeats), np.repeat(s, repeats), region=region)
    assert value == pytest.approx(again, abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint16, np.longdouble])
def test_score_types(dtype):
    scores = (np.array(S) * 100).round().astype(dtype)
    assert partial_auc_score(Y, scores, max_fpr=0.3) == pytest.approx(0.6)


def test_large_integers_are_not_rounded():
    y, s = [0, 1, 1, 0], np.array([2**62, 2**62 + 1, 2**62 + 1, 2**62])
    assert partial_auc_score(y, s) == 1.0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32])
def test_tensors(dtype):
    scores = torch.tensor(S * 100).round().to(dtype).requires_grad_(dtype.is_floating_point)
    assert partial_auc_score(torch.tensor(Y), scores, max_fpr=0.3) == pytest.approx(0.6)
    value = partial_auc_on_device(torch.tensor(Y), scores.detach(), Region(max_fpr=0.3))
    assert value == pytest.approx(0.6)


@pytest.mark.parametrize("labels", [Y, Y.astype(bool), Y * 2 - 1, Y.astype(float), Y.tolist(), torch.tensor(Y)])
def test_label_kinds(labels):
    assert partial_auc_score(labels, S, max_fpr=0.3) == pytest.approx(0.6)


def test_named_positive_class():
    names = np.where(Y == 1, "fraud", "honest")
    assert partial_auc_score(names, S, max_fpr=0.3, pos_label="fraud") == pytest.approx(0.6)


@pytest.mark.parametrize("labels", [Y, Y == 1, Y * 2 - 1, Y * 1.0, [np.int8(v) for v in Y], [np.bool_(v) for v in Y]])
def test_labels_kept_as_objects(labels):
    assert partial_auc_score(np.array(list(labels), dtype=object), S, max_fpr=0.3) == pytest.approx(0.6)


def test_named_class_of_several_stands_against_the_rest():
    names = np.where(Y == 1, "fraud", np.where(S > 0.3, "honest", "unsure"))
    assert partial_auc_score(names, S, max_fpr=0.3, pos_label="fraud") == pytest.approx(0.6)


named = [*(["fraud"] * 5), *(["honest"] * 10)]


@pytest.mark.parametrize("options", [{}, {"pos_label": 1}, {"pos_label": "fraud"}], ids=str)
@pytest.mark.parametrize(
    "labels",
    [
        [*Y[:-1], np.nan],
        torch.tensor([*Y[:-1], np.nan]),
        np.array([*Y[:-1], None]),
        np.array([*named[:-1], None]),
        np.array([*named[:-1], np.nan], dtype=object),
        [*named[:-1], None],
        [*named[:-1], float("nan")],
        pd.Series([*Y[:-1], None], dtype="Int64"),
        pd.Series([*named[:-1], None], dtype="string"),
        np.array([*Y[:-1], "NaT"], dtype="datetime64[D]"),
    ],
    ids=["floats", "tensor", "objects", "None", "NaN", "listed None", "listed NaN", "pandas", "strings", "dates"],
)
def test_missing_labels_are_not_negatives(labels, options):
    with pytest.raises(LabelError, match=r"1 missing label.* position 14"):
        partial_auc_score(labels, S, **options)


def test_input_is_left_alone():
    y, s = Y.copy(), S.copy()
    partial_auc_score(y, s, max_fpr=0.3)
    np.testing.assert_array_equal(s, S)
    np.testing.assert_array_equal(y, Y)


@pytest.mark.parametrize(
    ("y", "s", "options", "error", "message"),
    [
        (Y, np.where(S == 0.9, np.nan, S), {}, ScoreError, "position 0: nan"),
        (Y, np.where(S == 0.9, np.inf, S), {}, ScoreError, "inf"),
        (Y, np.ma.masked_equal(S, 0.9), {}, InputError, "masked"),
        (np.ma.array(Y, mask=S == 0.9), S, {}, InputError, "masked"),
        (Y, S.astype(str), {}, ScoreError, "type"),
        (Y, np.stack([S, S], 1), {}, ScoreError, "column 1"),
        (np.ones(15), S, {}, LabelError, "only positives"),
        (np.zeros(15), S, {}, LabelError, "only negatives"),
        (Y[:5], S, {}, LabelError, "5 entries but y_score has 15"),
        (Y + 1, S, {}, LabelError, "values 1, 2"),
        (Y * 0.5, S, {}, LabelError, "0.5"),
        (np.where(Y == 1, "a", "b"), S, {}, LabelError, "pos_label"),
        (Y.astype(str), S, {}, LabelError, "values 0, 1 of type str.* pos_label="),
        (S, Y, {}, LabelError, "y_true and y_score in each other's place"),
        (np.array(["1", 0] * 7 + [1], dtype=object), S, {}, LabelError, "of type int, str"),
        (Y, S, {"pos_label": 7}, LabelError, "does not occur"),
        ([], [], {}, LabelError, "empty"),
        (Y, S, {"max_fpr": 0.0}, RegionError, "max_fpr"),
        (Y, S, {"max_fpr": 0.05, "cut": "floor"}, RegionError, "no whole instance"),
        (Y, S, {"cut": "floor", "sample_weight": np.ones(15)}, InputError, "cut='floor'"),
        (Y, S, {"sample_weight": -np.ones(15)}, InputError, "negative"),
        (Y, S, {"sample_weight": np.ones(3)}, InputError, "3 entries"),
        (Y, S, {"sample_weight": 1.0 - Y}, InputError, "zero for all positives"),
        (Y, S, {"sample_weight": np.full(15, np.nan)}, InputError, "NaN"),
        (Y, S, {"region": "fpr<=0.1"}, InputError, "pauci.Region.* Region.parse"),
        (Y, S, {"region": Region(), "max_fpr": 0.3}, InputError, "one or the other"),
        (Y, S, {"scale": "x"}, InputError, "scale='x'"),
        (Y, S, {"cut": "x"}, InputError, "cut='x'"),
        (Y, S, {"ties": "x"}, InputError, "ties='x'"),
        (Y, S, {"average": "bogus"}, InputError, "average='bogus'"),
        (Y, S, {"multi_class": "x"}, InputError, "multi_class='x'"),
        (Y, S, {"convention": "x"}, InputError, "convention='x'"),
        (Y, S, {"convention": "paper", "scale": "area"}, InputError, "already sets"),
    ],
)  # fmt: skip
def test_bad_input_is_an_error_never_a_number(y, s, options, error, message):
    with pytest.raises(error, match=message) as caught:
        partial_auc_score(y, s, **options)
    assert isinstance(caught.value, PauciError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("y", "s", "weight", "error"),
    [
        (Y, np.where(S == 0.9, np.nan, S), None, ScoreError),
        (np.ones(15), S, None, LabelError),
        (Y + 1, S, None, LabelError),
        (Y, S, -np.ones(15), InputError),
        (Y, S, 1.0 - Y, InputError),
    ],
)
def test_bad_input_on_a_device(y, s, weight, error):
    weight = None if weight is None else torch.tensor(weight)
    with pytest.raises(error):
        partial_auc_on_device(torch.tensor(y), torch.tensor(s), Region(max_fpr=0.3), sample_weight=weight)


def test_region_without_whole_instance_on_a_device():
    with pytest.raises(RegionError, match="no whole instance"):
        partial_auc_on_device(torch.tensor(Y), torch.tensor(S), Region(max_fpr=0.05), cut="floor")


@given(samples(), regions(), st.data())
def test_weights_on_a_device(sample, region, data):
    y, s = sample
    weight = data.draw(hnp.arrays(float, len(y), elements=st.sampled_from([0.0, 1.0, 2.5])))
    assume(weight[y].sum() > 0 and weight[~y].sum() > 0)
    value = partial_auc_on_device(torch.tensor(y), torch.tensor(s), region, sample_weight=torch.tensor(weight))
    assert value == pytest.approx(partial_auc_score(y, s, region=region, sample_weight=weight), abs=1e-9)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return y[900:], LogisticRegression(C=0.02).fit(X[:900] / 16, y[:900]).predict_proba(X[900:] / 16)


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_one_versus_rest_is_scikit_learns(digits, average):
    y, p = digits
    expected = roc_auc_score(y, p, multi_class="ovr", average=average)
    np.testing.assert_allclose(partial_auc_score(y, p, multi_class="ovr", average=average), expected, atol=1e-12)
    by_class = [partial_auc_score(y == k, p[:, k], max_fpr=0.05) for k in range(10)]
    np.testing.assert_allclose(partial_auc_score(y, p, max_fpr=0.05, multi_class="ovr"), by_class)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_one_versus_one_is_scikit_learns(digits, average):
    y, p = digits
    expected = roc_auc_score(y, p, multi_class="ovo", average=average)
    assert partial_auc_score(y, p, multi_class="ovo", average=average) == pytest.approx(expected, abs=1e-12)
    assert len(partial_auc_score(y, p, multi_class="ovo", max_fpr=0.1)) == 45


@pytest.mark.parametrize("light", [1e-6, 1e-12, 1e-15, 1e-17, 1e-30])
def test_what_weighs_next_to_nothing_keeps_its_digits(light):
    """At the edge of the region, beside instances that weigh one: a difference from the whole would lose it."""
    y, s, weight = np.array([1, 0, 1, 0, 0]), np.array([3.0, 4, 2, 1, 0]), np.array([1, light, 1, 1, 1])
    region, expected = Region(max_fpr=2 * light), 1 - 1 / (2 * (2 + light))
    assert partial_auc_score(y, s, region=region, sample_weight=weight) == pytest.approx(expected, rel=1e-12)
    fpr, tpr, _ = partial_roc_curve(y, s, region=region, sample_weight=weight)
    assert np.trapezoid(tpr, fpr) / region.max_fpr == pytest.approx(expected, rel=1e-12)
    tensors = map(torch.tensor, (y, s))
    value = partial_auc_on_device(*tensors, region, sample_weight=torch.tensor(weight))
    assert value == pytest.approx(expected, rel=1e-12)
    top = partial_auc_score([1, 1, 0], [2, 1, 0], max_tpr=light / 2, sample_weight=[light, 1, 1])
    assert top == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_the_default_type_of_torch_changes_nothing_on_a_device(dtype):
    rng = np.random.default_rng(0)
    y = rng.random(100_000) < 0.1
    s = rng.normal(size=len(y)) + y
    torch.set_default_dtype(dtype)
    try:
        for cut in ("floor", "interpolate"):
            value = partial_auc_on_device(torch.tensor(y), torch.tensor(s), Region(max_fpr=0.5), cut=cut)
            assert value == pytest.approx(partial_auc_score(y, s, max_fpr=0.5, cut=cut), rel=1e-12)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
@pytest.mark.parametrize("weighted", [False, True])
def test_multilabel_is_scikit_learns(digits, average, weighted):
    y, p = digits
    indicator = (y[:, None] == np.arange(10)).astype(int)
    weight = np.random.default_rng(0).random(len(y)) if weighted else None
    expected = roc_auc_score(indicator, p, average=average, sample_weight=weight)
    value = partial_auc_score(indicator, p, average=average, sample_weight=weight)
    np.testing.assert_allclose(value, expected, atol=1e-12)
    tensors = partial_auc_score(torch.tensor(indicator), torch.tensor(p), average=average, max_fpr=0.1)
    np.testing.assert_allclose(tensors, partial_auc_score(indicator, p, average=average, max_fpr=0.1))


def test_multilabel_as_plain_lists(digits):
    y, p = digits
    indicator = (y[:, None] == np.arange(10)).astype(int)
    value = partial_auc_score(indicator.tolist(), p.tolist(), max_fpr=0.1)
    np.testing.assert_array_equal(value, partial_auc_score(indicator, p, max_fpr=0.1))


def test_named_positive_class_is_for_binary_labels(digits):
    y, p = digits
    indicator = (y[:, None] == np.arange(10)).astype(int)
    for labels, options in ((y, {"multi_class": "ovr"}), (y, {"multi_class": "ovo"}), (indicator, {})):
        for label in (0, 1):
            with pytest.raises(InputError, match=f"pos_label={label} is for binary"):
                partial_auc_score(labels, p, pos_label=label, **options)
    with pytest.raises(InputError, match="pos_label=0"):
        partial_auc_score(indicator.tolist(), p, pos_label=0)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_weights_of_another_shape_for_several_labels(digits, average):
    y, p = digits
    with pytest.raises(InputError, match="sample_weight has shape"):
        partial_auc_score(np.eye(10)[y], p, sample_weight=np.ones(3), average=average)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_of_several_labels_the_one_that_lacks_a_class_is_named(kind):
    y = np.arange(12).reshape(4, 3) % 2
    y[:, 2] = 0
    with pytest.raises(LabelError, match=r"^column 2: y_true holds only negatives"):
        partial_auc_score(kind(y), kind(np.zeros((4, 3))))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("average", ["macro", None])
def test_one_class_alone(multi_class, average):
    with pytest.raises(LabelError, match="one class only"):
        partial_auc_score([3, 3], [[0.1], [0.2]], multi_class=multi_class, average=average)


def test_missing_class_label(digits):
    y, p = digits
    for labels in (np.where(y == 3, np.nan, y), np.where(y == 3, None, y)):
        with pytest.raises(LabelError, match="missing"):
            partial_auc_score(labels, p, multi_class="ovr")


def test_missing_class_label_of_a_tensor():
    """A NaN would count as a class of its own, one per instance."""
    labels, scores = torch.tensor([0.0, 1.0, 2.0, torch.nan, torch.nan]), torch.rand(5, 3)
    for multi_class in ("ovr", "ovo"):
        with pytest.raises(LabelError, match=r"2 missing label.* position 3"):
            partial_auc_score(labels, scores, multi_class=multi_class)


several_ways = pytest.mark.parametrize(
    ("kind", "options", "scores"),
    [
        ("binary", {}, 1),
        ("column", {}, 1),
        ("classes", {"multi_class": "ovr"}, 10),
        ("classes", {"multi_class": "ovr", "average": "weighted"}, 10),
        ("classes", {"multi_class": "ovr", "average": "micro"}, 1),
        ("classes", {"multi_class": "ovo"}, 90),
        ("classes", {"multi_class": "ovo", "average": "weighted"}, 90),
        ("labels", {}, 10),
        ("labels", {"average": "macro"}, 10),
        ("labels", {"average": "weighted"}, 10),
        ("labels", {"average": "micro"}, 1),
    ],
)


def as_kind(digits, kind):
    y, p = digits
    return {
        "binary": (y == 8, p[:, 8]),
        "column": ((y == 8)[:, None], p[:, [8]]),
        "classes": (y, p),
        "labels": ((y[:, None] == np.arange(10)).astype(int), p),
    }[kind]


@several_ways
@pytest.mark.parametrize("weighted", [False, True])
def test_device_path_transfers_numbers_only(digits, kind, options, scores, weighted, monkeypatch):
    y, p = as_kind(digits, kind)
    if weighted and options.get("multi_class") == "ovo":
        pytest.skip("weights are not defined for pairs of classes")
    weight = np.random.default_rng(0).random(len(y)) if weighted else None
    expected = partial_auc_score(y, p, max_fpr=0.1, sample_weight=weight, **options)
    transfers = {"cpu": [], "numpy": [], "__array__": [], "tolist": []}
    for name, sizes in transfers.items():
        original = getattr(torch.Tensor, name)

        def watched(tensor, *args, original=original, sizes=sizes):
            sizes.append(tensor.numel())
            return original(tensor, *args)

        monkeypatch.setattr(torch.Tensor, name, watched)
    monkeypatch.setattr("pauci.metrics.score._on_accelerator", on_one_device)
    there = None if weight is None else torch.tensor(weight)
    value = partial_auc_score(torch.tensor(y), torch.tensor(p), max_fpr=0.1, sample_weight=there, **options)
    np.testing.assert_allclose(value, expected, atol=1e-9)
    assert len(transfers["tolist"]) == scores
    assert len(transfers["cpu"]) == (options.get("average") == "weighted")
    assert max(size for sizes in transfers.values() for size in sizes) <= 10


@pytest.mark.parametrize("options", [{"ties": "correct"}, {"cut": "floor"}, {"convention": "paper"}])
def test_options_on_a_device(options, monkeypatch):
    expected = partial_auc_score(Y, S, max_fpr=0.3, **options)
    monkeypatch.setattr("pauci.metrics.score._on_accelerator", on_one_device)
    assert partial_auc_score(torch.tensor(Y), torch.tensor(S), max_fpr=0.3, **options) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("labels", "scores", "weights"), [((15,), (15, 2), (15,)), ((14,), (15,), (15,)), ((15,), (15,), (14,))]
)
def test_shapes_that_do_not_match_on_a_device(labels, scores, weights, monkeypatch):
    monkeypatch.setattr("pauci.metrics.score._on_accelerator", on_one_device)
    y = (torch.arange(15) % 2)[: labels[0]]
    with pytest.raises(PauciError):
        partial_auc_score(y, torch.rand(scores), sample_weight=torch.ones(weights))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@several_ways
def test_cuda_tensors(digits, kind, options, scores):
    y, p = as_kind(digits, kind)
    expected = partial_auc_score(y, p, max_fpr=0.1, **options)
    value = partial_auc_score(torch.tensor(y).cuda(), torch.tensor(p).cuda(), max_fpr=0.1, **options)
    np.testing.assert_allclose(value, expected, atol=1e-9)
    apart = partial_auc_score(torch.tensor(y), torch.tensor(p).cuda(), max_fpr=0.1, **options)
    np.testing.assert_allclose(apart, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"multi_class": "x"}, "multi_class='x'"),
        ({"multi_class": "ovo", "average": "micro"}, "micro"),
        ({"multi_class": "ovr", "average": "mean"}, "average='mean'"),
        ({"multi_class": "ovo", "sample_weight": np.ones(897)}, "ovo"),
    ],
)
def test_bad_options_for_several_classes(digits, options, message):
    with pytest.raises(InputError, match=message):
        partial_auc_score(*digits, **options)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_two_classes_are_several_too(multi_class):
    scores = np.random.default_rng(0).normal(size=(15, 2))
    each = [partial_auc_score(labels, scores[:, k], max_fpr=0.3) for k, labels in enumerate((1 - Y, Y))]
    value = partial_auc_score(Y, scores, max_fpr=0.3, multi_class=multi_class, average="macro")
    assert value == pytest.approx(np.mean(each))


def test_classes_in_several_columns_are_an_error(digits):
    y, p = digits
    with pytest.raises(LabelError, match="y_true has shape"):
        partial_auc_score(np.stack([y, y], axis=1), p, multi_class="ovr")


def test_missing_class_column(digits):
    y, p = digits
    with pytest.raises(LabelError, match="10 classes but y_score has 9 columns"):
        partial_auc_score(y, p[:, :9], multi_class="ovr")
    with pytest.raises(LabelError, match="they must match"):
        partial_auc_score(np.eye(10)[y], p[:, :9])
    with pytest.raises(LabelError, match="n_classes"):
        partial_auc_score(y, p[:, 0], multi_class="ovr")


@pytest.mark.parametrize("edges", [{"max_fpr": 1e-200, "max_tpr": 1e-200}, {"max_fpr": 5e-324}])
def test_regions_too_small_to_compute_with_are_refused(edges):
    with pytest.raises(RegionError, match="too small"):
        partial_auc_score([0, 1], [0.1, 0.2], **edges)
    assert partial_auc_score([0, 1], [0.1, 0.2], max_fpr=1e-290) == 1


def test_the_score_of_two_classes_is_a_float_to_type_checkers():
    assert typing.get_type_hints(partial_auc_score)["return"] == float | typing.Any
