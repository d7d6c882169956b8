import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from oracles import samples
from pauci.errors import InputError, LabelError
from pauci.metrics import fpr_at_tpr, tar_at_far, tpr_at_fpr

rates = st.one_of(st.sampled_from([0.05, 0.1, 0.29, 0.5, 0.9999999999999999, 1.0]), st.floats(0.001, 1))


def operating_points(y, s, weight=None):
    """False and true positive rate of every threshold that makes a difference."""
    weight = np.ones(len(y)) if weight is None else weight
    thresholds = [*np.unique(s), np.inf]
    return np.array([[weight[of & (s >= t)].sum() / weight[of].sum() for of in (~y, y)] for t in thresholds])


@given(samples(), rates, st.one_of(st.none(), st.integers(0, 2**32 - 1)))
def test_rates_are_the_best_of_all_thresholds(sample, rate, seed):
    y, s = sample
    weight = None if seed is None else np.random.default_rng(seed).random(len(y)) + 0.01
    fpr, tpr = operating_points(y, s, weight).T
    found = tpr_at_fpr(y, s, max_fpr=rate, sample_weight=weight)
    assert found == pytest.approx(tpr[fpr <= rate + 1e-9].max())
    assert fpr_at_tpr(y, s, min_tpr=rate, sample_weight=weight) == pytest.approx(fpr[tpr >= rate - 1e-9].min())


def test_agrees_with_the_vertices_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, s = rng.random(2000) < 0.2, rng.normal(size=2000).round(2)
    fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
    assert tpr_at_fpr(y, s, max_fpr=0.1) == tpr[fpr <= 0.1].max()
    assert fpr_at_tpr(y, s, min_tpr=0.9) == fpr[tpr >= 0.9].min()


def test_name_in_biometrics_takes_the_same_arguments():
    assert tar_at_far([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], max_fpr=0.01) == 0.5


def test_positive_class_may_be_named():
    assert tpr_at_fpr(["ok", "bad", "ok"], [1, 2, 0], max_fpr=0.1, pos_label="bad") == 1
    assert fpr_at_tpr(["ok", "bad", "ok"], [1, 2, 0], min_tpr=1, pos_label="bad") == 0


def test_bad_input_is_an_error():
    for rate in (0, -0.1, 1.1):
        with pytest.raises(InputError, match="min_tpr"):
            fpr_at_tpr([0, 1], [0.1, 0.2], min_tpr=rate)
    with pytest.raises(InputError, match="max_fpr"):
        tpr_at_fpr([0, 1], [0.1, 0.2], max_fpr=2)
    with pytest.raises(LabelError):
        fpr_at_tpr([1, 1], [0.1, 0.2], min_tpr=0.5)
