import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from pauci.data import group_duplicates
from pauci.estimators import folds as folds_module
from pauci.estimators.fingerprint import row_fingerprints
from pauci.estimators.folds import make_folds


@given(seed=st.integers(0, 1000), rows=st.integers(1, 60))
def test_fingerprints_group_as_equality_does(seed, rows):
    X = np.random.default_rng(seed).integers(-1, 2, size=(rows, 3)).astype(float)
    X[X == 0] *= -1  # -0 is 0
    expected = group_duplicates(X)
    names, found = np.unique(row_fingerprints(X), return_inverse=True)
    assert len(names) == expected.max() + 1
    assert len(set(zip(found.tolist(), expected.tolist(), strict=True))) == len(names)
    np.testing.assert_array_equal(row_fingerprints(sparse.csr_matrix(X)), row_fingerprints(X))
    assert (row_fingerprints(X, seed=1) != row_fingerprints(X, seed=2)).any() or not X.any()


def test_columns_are_told_apart():
    first, second = row_fingerprints(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert first != second


@given(seed=st.integers(0, 1000), values=st.sampled_from([3, 10, 1000]))
def test_parts_are_disjoint_and_stratified(seed, values):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, values, size=(300, 2)).astype(float), rng.random(300) < 0.2
    fingerprints = row_fingerprints(X)
    folds = make_folds(y, fingerprints)
    if folds.number == 0:
        assert values == 3
        return
    for fitted, judged in folds:
        assert not set(fingerprints[fitted]) & set(fingerprints[judged])
        assert len(fitted) + len(judged) == 300
        for label in (True, False):
            assert len(np.unique(fingerprints[judged][y[judged] == label])) >= 2
    if values == 1000:
        sizes = np.bincount(folds.part[y])
        assert sizes.max() - sizes.min() <= 1


def test_where_a_row_goes_depends_on_its_content_alone():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) < 20
    order = rng.permutation(60)
    plain = make_folds(y, row_fingerprints(X)).part
    np.testing.assert_array_equal(make_folds(y[order], row_fingerprints(X[order])).part, plain[order])
    weight = rng.integers(1, 4, size=60)
    repeated = make_folds(np.repeat(y, weight), np.repeat(row_fingerprints(X), weight)).part
    weighted = make_folds(y, row_fingerprints(X), weight=weight.astype(float)).part
    np.testing.assert_array_equal(repeated, np.repeat(weighted, weight))


@pytest.mark.parametrize(("positives", "number"), [(3, 0), (4, 2), (9, 4), (10, 5), (500, 5)])
def test_few_positives_make_few_parts(positives, number):
    y = np.arange(1000) < positives
    assert make_folds(y, np.arange(1000, dtype=np.uint64)).number == number


def test_parts_that_a_class_would_be_missing_from_are_not_made():
    # Every row has a group of its own but for four negatives, whose groups are all dealt to the first of two parts.
    y, groups = np.repeat([True, False], [20, 4]), np.array([*range(20), 0, 3, 4, 7], dtype=np.uint64)
    assert make_folds(y, groups).number == 0
    groups[-2:] = 1, 2
    folds = make_folds(y, groups)
    assert [len(set(groups[judged][~y[judged]])) for _, judged in folds] == [2, 2]


def test_large_data_are_held_out_once(monkeypatch):
    monkeypatch.setattr(folds_module, "_LARGE", 1000)
    y = np.arange(1000) < 100
    folds = make_folds(y, row_fingerprints(np.arange(1000.0)[:, None]))
    [(fitted, judged)] = folds
    assert len(judged) == 250
    assert set(fitted) | set(judged) == set(range(1000))
    assert np.bincount(folds.part[judged]).tolist() == [50] * 5
    assert y[judged].sum() == 25


def test_large_data_of_too_few_groups_for_that_are_divided_as_smaller_ones(monkeypatch):
    y, groups = np.arange(1000) % 3 == 0, np.arange(1000, dtype=np.uint64) // 33
    smaller = make_folds(y, groups)
    monkeypatch.setattr(folds_module, "_LARGE", 1000)
    assert make_folds(y, groups).number == 5
    np.testing.assert_array_equal(make_folds(y, groups).part, smaller.part)
