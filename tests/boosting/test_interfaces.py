"""Objectives and metrics inside the libraries: native and scikit-learn interfaces, early stopping, weights, groups."""

import contextlib
import pickle

import lightgbm
import numpy as np
import pytest
import xgboost

from pauci import Region, partial_auc_score
from pauci.boosting import lightgbm_metric, lightgbm_objective, xgboost_metric, xgboost_objective
from pauci.errors import InputError

EDGES = [{"max_fpr": 0.1}, {"max_fpr": 0.5, "min_tpr": 0.5}, {"max_fpr": 1.0, "min_tpr": 0.8}]
LIGHTGBM = {"verbosity": -1, "num_threads": 1, "learning_rate": 0.2, "metric": "None"}
XGBOOST = {"objective": "binary:logistic", "nthread": 1, "learning_rate": 0.2, "disable_default_eval_metric": True}


def halves(seed=0, n=800):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 1.2).astype(int)
    weight = rng.uniform(0.5, 2, n)
    return X, y, weight


@pytest.mark.parametrize("edges", EDGES, ids=str)
@pytest.mark.parametrize("surrogate", ["sigmoid", "pauci"])
def test_lightgbm_native_and_sklearn_grow_the_same_trees(edges, surrogate):
    X, y, weight = halves()
    objective = lightgbm_objective(**edges, surrogate=surrogate)
    data = lightgbm.Dataset(X, label=y, weight=weight)
    native = lightgbm.train({**LIGHTGBM, "objective": objective}, data, num_boost_round=15)
    model = lightgbm.LGBMClassifier(n_estimators=15, objective=objective, learning_rate=0.2, n_jobs=1, verbosity=-1)
    model.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X, raw_score=True), native.predict(X))
    assert partial_auc_score(y, native.predict(X), **edges) > 0.5


@pytest.mark.parametrize("edges", EDGES, ids=str)
@pytest.mark.parametrize("surrogate", ["sigmoid", "pauci"])
def test_xgboost_native_and_sklearn_grow_the_same_trees(edges, surrogate):
    X, y, weight = halves()
    objective = xgboost_objective(**edges, surrogate=surrogate)
    data = xgboost.DMatrix(X, label=y, weight=weight)
    native = xgboost.train(XGBOOST, data, num_boost_round=15, obj=objective)
    model = xgboost.XGBClassifier(n_estimators=15, objective=objective, learning_rate=0.2, n_jobs=1)
    model.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        model.predict(X, output_margin=True), native.predict(data, output_margin=True), rtol=1e-5
    )
    assert partial_auc_score(y, native.predict(data), **edges) > 0.5


def test_xgboost_starts_and_predicts_as_the_page_about_boosting_says():
    X, y, _ = halves()
    data, objective = xgboost.DMatrix(X, label=y), xgboost_objective(0.2)

    def native(**params):
        model = xgboost.train({"nthread": 1, "disable_default_eval_metric": True, **params}, data, 1, obj=objective)
        return model.predict(data), model.predict(data, output_margin=True)

    chance, from_zero = native(objective="binary:logistic")
    np.testing.assert_allclose(chance, 1 / (1 + np.exp(-from_zero)), rtol=1e-5)
    scores, raw = native(base_score=0.0)
    np.testing.assert_allclose(scores, raw)
    np.testing.assert_allclose(raw, from_zero, atol=1e-6)
    assert not np.allclose(native()[1], from_zero, atol=0.1)
    model = xgboost.XGBClassifier(n_estimators=1, objective=objective, n_jobs=1).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], chance, rtol=1e-5)
    assert set(model.predict(X)) <= {0, 1}
    astray = xgboost.XGBClassifier(n_estimators=1, objective=objective, n_jobs=1, base_score=0.0)
    with contextlib.suppress(xgboost.core.XGBoostError):  # before 3.2 it was refused
        assert astray.fit(X, y).predict(X, output_margin=True).max() < -10


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_lightgbm_stops_early_by_the_metric():
    X, y, weight = halves(n=1600)
    metric, objective = lightgbm_metric(0.2), lightgbm_objective(0.2)
    train = lightgbm.Dataset(X[:800], label=y[:800])
    valid = lightgbm.Dataset(X[800:], label=y[800:], weight=weight[800:], reference=train)
    history: dict[str, dict[str, list[float]]] = {}
    model = lightgbm.train(
        {**LIGHTGBM, "objective": objective},
        train,
        60,
        valid_sets=[valid],
        feval=metric,
        callbacks=[lightgbm.early_stopping(8, verbose=False), lightgbm.record_evaluation(history)],
    )
    values = history["valid_0"]["auc(fpr<=0.2)"]
    assert model.best_iteration == int(np.argmax(values)) + 1
    expected = partial_auc_score(y[800:], model.predict(X[800:]), max_fpr=0.2, sample_weight=valid.get_weight())
    assert max(values) == pytest.approx(expected)
    folds = lightgbm.cv(
        {**LIGHTGBM, "objective": objective},
        lightgbm.Dataset(X, label=y),
        20,
        nfold=3,
        feval=metric,
        callbacks=[lightgbm.early_stopping(5, verbose=False)],
    )
    means = folds["valid auc(fpr<=0.2)-mean"]
    assert np.argmax(means) == len(means) - 1
    model = lightgbm.LGBMClassifier(
        n_estimators=60, objective=objective, learning_rate=0.2, n_jobs=1, verbosity=-1, metric="None"
    )
    model.fit(
        X[:800],
        y[:800],
        eval_set=[(X[800:], y[800:])],
        eval_metric=metric,
        callbacks=[lightgbm.early_stopping(8, verbose=False)],
    )
    assert model.best_iteration_ == int(np.argmax(model.evals_result_["valid_0"]["auc(fpr<=0.2)"])) + 1
    model = lightgbm.LGBMClassifier(n_estimators=2, objective=objective, n_jobs=1, verbosity=-1)
    model.fit(X[:800], y[:800], eval_set=[(X[800:], y[800:])], eval_metric=metric)
    assert "binary_logloss" in model.evals_result_["valid_0"], "which raw scores are judged by as if probabilities"


def test_xgboost_stops_early_by_the_metric():
    X, y, weight = halves(n=1600)
    metric, objective = xgboost_metric(0.2), xgboost_objective(0.2)
    train = xgboost.DMatrix(X[:800], label=y[:800])
    valid = xgboost.DMatrix(X[800:], label=y[800:], weight=weight[800:])
    history: dict[str, dict[str, list[float]]] = {}
    model = xgboost.train(
        XGBOOST,
        train,
        60,
        obj=objective,
        custom_metric=metric,
        evals=[(valid, "valid")],
        early_stopping_rounds=8,
        evals_result=history,
        verbose_eval=False,
    )
    values = history["valid"]["auc(fpr<=0.2)"]
    assert len(values) < 60
    assert model.best_iteration == int(np.argmax(values))
    raw = model.predict(valid, iteration_range=(0, model.best_iteration + 1), output_margin=True)
    weight = valid.get_weight()
    assert max(values) == pytest.approx(partial_auc_score(y[800:], raw, max_fpr=0.2, sample_weight=weight), abs=1e-6)
    folds = xgboost.cv(
        XGBOOST,
        xgboost.DMatrix(X, label=y),
        60,
        nfold=3,
        obj=objective,
        custom_metric=metric,
        early_stopping_rounds=5,
        as_pandas=False,
    )
    means = folds["test-auc(fpr<=0.2)-mean"]
    assert len(means) < 60
    assert np.argmax(means) == len(means) - 1
    model = xgboost.XGBClassifier(
        n_estimators=60,
        objective=objective,
        learning_rate=0.2,
        n_jobs=1,
        eval_metric=metric,
        early_stopping_rounds=8,
    )
    model.fit(X[:800], y[:800], eval_set=[(X[800:], y[800:])], verbose=False)
    assert model.best_iteration == int(np.argmax(model.evals_result()["validation_0"]["auc(fpr<=0.2)"]))


def test_groups_are_an_error():
    X, y, _ = halves(n=100)
    data = lightgbm.Dataset(X, label=y, group=[60, 40])
    with pytest.raises(InputError, match="2 queries"):
        lightgbm.train({**LIGHTGBM, "objective": lightgbm_objective(0.2)}, data, 2)
    matrix = xgboost.DMatrix(X, label=y, qid=np.repeat([0, 1], [60, 40]))
    with pytest.raises(InputError, match="2 queries"):
        xgboost_metric(0.2)(np.zeros(100), matrix)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.parametrize("what", ["objective", "metric"])
def test_groups_of_a_ranker_are_an_error(what):
    X, y, _ = halves(n=100)
    ranker = lightgbm.LGBMRanker(
        objective=lightgbm_objective(max_fpr=0.2) if what == "objective" else "lambdarank",
        n_estimators=2,
        verbosity=-1,
        n_jobs=1,
    )
    judged = {} if what == "objective" else {"eval_set": [(X, y)], "eval_group": [[60, 40]]}
    with pytest.raises(InputError, match="2 queries"):
        ranker.fit(X, y, group=[60, 40], eval_metric=lightgbm_metric(max_fpr=0.2), **judged)


def test_one_group_of_all_rows_is_no_division():
    X, y, _ = halves(n=100)
    settings = {"objective": lightgbm_objective(max_fpr=0.2), "n_estimators": 2, "verbosity": -1, "n_jobs": 1}
    ranker = lightgbm.LGBMRanker(**settings).fit(X, y, group=[100])
    np.testing.assert_array_equal(ranker.predict(X), lightgbm.LGBMRegressor(**settings).fit(X, y).predict(X))


@pytest.mark.parametrize(("wrong", "named"), [(2.0, "0, 1, 2"), (0.5, "0, 0.5, 1")])
def test_labels_of_more_than_two_classes_and_bad_weights_are_errors(wrong, named):
    X, y, weight = halves(n=100)
    labels = np.where(np.arange(100) % 7 == 0, wrong, y)
    with pytest.raises(InputError, match=f"labels are {named}; expected"):
        lightgbm.train({**LIGHTGBM, "objective": lightgbm_objective(0.2)}, lightgbm.Dataset(X, labels), 2)
    with pytest.raises(InputError, match=f"labels are {named}; expected"):
        xgboost.train(XGBOOST, xgboost.DMatrix(X, labels), 2, obj=xgboost_objective(0.2))
    negative = lightgbm.Dataset(X, y, weight=np.where(np.arange(100) % 9 == 0, -1.0, weight))
    with pytest.raises(InputError, match="weights are negative"):
        lightgbm.train({**LIGHTGBM, "objective": lightgbm_objective(0.2)}, negative, 2)


def test_what_is_made_for_the_other_library_says_so():
    X, y, _ = halves(n=100)
    data = lightgbm.Dataset(X, y)
    params = {**LIGHTGBM, "objective": "binary"}
    with pytest.raises(InputError, match="use lightgbm_objective and lightgbm_metric"):
        lightgbm.train(params, data, 2, valid_sets=[data], feval=xgboost_metric(0.2))
    data = xgboost.DMatrix(X, y)
    with pytest.raises(InputError, match="use xgboost_objective and xgboost_metric"):
        xgboost.train(XGBOOST, data, 2, evals=[(data, "train")], custom_metric=lightgbm_metric(0.2))


def test_they_can_be_pickled_and_compared():
    for thing in (lightgbm_objective(0.2, anchor=0.3), xgboost_metric(0.2, min_tpr=0.1)):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert lightgbm_objective(0.2).objective.region == Region(max_fpr=0.2)


@pytest.mark.parametrize("edges", [{}, {"max_fpr": 0.4, "min_tpr": 0.2, "min_fpr": 0.1, "max_tpr": 0.9}])
def test_regions_are_given_by_their_edges(edges):
    region = Region(**{"max_fpr": 0.05, **edges})
    assert lightgbm_metric(**edges).region == xgboost_metric(**edges).region == region
    assert lightgbm_objective(**edges).objective.region == xgboost_objective(**edges).objective.region == region
