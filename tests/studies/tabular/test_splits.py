import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.errors import TooFewSamplesError
from pauci.studies.tabular.splits import SPLITS, deal, halves


@given(
    rows=st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=30, max_size=120),
    parts=st.integers(2, 4),
    seed=st.integers(0, 5),
)
def test_groups_stay_together_and_every_part_gets_both_classes(rows, parts, seed):
    groups = np.unique([group for group, _ in rows], return_inverse=True)[1]
    y = np.array([label for _, label in rows], dtype=np.int64)
    if min(len(set(groups[y == 1])), len(set(groups[y == 0]))) < parts:
        with pytest.raises(TooFewSamplesError, match="too few"):
            deal(y, groups, parts, seed=seed)
        return
    part = deal(y, groups, parts, seed=seed)
    assert all(len(set(part[groups == group])) == 1 for group in set(groups))
    assert set(part) <= set(range(parts))


def test_rows_of_their_own_are_divided_exactly():
    y = np.repeat([1, 0], [30, 270])
    part = deal(y, np.arange(300), 3, seed=1)
    assert [int(y[part == p].sum()) for p in range(3)] == [10, 10, 10]
    assert np.bincount(part).tolist() == [100, 100, 100]


def test_ten_splits_are_five_divisions_in_both_directions():
    y = np.repeat([1, 0], [10, 90])
    splits = [halves(y, np.arange(100), split) for split in range(SPLITS)]
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(100))
        assert y[train].sum() == y[test].sum() == 5
    for (train, test), (back, forth) in zip(splits[::2], splits[1::2], strict=True):
        assert (train == forth).all()
        assert (test == back).all()
    assert len({tuple(train) for train, _ in splits}) == SPLITS


def test_large_groups_do_not_unbalance_the_positives():
    groups = np.concatenate([np.zeros(300, dtype=int), np.arange(1, 701)])
    y = np.zeros(1000, dtype=np.int64)
    y[-100:] = 1
    for split in range(SPLITS):
        train, test = halves(y, groups, split)
        assert y[train].sum() == y[test].sum() == 50
