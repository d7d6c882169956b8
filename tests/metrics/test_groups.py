import math

import numpy as np
import pandas as pd
import pytest

from pauci.errors import InputError
from pauci.metrics.groups import Groups

POSITIVE = np.array([True, True, False, False])


@pytest.mark.parametrize(
    "groups",
    [
        [1.0, math.nan, 2.0, 3.0],
        np.array(["2024-01-01", "NaT", "2024-01-02", "2024-01-03"], dtype="datetime64[D]"),
        np.array([1, "NaT", 2, 3], dtype="timedelta64[s]"),
        ["a", math.nan, "b", "c"],
        np.array([1, None, 2, 3], dtype=object),
        np.array([None, None, None, None], dtype=object),
        np.array([1.0, math.nan, 2.0, 3.0], dtype=object),
        pd.Series([1, pd.NA, 2, 3], dtype="Int64"),
        pd.Series(["a", pd.NA, "b", "c"], dtype="string"),
        pd.Series(["a", None, "b", "c"], dtype="category"),
        pd.Series([pd.Timestamp("2024-01-01"), pd.NaT, pd.Timestamp("2024-01-02"), pd.NaT], dtype=object),
    ],
    ids=lambda groups: str(getattr(groups, "dtype", "list")),
)
def test_a_missing_group_is_an_error(groups):
    with pytest.raises(InputError, match="groups holds missing values"):
        Groups.of(groups, POSITIVE)


@pytest.mark.parametrize(
    "groups",
    [
        np.array(["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-02"], dtype="datetime64[D]"),
        np.array(["a", "b", "a", "b"], dtype=object),
        pd.Series(["a", "b", "a", "b"], dtype="category"),
        pd.Series([5, 7, 5, 7], dtype="Int64"),
        [True, False, True, False],
    ],
    ids=lambda groups: str(getattr(groups, "dtype", "list")),
)
def test_groups_of_any_type_are_told_apart(groups):
    read = Groups.of(groups, POSITIVE)
    assert read.number == 2
    np.testing.assert_array_equal(read.positives, read.negatives)
