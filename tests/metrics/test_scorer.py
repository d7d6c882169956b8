import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC

from pauci import Region, partial_auc_score
from pauci.errors import InputError, LabelError
from pauci.estimators import PositiveClassWarning
from pauci.metrics import partial_auc_scorer, scorer

X, y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)


@pytest.fixture(autouse=True)
def nothing_told():
    scorer._warn_once.cache_clear()


@pytest.mark.filterwarnings("ignore::pauci.estimators.PositiveClassWarning")
@pytest.mark.parametrize("names", [None, ("fine", "fraud"), ("z-positive-is-last", "~")], ids=str)
@pytest.mark.parametrize(
    ("model", "response"),
    [
        (LogisticRegression(), "decision_function"),
        (LinearSVC(), "decision_function"),
        (RandomForestClassifier(20, random_state=0), "predict_proba"),
    ],
)
def test_second_class_is_positive_whatever_its_name(model, response, names):
    labels = y if names is None else np.array(names)[y]
    model.fit(X, labels)
    scores = getattr(model, response)(X)
    scores = scores if scores.ndim == 1 else scores[:, 1]
    value = partial_auc_scorer(max_fpr=0.1, min_tpr=0.2)(model, X, labels)
    assert value == pytest.approx(partial_auc_score(y, scores, max_fpr=0.1, min_tpr=0.2))


@pytest.mark.parametrize("positive", ["fraud", "ok"])
@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(20, random_state=0)])
def test_positive_class_may_be_named(model, positive):
    labels = np.where(y == 1, "fraud", "ok")
    model.fit(X, labels)
    scores = model.predict_proba(X)[:, model.classes_.tolist().index(positive)]
    value = partial_auc_scorer(max_fpr=0.1, pos_label=positive)(model, X, labels)
    assert value == pytest.approx(partial_auc_score(labels == positive, scores, max_fpr=0.1))
    scorer = partial_auc_scorer(max_fpr=0.1, pos_label=positive)
    assert np.isfinite(cross_val_score(model, X, labels, scoring=scorer, error_score="raise")).all()


def test_class_that_labels_do_not_tell_is_warned_of():
    labels = np.where(y == 1, "fraud", "legit")  # and so "legit" comes last
    model = LogisticRegression().fit(X, labels)
    with pytest.warns(PositiveClassWarning, match="'legit' is taken .* pos_label='fraud'"):
        taken = partial_auc_scorer(max_fpr=0.1)(model, X, labels)
    assert taken == partial_auc_scorer(max_fpr=0.1, pos_label="legit")(model, X, labels)
    assert taken != partial_auc_scorer(max_fpr=0.1, pos_label="fraud")(model, X, labels)


def test_class_that_labels_do_not_tell_is_warned_of_once_in_a_search():
    labels = np.where(y == 1, "fraud", "legit")
    with pytest.warns(PositiveClassWarning) as told:
        cross_val_score(LogisticRegression(), X, labels, scoring=partial_auc_scorer(max_fpr=0.1), cv=3)
    assert len(told) == 1


def test_whole_auc_is_the_same_for_both_classes():
    labels = np.where(y == 1, "fraud", "legit")
    model = LogisticRegression().fit(X, labels)
    value = partial_auc_scorer()(model, X, labels)
    assert value == pytest.approx(partial_auc_scorer(pos_label="fraud")(model, X, labels), rel=1e-12)


@pytest.mark.parametrize("names", [(0, 1), (-1, 1), (False, True), ("no", "yes"), ("No", "Yes"), ("0", "1")], ids=str)
def test_class_that_everyone_knows_is_not_warned_of(names):
    labels = np.array(names)[y]
    value = partial_auc_scorer(max_fpr=0.1)(LogisticRegression().fit(X, labels), X, labels)
    assert value == pytest.approx(partial_auc_scorer(max_fpr=0.1)(LogisticRegression().fit(X, y), X, y))


def test_missing_labels_are_an_error():
    model = LogisticRegression().fit(X, np.where(y, "fraud", "ok"))
    labels = np.where(np.arange(400) == 7, None, np.where(y, "fraud", "ok"))
    with pytest.raises(LabelError, match="missing"):
        partial_auc_scorer(max_fpr=0.1)(model, X, labels)


def test_a_fold_of_one_class_is_told_so_and_not_that_its_negatives_are_positives():
    X, y = make_classification(random_state=0)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(LabelError, match=r"one class only, 0 in all \d+ rows.*StratifiedKFold"):
        partial_auc_scorer(max_fpr=0.1)(model, X[y == 0], y[y == 0])


def test_model_selection():
    labels = np.array(["fine", "fraud"])[y]
    scorer = partial_auc_scorer(region=Region(max_fpr=0.1), pos_label="fraud")
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=scorer, error_score="raise").fit(X, labels)
    assert 0.2 < search.best_score_ < 1
    assert np.isfinite(cross_val_score(LinearSVC(), X, labels, scoring=scorer, error_score="raise")).all()


def test_convention_of_scikit_learn_is_its_own_scorer():
    model = LogisticRegression().fit(X, y)
    ours = partial_auc_scorer(convention="sklearn")(model, X, y)
    assert ours == pytest.approx(get_scorer("roc_auc")(model, X, y))


def test_plain_make_scorer_works():
    model = LogisticRegression().fit(X, y)
    made = make_scorer(partial_auc_score, response_method=("decision_function", "predict_proba"), max_fpr=0.1)
    assert made(model, X, y) == partial_auc_scorer(max_fpr=0.1)(model, X, y)
    names = np.array(["fine", "fraud"])[y]
    named = make_scorer(partial_auc_score, response_method="decision_function", max_fpr=0.1, pos_label="fraud")
    assert named(model.fit(X, names), X, names) == made(LogisticRegression().fit(X, y), X, y)


def test_weights_reach_the_score():
    model = LogisticRegression().fit(X, y)
    weight = np.random.default_rng(0).random(len(y))
    expected = partial_auc_score(y, model.decision_function(X), max_fpr=0.1, sample_weight=weight)
    assert partial_auc_scorer(max_fpr=0.1)(model, X, y, sample_weight=weight) == pytest.approx(expected)


def test_several_classes():
    flowers, kinds = load_iris(return_X_y=True)
    model = RandomForestClassifier(10, max_depth=1, random_state=0).fit(flowers, kinds)
    value = partial_auc_scorer(max_fpr=0.2, multi_class="ovr", average="macro")(model, flowers, kinds)
    expected = partial_auc_score(kinds, model.predict_proba(flowers), max_fpr=0.2, multi_class="ovr", average="macro")
    assert value == pytest.approx(expected)
    assert value == partial_auc_scorer(max_fpr=0.2, multi_class="ovr")(model, flowers, kinds)
    pairs = partial_auc_scorer(max_fpr=0.2, multi_class="ovo")
    assert np.isfinite(cross_val_score(model, flowers, kinds, scoring=pairs, error_score="raise")).all()


@pytest.mark.parametrize("several", ["ovr", "ovo", None])
def test_a_class_that_a_model_of_two_never_saw_is_an_error(several):
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    with pytest.raises(LabelError, match=r"y_true holds 3 classes, .* but the model gives one score"):
        partial_auc_scorer(max_fpr=0.2, multi_class=several)(model, X, np.where(np.arange(len(y)) == 7, 2, y))


@pytest.mark.parametrize("several", ["ovr", "ovo"])
def test_a_scorer_for_several_classes_serves_two(several):
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    for average in ("macro", "weighted"):
        value = partial_auc_scorer(max_fpr=0.2, multi_class=several, average=average)(model, X, y)
        assert value == partial_auc_score(y, model.predict_proba(X)[:, 1], max_fpr=0.2)


def test_can_be_sent_to_workers():
    scorer = pickle.loads(pickle.dumps(partial_auc_scorer(max_fpr=0.1)))
    model = LogisticRegression().fit(X, y)
    assert scorer(model, X, y) == partial_auc_scorer(max_fpr=0.1)(model, X, y)


def test_bad_input_is_an_error_when_the_scorer_is_made():
    with pytest.raises(InputError, match="max_fpr"):
        partial_auc_scorer(max_fpr=2)
    with pytest.raises(InputError, match="scale"):
        partial_auc_scorer(scale="percent")
    with pytest.raises(InputError, match="region"):
        partial_auc_scorer(region=Region(max_fpr=0.1), max_fpr=0.2)
    for options, message in (
        ({"scale": "mcclish", "region": Region(min_fpr=0.5, max_tpr=0.5)}, "mcclish"),
        ({"multi_class": "all"}, "multi_class='all'"),
        ({"average": "bogus"}, "average='bogus'"),
        ({"average": None}, "average=None"),
        ({"multi_class": "ovo", "average": "micro"}, "micro"),
        ({"multi_class": "ovr", "pos_label": 1}, "pos_label=1"),
    ):
        with pytest.raises(InputError, match=message):
            partial_auc_scorer(**options)
    with pytest.raises(LabelError, match="only"):
        partial_auc_scorer(max_fpr=0.1)(LogisticRegression().fit(X, y), X[:3], np.zeros(3))
