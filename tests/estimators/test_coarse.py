"""Tables of few bands and categories, in which rows occur again and again."""

import numpy as np
import pandas as pd
import pytest

from pauci.boosting import PartialAUCBooster
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.cross_fit import CrossFit
from pauci.estimators.fingerprint import apart_if_common, row_fingerprints
from pauci.estimators.folds import Folds, make_folds


def bands(number, n=3000, seed=0):
    rng = np.random.default_rng(seed)
    band = rng.integers(0, number, n)
    y = rng.random(n) < 1 / (1 + np.exp(3.5 - 3 * band / (number - 1)))
    return band[:, None].astype(float), y


def test_rows_that_occur_often_are_on_both_sides_of_the_folds():
    rng = np.random.default_rng(0)
    X = np.concatenate([np.repeat(rng.normal(size=(20, 2)), 9, axis=0), np.repeat(rng.normal(size=(5, 2)), 40, axis=0)])
    y = rng.random(len(X)) < 0.3
    fingerprints = row_fingerprints(X)
    numbers = apart_if_common(fingerprints, y)
    assert (numbers == fingerprints).tolist() == (np.arange(len(X)) < 180).tolist()
    assert len(np.unique(numbers)) == 20 + 200
    for fitted, judged in make_folds(y, numbers):
        seen = np.isin(fingerprints[judged], fingerprints[fitted])
        assert seen.tolist() == (judged >= 180).tolist()


def test_which_of_equal_rows_goes_where_depends_on_labels_alone():
    X, y = bands(4, n=200)
    told = []
    for order in (np.arange(200), np.random.default_rng(1).permutation(200)):
        part = make_folds(y[order], apart_if_common(row_fingerprints(X[order]), y[order])).part
        told.append(sorted(zip(X[order, 0], y[order], part, strict=True)))
    assert told[0] == told[1]


def test_thresholds_take_the_worse_of_what_is_said_of_common_rows():
    X, y = np.repeat(np.arange(4.0), 10)[:, None], np.arange(40) % 4 == 0
    fits = CrossFit(X, y, None, Folds(np.arange(40) % 2), ["CE"], common=np.arange(40) < 20)
    for slope in (1.0, 3.0):
        fits.add([lambda X, slope=slope: slope * X[:, 0] + slope])
    found = fits.honest((0,), lambda X: 2 * X[:, 0] + 2)
    unseen = np.where(np.arange(40) % 2 == 0, 1.0, 3.0) * (X[:, 0] + 1)
    final = 2 * X[:, 0] + 2
    common = np.arange(40) < 20
    np.testing.assert_array_equal(found.scores, np.where(common, final, unseen))
    worse = np.where(y, np.minimum(final, unseen), np.maximum(final, unseen))
    np.testing.assert_array_equal(found.cautious, np.where(common, worse, unseen))


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("number", [10, 25])
def test_budgets_hold_where_whole_bands_lie_at_the_threshold(number, average):
    for seed in range(3):
        X, y = bands(number, seed=seed)
        model = PartialAUCClassifier(max_fpr=0.05, shares=(4.0,), average=average, random_state=seed).fit(X, y)
        fresh, truth = bands(number, n=50_000, seed=100 + seed)
        assert model.threshold_.guaranteed
        assert model.predict(fresh)[~truth].mean() <= 0.05


def one_category_and_noise(n, seed):
    """A third of the rows score nearly the same: half of their negatives fill the budget, all of them break it."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(3, n)
    y = rng.random(n) < np.where(kind == 2, 0.6, 0.05)
    return np.column_stack([rng.normal(size=n), kind == 0, kind == 2]).astype(float), y


@pytest.mark.slow
@pytest.mark.parametrize("average", [True, False])
def test_budgets_hold_where_many_rows_score_nearly_the_same(average):
    fresh, truth = one_category_and_noise(50_000, seed=999)
    broken = 0
    for seed in range(30):
        X, y = one_category_and_noise(1500, seed)
        model = PartialAUCClassifier(max_fpr=0.1, method="ce", average=average, random_state=0).fit(X, y)
        assert model.threshold_.guaranteed
        broken += model.predict(fresh)[~truth].mean() > 0.1
    assert broken <= 3  # 5% are allowed


@pytest.mark.parametrize("estimator", [PartialAUCClassifier, PartialAUCBooster])
def test_a_table_of_one_category_is_learnt(estimator):
    if estimator is PartialAUCBooster:
        pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    level = rng.integers(0, 11, 4000)
    rate = 1 / (1 + np.exp(-np.linspace(1, -3.5, 11)))
    X, y = pd.DataFrame({"band": np.array(list("abcdefghijk"))[level]}), rng.random(4000) < rate[level]
    model = estimator(max_fpr=0.2, shares=(4.0,), random_state=0).fit(X[:2000], y[:2000])
    probability = model.predict_proba(X[2000:])[:, 1]
    for place in (0, 10):
        assert probability[level[2000:] == place].mean() == pytest.approx(rate[place], abs=0.12)
    assert model.report_.choice.scores[0] == pytest.approx(model.score(X[2000:], y[2000:]), abs=0.1)
