"""The test over ten splits keeps its level: simulated with two models between which nothing but chance decides."""

import numpy as np
import pytest

from pauci import Region
from pauci.errors import InputError
from pauci.metrics import partial_auc_score
from pauci.studies.tabular.comparison import compare_splits, split_error
from pauci.studies.tabular.measurement import judge
from pauci.studies.tabular.splits import SPLITS, deal


def simulate(seed, *, gain=0.0, size=600, positives=60, columns=20, blocks=40):
    """Train a nearest-mean scorer on either half of the columns of 5 x 2 halves; without gain both are equally good."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, size - positives])
    X = rng.normal(size=(size, 2 * columns)) + 0.25 * y[:, None]
    X[:, :columns] += gain * y[:, None]
    block, region = deal(y, np.arange(size), blocks, seed=seed), Region(max_fpr=0.1)
    differences, parts = [], []
    for split in range(SPLITS):
        half = deal(y, np.arange(size), 2, seed=1000 * seed + split // 2)
        train, test = half == split % 2, half != split % 2
        direction = X[train & (y == 1)].mean(axis=0) - X[train & (y == 0)].mean(axis=0)
        first, second = (
            judge(y[test], X[test][:, part] @ direction[part], region, block[test], number=blocks)
            for part in (slice(0, columns), slice(columns, None))
        )
        differences.append(first[0] - second[0])
        parts.append(first[1] - second[1])
    return np.array(differences), np.array(parts)


@pytest.mark.slow
def test_true_hypotheses_are_rejected_about_as_seldom_as_promised():
    found = [compare_splits(*simulate(seed)).p_value for seed in range(400)]
    # Three standard errors above 0.05 and 0.01; Student's test over the ten differences rejects 4 in 10 here.
    assert np.mean(np.array(found) < 0.05) < 0.083
    assert np.mean(np.array(found) < 0.01) < 0.025


def test_a_clear_gain_is_found_and_its_interval_holds_it():
    found = [compare_splits(*simulate(seed, gain=0.25)) for seed in range(10)]
    assert all(result.p_value < 0.01 and result.low > 0 for result in found)
    reverse = compare_splits(*(-part for part in simulate(0, gain=0.25)))
    assert reverse.high < 0
    assert reverse.difference == -found[0].difference


def test_contributions_of_blocks_are_those_of_leaving_them_out():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [200, 1800])
    scores, region = rng.normal(size=2000) + 1.5 * y, Region(max_fpr=0.2)
    blocks = deal(y, np.arange(2000), 20, seed=0)
    value, parts = judge(y, scores, region, blocks, number=20)
    assert value == partial_auc_score(y, scores, region=region)
    without = np.array([partial_auc_score(y[blocks != b], scores[blocks != b], region=region) for b in range(20)])
    np.testing.assert_allclose(parts, 19 / 20 * (value - without), atol=2e-3)
    assert np.corrcoef(parts, value - without)[0, 1] > 0.99


def test_models_that_never_differ_are_not_told_apart():
    result = compare_splits(np.zeros(10), np.zeros((10, 40)))
    assert (result.difference, result.low, result.high, result.p_value) == (0, 0, 0, 1)


def test_shapes_must_fit():
    with pytest.raises(InputError, match="parts"):
        split_error(np.zeros(10), np.zeros((9, 40)))
