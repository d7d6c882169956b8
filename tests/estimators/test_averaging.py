"""What is kept: the mean of the folds' models, or one of all rows; and what is known of either."""

import copy
import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from torch import nn

from pauci.errors import InputError
from pauci.estimators import GuaranteeWarning, PartialAUCClassifier
from pauci.estimators.alignment import align
from pauci.estimators.cross_fit import CrossFit
from pauci.estimators.fingerprint import row_fingerprints
from pauci.estimators.folds import Folds, make_folds
from pauci.estimators.mean_network import MeanNetwork
from pauci.estimators.threshold import decide
from pauci.region import Region

pytestmark = pytest.mark.usefixtures("few_steps")


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


def classifier(architecture="linear", **options):
    options = {"max_fpr": 0.1, "confidence": None, "shares": (4.0,), "max_epochs": 2, "random_state": 0} | options
    return PartialAUCClassifier(architecture=architecture, **options)


def by_hand(model, X, y, weight=None):
    """Folds, the models of each, and those of all rows, of a classifier that was fitted on these rows."""
    seed = int(check_random_state(0).randint(2**31 - 1))
    folds = make_folds(y, row_fingerprints(X, seed=seed), weight=weight)
    matrix, positive = model.scaling_(X), y == 1
    path = model._path(len(y)).tuned(matrix, positive, weight, folds)

    def fit(chosen, seed):
        part = None if weight is None else weight[chosen]
        return path.fit(matrix[chosen], positive[chosen], part, shares=model.shares, start=None, seed=seed)

    models = [fit(fitted, seed + model.average * place) for place, (fitted, _) in enumerate(folds)]
    return list(folds), models, fit(np.arange(len(y)), seed)


@pytest.mark.parametrize("architecture", ["linear", "mlp"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_mean_of_the_folds_models_is_kept(architecture, weighted):
    X, y = rows()
    weight = 1.0 + np.arange(len(y)) % 3 if weighted else None
    model = classifier(architecture).fit(X, y, sample_weight=weight)
    splits, models, _ = by_hand(model, X, y, weight)
    assert len(splits) == 5
    kept, matrix = model.report_.choice.kept, model.scaling_(X)
    assert model.report_.model == f"{architecture}, mean of {5 * len(kept)}"
    expected = np.mean([each[place](matrix) for each in models for place in kept], axis=0)
    np.testing.assert_allclose(model.decision_function(X) + model.threshold_.threshold, expected, rtol=1e-4, atol=1e-5)
    anchor = np.mean([each[0](matrix) for each in models], axis=0)
    np.testing.assert_allclose(model.anchor_scores(X), anchor, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("average", [True, False])
def test_thresholds_of_one_model_of_all_rows_are_on_its_scale(average, monkeypatch):
    scaled = []
    monkeypatch.setattr("pauci.estimators.cross_fit.align", lambda scores, *_, **__: scaled.append(1) or scores)
    PartialAUCClassifier(0.2, average=average, shares=(1.0,), random_state=0).fit(*rows())
    assert bool(scaled) is not average


@pytest.mark.parametrize("architecture", ["linear", "mlp"])
def test_without_averaging_one_model_of_all_rows_is_kept(architecture):
    X, y = rows()
    model = classifier(architecture, average=False).fit(X, y)
    splits, models, final = by_hand(model, X, y)
    (place,), matrix = model.report_.choice.kept, model.scaling_(X)
    own = final[place](matrix)
    np.testing.assert_allclose(model.decision_function(X) + model.threshold_.threshold, own, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.anchor_scores(X), final[0](matrix), rtol=1e-5, atol=1e-6)
    before, after = np.empty(len(y)), np.empty(len(y))
    for (fitted, judged), each in zip(splits, models, strict=True):
        negatives = fitted[y[fitted] == 0]
        before[judged] = each[place](matrix[judged])
        after[judged] = align(before[judged], each[place](matrix[negatives]), own[negatives])
    cautious = np.where(y == 1, np.minimum(before, after), np.maximum(before, after))
    expected = decide(y, cautious, region=Region(max_fpr=0.1), confidence=None)
    assert model.threshold_.threshold == pytest.approx(expected.threshold, rel=1e-5)
    assert model.report_.model == architecture


def test_rows_that_nothing_has_scored_do_not_matter(monkeypatch):
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2 > 0
    # What was in memory before: two of them have no mean.
    monkeypatch.setattr("numpy.empty", lambda shape, *_, **__: np.full(shape, 1e308))
    fits = CrossFit(X, y, None, Folds(np.array([-1, -1, -1, -1, 0, 0, 1, 1])), ["CE", "other"])
    fits.add([lambda X: X[:, 0]] * 2)
    assert fits.honest((0, 1), lambda X: X[:, 0]).scores.tolist() == [4, 5, 6, 7]


def test_thresholds_take_the_worse_of_scores_before_and_after_alignment():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2 > 0
    fits = CrossFit(X, y, None, Folds(np.arange(8) // 4), ["CE"])
    for slope in (1.0, 5.0):
        fits.add([lambda X, slope=slope: slope * X[:, 0]])
    found = fits.honest((0,), lambda X: 3 * X[:, 0], aligned=True)
    before, after = np.repeat([1.0, 5.0], 4) * X[:, 0], 3 * X[:, 0]
    np.testing.assert_allclose(found.scores, after)
    np.testing.assert_allclose(found.cautious, np.where(y, np.minimum(before, after), np.maximum(before, after)))


@pytest.mark.parametrize("architecture", ["linear", "mlp"])
def test_the_threshold_of_a_mean_comes_from_its_members_scores_as_they_are(architecture):
    X, y = rows()
    model = classifier(architecture)
    result = model.fit_observed(X, y, observe=lambda *_: None)
    splits, models, _ = by_hand(model, X, y)
    held_out, matrix = np.empty(len(y)), model.scaling_(X)
    for (_, judged), each in zip(splits, models, strict=True):
        held_out[judged] = np.mean([each[place](matrix[judged]) for place in result.choice.kept], axis=0)
    np.testing.assert_allclose(result.held_out.scores, held_out, rtol=1e-4, atol=1e-5)
    expected = decide(y, held_out, region=Region(max_fpr=0.1), confidence=None)
    assert model.threshold_.threshold == pytest.approx(expected.threshold, rel=1e-4)


def test_models_of_columns_that_tell_little_raise_alarms():
    for seed in (5, 10, 15):
        rng = np.random.default_rng(seed)
        y = rng.random(1500) < 0.1
        X = rng.normal(size=(1500, 6)) + 0.1 * y[:, None] * np.eye(6)[0]
        model = PartialAUCClassifier(max_fpr=0.1, method="ce", random_state=seed).fit(X, y)
        assert model.threshold_.guaranteed
        assert 0.01 < model.predict(rng.normal(size=(5000, 6))).mean() < 0.1


def test_where_cross_entropy_is_chosen_it_is_the_anchor():
    model = classifier(method="ce").fit(*rows())
    assert model.scorer_ is model.anchor_


@pytest.mark.parametrize("architecture", ["linear", "mlp"])
def test_copies_pipelines_and_pickles_score_alike(architecture):
    X, y = rows()
    model = classifier(architecture).fit(X, y)
    scores = model.decision_function(X)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.decision_function(X), scores)
        np.testing.assert_array_equal(other.anchor_scores(X), model.anchor_scores(X))
    assert clone(model.set_params(average=False)).average is False
    assert make_pipeline(StandardScaler(), model).fit(X, y).decision_function(X).shape == (400,)


def test_a_warm_start_goes_on_with_one_model_and_stays_out_of_the_folds():
    X, y = np.random.default_rng(0).normal(size=(300, 40)), np.arange(300) % 3 == 0
    settings = {"method": "ce", "max_epochs": 40, "learning_rate": 5e-3, "max_fpr": 0.3}
    model = classifier("mlp", warm_start=True, **settings).fit(X, y)
    assert model.report_.model == "mlp"
    first, seen = model.report_.choice.scores, model.score(X, y)
    for _ in range(3):
        model.fit(X, y)
    # It has learnt more and more of these rows by heart; what was held out is as unknown as ever.
    assert model.score(X, y) > seen + 0.1
    assert model.report_.choice.scores == first
    with pytest.raises(InputError, match="warm_start"):
        model.set_params(architecture="linear").fit(X, y)


@pytest.mark.parametrize("region", [{"max_fpr": 0.7}, {"max_fpr": 1.0, "min_tpr": 0.3}])
def test_nothing_is_promised_where_a_mean_passes_more_than_its_members(region):
    X, y = rows()
    with pytest.warns(GuaranteeWarning, match="average=False") as caught:
        kept = classifier(confidence=0.9, **region).fit(X, y)
    assert not kept.threshold_.guaranteed
    assert caught[0].filename == __file__
    assert classifier(confidence=0.9, average=False, **region).fit(X, y).threshold_.guaranteed


def test_without_folds_there_is_one_model():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) < 3
    model = classifier().fit(X, y)
    assert model.report_.model == "linear"
    assert model.report_.folds == 0
    assert np.isfinite(model.anchor_scores(X)).all()
    with pytest.warns(GuaranteeWarning):
        classifier(confidence=0.9).fit(X, y)


@pytest.mark.parametrize("architecture", ["linear", "mlp"])
def test_of_a_hold_out_the_model_is_kept_that_it_judges(monkeypatch, architecture):
    monkeypatch.setattr("pauci.estimators.folds._LARGE", 300)
    X, y = rows()
    model = classifier(architecture)
    result = model.fit_observed(X, y, observe=lambda *_: None)
    assert result.complete
    assert model.report_.model == architecture
    assert model.report_.folds == 5
    ((_, judged),), _, _ = by_hand(model, X, y)
    scores = model.scorer_(model.scaling_(X[judged]))
    np.testing.assert_allclose(result.held_out.scores, scores, rtol=1e-6)
    assert (scores >= model.threshold_.threshold)[y[judged] == 0].mean() == model.threshold_.fpr
    again = classifier(architecture, average=False).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_a_warm_start_has_seen_what_is_held_out_and_goes_on_with_all_rows(monkeypatch):
    monkeypatch.setattr("pauci.estimators.folds._LARGE", 300)
    X, y = rows()
    model = classifier("mlp", method="ce", warm_start=True).fit(X, y)
    first = model.scorer_(model.scaling_(X))
    result = model.fit_observed(X, y, observe=lambda *_: None)
    assert not np.allclose(model.scorer_(model.scaling_(X)), first)
    assert not np.allclose(result.held_out.scores, result.held_out.own)


@pytest.mark.parametrize(("steps", "members"), [(3, 1), (4, 1), (8, 3), (11, 5)])
def test_broken_off_the_finished_folds_are_kept(steps, members):
    X, y = rows()
    model = classifier()

    def observe(done, total):
        assert total == 12
        if done == steps:
            raise KeyboardInterrupt

    result = model.fit_observed(X, y, observe=observe)
    assert not result.complete
    splits, models, _ = by_hand(model, X, y)
    kept, matrix = result.choice.kept, model.scaling_(X)
    assert result.members == members * len(kept)
    np.testing.assert_array_equal(result.fits.rows, np.sort(np.concatenate([judged for _, judged in splits[:members]])))
    expected = np.mean([each[place](matrix) for each in models[:members] for place in kept], axis=0)
    np.testing.assert_allclose(model.decision_function(X) + model.threshold_.threshold, expected, rtol=1e-5)
    if members == 1:  # its own scores, of rows it has not seen, are honest as they are
        judged = splits[0][1]
        np.testing.assert_allclose(result.held_out.scores, models[0][0](matrix[judged]))
    assert model.report_.folds == (members if members > 1 else 0)


def test_a_hold_out_that_is_broken_off_keeps_what_a_finished_one_would(monkeypatch):
    monkeypatch.setattr("pauci.estimators.folds._LARGE", 300)
    X, y = rows()
    finished, broken_off = classifier(), classifier()
    finished.fit(X, y)

    def observe(done, total):
        if done == total - 1:
            raise KeyboardInterrupt

    result = broken_off.fit_observed(X, y, observe=observe)
    assert not result.complete
    assert len(result.choice.names) == 2
    assert result.members == 1
    np.testing.assert_array_equal(broken_off.decision_function(X), finished.decision_function(X))


def test_nothing_is_kept_unless_somebody_watches(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pauci.estimators.cross_fit.CrossFit.choose", interrupted)
    with pytest.raises(KeyboardInterrupt):
        classifier().fit(*rows())


def test_a_mean_network_is_the_mean_whatever_the_shape_of_its_networks():
    networks = [nn.Linear(3, 1), nn.Sequential(nn.Linear(3, 1), nn.Flatten(0))]
    x = torch.randn(7, 3, generator=torch.Generator().manual_seed(0))
    mean = MeanNetwork(networks)
    torch.testing.assert_close(mean(x), (networks[0](x)[:, 0] + networks[1](x)) / 2)
    assert mean(x[:0]).shape == (0,)
