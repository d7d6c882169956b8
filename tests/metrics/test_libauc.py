"""Partial AUC against LibAUC, where it is installed."""

import numpy as np
import pytest

from pauci import partial_auc_score

metrics = pytest.importorskip("libauc.metrics", reason="LibAUC is not installed", exc_type=ImportError)


def sample(*, ties):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 200])
    s = rng.normal(size=240) + y
    return y, s.round(1) if ties else s


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("max_fpr", [0.013, 0.3, 1.0])
def test_one_way(max_fpr, ties):
    y, s = sample(ties=ties)
    ours = partial_auc_score(y, s, max_fpr=max_fpr, scale="mcclish")
    assert metrics.pauc_roc_score(y, s, max_fpr=max_fpr) == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("max_fpr", "min_tpr"), [(0.3, 0.5), (0.5, 0.25), (0.99, 0.05)])
def test_two_way_with_whole_counts(max_fpr, min_tpr, ties):
    y, s = sample(ties=ties)
    ours = partial_auc_score(y, s, max_fpr=max_fpr, min_tpr=min_tpr, cut="floor")
    assert metrics.pauc_roc_score(y, s, max_fpr=max_fpr, min_tpr=min_tpr) == pytest.approx(ours, abs=1e-12)


def test_counts_are_rounded_there_and_rounded_down_here():
    y, s = sample(ties=False)
    theirs = metrics.pauc_roc_score(y, s, max_fpr=0.3, min_tpr=0.33)  # 26.8 positives
    assert theirs == pytest.approx(partial_auc_score(y, s, max_fpr=0.3, min_tpr=1 - 27 / 40, cut="floor"), abs=1e-12)
    assert partial_auc_score(y, s, max_fpr=0.3, min_tpr=0.33, cut="floor") == pytest.approx(
        metrics.pauc_roc_score(y, s, max_fpr=0.3, min_tpr=1 - 26 / 40), abs=1e-12
    )


def test_two_ways_need_part_of_both_classes_there_alone():
    y, s = sample(ties=False)
    for region in ({"min_tpr": 0.5}, {"max_fpr": 0.3, "min_tpr": 0.01}):
        with pytest.raises(ValueError, match="out of bounds"):
            metrics.pauc_roc_score(y, s, **region)
        assert 0 < partial_auc_score(y, s, cut="floor", **region) < 1
