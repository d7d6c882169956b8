import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.boosting.selection import select, soft_threshold
from pauci.errors import RegionError
from pauci.objectives.selectors import Softplus
from pauci.objectives.sides import Side

SIDES = [Side(0.0, 0.29), Side(0.0, 0.01), Side(0.3, 1.0), Side(0.2, 0.6), Side(0.0, 1.0)]


def brute(key, side, w):
    """Fraction of each row inside; equal keys share alike."""
    part, room = np.zeros(len(key)), w / w.sum()
    for value in np.unique(key):
        above, equal = room[key > value].sum(), room[key == value].sum()
        part[key == value] = max(0.0, min(above + equal, side.high) - max(above, side.low)) / equal
    return part


@given(
    keys=st.lists(
        st.one_of(st.sampled_from([-0.0, 0.0, 1.0, -2.0]), st.floats(-1e300, 1e300, width=64)), min_size=1, max_size=60
    ),
    side=st.sampled_from(SIDES),
    weighted=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_exact_selection_is_that_of_sorting(keys, side, weighted, seed):
    key = np.array(keys)
    weight = np.random.default_rng(seed).uniform(0.1, 2, len(key)) if weighted else None
    found = select(key, side=side, weight=weight)
    part = np.zeros(len(key))
    part[found.rows] = found.part
    np.testing.assert_allclose(part, brute(key, side, np.ones(len(key)) if weight is None else weight), atol=1e-6)


@given(
    seed=st.integers(0, 1000),
    side=st.sampled_from([Side(0.0, 0.05), Side(0.0, 0.5), Side(0.4, 1.0)]),
    spread=st.sampled_from([0.0, 0.1, 3.0]),
)
def test_soft_selection_has_the_share_as_its_mean(seed, side, spread):
    rng = np.random.default_rng(seed)
    key, weight = rng.normal(size=200) * spread - 4, rng.uniform(0.1, 2, 200)
    s = soft_threshold(key, side=side, weight=weight, softness=Softplus(4.0))
    mean = np.average(1 / (1 + np.exp(-side.sign * 4.0 * (key - s))), weights=weight)
    assert mean == pytest.approx(side.share, rel=1e-4)


def test_a_band_has_no_soft_selection():
    with pytest.raises(RegionError, match="band"):
        select(np.arange(5.0), side=Side(0.2, 0.6), softness=Softplus(4.0))
