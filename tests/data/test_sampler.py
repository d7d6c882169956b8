import itertools
import json
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from pauci.data import DeviceBatches, StratifiedBatchSampler
from pauci.errors import InputError, LabelError, PauciError


@st.composite
def settings(draw, replicas=1):
    """Labels, batch size and options of a sampler that `replicas` processes can share."""
    labels = draw(st.permutations([True] * draw(st.integers(1, 12)) + [False] * draw(st.integers(1, 40))))
    batch_size = replicas * draw(st.integers(2, 12))
    options = {"seed": draw(st.integers(0, 2**40)), "last": draw(st.sampled_from(["fill", "drop"]))}
    options["positives_per_batch"] = draw(st.integers(replicas, batch_size - replicas))
    return labels, batch_size, options


def split_by_class(batches, labels):
    """Sequences in which positives and negatives were drawn."""
    drawn = list(itertools.chain(*batches))
    return [i for i in drawn if labels[i]], [i for i in drawn if not labels[i]]


@given(settings())
def test_every_batch_has_its_share(case):
    labels, batch_size, options = case
    batches = list(StratifiedBatchSampler(labels, batch_size, **options))
    assert batches
    for batch in batches:
        assert len(batch) == batch_size
        assert [labels[i] for i in batch] == [True] * options["positives_per_batch"] + [False] * (
            batch_size - options["positives_per_batch"]
        )


@given(settings())
def test_passes_have_no_duplicates_and_batches_none_but_by_need(case):
    labels, batch_size, options = case
    batches = list(StratifiedBatchSampler(labels, batch_size, **options))
    members = sum(labels), len(labels) - sum(labels)
    for drawn, size in zip(split_by_class(batches, labels), members, strict=True):
        for start in range(0, len(drawn), size):
            single_pass = drawn[start : start + size]
            assert len(set(single_pass)) == len(single_pass)
        share = len(drawn) // len(batches)
        if share <= size:
            for start in range(0, len(drawn), share):
                assert len(set(drawn[start : start + share])) == share


@given(settings())
def test_length_of_an_epoch(case):
    labels, batch_size, options = case
    sampler = StratifiedBatchSampler(labels, batch_size, **options)
    batches = list(sampler)
    assert len(batches) == len(sampler) > 0
    members = sum(labels), len(labels) - sum(labels)
    shares = options["positives_per_batch"], batch_size - options["positives_per_batch"]
    drawn = split_by_class(batches, labels)
    if options["last"] == "fill":  # everything once, and no more batches than that takes
        assert set(itertools.chain(*batches)) == set(range(len(labels)))
        assert any((len(batches) - 1) * share < size for size, share in zip(members, shares, strict=True))
    elif len(batches) > 1:  # no class is gone through more often than one of them needs
        assert any(len(set(d)) == len(d) for d in drawn)
        assert all((len(batches) + 1) * share > size for size, share in zip(members, shares, strict=True))


@given(st.data(), st.sampled_from([2, 3, 4]))
def test_processes_deal_out_the_batches_of_one(data, replicas):
    labels, batch_size, options = data.draw(settings(replicas=replicas))
    whole = StratifiedBatchSampler(labels, batch_size, **options)
    shards = [
        StratifiedBatchSampler(labels, batch_size, **options, num_replicas=replicas, rank=r) for r in range(replicas)
    ]
    for _ in range(2):  # also in the second epoch
        for batch, *parts in zip(whole, *shards, strict=True):
            assert {len(part) for part in parts} == {batch_size // replicas}
            assert Counter(itertools.chain(*parts)) == Counter(batch)
            positives = [sum(labels[i] for i in part) for part in parts]
            assert max(positives) - min(positives) <= 1
            assert all(0 < count < batch_size // replicas for count in positives)


@given(settings(), st.integers(0, 3), st.data())
def test_resume_at_each_position(case, epoch, data):
    labels, batch_size, options = case
    first = StratifiedBatchSampler(labels, batch_size, **options)
    first.set_epoch(epoch)
    expected = list(first) + list(first)
    assert first.epoch == epoch + 2
    done = data.draw(st.integers(0, len(first)))
    first.load_state_dict({**first.state_dict(), "epoch": epoch, "batch": 0})
    for _ in itertools.islice(first, done):
        pass
    state = first.state_dict()
    assert (state["epoch"] - epoch, state["batch"]) == divmod(done, len(first))

    second = StratifiedBatchSampler(labels, batch_size, **options)
    second.load_state_dict(state)
    finished, batch = divmod(done, len(first))
    assert second.state_dict() == {**state, "epoch": epoch + finished, "batch": batch}
    rest = []
    for number in range(second.epoch, epoch + 2):  # as the loop of a resumed run does
        second.set_epoch(number)
        batches = list(second)
        assert batches
        rest += batches
    assert rest == expected[done:]


def test_iteration_after_a_break_begins_the_epoch_anew():
    sampler = StratifiedBatchSampler([1, 0] * 20, 4)
    first = next(iter(sampler))
    batches = list(sampler)
    assert batches[0] == first
    assert len(batches) == 10
    assert sampler.state_dict()["epoch"] == 1


def test_epochs_and_seeds_differ_and_repeat():
    labels = np.arange(1000) % 10 == 0
    sampler = StratifiedBatchSampler(labels, 50)
    assert sampler.positives_per_batch == 5
    epochs = [list(sampler) for _ in range(2)]
    assert epochs[0] != epochs[1]
    sampler.set_epoch(0)
    assert list(sampler) == epochs[0]
    assert list(StratifiedBatchSampler(labels, 50, seed=1)) != epochs[0]


def test_same_on_every_platform_and_untouched_by_global_state():
    before = torch.random.get_rng_state(), np.random.get_state()[1].tolist()  # noqa: NPY002 - only looked at
    sampler = StratifiedBatchSampler([1, 1, 1] + [0] * 9, 4, positives_per_batch=1, seed=7)
    assert [list(sampler), list(sampler)] == [
        [[0, 8, 4, 5], [2, 10, 9, 7], [1, 3, 11, 6]],
        [[1, 11, 5, 9], [2, 10, 7, 4], [0, 8, 3, 6]],
    ]
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert np.random.get_state()[1].tolist() == before[1]  # noqa: NPY002


def test_every_instance_is_as_likely_at_every_place():
    sampler = StratifiedBatchSampler([1, 1] + [0] * 5, 3, positives_per_batch=1, last="drop")
    counts = torch.zeros(7)
    epochs = 2000
    for epoch in range(epochs):
        counts[sampler.indices(epoch)[0]] += 1
    expected = torch.tensor([0.5] * 2 + [0.4] * 5)
    assert (counts / epochs - expected).abs().max() < 0.05


@pytest.mark.parametrize(
    "labels",
    [torch.tensor([1, 0, 0]), torch.tensor([True, False, False]), np.array([1.0, -1.0, -1.0]), [1, 0, 0],
     torch.tensor([1.0, 0.0, 0.0], dtype=torch.bfloat16)],
)  # fmt: skip
def test_kinds_of_labels(labels):
    assert sorted(next(iter(StratifiedBatchSampler(labels, 3)))) == [0, 1, 2]


@pytest.mark.parametrize(
    "labels", [[], [1, 1], [0, 0], [0, 1, 2], [0, -1], [0.0, float("nan")], ["a", "b"], [[0, 1]], [None, 1]]
)
def test_bad_labels(labels):
    with pytest.raises(LabelError, match="labels"):
        StratifiedBatchSampler(labels, 2)


def test_a_data_set_is_not_read_for_labels():
    with pytest.raises(LabelError, match="labels is a TensorDataset; pass the labels of its instances alone"):
        StratifiedBatchSampler(TensorDataset(torch.eye(2)), 2)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"batch_size": 1}, "batch_size=1"),
        ({"batch_size": 8.0}, "batch_size=8.0 must be an integer"),
        ({"positives_per_batch": 2.0}, "positives_per_batch=2.0 must be an integer"),
        ({"seed": 0.5}, "seed=0.5 must be an integer"),
        ({"num_replicas": 1.5}, "num_replicas=1.5 must be an integer"),
        ({"num_replicas": 2, "rank": 0.5}, "rank=0.5 must be an integer"),
        ({"positives_per_batch": 0}, "positives_per_batch=0"),
        ({"positives_per_batch": 8}, "positives_per_batch=8"),
        ({"positive_ratio": 0.0}, "positive_ratio=0"),
        ({"positive_ratio": 1.0}, "positive_ratio=1"),
        ({"positive_ratio": 0.5, "positives_per_batch": 2}, "give one"),
        ({"last": "short"}, "last='short'"),
        ({"seed": -1}, "seed=-1"),
        ({"rank": 1}, "rank=1"),
        ({"num_replicas": 0}, "num_replicas"),
        ({"num_replicas": 3}, "multiple of num_replicas=3.*use 9"),
        ({"num_replicas": 4, "positives_per_batch": 3}, "without one class"),
        ({"num_replicas": 4, "positives_per_batch": 5}, "without one class"),
    ],
)
def test_bad_settings(options, match):
    with pytest.raises(InputError, match=match):
        StratifiedBatchSampler([1, 0] * 10, **{"batch_size": 8, **options})


def test_a_share_is_rounded_to_at_least_one_of_each_class():
    counts = [
        StratifiedBatchSampler([1, 0], 4, positive_ratio=ratio).positives_per_batch for ratio in (0.01, 0.6, 0.99)
    ]
    assert counts == [1, 2, 3]


def test_integers_of_numpy_are_integers():
    sampler = StratifiedBatchSampler([1, 0] * 10, np.int32(4), positives_per_batch=np.int64(1), seed=np.uint8(3))
    assert list(sampler) == list(StratifiedBatchSampler([1, 0] * 10, 4, positives_per_batch=1, seed=3))
    assert json.loads(json.dumps(sampler.state_dict())) == sampler.state_dict()


def test_state_of_another_sampler_is_refused():
    state = StratifiedBatchSampler([1, 0] * 10, 4).state_dict()
    with pytest.raises(InputError, match="batch_size=4, this one has 2"):
        StratifiedBatchSampler([1, 0] * 10, 2).load_state_dict(state)
    with pytest.raises(PauciError, match=r"state\['batch'\]=99"):
        StratifiedBatchSampler([1, 0] * 10, 4).load_state_dict({**state, "batch": 99})
    with pytest.raises(InputError, match="negatives=10, this one has 11"):
        StratifiedBatchSampler([1, 0] * 10 + [0], 4, positives_per_batch=2).load_state_dict(state)


def test_a_position_after_the_last_batch_is_the_beginning_of_the_next_epoch():
    sampler = StratifiedBatchSampler([1, 0] * 10, 4)
    sampler.load_state_dict({**sampler.state_dict(), "epoch": 3, "batch": len(sampler)})
    assert (sampler.epoch, sampler.state_dict()["batch"]) == (4, 0)


@pytest.mark.parametrize("workers", [0, 2])
def test_data_loader_and_device_batches_agree(workers):
    y = (torch.arange(30) % 5 == 0).long()
    x = torch.arange(30.0)
    sampler = StratifiedBatchSampler(y, 6, positive_ratio=1 / 3)
    context = "fork" if workers else None
    loader = DataLoader(
        TensorDataset(x, y), batch_sampler=sampler, num_workers=workers, multiprocessing_context=context
    )
    loaded = list(loader)
    assert len(loaded) == len(loader) == 6
    sampler.set_epoch(0)
    batches = DeviceBatches(x, y, sampler=sampler)
    assert len(batches) == 6
    for (x_loaded, y_loaded), (x_picked, y_picked) in zip(loaded, batches, strict=True):
        assert torch.equal(x_loaded, x_picked)
        assert torch.equal(y_loaded, y_picked)


def test_device_batches_resume():
    y = torch.arange(40) % 4 == 0
    sampler = StratifiedBatchSampler(y, 8)
    batches = DeviceBatches(torch.arange(40), sampler=sampler)
    iterator = iter(batches)
    head = [next(iterator)[0] for _ in range(2)]
    state = sampler.state_dict()
    tail = [part for (part,) in iterator]
    again = StratifiedBatchSampler(y, 8)
    again.load_state_dict(state)
    resumed = [part for (part,) in DeviceBatches(torch.arange(40), sampler=again)]
    assert torch.equal(torch.stack(tail), torch.stack(resumed))
    assert len(head) + len(tail) == 5


def test_device_batches_take_arrays():
    x, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 4 == 0
    (first, labels), *_ = DeviceBatches(x, y, sampler=StratifiedBatchSampler(y, 8))
    rows = (first[:, 0] / 2).long().numpy()
    assert (first.numpy() == x[rows]).all()
    assert (labels.numpy() == y[rows]).all()


def test_device_batches_check_lengths():
    sampler = StratifiedBatchSampler([1, 0], 2)
    with pytest.raises(InputError, match="3 rows"):
        DeviceBatches(torch.zeros(3), sampler=sampler)
    with pytest.raises(InputError, match="at least one tensor"):
        DeviceBatches(sampler=sampler)


def test_an_epoch_ends_with_its_last_batch():
    sampler = StratifiedBatchSampler([True, False] * 40, 8)
    seen = [list(itertools.islice(sampler, len(sampler))) for _ in range(3)]
    assert sampler.epoch == 3
    assert seen[0] != seen[1] != seen[2]
