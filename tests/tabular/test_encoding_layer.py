import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pauci.data import Column, TableEncoder
from pauci.estimators.encoding import Encoding
from pauci.estimators.scaling import Scaling
from pauci.tabular.encoding_layer import EncodingLayer

KINDS = st.lists(st.sampled_from(["numeric", "boolean", "date", "few", "many"]), min_size=1, max_size=5)


def a_table(kinds, rows, gaps, seed):
    """Columns and a matrix as `read_table` makes them: codes of categories, NaN where missing."""
    rng = np.random.default_rng(seed)
    columns, values = [], []
    for i, kind in enumerate(kinds):
        size = {"few": 3, "many": 150}.get(kind)
        if size is None:
            columns.append(Column(f"c{i}", kind))
            values.append(rng.integers(0, 2, rows) if kind == "boolean" else rng.normal(5, 40, rows))
        else:
            columns.append(Column(f"c{i}", "categorical", tuple(f"{j:03d}" for j in range(size))))
            values.append((size * rng.random(rows) ** 3).astype(int))
    X = np.column_stack(values).astype(np.float64)
    X[rng.random(X.shape) < gaps] = np.nan
    return columns, X


def the_layer(columns, X):
    encoding = Encoding.fit(X, columns)
    return EncodingLayer(encoding, Scaling.fit(encoding(X), None))


@settings(max_examples=40)
@given(KINDS, st.integers(2, 400), st.sampled_from([0.0, 0.2]), st.integers(0, 1000))
def test_it_is_the_encoder_and_the_scaling_as_a_layer(kinds, rows, gaps, seed):
    columns, X = a_table(kinds, rows, gaps, seed)
    encoder = TableEncoder(columns).fit(X)
    scaling = Scaling.fit(encoder.transform(X), None)
    layer = the_layer(columns, X)
    new = a_table(kinds, 50, 0.3, seed + 1)[1]
    new[::7] = np.where([column.kind == "categorical" for column in columns], -1.0, new[::7])
    for some in (X, new):
        assert layer(torch.tensor(some)).numpy() == pytest.approx(scaling(encoder.transform(some)), abs=1e-9)


def test_codes_beyond_the_known_ones_are_unknown():
    columns, X = a_table(["few"], 60, 0.0, 0)
    layer = the_layer(columns, X)
    strange = layer(torch.tensor([[3.0], [1e9], [-5.0], [float("inf")]], dtype=torch.float64))
    assert torch.equal(strange, layer(torch.full((4, 1), -1.0, dtype=torch.float64)))
