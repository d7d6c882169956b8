"""The anchored estimator: conventions of scikit-learn, kinds of data, the choice, and its state."""

import gc
import json
import pickle
import weakref
from unittest import SkipTest

import joblib
import lightgbm
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.utils import check_random_state
from sklearn.utils.estimator_checks import estimator_checks_generator

from pauci import Region, partial_auc_score
from pauci.boosting import PartialAUCBooster
from pauci.boosting.constraints import constraints_by_position
from pauci.boosting.ensemble import plant
from pauci.boosting.state import from_state, to_state
from pauci.data import Column
from pauci.errors import FileFormatError, InputError
from pauci.estimators import GuaranteeWarning, PositiveClassWarning, UnseenWarning
from pauci.estimators.fingerprint import row_fingerprints
from pauci.estimators.folds import make_folds

BASES = ["lightgbm", "xgboost"]
FAST = {"learning_rate": 0.3, "max_rounds": 20, "patience": 5, "confidence": None, "n_jobs": 1, "random_state": 0}


def table(n=1200, seed=0):
    X, y = make_classification(n, n_features=6, weights=[0.85], class_sep=0.7, flip_y=0.05, random_state=seed)
    return X, y


@pytest.mark.parametrize("base", BASES)
def test_scores_decides_and_reports(base):
    X, y = table(2400)
    booster = PartialAUCBooster(max_fpr=0.1, base=base, **{**FAST, "confidence": 0.9}).fit(X[:1200], y[:1200])
    scores = booster.decision_function(X[1200:])
    assert booster.score(X[1200:], y[1200:]) == partial_auc_score(y[1200:], scores, max_fpr=0.1)
    assert booster.score(X[1200:], y[1200:]) > 0.5
    assert (booster.predict(X) == (booster.decision_function(X) >= 0)).all()
    assert booster.predict(X[1200:])[y[1200:] == 0].mean() <= 0.13
    chances = booster.predict_proba(X[1200:])
    assert np.allclose(chances.sum(1), 1)
    assert (np.diff(chances[np.argsort(scores), 1]) >= 0).all()
    assert abs(chances[:, 1].mean() - y[1200:].mean()) < 0.05
    assert booster.threshold_.guaranteed
    assert booster.report_.choice.names == ("logloss", "logloss + 2 x sigmoid", "logloss + 10 x sigmoid")
    assert str(booster.report_.train_region) == "fpr<=0.3"
    assert booster.feature_importances_.shape == (6,)
    assert booster.feature_importances_.sum() == pytest.approx(1)
    again = clone(booster).fit(X[:1200], y[:1200])
    assert (again.decision_function(X) == booster.decision_function(X)).all()
    assert (pickle.loads(pickle.dumps(booster)).decision_function(X) == booster.decision_function(X)).all()


@pytest.mark.parametrize("base", BASES)
def test_plain_logloss_is_the_library_itself(base):
    X, y = table()
    booster = PartialAUCBooster(base=base, average=False, **{**FAST, "shares": (), "max_rounds": 12}).fit(X, y)
    rounds, offset = booster.ensemble_.rounds, booster.ensemble_.offset
    assert offset == pytest.approx(np.log(y.mean() / (1 - y.mean())))
    plain = trees_of_the_library(base, X, np.arange(len(y)), y, None, rounds, offset)
    np.testing.assert_allclose(booster.ensemble_(X), plain, rtol=1e-6)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_mean_of_the_folds_trees_is_kept(base, weighted):
    X, y = table()
    weight = 1.0 + np.arange(len(y)) % 3 if weighted else None
    booster = PartialAUCBooster(base=base, **{**FAST, "shares": ()})
    result = booster.fit_observed(X, y, weight, observe=lambda *_: None)
    rounds = booster.ensemble_.rounds // 5
    assert booster.report_.model.endswith(f", 5 x {rounds} rounds")
    seed = int(check_random_state(0).randint(2**31 - 1))
    expected, held_out = np.zeros(len(y)), np.zeros(len(y))
    for fitted, judged in make_folds(y, row_fingerprints(X, seed=seed), weight=weight):
        some = None if weight is None else weight[fitted]
        offset = np.average(y[fitted], weights=some)
        scores = trees_of_the_library(base, X, fitted, y, some, rounds, np.log(offset / (1 - offset)))
        expected += scores / 5
        held_out[judged] = scores[judged]
    np.testing.assert_allclose(booster.ensemble_(X), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(result.held_out.scores, held_out, rtol=1e-5, atol=1e-5)
    assert booster.anchor_ is booster.ensemble_
    np.testing.assert_array_equal(booster.anchor_scores(X), booster.ensemble_(X))


def trees_of_the_library(base, X, fitted, y, weight, rounds, offset):
    """Scores of all rows by trees that the library grew on some, with nothing of ours in between."""
    start = np.full(len(fitted), offset)
    if base == "lightgbm":
        import lightgbm

        data = lightgbm.Dataset(X[fitted], label=y[fitted], weight=weight, init_score=start)
        params = {"objective": "binary", "verbosity": -1, "learning_rate": 0.3, "num_threads": 1}
        return offset + lightgbm.train(params, data, rounds).predict(X, raw_score=True)
    import xgboost

    data = xgboost.DMatrix(X[fitted], label=y[fitted], weight=weight, base_margin=start)
    grown = xgboost.train({"objective": "binary:logistic", "learning_rate": 0.3, "nthread": 1}, data, rounds)
    return grown.predict(xgboost.DMatrix(X, base_margin=np.full(len(y), offset)), output_margin=True)


def test_large_trees_keep_the_budget_of_a_hold_out(monkeypatch):
    monkeypatch.setattr("pauci.estimators.folds._LARGE", 6000)
    monkeypatch.setattr("pauci.boosting.path._MANY", 6000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(46_000, 4))
    y = rng.random(len(X)) < 1 / (1 + np.exp(2 - 2 * X[:, 0] * X[:, 1]))
    params = {"num_leaves": 255, "min_data_in_leaf": 5}
    booster = PartialAUCBooster(max_fpr=0.1, params=params, **{**FAST, "confidence": 0.95, "shares": ()})
    booster.fit(X[:6000], y[:6000])
    assert booster.threshold_.guaranteed
    assert booster.predict(X[6000:])[~y[6000:]].mean() <= 0.1


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("average", [False, True])
def test_the_anchor_is_logloss_kept_the_same_way(base, average):
    X, y = table()
    booster = PartialAUCBooster(max_fpr=0.3, base=base, average=average, **FAST, shares=(1000.0,)).fit(X, y)
    plain = PartialAUCBooster(max_fpr=0.3, base=base, average=average, **FAST, shares=()).fit(X, y)
    assert booster.report_.choice.names[0] == "logloss"
    np.testing.assert_allclose(booster.anchor_scores(X), plain.anchor_scores(X), rtol=1e-6)


@pytest.mark.parametrize("average", [False, True])
def test_no_rows_are_held_once_it_is_fitted(average, monkeypatch):
    planted = []

    def remembered(*arguments):
        nursery = plant(*arguments)
        planted.append(weakref.ref(nursery))
        return nursery

    monkeypatch.setattr("pauci.boosting.path.plant", remembered)
    booster = PartialAUCBooster(average=average, **FAST).fit(*table())
    assert len(planted) == 10 + (not average)  # five to find the rounds, five to choose
    gc.collect()
    assert booster.ensemble_.rounds
    assert not [nursery for nursery in planted if nursery() is not None]


@pytest.mark.parametrize("base", BASES)
def test_kinds_of_data(base):
    X, y = table()
    X[::7, 0] = np.nan
    plain = PartialAUCBooster(base=base, **FAST).fit(X, y)
    assert np.isfinite(plain.decision_function(X)).all()
    dense = np.where(np.abs(X) < 0.5, 0.0, np.nan_to_num(X))
    from_sparse = PartialAUCBooster(base=base, **FAST).fit(sparse.csr_matrix(dense), y)
    assert from_sparse.score(sparse.csr_matrix(dense), y) > 0.4
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "left", "right")})
    frame["c"] = frame["c"].where(y == 0, "middle").astype("category")
    booster = PartialAUCBooster(base=base, **FAST).fit(frame, y)
    assert booster.score(frame, y) == pytest.approx(1.0)
    assert list(booster.feature_names_in_) == ["a", "b", "c"]
    unseen = frame.assign(c="elsewhere")
    missing = frame.assign(c=None)
    with pytest.warns(UnseenWarning, match="column 'c'"):
        np.testing.assert_array_equal(booster.decision_function(unseen), booster.decision_function(missing))


@pytest.mark.parametrize("base", BASES)
def test_weights_of_zero_and_repetitions(base):
    X, y = table(800)
    weight = np.where(np.arange(800) % 4, 1.0, 0.0)
    weighted = PartialAUCBooster(base=base, **FAST).fit(X, y, sample_weight=weight)
    kept = PartialAUCBooster(base=base, **FAST).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(weighted.decision_function(X), kept.decision_function(X))
    heavy = PartialAUCBooster(base=base, **FAST).fit(X, y, sample_weight=1.0 + 9 * (X[:, 0] > 0))
    assert not np.allclose(heavy.decision_function(X), kept.decision_function(X))


@pytest.mark.parametrize("base", BASES)
def test_class_weights_count_in_fitting_alone(base):
    X, y = table()
    plain = PartialAUCBooster(base=base, **FAST, shares=()).fit(X, y)
    same = PartialAUCBooster(base=base, **FAST, shares=(), class_weight={0: 1.0, 1: 1.0}).fit(X, y)
    np.testing.assert_allclose(same.decision_function(X), plain.decision_function(X), atol=1e-9)
    balanced = PartialAUCBooster(base=base, **FAST, class_weight="balanced").fit(X, y)
    assert balanced.ensemble_.offset == pytest.approx(0, abs=1e-4)
    # Thresholds and probabilities are those of the rows as they are.
    assert balanced.predict(X)[y == 0].mean() <= 0.05
    assert balanced.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.05)
    with pytest.raises(InputError, match="class_weight"):
        PartialAUCBooster(base=base, **FAST, class_weight={0: 0.0, 1: 1.0}).fit(X, y)


@pytest.mark.parametrize("surrogate", ["sigmoid", "pauci"])
@pytest.mark.parametrize("edges", [{"max_fpr": 0.3, "min_tpr": 0.5}, {"max_fpr": 1.0, "min_tpr": 0.8}], ids=str)
def test_other_regions_and_surrogates(surrogate, edges):
    X, y = table()
    booster = PartialAUCBooster(**edges, surrogate=surrogate, **FAST).fit(X, y)
    assert booster.report_.choice.names[-1] == f"logloss + 10 x {surrogate}"
    assert booster.score(X, y) == partial_auc_score(y, booster.decision_function(X), **edges)


def test_too_few_to_judge_takes_logloss():
    X, y = table(60)
    y = np.zeros(60, dtype=int)
    y[:2] = 1
    booster = PartialAUCBooster(**FAST).fit(X, y)
    assert booster.report_.folds == 0
    assert booster.report_.choice.name == "logloss"
    with pytest.warns(GuaranteeWarning, match="rows that the model was fitted on"):
        booster = PartialAUCBooster(**{**FAST, "confidence": 0.95}, max_fpr=0.2).fit(X, y)
    assert not booster.threshold_.guaranteed


def test_errors():
    X, y = table(200)
    for wrong in (
        *({"base": "catboost"}, {"surrogate": "hinge"}, {"temperature": 0.0}),
        *({"shares": (2.0, 1.0)}, {"shares": (2.0, 2.0)}),
        *({"max_rounds": 0}, {"max_rounds": 20.5}, {"patience": 0}, {"learning_rate": 0.0}, {"learning_rate": np.nan}),
        *({"params": 3}, {"n_jobs": "all"}, {"confidence": "high"}, {"temperature": "x"}, {"base": []}),
    ):
        with pytest.raises(InputError, match=next(iter(wrong))):
            PartialAUCBooster(**{**FAST, **wrong}).fit(X, y)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[200, 199\]"):
        PartialAUCBooster(**FAST).fit(pd.DataFrame(X), y[:199])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_numbers_that_xgboost_cannot_hold_are_told_without_its_stack(form):
    X, y = table(300)
    fitted = PartialAUCBooster(base="xgboost", **FAST).fit(form(X), y)
    X[0, 0] = 1e39
    for use in (fitted.predict, lambda rows: PartialAUCBooster(base="xgboost", **FAST).fit(rows, y)):
        with np.errstate(over="ignore"), pytest.raises(InputError, match=r"numbers beyond 3\.4e38"):
            use(form(X))


def test_params_that_would_change_the_candidates_are_refused_before_any_is_fitted(monkeypatch):
    X, y = table(200)
    monkeypatch.setattr("pauci.boosting.booster.fit_anchored", lambda *_, **__: pytest.fail("was fitted"))
    aliases = lightgbm.basic._ConfigAliases
    for instead, names in {
        "use max_rounds": aliases.get("num_iterations"),
        "use patience": aliases.get("early_stopping_round"),
        "pass lightgbm_objective or xgboost_objective": aliases.get("objective"),
        # Of these the library's first name wins over ours, as `params` should; beside it others count for nothing.
        "use learning_rate": aliases.get("learning_rate") - {"learning_rate"},
        "own random_state": aliases.get("seed") - {"seed"},
    }.items():
        for name in names:
            for base in ("lightgbm", "xgboost"):
                with pytest.raises(InputError, match=rf"params=\{{'{name}': 5\}} cannot .* {base}: .*{instead}"):
                    PartialAUCBooster(**{**FAST, "base": base, "params": {name: 5}}).fit(X, y)


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize(
    ("base", "params", "instead"),
    [
        ("xgboost", {"booster": "gblinear"}, "gbtree"),
        ("lightgbm", {"boosting": "rf"}, "gbdt"),
        ("lightgbm", {"boosting_type": "random_forest"}, "gbdt"),
        ("lightgbm", {"boosting": "dart"}, "gbdt"),
        ("xgboost", {"booster": "dart"}, "gbtree"),
    ],
)
def test_what_is_no_sum_of_trees_is_refused_before_any_is_fitted(monkeypatch, base, params, instead, average):
    X, y = table(200)
    monkeypatch.setattr("pauci.boosting.booster.fit_anchored", lambda *_, **__: pytest.fail("was fitted"))
    with pytest.raises(InputError, match=instead):
        PartialAUCBooster(**FAST, base=base, params=params, average=average).fit(X, y)


@pytest.mark.parametrize(
    ("base", "params"),
    [
        ("lightgbm", {"num_leavs": 2, "num_leaves": 7}),
        ("lightgbm", {"num_leaves_": 2, "num_leaves": 7}),
        ("xgboost", {"max_dept": 1, "max_depth": 2}),
        ("xgboost", {"max_depths": 1, "max_depth": 2}),
    ],
)
def test_a_misspelt_parameter_is_warned_of_where_fit_was_called(base, params, capfd):
    wrong, right = params
    with pytest.warns(UserWarning, match=f"{base} makes no use of '{wrong}'; look") as told:
        PartialAUCBooster(**FAST, base=base, params=params).fit(*table(300))
    assert {warning.filename for warning in told} == {__file__}
    assert f"'{right}'" not in str(told[0].message)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("base", BASES)
def test_joblib_has_nothing_to_hand_to_other_processes(base):
    X, y = table(300)
    with joblib.parallel_config("loky", n_jobs=2):
        fitted = PartialAUCBooster(**FAST, base=base).fit(X, y)
    alone = PartialAUCBooster(**FAST, base=base).fit(X, y)
    np.testing.assert_array_equal(fitted.decision_function(X), alone.decision_function(X))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", ["monotone", "interaction"])
def test_constraints_may_name_columns(base, kind):
    X, y = table(600)
    frame = pd.DataFrame(X, columns=[f"v{k}" for k in range(6)])
    by_name = {"monotone": {"v2": -1, "v0": 1}, "interaction": [["v1", "v2"], ["v0"]]}[kind]
    by_place = {"monotone": [1, 0, -1, 0, 0, 0], "interaction": [[1, 2], [0]]}[kind]
    as_text = {"monotone": "(1,0,-1,0,0,0)", "interaction": "[[1, 2], [0]]"}[kind]
    constraints = [by_name, by_place, as_text if base == "xgboost" else by_place]
    *constrained, free = (
        PartialAUCBooster(**FAST, base=base, params=params).fit(frame, y).decision_function(frame)
        for params in (*({f"{kind}_constraints": value} for value in constraints), {})
    )
    for scores in constrained:
        np.testing.assert_array_equal(scores, constrained[-1])
    assert (constrained[-1] != free).any()
    with pytest.raises(InputError, match=r"columns have no names: pass a DataFrame"):
        PartialAUCBooster(**FAST, base=base, params={f"{kind}_constraints": by_name}).fit(X, y)
    wrong = {"w": 1} if kind == "monotone" else [["w"]]
    with pytest.raises(InputError, match=rf"{kind}_constraints names \['w'\], which X does not have"):
        PartialAUCBooster(**FAST, base=base, params={f"{kind}_constraints": wrong}).fit(frame, y)


@pytest.mark.parametrize("base", BASES)
def test_constraints_by_position_may_be_numbers_of_any_kind(base):
    X, y = table(600)
    plain, *others = (
        {"interaction_constraints": [[1, 2], [0]], "monotone_constraints": [1, 0, 0, 0, 0, 0]},
        {"interaction_constraints": ((np.int64(1), 2), range(1)), "monotone_constraints": [True, 0.0, 0, 0, 0, 0]},
    )
    expected = PartialAUCBooster(**FAST, base=base, params=plain).fit(X, y).decision_function(X)
    for params in others:
        found = PartialAUCBooster(**FAST, base=base, params=params).fit(X, y)
        np.testing.assert_array_equal(found.decision_function(X), expected)
    PartialAUCBooster(**FAST, base=base, params={"interaction_constraints": None}).fit(X, y)
    with pytest.raises(InputError, match=r"interaction_constraints names columns \[-1, 9\], but X has 6"):
        PartialAUCBooster(**FAST, base=base, params={"interaction_constraints": [[0, 9], [-1]]}).fit(X, y)


@pytest.mark.parametrize("name", ["monotone_constraints", "mc", "monotone_constraint"])
def test_other_names_of_constraints_may_name_columns(name):
    assert constraints_by_position({name: {"b": -1}}, ["a", "b"], "lightgbm", width=2) == {name: [0, -1]}


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", ["scale_pos_weight", "is_unbalance"])
def test_weights_that_logloss_alone_would_follow_are_refused(base, name):
    with pytest.raises(InputError, match="use class_weight"):
        PartialAUCBooster(**FAST, base=base, params={name: 20}).fit(*table(200))


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("rows", [0, 1])
def test_columns_that_do_not_vary_leave_the_prior(average, rows):
    X, y = np.zeros((400, 1)), np.arange(400) % 5 == 0
    X[:rows] = 1  # a fold without this row does not vary
    booster = PartialAUCBooster(**FAST, average=average).fit(X, y)
    assert np.isfinite(booster.decision_function(X)).all()
    assert booster.predict_proba(X)[10:, 1] == pytest.approx(0.2, abs=0.03)
    assert from_state(*to_state(booster)).decision_function(X) == pytest.approx(booster.decision_function(X))


@pytest.mark.parametrize("base", BASES)
def test_weights_that_sum_to_one_are_ratios(base):
    X, y = table(600)
    weight = np.where(np.arange(600) % 3, 1.0, 2.0)
    scores = {
        scale: PartialAUCBooster(**FAST, base=base).fit(X, y, weight * scale).predict_proba(X)[:, 1]
        for scale in (0.5, 1 / weight.sum(), 1e-300)
    }
    assert np.unique(scores[0.5]).size > 10
    for found in scores.values():
        assert found == pytest.approx(scores[0.5], abs=1e-4)
    assert np.average(scores[0.5], weights=weight) == pytest.approx(np.average(y, weights=weight), abs=0.03)


@pytest.mark.parametrize("base", BASES)
def test_huge_weights_are_ratios(base):
    X, y = table(600)
    weight = np.where(np.arange(600) % 3, 1.0, 2.0)
    first, second = (PartialAUCBooster(**FAST, base=base).fit(X, y, weight * scale) for scale in (1e38, 1e307))
    assert np.unique(first.decision_function(X)).size > 10
    assert second.decision_function(X) == pytest.approx(first.decision_function(X), abs=1e-4)


def test_columns_are_counted():
    X, y = table(200)
    with pytest.raises(InputError, match="6 columns, but 2 are described"):
        PartialAUCBooster(**FAST, columns=[Column("a", "numeric"), Column("b", "numeric")]).fit(X, y)


def test_the_callers_matrix_stays_as_it_is():
    X, y = table(300)
    X[:, 3] = X[:, 3] > 0
    kinds = [
        Column(name, "categorical", ("no", "yes")) if name == "d" else Column(name, "numeric") for name in "abcdef"
    ]
    booster = PartialAUCBooster(columns=kinds, **FAST).fit(X, y)
    X[:5, 3] = -1  # categories that were not there
    before = X.copy()
    scores = booster.decision_function(X)
    np.testing.assert_array_equal(X, before)
    X[:5, 3] = np.nan
    np.testing.assert_array_equal(booster.decision_function(X), scores)


@pytest.mark.parametrize("base", BASES)
def test_state_survives_json(base):
    X, y = table()
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(d=np.where(X[:, 3] > 0, "x", "y"))
    names = np.where(y == 1, "fraud", "fine")
    with pytest.warns(PositiveClassWarning, match="'fraud' is taken") as told:
        booster = PartialAUCBooster(base=base, **FAST, train_region=Region(max_fpr=0.4)).fit(frame, names)
    assert told[0].filename == __file__, "the line that called fit"
    facts, files = to_state(booster)
    copy = from_state(json.loads(json.dumps(facts)), files)
    np.testing.assert_array_equal(copy.decision_function(frame), booster.decision_function(frame))
    np.testing.assert_array_equal(copy.predict(frame), booster.predict(frame))
    np.testing.assert_array_equal(copy.predict_proba(frame), booster.predict_proba(frame))
    np.testing.assert_allclose(copy.feature_importances_, booster.feature_importances_, rtol=1e-5)
    assert copy.get_params() == booster.get_params()
    assert copy.report_ == booster.report_
    with pytest.raises(InputError, match="anchor_scores needs a new fit"):
        copy.anchor_scores(frame)
    with pytest.raises(FileFormatError, match="format"):
        from_state({**facts, "format": 99}, files)
    with pytest.raises(FileFormatError, match="incomplete"):
        from_state({"format": facts["format"]}, files)
    with pytest.raises(FileFormatError, match="of the model is damaged"):
        from_state(facts, {name: content[:-50] for name, content in files.items()})
    with pytest.raises(InputError, match="random_state"):
        to_state(booster.set_params(random_state=np.random.RandomState(0)))
    with pytest.raises(InputError, match="class_weight"):
        to_state(booster.set_params(random_state=0, class_weight={0: 1.0}))


#: What scikit-learn expects and boosting, or a budget of false positives, does not give.
EXPECTED_FAILURES = {
    "check_class_weight_classifiers": "class weights change the fit, not how many negatives may raise an alarm",
    "check_classifiers_train": "predict keeps the FPR budget, so it is not where predict_proba passes one half",
    "check_sample_weight_equivalence_on_dense_data": "libraries bin and count rows, not weights",
    "check_sample_weight_equivalence_on_sparse_data": "libraries bin and count rows, not weights",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pauci.estimators.PositiveClassWarning")
@pytest.mark.parametrize("base", BASES)
def test_conventions_of_scikit_learn(base):
    booster = PartialAUCBooster(base=base, **{**FAST, "max_rounds": 5, "shares": (5.0,)})
    for estimator, check in estimator_checks_generator(booster, mark=None):
        name = check.func.__name__
        if name in EXPECTED_FAILURES:
            continue
        try:
            check(estimator)
        except SkipTest:
            continue
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error


def mostly_zero(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.4)
    return X, X[:, 0] + X[:, 1] + rng.normal(size=n) > 1


@pytest.mark.parametrize("base", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("fitted_on", [np.asarray, sparse.csr_matrix])
def test_sparse_and_dense_rows_have_the_same_scores(base, fitted_on):
    """Cells that are not stored are 0, not missing."""
    X, y = mostly_zero()
    model = PartialAUCBooster(max_fpr=0.1, base=base, max_rounds=20, random_state=0).fit(fitted_on(X), y)
    stored = sparse.csr_matrix(np.ones_like(X))
    stored.data = X.ravel().copy()  # zeros and all
    expected = model.decision_function(X)
    for rows in (sparse.csr_matrix(X), sparse.csr_array(X), stored):
        np.testing.assert_allclose(model.decision_function(rows), expected, atol=1e-6)


@pytest.mark.parametrize("base", BASES)
def test_sparse_rows_may_hold_categories(base):
    X, y = table(400)
    X[:, 1] = np.random.default_rng(0).integers(-1, 2, len(X))
    columns = [Column(f"v{place}", "numeric") for place in range(X.shape[1])]
    columns[1] = Column("city", "categorical", ("Bonn", "Ulm"))
    dense = PartialAUCBooster(base=base, columns=columns, **FAST).fit(X, y)
    rows = sparse.csr_matrix(X)
    of_sparse = clone(dense).fit(rows, y)
    np.testing.assert_allclose(of_sparse.decision_function(rows), dense.decision_function(X), atol=1e-6)
    assert (rows.data == X[X != 0]).all()


def test_sparse_rows_of_xgboost_are_scored_in_blocks_and_fitted_within_limits(monkeypatch):
    X, y = mostly_zero()
    model = PartialAUCBooster(max_fpr=0.1, base="xgboost", max_rounds=10, random_state=0).fit(X, y)
    expected = model.decision_function(X)
    monkeypatch.setattr("pauci.boosting.xgboost_trees._BLOCK", 7 * X.shape[1])
    np.testing.assert_allclose(model.decision_function(sparse.csr_matrix(X)), expected, atol=1e-6)
    monkeypatch.setattr("pauci.boosting.xgboost_trees._LARGEST", 100)
    with pytest.raises(InputError, match="Use base='lightgbm'"):
        clone(model).fit(sparse.csr_matrix(X), y)


def test_trees_grow_on_after_one_that_could_not_be_split():
    """With sampled columns the next tree may see those that the last one lacked."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(1500, 3)), rng.random((1500, 20)) < 0.002])
    y = X[:, :3].sum(1) + rng.normal(size=1500) > 2
    model = PartialAUCBooster(max_fpr=0.1, max_rounds=40, random_state=0, params={"feature_fraction": 0.3}).fit(X, y)
    assert partial_auc_score(y, model.decision_function(X), max_fpr=0.1) > 0.4


@pytest.mark.parametrize("base", ["lightgbm", "xgboost"])
def test_columns_that_are_numbered_in_another_order_are_found_by_number(base):
    X, y = mostly_zero()
    frame = pd.DataFrame(X)
    model = PartialAUCBooster(max_fpr=0.1, base=base, max_rounds=10, random_state=0).fit(frame[[3, 0, 1, 2, 4]], y)
    expected = model.decision_function(frame[[3, 0, 1, 2, 4]])
    np.testing.assert_array_equal(model.decision_function(frame), expected)
    np.testing.assert_array_equal(model.decision_function(frame[[4, 3, 2, 1, 0]]), expected)
