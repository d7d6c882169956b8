"""What linear scorers are standardised by and penalised with, where columns are many or rare."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import logit

from pauci.estimators import PartialAUCClassifier
from pauci.estimators.criterion import criterion
from pauci.estimators.folds import Folds
from pauci.estimators.linear import fit_logistic
from pauci.estimators.linear_path import LinearPath
from pauci.estimators.penalty import PenaltyTrials
from pauci.estimators.scaling import Scaling
from pauci.metrics import partial_auc_score
from pauci.region import Region

TARGET, WIDER = Region(max_fpr=0.1), Region(max_fpr=0.3)


def categories(n=1500, levels=40, seed=0):
    """Two columns that tell something, and a category of many levels that says nothing, one column each."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    names = np.eye(levels)[rng.integers(levels, size=n)]
    return np.hstack([rng.normal(size=(n, 2)) + y[:, None] * [1.0, 0.5], names]), y


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_indicators_are_scaled_half_way(kind):
    X = np.column_stack([np.arange(100) % 10 == 0, np.arange(100.0), np.arange(100) % 2 * 2.0, np.ones(100)])
    found = Scaling.fit(kind(X.astype(float)), None).scale
    plain = X.std(axis=0) if kind is np.asarray else np.sqrt((X**2).mean(axis=0))
    assert found[:3] == pytest.approx([np.sqrt(plain[0]), plain[1], plain[2]])
    assert found[3] == 1.0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("exponent", [-900, 900])
def test_columns_whose_squares_are_no_numbers_are_scaled_like_others(kind, exponent):
    X = np.random.default_rng(0).normal(size=(50, 2))
    near, far = kind(X), kind(np.ldexp(X, exponent))
    expected, found = Scaling.fit(near, None)(near), Scaling.fit(far, None)(far)
    assert (abs(found - expected)).max() == 0


def test_indicators_of_categories_keep_their_scale():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4 == 0
    frame = pd.DataFrame({"x": rng.normal(size=200) + y, "city": rng.choice(["Bonn", "Ulm", "Wien"], size=200)})
    fitted = PartialAUCClassifier(0.1, method="ce", confidence=None, random_state=0).fit(frame, y)
    assert fitted.scaling_.scale[1:].tolist() == [1.0] * 3


def test_the_penalty_of_cross_entropy_is_the_weakest_within_a_standard_error():
    X, y = categories()
    matrix, folds = Scaling.fit(X, None)(X), Folds(np.arange(len(y)) % 3)
    trials = PenaltyTrials(matrix, y, None, folds)
    strengths = [10.0**power for power in range(-4, 6)]
    losses, won = [], []
    for strength in strengths:
        scores = np.empty(len(y))
        for fitted, judged in folds:
            scores[judged] = fit_logistic(matrix[fitted], y[fitted], None, strength=strength)(matrix[judged])
        losses.append(np.mean(np.logaddexp(0, scores) - y * scores))
        won.append([criterion(y[rows], scores[rows], region=TARGET, support=WIDER, weight=None) for _, rows in folds])
    least = trials.least_loss(1.0)
    assert least == pytest.approx(strengths[int(np.argmin(losses))])
    means = np.mean(won, axis=1)
    stronger = [place for place, strength in enumerate(strengths) if strength >= least]
    best = max(stronger, key=means.__getitem__)
    expected = next(
        place
        for place in stronger
        if means[best] - means[place] <= np.std(np.subtract(won[best], won[place]), ddof=1) / np.sqrt(3)
    )
    assert trials.best_ranking(least, region=TARGET, support=WIDER) == pytest.approx(strengths[expected])


@pytest.mark.parametrize("weighted", [False, True])
def test_the_level_of_a_fold_is_that_of_all_rows(weighted):
    X, y = categories(levels=2)
    weight = np.where(np.arange(len(y)) % 3 == 0, 4.0, 1.0) if weighted else None
    path = LinearPath("pairwise-sigmoid", TARGET, WIDER).tuned(X, y, weight, Folds(np.arange(len(y)) % 5))
    for some in (np.flatnonzero(y | (np.arange(len(y)) % 2 == 0)), np.arange(len(y))):
        part = None if weight is None else weight[some]
        raised = logit(np.average(y, weights=weight)) - logit(np.average(y[some], weights=part))
        found = path.fit(X[some], y[some], part, shares=[1.0])
        plain = dataclasses.replace(path, log_odds=None).fit(X[some], y[some], part, shares=[1.0])
        for scorer, before in zip(found, plain, strict=True):
            np.testing.assert_array_equal(scorer.weights, before.weights)
            assert scorer.intercept == pytest.approx(before.intercept + raised, abs=1e-12)


def test_a_category_of_many_levels_costs_little():
    X, y = categories()
    fresh_X, fresh_y = categories(20_000, seed=1)
    informed, burdened = (
        PartialAUCClassifier(0.1, method="ce", confidence=None, random_state=0).fit(X[:, :columns], y)
        for columns in (2, X.shape[1])
    )
    without = partial_auc_score(fresh_y, informed.decision_function(fresh_X[:, :2]), max_fpr=0.1)
    # 0.037 less when every level is brought to unit variance and the penalty suits probabilities.
    assert partial_auc_score(fresh_y, burdened.decision_function(fresh_X), max_fpr=0.1) > without - 0.02


@pytest.mark.parametrize("fitted_on", [np.asarray, sparse.csr_matrix])
def test_sparse_and_dense_rows_have_the_same_scores(fitted_on):
    """A fit on dense rows is centred, and so must be sparse ones that are scored by it."""
    rng = np.random.default_rng(0)
    X = rng.normal(1, 1, (600, 4)) * (rng.random((600, 4)) < 0.5)
    y = X[:, 0] + rng.normal(size=600) > 1.5
    model = PartialAUCClassifier(max_fpr=0.1, random_state=0).fit(fitted_on(X), y)
    np.testing.assert_allclose(model.decision_function(sparse.csr_matrix(X)), model.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(model.predict(sparse.csr_matrix(X)), model.predict(X))
