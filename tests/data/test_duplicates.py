import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pauci.data import group_duplicates
from pauci.errors import InputError

DATA = Path(os.environ.get("PAUCI_DATA", Path(__file__).parents[3] / "shared" / "data")) / "tabular"


def brute_force(X):
    """Compare each row with all that came before."""
    firsts, groups = [], []
    for row in X:
        same = [k for k, other in enumerate(firsts) if np.array_equal(row, other, equal_nan=row.dtype.kind == "f")]
        groups.append(same[0] if same else len(firsts))
        if not same:
            firsts.append(row)
    return groups


values = {
    np.float32: st.sampled_from([0.0, -0.0, 1.0, np.nan, -np.nan, np.inf, 1e-45]),
    np.float64: st.sampled_from([0.0, -0.0, 1.0, np.nan, 1 + 2**-52]),
    np.int64: st.integers(0, 2),
    np.bool_: st.booleans(),
}


@pytest.mark.parametrize("dtype", values)
@given(data=st.data())
def test_agrees_with_brute_force(dtype, data):
    shape = data.draw(st.tuples(st.integers(0, 20), st.integers(0, 3)))
    X = data.draw(hnp.arrays(dtype, shape, elements=values[dtype]))
    assert group_duplicates(X).tolist() == brute_force(X)
    assert group_duplicates(np.asfortranarray(X)).tolist() == brute_force(X)


@pytest.mark.parametrize("X", [[1.0, 2.0], np.zeros((2, 2, 2)), [["a", "b"]]])
def test_only_matrices_of_numbers(X):
    with pytest.raises(InputError, match="X has shape"):
        group_duplicates(X)


@pytest.mark.parametrize(
    ("name", "percent"), [("w8a", 30), ("mammography", 30), ("celeba_attr", 43), ("kdd99_smtp", 25)]
)
def test_real_tables(name, percent):
    path = DATA / f"{name}.npz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not there; set PAUCI_DATA to the folder with the real data")
    with np.load(path, allow_pickle=False) as archive:
        X = archive["X"]
    groups = group_duplicates(X)
    repeated = 100 * (1 - (groups.max() + 1) / len(X))
    assert repeated == pytest.approx(percent, abs=1)
