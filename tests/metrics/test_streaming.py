import importlib
import json
import pickle
import sys

import numpy as np
import pytest
import torch
import torch.multiprocessing
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAUROC
from torchmetrics.wrappers import Running

from oracles import regions, samples
from pauci import Region, partial_auc_score
from pauci.errors import InputError, LabelError, MissingExtraError, RegionError, ScoreError
from pauci.metrics import StreamingPartialAUC
from two_ranks import batches, score_on_rank


def make(n=2000, seed=0, shift=1.0):
    generator = torch.Generator().manual_seed(seed)
    target = (torch.rand(n, generator=generator) < 0.1).long()
    return torch.randn(n, generator=generator, dtype=torch.float64) + shift * target, target


def fed(metric, preds, target, sizes=(300, 1, 700)):
    ends = [*torch.tensor(sizes).cumsum(0).tolist(), len(preds)]
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        metric.update(preds[start:end], target[start:end])
    return metric


OPTIONS = [
    {"max_fpr": 0.05},
    {"region": Region(max_fpr=0.5, min_tpr=0.5), "convention": "paper"},
    {"max_fpr": 0.3, "convention": "sklearn"},
    {"min_fpr": 0.1, "max_fpr": 0.4, "max_tpr": 0.8, "scale": "area", "ties": "correct"},
    {"max_fpr": 0.2, "cut": "floor"},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("rounded", [False, True])
def test_exact_mode_is_the_score_of_all_batches(options, rounded):
    preds, target = make()
    preds = preds.round(decimals=1) if rounded else preds
    value = fed(StreamingPartialAUC(**options), preds, target).compute()
    assert value.item() == pytest.approx(partial_auc_score(target, preds, **options), abs=1e-13)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("bits", [10, 13, 20])
def test_binned_mode_stays_within_its_bound(options, bits):
    preds, target = make()
    metric = fed(StreamingPartialAUC(**options, bits=bits), preds, target)
    error = abs(metric.compute().item() - partial_auc_score(target, preds, **options))
    assert error <= metric.error_bound() + 1e-13
    if bits == 10:
        assert metric.error_bound() > 0
    if bits == 20:
        assert metric.error_bound() < 0.01


@settings(max_examples=50, deadline=None)
@given(samples(), regions(), st.sampled_from(["half", "correct"]), st.sampled_from([10, 12]))
def test_bound_holds_for_any_scores(sample, region, ties, bits):
    target, preds = map(torch.from_numpy, sample)
    metric = StreamingPartialAUC(region=region, ties=ties, bits=bits)
    metric.update(preds, target)
    exact = partial_auc_score(target, preds, region=region, ties=ties)
    assert abs(metric.compute().item() - exact) <= metric.error_bound() + 1e-12


def test_bound_is_attained_when_a_bin_hides_the_order():
    metric = StreamingPartialAUC(bits=np.int64(10))
    metric.update(torch.tensor([1.0, 1.1]), torch.tensor([0, 1]))
    assert metric.compute() == 0.5
    assert metric.error_bound() == 0.5


def test_state_is_bounded_and_mergeable():
    preds, target = make()
    whole = fed(StreamingPartialAUC(max_fpr=0.1, bits=20), preds, target)
    parts = [StreamingPartialAUC(max_fpr=0.1, bits=20) for _ in range(2)]
    for part, rows in zip(parts, (slice(0, 900), slice(900, None)), strict=True):
        part.update(preds[rows], target[rows])
    parts[0].merge_state(parts[1])
    assert torch.equal(parts[0].counts, whole.counts)
    assert parts[0].compute() == whole.compute()
    assert whole.counts.nbytes <= 64e6


def test_exact_states_merge_too():
    preds, target = make()
    first, second = StreamingPartialAUC(max_fpr=0.1), StreamingPartialAUC(max_fpr=0.1)
    first.update(preds[:900], target[:900])
    second.update(preds[900:], target[900:])
    first.merge_state(second)
    assert first.compute().item() == pytest.approx(partial_auc_score(target, preds, max_fpr=0.1), abs=1e-13)


@pytest.mark.parametrize("bits", [None, 16])
def test_forward_gives_the_batch_and_keeps_the_whole(bits):
    preds, target = make()
    metric = StreamingPartialAUC(max_fpr=0.3, bits=bits)
    first = metric(preds[:1000], target[:1000])
    metric(preds[1000:], target[1000:])
    tolerance = 1e-13 if bits is None else 2e-2
    assert first.item() == pytest.approx(partial_auc_score(target[:1000], preds[:1000], max_fpr=0.3), abs=tolerance)
    assert metric.compute().item() == pytest.approx(partial_auc_score(target, preds, max_fpr=0.3), abs=tolerance)


@pytest.mark.parametrize("bits", [None, 12])
def test_reset_pickle_and_state_dict(bits):
    preds, target = make()
    metric = fed(StreamingPartialAUC(max_fpr=0.3, bits=bits), preds, target)
    value = metric.compute()
    assert pickle.loads(pickle.dumps(metric)).compute() == value
    metric.persistent(True)
    restored = StreamingPartialAUC(max_fpr=0.3, bits=bits)
    restored.persistent(True)
    restored.load_state_dict(metric.state_dict())
    restored.update(preds[:10], target[:10])
    metric.update(preds[:10], target[:10])
    assert restored.compute() == metric.compute()
    metric.reset()
    metric.update(preds[:500], target[:500])
    alone = StreamingPartialAUC(max_fpr=0.3, bits=bits)
    alone.update(preds[:500], target[:500])
    assert metric.compute() == alone.compute()


def test_a_running_window_holds_its_batches():
    """The wrapper keeps the lists of every batch, and resets the metric in between."""
    preds, target = make(800)
    windows = Running(StreamingPartialAUC(max_fpr=0.3), window=2)
    for batch in zip(preds.split(200), target.split(200), strict=True):
        windows(*batch)
    assert float(windows.compute()) == partial_auc_score(target[400:], preds[400:], max_fpr=0.3)


@pytest.mark.parametrize("bits", [None, 12])
def test_works_in_a_collection_and_shares_state_between_regions(bits):
    preds, target = make()
    collection = MetricCollection(
        {
            "auc": BinaryAUROC(),
            "narrow": StreamingPartialAUC(max_fpr=0.05, bits=bits),
            "wide": StreamingPartialAUC(max_fpr=0.5, bits=bits),
        }
    )
    probabilities = preds.sigmoid()
    for rows in (slice(0, 900), slice(900, None)):
        collection.update(probabilities[rows], target[rows])
    values = collection.compute()
    assert ["narrow", "wide"] in [sorted(group) for group in collection.compute_groups.values()]
    for name, max_fpr in (("narrow", 0.05), ("wide", 0.5)):
        alone = fed(StreamingPartialAUC(max_fpr=max_fpr, bits=bits), probabilities, target)
        assert values[name].item() == pytest.approx(alone.compute().item(), abs=1e-13)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize("bits", [None, 20])
def test_scores_of_any_type_and_labels_of_any_kind(dtype, bits):
    preds, target = make(200)
    preds = (4 * preds).round().to(dtype)
    expected = partial_auc_score(target, preds.double(), max_fpr=0.3)
    for labels in (target, target.bool(), 2 * target - 1, target.double()):
        metric = StreamingPartialAUC(max_fpr=0.3, bits=bits)
        metric.update(preds[:100, None], labels[:100])
        metric.update(preds[100:], labels[100:, None])
        assert metric.compute().item() == pytest.approx(expected, abs=1e-13)


def test_exact_mode_tells_scores_in_double_precision_apart():
    metric = StreamingPartialAUC()
    metric.update(torch.tensor([0.5, 0.5 + 1e-12], dtype=torch.float64), torch.tensor([0, 1]))
    assert metric.compute() == 1.0


@pytest.mark.parametrize("bits", [None, 16])
@pytest.mark.parametrize(
    ("preds", "target", "error"),
    [
        ([0.1, float("nan")], [0, 1], ScoreError),
        ([0.1, float("inf")], [0, 1], ScoreError),
        ([0.1, 0.2], [0, 2], LabelError),
        ([0.1, 0.2, 0.3], [-1, 0, 1], LabelError),
        ([0.1, 0.2, 0.3], [0, 1, 2], LabelError),
        ([0.1, 0.2], [0, 1, 1], LabelError),
        ([[0.1, 0.9], [0.2, 0.8]], [0, 1], LabelError),
        ([1j, 0.2], [0, 1], ScoreError),
        ([0.1, 0.2], [-1, 1], LabelError),  # negatives were 0 before
        ([2**60, 2**60 + 1], [0, 1], ScoreError),
        ([-(2**63), 0], [0, 1], ScoreError),
    ],
)
def test_bad_batches_raise_and_leave_no_trace(bits, preds, target, error):
    metric = StreamingPartialAUC(max_fpr=0.5, bits=bits)
    metric.update(torch.tensor([0.1, 0.9]), torch.tensor([0, 1]))
    with pytest.raises(error):
        metric.update(torch.tensor(preds), torch.tensor(target))
    assert metric.compute() == 1.0


@pytest.mark.parametrize("bits", [None, 16])
def test_labels_mean_the_same_in_all_batches(bits):
    metric = StreamingPartialAUC(bits=bits)
    metric.update(torch.tensor([0.1, 0.2]), torch.tensor([1, 1]))
    metric(torch.tensor([0.1, 0.2]), torch.tensor([-1, 1]))
    with pytest.raises(LabelError, match="ignored"):
        metric.update(torch.tensor([0.3, 0.4]), torch.tensor([0, 1]))
    metric.reset()
    metric.update(torch.tensor([0.3, 0.4]), torch.tensor([0, 1]))
    assert metric.compute() == 1


@pytest.mark.parametrize("bits", [None, 16])
@pytest.mark.parametrize("shape", [(3, 2), (1, 6), (2, 1, 3)])
def test_columns_of_scores_are_not_pooled(bits, shape):
    metric = StreamingPartialAUC(max_fpr=0.5, bits=bits)
    with pytest.raises(ScoreError, match="pooled"):
        metric.update(torch.rand(shape), torch.tensor([0, 1, 0, 1, 0, 1]).reshape(shape))


def test_what_is_no_tensor_is_an_error_that_says_so():
    metric = StreamingPartialAUC(max_fpr=0.5)
    with pytest.raises(ScoreError, match=r"preds is a ndarray.*as_tensor"):
        metric.update(np.array([0.1, 0.9]), torch.tensor([0, 1]))
    with pytest.raises(LabelError, match=r"target is a list.*as_tensor"):
        metric.update(torch.tensor([0.1, 0.9]), [0, 1])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_counts_stay_whole_whatever_type_is_asked_for(dtype):
    preds, target = make()
    expected = fed(StreamingPartialAUC(max_fpr=0.1, bits=12), preds, target).compute()
    for change in (lambda metric: metric.set_dtype(dtype), lambda metric: metric.half(), lambda m: m.to(dtype)):
        metric = StreamingPartialAUC(max_fpr=0.1, bits=12)
        change(metric)
        fed(metric, preds, target)
        change(metric)
        assert metric.counts.dtype == torch.int64
        assert metric.compute() == expected
        metric.reset()
        assert metric.counts.dtype == torch.int64


@pytest.mark.parametrize("bits", [None, 16])
def test_reset_in_inference_mode_is_no_obstacle_outside(bits):
    preds, target = make()
    metric = StreamingPartialAUC(max_fpr=0.5, bits=bits)
    with torch.inference_mode():
        metric.reset()
        metric.update(preds[:500], target[:500])
    metric.update(preds[500:], target[500:])
    assert metric.compute() == fed(StreamingPartialAUC(max_fpr=0.5, bits=bits), preds, target).compute()


def test_plot_shows_the_value():
    metric = StreamingPartialAUC(max_fpr=0.5)
    metric.update(torch.tensor([0.1, 0.7, 0.3, 0.9]), torch.tensor([0, 0, 1, 1]))
    ax = Figure().subplots()
    metric.plot(ax=ax)
    assert ax.lines[0].get_ydata() == 0.5
    metric.plot([torch.tensor(0.25), torch.tensor(0.75)], ax=ax)
    assert ax.lines[-1].get_ydata().tolist() == [0.25, 0.75]


def test_repr_shows_region_and_mode():
    assert repr(StreamingPartialAUC(max_fpr=0.1)) == "StreamingPartialAUC(region=Region(max_fpr=0.1), bits=None)"
    assert "bits=12" in repr(StreamingPartialAUC(max_fpr=0.1, bits=12))


@pytest.mark.parametrize("bits", [None, 16])
def test_forward_needs_both_classes_in_a_batch(bits):
    metric = StreamingPartialAUC(max_fpr=0.5, bits=bits)
    with pytest.raises(LabelError):
        metric(torch.tensor([0.1, 0.9]), torch.tensor([0, 0]))


@pytest.mark.parametrize("bits", [None, 16])
@pytest.mark.parametrize("on_step", [False, True])
def test_forward_keeps_all_batches_where_it_raises(bits, on_step):
    preds, target = make()
    target[300:1000] = 0
    metric = StreamingPartialAUC(max_fpr=0.3, bits=bits, dist_sync_on_step=on_step)
    metric(preds[:300], target[:300])
    with pytest.raises(LabelError):
        metric(preds[300:1000], target[300:1000])
    with pytest.raises(ScoreError):
        metric(preds[300:1000].log(), target[300:1000])
    metric(preds[1000:], target[1000:])
    whole = fed(StreamingPartialAUC(max_fpr=0.3, bits=bits), preds, target)
    assert metric.compute() == whole.compute()


@pytest.mark.parametrize("bits", [None, 16])
def test_one_class_is_an_error_only_at_the_end(bits):
    metric = StreamingPartialAUC(max_fpr=0.5, bits=bits)
    metric.update(torch.tensor([0.1, 0.9]), torch.tensor([0, 0]))
    with pytest.raises(LabelError):
        metric.compute()
    metric.update(torch.tensor([0.95]), torch.tensor([1]))
    assert metric.compute() == 1.0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"bits": 9}, InputError),
        ({"bits": 16.0}, InputError),
        ({"max_fpr": 0.0}, RegionError),
        ({"scale": "percent"}, InputError),
        ({"min_fpr": 0.5, "max_tpr": 0.5, "scale": "mcclish"}, InputError),
        ({"max_fpr": 0.5, "region": Region()}, InputError),
        ({"max_fpr": 0.5, "region": Region(max_fpr=0.5)}, InputError),
    ],
)
def test_bad_options_raise_at_once(options, error):
    with pytest.raises(error):
        StreamingPartialAUC(**options)


def test_without_torchmetrics_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    monkeypatch.delitem(sys.modules, "pauci.metrics.streaming")
    with pytest.raises(MissingExtraError, match=r"pauci\[stream\]"):
        importlib.import_module("pauci.metrics.streaming")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("bits", [None, 16])
def test_a_gpu_gives_the_same_value(options, bits):
    preds, target = make()
    here = fed(StreamingPartialAUC(**options, bits=bits), preds, target)
    there = fed(StreamingPartialAUC(**options, bits=bits).to("cuda"), preds.cuda(), target.cuda())
    assert there.compute().is_cuda
    assert there.compute().item() == pytest.approx(here.compute().item(), abs=1e-12)


@pytest.mark.slow
def test_two_ranks_agree_on_the_score_of_all_data(tmp_path):
    torch.multiprocessing.spawn(score_on_rank, args=(str(tmp_path),), nprocs=2)
    first, second = (json.loads((tmp_path / f"rank{rank}.json").read_text()) for rank in range(2))
    assert first == second
    both, one = batches(0) + batches(1), batches(7)
    for name, data in (("both", both), ("one", one)):
        preds, target = torch.cat([p for p, _ in data]), torch.cat([t for _, t in data])
        exact = partial_auc_score(target, preds, max_fpr=0.3)
        assert first[f"None {name}"] == pytest.approx(exact, abs=1e-13)
        assert first[f"12 {name}"] == pytest.approx(exact, abs=0.1)
    for bits in (None, 12):
        assert first[f"{bits} again"] == first[f"{bits} both"]
    assert abs(first["12 both"] - first["None both"]) <= first["12 bound"]
    assert first["None bound"] == 0


def test_streams_whose_labels_mean_different_things_do_not_merge_without_a_word():
    first, second = StreamingPartialAUC(max_fpr=0.5), StreamingPartialAUC(max_fpr=0.5)
    first.update(torch.tensor([0.1, 0.9, 0.2]), torch.tensor([0, 1, 0]))
    second.update(torch.tensor([0.95, 0.8]), torch.tensor([-1, 1]))
    first.merge_state(second)
    with pytest.raises(LabelError, match="labels -1 and, before or after, labels 0"):
        first.compute()
