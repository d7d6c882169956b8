"""The stratified batches against LibAUC's, where it is installed."""

import numpy as np
import pytest

from pauci.data import StratifiedBatchSampler

samplers = pytest.importorskip("libauc.sampler", reason="LibAUC is not installed", exc_type=ImportError)


def test_dual_sampler():
    labels = np.repeat([1, 0], [37, 463])
    state = np.random.get_state()  # noqa: NPY002 - which theirs seeds
    try:
        theirs = samplers.DualSampler(None, 63, labels=labels, sampling_rate=0.25)
        batches = np.array(list(theirs)).reshape(-1, 63)
    finally:
        np.random.set_state(state)  # noqa: NPY002
    ours = StratifiedBatchSampler(labels, 63, positives_per_batch=int(63 * 0.25), last="drop")
    assert len(ours) == len(batches)
    for mine, other in zip(ours, batches, strict=True):
        assert labels[mine].sum() == labels[other].sum() == 15
