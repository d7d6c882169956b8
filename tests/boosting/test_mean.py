"""The mean of ensembles as one model: its scores are the mean of theirs, whatever they were grown on and for."""

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse
from sklearn.datasets import make_classification

from pauci import Region
from pauci.boosting import PartialAUCBooster, RegionObjective
from pauci.boosting.ensemble import TreeSettings, plant
from pauci.boosting.lightgbm_trees import LightGBMEnsemble
from pauci.boosting.mean import mean_ensemble
from pauci.boosting.state import from_state, to_state
from pauci.errors import InputError

LIBRARIES = ["lightgbm", "xgboost"]
REGION = RegionObjective(region=Region(max_fpr=0.3))
CATEGORICAL = (2,)


def rows(seed, *, n=150, missing=True):
    """Two columns of numbers, one of codes that come in different numbers, one that is mostly zero."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 2] = rng.integers(0, rng.integers(2, 40), n)
    X[rng.random(n) < 0.7, 3] = 0
    y = np.nan_to_num(X[:, 0]) + X[:, 2] % 2 + X[:, 3] + rng.normal(size=n) > 0.7
    if missing:
        X[rng.random((n, 4)) < 0.1] = np.nan
    return X, y


def grown(library, seed, *, rounds=5, objective=None, kind=np.asarray, missing=True, categorical=CATEGORICAL, **params):
    X, y = rows(seed, missing=missing)
    tuned = {"min_data_in_leaf": 5, "min_data_per_group": 5} if library == "lightgbm" else {"max_depth": 4}
    how = TreeSettings(learning_rate=0.3, threads=1, categorical=categorical, params={**tuned, **params}, seed=seed)
    return plant(library, kind(X), y, None, how).grow(rounds, objective)


def read_back(ensemble, **about):
    return type(ensemble).from_bytes(ensemble.to_bytes(), rounds=ensemble.rounds, offset=ensemble.offset, **about)


def native(ensemble, X, **how):
    """What the library says about rows without us, and so without the offset."""
    if isinstance(ensemble, LightGBMEnsemble):
        how = {"pred_contrib" if name == "pred_contribs" else name: value for name, value in how.items()}
        return ensemble.booster.predict(X, **(how or {"raw_score": True}))
    import xgboost

    kinds = ["c" if column in ensemble.categorical else "q" for column in range(X.shape[1])]
    matrix = xgboost.DMatrix(X, feature_types=kinds, enable_categorical=True)
    return ensemble.booster.predict(matrix, **(how or {"output_margin": True}))


def assert_mean(merged, members, X):
    scores = np.array([member(X) for member in members])
    if isinstance(merged, LightGBMEnsemble):
        tolerance = 1e-12 * np.abs(scores).max()
    else:
        # Single precision rounds each leaf, and each sum of as many of them.
        tolerance = 2.0**-23 * (merged.rounds + 1) * (1 + np.abs(scores).max())
    np.testing.assert_allclose(merged(X), scores.mean(0), rtol=0, atol=tolerance)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=40)
@given(data=st.data())
def test_scores_are_the_mean(library, data):
    kind = data.draw(st.sampled_from([np.asarray, sparse.csr_matrix]), label="kind")
    shared = {
        "objective": data.draw(st.sampled_from([None, REGION]), label="objective"),
        "categorical": data.draw(st.sampled_from([(), CATEGORICAL]), label="categorical"),
        "missing": data.draw(st.booleans(), label="missing"),
        "kind": kind,
    }
    lengths = data.draw(
        st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=6), label="rounds"
    )
    seed = data.draw(st.integers(0, 1000), label="seed")
    members = [
        grown(library, seed + place, rounds=most, **shared).shortened(min(kept, most))
        for place, (most, kept) in enumerate(lengths)
    ]
    merged = mean_ensemble(members)
    assert type(merged) is type(members[0])
    assert merged.rounds == sum(member.rounds for member in members)
    assert merged.offset == pytest.approx(np.mean([member.offset for member in members]), rel=1e-14)
    # Rows no member has seen, among them codes of no split and missing values where there were none.
    X = kind(rows(seed + 500)[0])
    assert_mean(merged, members, X)
    gains = np.sum([member.importances() for member in members], axis=0)
    np.testing.assert_allclose(merged.importances(), gains, rtol=1e-5)
    about = {"categorical": merged.categorical} if library == "xgboost" else {}
    again = read_back(merged, **about)
    np.testing.assert_array_equal(again(X), merged(X))
    assert again.to_bytes() == merged.to_bytes()


@pytest.mark.parametrize("library", LIBRARIES)
def test_one_alone_is_itself(library):
    only = grown(library, 0).shortened(3)
    assert mean_ensemble([only]) is only


@pytest.mark.parametrize("objective", [None, REGION], ids=["logloss", "region"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_alone_gives_the_mean(library, objective):
    members = [grown(library, seed, objective=objective) for seed in range(3)]
    merged = mean_ensemble(members)
    X = rows(9)[0]
    raw = native(merged, X)
    np.testing.assert_allclose(raw, np.mean([native(member, X) for member in members], axis=0), rtol=0, atol=1e-5)
    contributions = native(merged, X, pred_contribs=True)
    assert contributions.shape == (len(X), 5)
    np.testing.assert_allclose(contributions.sum(1), raw, rtol=0, atol=1e-5)
    parts = np.mean([native(member, X, pred_contribs=True) for member in members], axis=0)
    np.testing.assert_allclose(contributions, parts, rtol=0, atol=1e-5)


@pytest.mark.parametrize("objective", [None, REGION], ids=["logloss", "region"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_trees_without_a_split(library, objective):
    never = {"min_data_in_leaf": 1000} if library == "lightgbm" else {"gamma": 1e6}
    bare = [grown(library, seed, rounds=3, objective=objective, **never) for seed in range(2)]
    full = grown(library, 2, objective=objective)
    X = rows(9)[0]
    for members in (bare, [*bare, full], [full, *bare]):
        merged = mean_ensemble(members)
        assert_mean(merged, members, X)
        assert_mean(mean_ensemble([merged, full]), [merged, full], X)
    assert not mean_ensemble(bare).importances().any()


@pytest.mark.parametrize(
    ("library", "params"),
    [
        ("lightgbm", {"linear_tree": True}),
        ("lightgbm", {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0}),
        ("xgboost", {"num_parallel_tree": 3, "subsample": 0.5}),
        ("xgboost", {"gamma": 2.0, "grow_policy": "lossguide"}),
    ],
    ids=str,
)
def test_other_kinds_of_trees(library, params):
    members = [grown(library, seed, rounds=8, **params).shortened(6 + seed) for seed in range(3)]
    merged = mean_ensemble(members)
    assert merged.rounds == 21
    assert_mean(merged, members, rows(9)[0])


def test_lightgbm_reports_what_any_member_has_seen():
    members = [grown("lightgbm", seed) for seed in range(3)]
    merged = mean_ensemble(members).booster.dump_model()
    seen = [member.booster.dump_model()["feature_infos"] for member in members]
    for name, info in merged["feature_infos"].items():
        assert info["min_value"] == min(each[name]["min_value"] for each in seen)
        assert info["max_value"] == max(each[name]["max_value"] for each in seen)
        assert set(info["values"]) == {value for each in seen for value in each[name]["values"]}
    assert [tree["tree_index"] for tree in merged["tree_info"]] == list(range(15))
    assert [tree["shrinkage"] for tree in merged["tree_info"]] == pytest.approx([0.1] * 15)
    splits = np.sum([member.booster.feature_importance("split") for member in members], axis=0)
    written = mean_ensemble(members).to_bytes().decode().partition("feature_importances:\n")[2].partition("\n\n")[0]
    assert {line.partition("=")[2] for line in written.splitlines()} == {str(count) for count in splits if count}


def test_values_of_inner_nodes_are_divided_too():
    def at_roots(ensemble):
        if isinstance(ensemble, LightGBMEnsemble):
            trees = ensemble.booster.dump_model()["tree_info"]
            return [tree["tree_structure"]["internal_value"] for tree in trees]
        model = json.loads(bytes(ensemble.booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
        return [tree["base_weights"][0] for tree in model["trees"]]

    for library in LIBRARIES:
        members = [grown(library, seed) for seed in range(2)]
        expected = np.concatenate([at_roots(member) for member in members]) / 2
        np.testing.assert_allclose(at_roots(mean_ensemble(members)), expected, rtol=1e-5)


def test_lightgbm_column_without_values():
    X, y = rows(0)
    empty = np.where(np.arange(4) == 1, np.nan, X)
    how = TreeSettings(learning_rate=0.3, threads=1, categorical=CATEGORICAL)
    first, second = (plant("lightgbm", each, y, None, how).grow(3, None) for each in (empty, X))
    assert_mean(mean_ensemble([first, second]), [first, second], X)
    assert_mean(mean_ensemble([first, first]), [first, first], X)


def test_xgboost_keeps_to_its_threads():
    merged = mean_ensemble([grown("xgboost", seed) for seed in range(2)])
    assert json.loads(merged.booster.save_config())["learner"]["generic_param"]["nthread"] == "1"


@pytest.mark.parametrize("base", LIBRARIES)
def test_estimator_with_a_mean_inside(base):
    X, y = make_classification(600, n_features=6, weights=[0.8], random_state=0)
    fast = {"learning_rate": 0.3, "max_rounds": 10, "confidence": None, "shares": (), "n_jobs": 1, "random_state": 0}
    first, second = (
        PartialAUCBooster(base=base, **fast).fit(X[half], y[half]) for half in (slice(400), slice(200, 600))
    )
    members = [first.ensemble_, second.ensemble_]
    first.scorer_ = mean_ensemble(members)
    assert_mean(first.ensemble_, members, X)
    copy = from_state(*to_state(first))
    np.testing.assert_array_equal(copy.decision_function(X), first.decision_function(X))
    assert first.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_trees_were_grown_for_does_not_matter_to_raw_scores(library):
    ensembles = [grown(library, 0, objective=objective) for objective in (None, REGION)]
    mean = mean_ensemble(ensembles)
    X = rows(1)[0]
    np.testing.assert_allclose(mean(X), np.mean([each(X) for each in ensembles], axis=0), rtol=1e-5, atol=1e-6)
    if library == "lightgbm":  # there is no one way any more to make chances of raw scores
        assert b"objective=" not in mean.to_bytes().partition(b"Tree=0")[0]


def test_errors():
    with pytest.raises(InputError, match="categorical"):
        mean_ensemble([grown("lightgbm", 0, categorical=columns) for columns in ((), CATEGORICAL)])
    with pytest.raises(InputError, match="feature_types"):
        mean_ensemble([grown("xgboost", 0, categorical=columns) for columns in ((), CATEGORICAL)])
    with pytest.raises(InputError, match="num_parallel_tree"):
        mean_ensemble([grown("xgboost", 0, num_parallel_tree=number) for number in (1, 2)])


@pytest.mark.parametrize(
    ("library", "fact"), [("lightgbm", "feature_names|max_feature_idx"), ("xgboost", "num_feature")]
)
def test_other_columns_are_an_error(library, fact):
    X, y = rows(0)
    how = TreeSettings(learning_rate=0.3, threads=1)
    with pytest.raises(InputError, match=fact):
        mean_ensemble([plant(library, X[:, :number], y, None, how).grow(2, None) for number in (2, 3)])


def test_random_forests_are_an_error():
    import lightgbm

    X, y = rows(0)
    params = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5, "objective": "binary", "verbosity": -1}
    forest = LightGBMEnsemble(lightgbm.train(params, lightgbm.Dataset(X, label=y), 3), 3, 0.0)
    with pytest.raises(InputError, match="random forests"):
        mean_ensemble([forest, forest])
