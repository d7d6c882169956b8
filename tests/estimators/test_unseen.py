import numpy as np

from pauci.data.schema import Column
from pauci.estimators.unseen import UnseenValues, usual_ranges

COLUMNS = [Column("paid", "numeric"), Column("since", "date"), Column("city", "categorical", ("Bonn", "Ulm"))]


def test_ranges_hold_the_middle_of_the_numbers_alone():
    paid = np.concatenate((np.linspace(0, 1, 998), [1e9, -1e9]))
    X = np.column_stack((paid, np.full(1000, 2e4), np.zeros(1000)))
    (low, high), *others = usual_ranges(X, COLUMNS)
    assert 0 < low < 0.02
    assert 0.98 < high < 1
    assert others == [None, None]


def test_what_is_no_number_has_no_range():
    assert usual_ranges(np.array([[np.nan], [np.inf]]), COLUMNS[:1]) == (None,)


def test_large_tables_are_sampled_evenly():
    ((low, high),) = usual_ranges(np.arange(350_001.0)[:, None], COLUMNS[:1])
    assert abs(low - 3_500) < 10
    assert abs(high - 346_500) < 10


def test_half_of_the_numbers_may_be_unusual():
    for share, doubts in ((0.5, 0), (0.6, 1)):
        seen = UnseenValues(COLUMNS, [(0.0, 1.0), None, None])
        for value in np.where(np.arange(100) < 100 * share, 2.0, 0.5):
            seen.add(np.array([[value, 9e9, 0.0]]))
        assert len(seen.doubts()) == doubts


def test_gaps_are_not_unusual():
    seen = UnseenValues(COLUMNS[:1], [(0.0, 1.0)])
    seen.add(np.where(np.arange(100) < 90, np.nan, 0.5)[:, None])
    assert seen.doubts() == []


def test_without_ranges_nothing_is_said_about_numbers():
    seen = UnseenValues(COLUMNS)
    seen.add(np.full((100, 3), [1e12, 0.0, 0.0]))
    assert seen.doubts() == []
