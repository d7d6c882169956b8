import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.data.schema import Column
from pauci.tabular.giveaways import giveaways

NAN = np.nan


def found(values, y, kind="numeric", categories=()):
    return giveaways(np.array(values, dtype=float)[:, None], np.array(y), [Column("x", kind, categories)]) == ["x"]


@pytest.mark.parametrize("kind", ["numeric", "boolean", "date"])
def test_the_label_and_its_inverse_are_found(kind):
    y = [0, 1, 0, 1, 0]
    assert found(y, y, kind)
    assert found([1 - each for each in y], y, kind)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([NAN, NAN, 3, 3], True),  # known of one class only
        ([1, 2, NAN, NAN], True),
        ([NAN, 1, 2, 3], True),
        ([NAN, 1, NAN, 3], False),
        ([1, 3, 2, 4], False),
        ([1, 2, 2, 3], False),
        ([5, 5, 5, 5], False),
        ([NAN, NAN, NAN, NAN], False),
    ],
)
def test_missing_values_are_a_value_of_their_own(values, expected):
    assert found(values, [0, 0, 1, 1]) is expected


def test_categories_need_no_order_but_must_come_again():
    assert found([0, 1, 2, 0, 1, 2], [0, 1, 0, 0, 1, 0], "categorical", ("a", "b", "c"))
    assert not found([0, 1, 2, 0, 1, 2], [0, 1, 0, 0, 0, 0], "categorical", ("a", "b", "c"))
    assert not found([0, 1, 2, 3], [0, 1, 0, 1], "categorical", ("a", "b", "c", "d"))


@given(st.lists(st.tuples(st.sampled_from([NAN, 0.0, 1.0, 2.0, 3.0]), st.booleans()), min_size=2, max_size=8))
def test_found_is_what_some_threshold_separates(rows):
    values, y = map(np.array, zip(*rows, strict=True))
    if y.all() or not y.any():
        return
    missing = np.isnan(values)
    rules = [(values > cut) ^ flipped for cut in (-0.5, 0.5, 1.5, 2.5, 3.5) for flipped in (False, True)]
    guesses = [np.where(missing, of_missing, rule) for rule in rules for of_missing in (False, True)]
    assert found(values, y) == any((guess == y).all() for guess in guesses)
