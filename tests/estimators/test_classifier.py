import contextlib
import copy
import functools
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from pauci import Region, partial_auc_score
from pauci.data import Column
from pauci.errors import InputError, LabelError, RecipeError, ScoreError
from pauci.estimators import GuaranteeWarning, PartialAUCClassifier, PositiveClassWarning, UnseenWarning
from pauci.estimators.frame import frame_columns
from pauci.estimators.network_path import NetworkPath
from pauci.estimators.weights import fit_weights
from pauci.losses import PAUCILoss
from pauci.models import MLP

small = functools.partial(PartialAUCClassifier, max_fpr=0.1, confidence=None, shares=(4.0,), random_state=0)


def overlapping(n=1500, seed=0, share=0.2):
    """Rows for which logistic regression is the truth: there is nothing to gain."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 3)) + y[:, None] * [1.5, 0.5, 0.0], y


def misleading(n=4000, seed=0):
    """Rows for which logistic regression is wrong at the top: many hopeless positives draw it away."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.1).astype(int)
    X = rng.normal(size=(n, 2))
    hopeless = (y == 1) & (rng.random(n) < 0.6)
    X[(y == 1) & ~hopeless] += [3.0, 0.0]
    X[hopeless] += [-3.0, 1.5]
    return X, y


def _expected_failures(estimator):
    # As for scikit-learn's own classifiers with a threshold: what is decided within an FPR budget is not what is more
    # probable than not.
    expected = {"check_classifiers_train": "predict keeps an FPR budget; its threshold is not a probability of 0.5"}
    if estimator.architecture == "mlp":
        expected["check_sample_weight_equivalence_on_dense_data"] = "networks compute in single precision"
    return expected


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [PartialAUCClassifier(shares=(4.0,)), PartialAUCClassifier(architecture="mlp", method="ce", max_epochs=2)],
    expected_failed_checks=_expected_failures,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_predict_agrees_with_decision_function_and_ranking_with_probabilities():
    X, y = overlapping()
    classifier = small().fit(X, y)
    decision, probability = classifier.decision_function(X), classifier.predict_proba(X)
    np.testing.assert_array_equal(classifier.predict(X), (decision >= 0).astype(int))
    np.testing.assert_array_equal(np.argsort(decision), np.argsort(probability[:, 1]))
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert classifier.score(X, y) == partial_auc_score(y, decision, max_fpr=0.1)
    weight = np.arange(len(y)) % 3
    assert classifier.score(X, y, sample_weight=weight) == partial_auc_score(
        y, decision, max_fpr=0.1, sample_weight=weight
    )


# Parameters that older versions do not know would silence the warnings of newer ones.
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_anchor_is_as_good_as_scikit_learns():
    X, y = overlapping(600)
    X = np.hstack([X, np.random.default_rng(1).normal(size=(600, 40))])
    fresh_X, fresh_y = overlapping(5000, seed=9)
    fresh_X = np.hstack([fresh_X, np.random.default_rng(2).normal(size=(5000, 40))])
    classifier = small(method="ce").fit(X, y)
    reference = make_pipeline(StandardScaler(), LogisticRegressionCV(scoring="neg_log_loss")).fit(X, y)
    expected = reference.predict_proba(fresh_X)[:, 1]
    assert log_loss(fresh_y, classifier.predict_proba(fresh_X)) <= log_loss(fresh_y, expected) + 0.01
    ranked = classifier.anchor_(classifier.scaling_(fresh_X))
    ours, theirs = (partial_auc_score(fresh_y, scores, max_fpr=classifier.max_fpr) for scores in (ranked, expected))
    assert ours >= theirs - 0.005
    assert classifier.report_.choice.names == ("CE",)


def test_probabilities_are_calibrated():
    X, y = overlapping(4000)
    probability = small().fit(X, y).predict_proba(overlapping(20_000, seed=5)[0])[:, 1]
    assert probability.mean() == pytest.approx(0.2, abs=0.02)
    assert log_loss(overlapping(20_000, seed=5)[1], probability) < 0.36  # 0.50 for the prior alone


def test_a_misled_model_gains_and_says_how_much():
    X, y = misleading()
    fresh_X, fresh_y = misleading(20_000, seed=1)
    classifier = PartialAUCClassifier(0.05, random_state=0).fit(X, y)
    rows = classifier.scaling_(fresh_X)
    before, after = (
        partial_auc_score(fresh_y, s(rows), max_fpr=0.05) for s in (classifier.anchor_, classifier.scorer_)
    )
    gain = classifier.report_.choice.gain
    assert not classifier.report_.choice.is_anchor
    assert gain.low > 0
    assert gain.low - 0.02 <= after - before <= gain.high + 0.02
    text = str(classifier.report_)
    assert "trained on fpr<=0.15" in text
    assert "gain over CE: +" in text
    assert "threshold keeps fpr<=0.05 (guaranteed)" in text


def test_without_signal_or_room_nothing_is_lost():
    rng = np.random.default_rng(0)
    losses = []
    for seed in range(4):
        X, y = overlapping(800, seed=seed)
        fresh_X, fresh_y = overlapping(8000, seed=100 + seed)
        classifier = small().fit(X, y)
        rows = classifier.scaling_(fresh_X)
        before, after = (
            partial_auc_score(fresh_y, s(rows), max_fpr=0.1) for s in (classifier.anchor_, classifier.scorer_)
        )
        losses.append(before - after)
    assert max(losses) < 0.02
    noise = small().fit(rng.normal(size=(400, 3)), rng.random(400) < 0.3)
    assert noise.report_.choice.gain.low <= 0


@pytest.mark.slow
def test_the_budget_is_kept_with_confidence():
    kept, fresh = [], overlapping(50_000, seed=999)
    negatives = fresh[0][fresh[1] == 0]
    for seed in range(60):
        X, y = overlapping(700, seed=seed)
        classifier = PartialAUCClassifier(0.1, confidence=0.8, shares=(4.0,), random_state=seed).fit(X, y)
        assert classifier.threshold_.guaranteed
        kept.append(classifier.predict(negatives).mean() <= 0.1)
    assert np.mean(kept) >= 0.68  # 0.8, less two standard errors of 60 draws


@pytest.mark.slow
def test_the_budget_is_kept_by_models_that_overfit():
    exceeded = []
    for seed in range(60):
        X, y = make_classification(20_300, 20, n_informative=5, class_sep=0.8, random_state=seed)
        classifier = PartialAUCClassifier(0.05, confidence=0.9, method="ce", random_state=seed).fit(X[:300], y[:300])
        assert classifier.threshold_.guaranteed
        exceeded.append(classifier.predict(X[300:][y[300:] == 0]).mean() > 0.05)
    assert np.mean(exceeded) <= 0.18  # 0.1, and two standard errors of 60 draws


def test_too_few_negatives_warn():
    X, y = overlapping(60)
    with pytest.warns(GuaranteeWarning, match="needs at least 59 negatives"):
        classifier = PartialAUCClassifier(0.05, shares=(4.0,)).fit(X, y)
    assert classifier.threshold_.guaranteed is False


def test_rows_that_were_fitted_on_promise_nothing():
    X, y = np.random.default_rng(0).normal(size=(400, 40)), np.arange(400) < 3
    with pytest.warns(GuaranteeWarning, match="rows that the model was fitted on"):
        classifier = PartialAUCClassifier(0.05, method="ce", random_state=0).fit(X, y)
    assert classifier.report_.folds == 0
    assert not classifier.threshold_.guaranteed
    text = str(classifier.report_)
    assert text.endswith(" on the training rows")
    assert not any(wrong in text for wrong in ("held-out", "nan", "gain"))


def test_a_least_tpr_is_trained_for_and_kept():
    X, y = overlapping(3000)
    classifier = PartialAUCClassifier(1.0, 0.8, shares=(4.0,), random_state=0).fit(X, y)
    assert classifier.report_.train_region == Region(min_tpr=0.6)
    fresh_X, fresh_y = overlapping(20_000, seed=3)
    assert classifier.predict(fresh_X)[fresh_y == 1].mean() >= 0.78
    assert classifier.score(fresh_X, fresh_y) == partial_auc_score(
        fresh_y, classifier.decision_function(fresh_X), min_tpr=0.8
    )


def test_the_same_seed_gives_the_same_and_leaves_the_global_generator():
    X, y = overlapping(400)
    np.random.seed(3)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = small().fit(X, y), small().fit(X, y)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_pipelines_searches_calibration_copies():
    X, y = overlapping(400)
    pipeline = make_pipeline(StandardScaler(), small())
    search = GridSearchCV(pipeline, {"partialaucclassifier__max_fpr": [0.1, 0.3]}, cv=2).fit(X, y)
    assert all(0 <= score <= 1 for score in search.cv_results_["mean_test_score"])
    assert CalibratedClassifierCV(small(), cv=2).fit(X, y).predict_proba(X).shape == (400, 2)
    fitted = small().fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    assert not hasattr(clone(fitted), "scorer_")


def test_frames_with_categories_and_gaps():
    X, y = overlapping(800)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["city"] = np.where(np.random.default_rng(0).random(800) < 0.7 * y + 0.1, "Ulm", "Bonn")
    frame.loc[::10, "b"] = np.nan
    frame.loc[::11, "city"] = None
    classifier = small().fit(frame, y)
    assert classifier.feature_names_in_.tolist() == ["a", "b", "c", "city"]
    assert classifier.score(frame, y) > small().fit(X, y).score(X, y)
    with pytest.warns(UnseenWarning, match="100% of 800 values"):
        assert np.isfinite(classifier.decision_function(frame.assign(city="Rom"))).all()
    with pytest.raises(ValueError, match="feature names"):
        classifier.predict(frame[["city", "a", "b", "c"]])
    arrow = pa.Table.from_pandas(frame)
    scores = small().fit(arrow, y).decision_function(arrow)
    np.testing.assert_array_equal(scores, classifier.decision_function(frame))
    matrix = np.column_stack([X, frame["city"].map({"Bonn": 0.0, "Ulm": 1.0})])
    matrix[::10, 1] = np.nan
    columns = [*(Column(name, "numeric") for name in "abc"), Column("city", "categorical", ("Bonn", "Ulm"))]
    as_matrix = small(columns=columns).fit(matrix, y)
    np.testing.assert_allclose(as_matrix.decision_function(matrix), classifier.decision_function(frame))


def test_sparse_rows_score_as_dense_ones_of_the_same_scale():
    rng = np.random.default_rng(0)
    X = (rng.random((600, 20)) < 0.2).astype(float)
    y = (X[:, :3].sum(axis=1) + rng.normal(size=600) > 1).astype(int)
    classifier = small().fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(classifier.decision_function(sparse.csr_matrix(X)), classifier.decision_function(X))
    assert classifier.score(X, y) > 0.3  # 0.05 by chance
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        small(architecture="mlp").fit(sparse.csr_matrix(X), y)


def test_balanced_classes_are_so_by_weight():
    labels, weight = np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 2.0])
    balanced = fit_weights("balanced", labels, weight)
    assert balanced[labels == 0].sum() == pytest.approx(balanced[labels == 1].sum())
    repeated = fit_weights("balanced", labels.repeat(weight.astype(int)), None)
    assert balanced.tolist() == pytest.approx([repeated[0], 2 * repeated[0], 3 * repeated[0], 2 * repeated[-1]])


def test_weights_are_repetitions_and_class_weights_change_the_fit():
    X, y = overlapping(150)
    weight = np.random.default_rng(0).integers(0, 3, size=150)
    weighted = small().fit(X, y, sample_weight=weight)
    repeated = small().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.anchor_.weights, repeated.anchor_.weights, rtol=1e-5)
    assert weighted.report_.choice.kept == repeated.report_.choice.kept
    balanced = small(class_weight="balanced", method="ce").fit(X, y)
    plain = small(method="ce").fit(X, y)
    assert balanced.anchor_.intercept > plain.anchor_.intercept + 0.5
    assert small(class_weight={0: 1.0, 1: 1.0}, method="ce").fit(X, y).anchor_.intercept == pytest.approx(
        plain.anchor_.intercept
    )


@pytest.mark.parametrize("method", ["pauci", "mb", "sopa", "auc-m", PAUCILoss(max_fpr=0.5, inner="solve")])
def test_every_loss_is_a_method(method):
    X, y = misleading(800)
    classifier = small(method=method).fit(X, y)
    assert len(classifier.report_.choice.scores) == 2
    assert classifier.report_.choice.scores[1] != classifier.report_.choice.scores[0]
    assert classifier.report_.train_region == Region(max_fpr=0.5 if isinstance(method, PAUCILoss) else 0.3)
    assert classifier._path(len(y)).region == Region(max_fpr=0.3), "by which cross-entropy is tuned beside any loss"


@pytest.mark.usefixtures("few_steps")
def test_a_network_learns_what_a_line_cannot():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    y = ((X**2).sum(axis=1) + 0.3 * rng.normal(size=1200) > 3).astype(int)
    network = small(architecture="mlp", max_epochs=30, learning_rate=5e-3).fit(X[:800], y[:800])
    assert network.score(X[800:], y[800:]) > small().fit(X[:800], y[:800]).score(X[800:], y[800:]) + 0.3
    again = small(architecture="mlp", max_epochs=30, learning_rate=5e-3).fit(X[:800], y[:800])
    np.testing.assert_array_equal(again.decision_function(X), network.decision_function(X))


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("mode", ["double", "no_grad", "mixed"])
def test_networks_learn_whatever_mode_the_caller_is_in(mode):
    X, y = overlapping(400)
    options = {"architecture": "mlp", "max_epochs": 3}
    expected = small(**options).fit(X, y).decision_function(X)
    torch.set_default_dtype(torch.float64 if mode == "double" else torch.float32)
    try:
        with torch.set_grad_enabled(mode != "no_grad"), torch.autocast("cpu", torch.bfloat16, enabled=mode == "mixed"):
            found = small(**options).fit(X, y).decision_function(X)
    finally:
        torch.set_default_dtype(torch.float32)
    np.testing.assert_array_equal(found, expected)


def test_first_weights_do_not_depend_on_the_default_device():
    X, y = overlapping(400)
    drawn = []

    def network(columns):
        drawn.append(copy.deepcopy(made := MLP(columns)))
        return made

    path = NetworkPath("pauci", Region(max_fpr=0.3), network, max_epochs=2)
    path.fit(X, y > 0, None, shares=[])
    # AdamW of torch 2.6 counts its steps on the default device, where there are no numbers.
    with torch.device("meta"), contextlib.suppress(RuntimeError):
        path.fit(X, y > 0, None, shares=[])
    one, other = (list(each.parameters()) for each in drawn)
    assert all(map(torch.equal, one, other))


@pytest.mark.usefixtures("few_steps")
def test_any_module_and_warm_start():
    X, y = overlapping(400)
    options = {"architecture": tiny_network, "max_epochs": 3, "method": PAUCILoss(max_fpr=0.3)}
    classifier = small(**options, warm_start=True).fit(X, y)
    first = classifier.anchor_.network[0].weight.detach().clone()
    classifier.fit(X, y)
    cold = small(**options, average=False).fit(X, y)
    assert (first == cold.anchor_.network[0].weight).all()
    assert (first != classifier.anchor_.network[0].weight).any()
    assert "tiny_network" in str(classifier.report_)
    with pytest.raises(InputError, match="continues a fit on 3 encoded columns"):
        classifier.fit(X[:, :2], y)


def tiny_network(columns):
    return nn.Sequential(nn.Linear(columns, 4), nn.ReLU(), nn.Linear(4, 1))


@pytest.mark.slow
def test_workers_give_the_same():
    X, y = overlapping(300)
    alone, together = small().fit(X, y), small(n_jobs=2).fit(X, y)
    np.testing.assert_allclose(alone.decision_function(X), together.decision_function(X))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["fraud", "legit"]),
        np.array(["fraud", "legit"], dtype=object),
        np.array([1, 2]),
        np.array(["no", "true"]),
    ],
)
def test_where_labels_do_not_say_what_is_to_be_found_a_warning_does(labels):
    X, y = overlapping(200)
    first, last = labels.tolist()
    with pytest.warns(PositiveClassWarning, match=f"{last!r} is taken .* fit on y == {first!r}") as told:
        classifier = small().fit(X, labels[y])
    assert told[0].filename == __file__, "the line that called fit"
    np.testing.assert_array_equal(classifier.decision_function(X), small().fit(X, y).decision_function(X))


@pytest.mark.parametrize("labels", [(0, 1), (-1.0, 1.0), (False, True), ("No", "Yes"), ("false", "true")])
def test_where_they_do_nothing_is_said(labels):
    X, y = overlapping(60)
    small(method="ce").fit(X, np.array(labels)[y])  # warnings are errors here


def test_identifiers_are_no_categories_unless_they_are_said_to_be():
    X, y = overlapping(1001)
    frame = pd.DataFrame(X).assign(payment=[f"P{row}" for row in range(1001)]).rename(columns=str)
    with pytest.raises(InputError, match=r"column 'payment' holds 1,001 different texts.*drop\(columns='payment'\)"):
        small().fit(frame, y)
    with pytest.raises(InputError, match=r"column 'payment' holds 1,000 different texts in 1,000 rows"):
        frame_columns(frame.iloc[1:])
    assert frame_columns(pd.concat([frame.iloc[1:]] * 2))[-1].kind == "categorical"
    assert frame_columns(frame.astype({"payment": "category"}))[-1].kind == "categorical"


@pytest.mark.parametrize(
    ("edges", "told"),
    [
        ({"max_fpr": 0.1, "min_tpr": 0.95}, "the budget decides"),
        ({"max_fpr": 0.01}, "needs at least 299 negatives"),
        ({"max_fpr": 0.7}, "the mean of the folds' models"),
    ],
)
def test_what_is_not_promised_is_told_about_the_line_that_called_fit(edges, told):
    X, y = overlapping(300)
    with pytest.warns(GuaranteeWarning, match=told) as warned:
        PartialAUCClassifier(**edges, shares=(4.0,), random_state=0).fit(X, y)
    assert {warning.filename for warning in warned} == {__file__}


def test_labels_that_are_of_neither_class_cannot_be_scored():
    X, y = overlapping(60)
    classifier = small(method="ce").fit(X, y)
    assert classifier.score(X, y > 0) == classifier.score(X, y.astype(float)) == classifier.score(X, y.astype(object))
    with pytest.raises(LabelError, match="y holds '0', '1' in 60 rows, but the classes are 0 and 1"):
        classifier.score(X, y.astype(str))
    with pytest.raises(LabelError, match="y holds 7 in 12 rows"):
        classifier.score(X, np.where(np.arange(60) % 5 == 0, 7, y))
    with pytest.raises(LabelError, match="y holds 1 missing label"):
        classifier.score(X, np.where(np.arange(60) == 5, np.nan, y))


def test_errors_name_the_cause():
    X, y = overlapping(50)
    with pytest.raises(LabelError, match=r"one class only, 0\.0 in all 50 rows"):
        small().fit(X, np.zeros(50))
    with pytest.raises(LabelError, match="sample_weight is 0 for all rows of a class"):
        small().fit(X, y, sample_weight=y)
    words = np.where(y == 1, "yes", "no").astype(object)
    words[[3, 5]] = None
    for rows in (X, pd.DataFrame(X)):
        with pytest.raises(LabelError, match=r"y holds 2 missing label.*first at position 3"):
            small().fit(rows, words)
    with pytest.raises(ValueError, match="contains NaN"):
        small().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(InputError, match=r"shares=\(4, 1\)"):
        small(shares=(4, 1)).fit(X, y)
    for argument, value in (("method", "pauc"), ("train_region", "fpr<=0.2"), ("shares", "few")):
        with pytest.raises(InputError, match=f"^{argument}='{value}'"):
            PartialAUCClassifier(**{argument: value}).fit(X, y)
    with pytest.raises(InputError, match=r"shares=4\.0 must be a sequence"):
        small(shares=4.0).fit(X, y)
    with pytest.raises(InputError, match="architecture='tree'"):
        small(architecture="tree").fit(X, y)
    with pytest.raises(InputError, match=r"architecture makes a network that returns \(\d+, 2\).*one logit per row"):
        small(architecture=lambda columns: nn.Linear(columns, 2)).fit(X, y)
    for made, told in (
        (lambda columns: columns, "makes an object of type int, not a network"),
        (lambda columns: nn.Linear, "makes the class Linear, not a network"),
        (lambda: nn.Linear(4, 1), "is called with the number of columns alone, and cannot be: .* takes 0 positional"),
        (lambda columns: nn.LSTM(columns, 1), "makes a network that returns a tuple .*one logit per row"),
    ):
        with pytest.raises(InputError, match=f"architecture {told}"):
            small(architecture=made).fit(X, y)
    with pytest.raises(RecipeError, match="did you mean 'pauci'"):
        small(method="paucy").fit(X, y)
    with pytest.raises(InputError, match="inner='solve'"):
        small(method=PAUCILoss(max_fpr=0.1)).fit(X, y)
    with pytest.raises(ValueError, match="max_fpr"):
        small(max_fpr=2.0).fit(X, y)


@pytest.mark.usefixtures("few_steps")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("architecture", "huge"), [("linear", 1e308), ("mlp", 1e39)])
def test_rows_too_large_to_be_scored_are_an_error(architecture, huge):
    X, y = overlapping(200)
    classifier = small(architecture=architecture, method="ce", max_epochs=1).fit(X / 100, y)
    X[:2] = huge
    for use in (classifier.predict, classifier.decision_function, classifier.predict_proba):
        with pytest.raises(ScoreError, match="2 of 200 rows of X have no finite score"):
            use(X)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("architecture", ["linear", "mlp"])
def test_a_matrix_cannot_stand_for_a_table_with_categories(architecture):
    y = np.arange(200) % 5 == 0
    frame = pd.DataFrame({"x": np.arange(200) % 7.0, "k": pd.Categorical(np.where(y, 70, 10))})
    model = PartialAUCClassifier(0.3, architecture=architecture, max_epochs=1, method="ce", confidence=None).fit(
        frame, y
    )
    with pytest.raises(InputError, match="Pass a DataFrame"):
        model.predict(frame.astype(float).to_numpy())


@pytest.mark.parametrize("name", ["batch_size", "max_epochs", "patience"])
def test_numbers_below_one_are_refused(name):
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    with pytest.raises(InputError, match=f"{name}=0 must be at least 1"):
        PartialAUCClassifier(0.3, architecture="mlp", **{name: 0}).fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"learning_rate": "x"}, "learning_rate='x' must be a number"),
        ({"learning_rate": -1.0}, "learning_rate=-1.0 must be positive"),
        ({"weight_decay": None}, "weight_decay=None must be a number"),
        ({"max_epochs": 2.5}, "max_epochs=2.5 must be a whole number"),
        ({"patience": "a"}, "patience='a' must be a whole number"),
        ({"batch_size": 2.5}, "batch_size=2.5 must be a whole number or None"),
        ({"n_jobs": "all"}, "n_jobs='all' must be a whole number or None"),
        ({"n_jobs": True}, "n_jobs=True must be a whole number or None"),
        ({"average": "no"}, "average='no' must be True or False"),
        ({"confidence": "high"}, "confidence='high' must be a number or None"),
        ({"confidence": 95}, "confidence=95 must be a number above 0 and below 1"),
        ({"architecture": 3}, "architecture=3 must be 'linear' or 'mlp' or a function"),
        ({"columns": 3}, "columns=3 must be a sequence or None"),
        ({"method": 3}, "method=3 must be a text or an nn.Module"),
        ({"device": 0}, "device=0 must be a text or a torch.device"),
    ],
)
def test_parameters_of_a_wrong_type_are_told_before_anything_is_fitted(monkeypatch, wrong, told):
    monkeypatch.setattr("pauci.estimators.classifier.fit_anchored", lambda *_, **__: pytest.fail("was fitted"))
    with pytest.raises(InputError, match=f"^{told}"):
        PartialAUCClassifier(**wrong).fit(np.arange(40.0)[:, None], np.arange(40) % 2)


@pytest.mark.parametrize(
    ("device", "told"), [("gpu", "is not known to torch"), ("cuda:99", "is not there: torch sees")]
)
def test_a_device_that_there_is_not_is_refused(device, told):
    with pytest.raises(InputError, match=f"device='{device}' {told}"):
        PartialAUCClassifier(architecture="mlp", device=device).fit(np.arange(40.0)[:, None], np.arange(40) % 2)


def test_parameters_may_be_numbers_of_numpy_and_devices():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    options = {"max_epochs": np.int64(1), "learning_rate": np.float32(0.01), "device": torch.device("cpu")}
    model = PartialAUCClassifier(np.float64(0.3), shares=np.ones(1), architecture="mlp", average=np.bool_(0), **options)
    assert model.fit(X, y).report_


def test_weights_that_sum_to_one_are_ratios():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 10 == 0
    X = rng.normal(size=(600, 3)) + 2 * y[:, None]
    weight = np.where(np.arange(600) == 0, 2.0, 1.0)
    fitted = [
        PartialAUCClassifier(0.3, method="ce", confidence=None, random_state=0).fit(X, y, weight * scale)
        for scale in (1 / weight.mean(), 1 / weight.sum(), 1e-300)
    ]
    chances = [model.predict_proba(X)[:, 1] for model in fitted]
    assert chances[0].mean() == pytest.approx(0.1, abs=0.02)
    for found in chances[1:]:
        assert found == pytest.approx(chances[0], abs=1e-6)


def test_huge_weights_are_ratios():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 10 == 0
    X, weight = rng.normal(size=(600, 3)) + 2 * y[:, None], np.where(np.arange(600) % 2, 2.0, 1.0)
    fitted = [
        PartialAUCClassifier(0.3, method="ce", confidence=None, random_state=0).fit(X, y, weight * scale)
        for scale in (1e9, 1e38, 1e307)  # warnings of the solver are errors here
    ]
    for model in fitted[1:]:
        assert model.decision_function(X) == pytest.approx(fitted[0].decision_function(X), abs=1e-6)


def test_a_network_in_the_place_of_what_makes_it_is_refused():
    X, y = misleading(200)
    with pytest.raises(InputError, match="every fold needs a new one: pass a function"):
        PartialAUCClassifier(architecture=nn.Linear(X.shape[1], 1)).fit(X, y)
