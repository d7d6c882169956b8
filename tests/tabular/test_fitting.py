import numpy as np
import pytest

from pauci import Region
from pauci.boosting import PartialAUCBooster
from pauci.estimators import PartialAUCClassifier
from pauci.metrics import partial_auc_score
from pauci.tabular.fitting import fit_watched
from pauci.tabular.importance import column_importances


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.logistic(size=600) > 1.5).astype(int)


def linear():
    return PartialAUCClassifier(max_fpr=0.2, confidence=None, shares=(1.0,), random_state=0)


def boosted():
    options = {"max_rounds": 8, "learning_rate": 0.3, "n_jobs": 1}
    return PartialAUCBooster(max_fpr=0.2, confidence=None, shares=(2.0,), random_state=0, **options)


def stopping(at, seen):
    def observe(done, total):
        seen.append((done, total))
        if done == at:
            raise KeyboardInterrupt

    return observe


@pytest.mark.parametrize("make", [linear, boosted])
def test_watching_changes_nothing(make, rows):
    seen = []
    watched, plain = make(), make().fit(*rows)
    fitted = fit_watched(watched, *rows, stopping(None, seen))
    assert fitted.complete
    assert np.array_equal(watched.decision_function(rows[0]), plain.decision_function(rows[0]))
    assert watched.report_ == plain.report_
    done, totals = zip(*seen, strict=True)
    assert list(done) == list(range(1, len(done) + 1))
    assert totals[-1] - done[-1] == 1  # the choice


@pytest.mark.parametrize("make", [linear, boosted])
def test_held_out_scores_are_those_behind_the_report(make, rows):
    estimator = make()
    held_out = fit_watched(estimator, *rows).held_out
    choice = estimator.report_.choice
    assert sorted(held_out.rows) == list(range(600))
    kept = np.mean([choice.scores[place] for place in choice.kept])
    for scores, expected in ((held_out.plain, choice.scores[0]), (held_out.chosen, kept)):
        share = partial_auc_score(rows[1][held_out.rows], scores, max_fpr=0.2)
        assert share == pytest.approx(expected, abs=0.04)  # that of all together, which the mean over parts is not
    unseen = held_out.unseen
    assert 100 < len(unseen) < 140
    twin = held_out.twin.decision_function(rows[0][unseen])
    np.testing.assert_allclose(twin + held_out.twin.threshold_.threshold, held_out.chosen[unseen])
    assert not np.allclose(twin, estimator.decision_function(rows[0][unseen]))


@pytest.mark.parametrize(
    ("make", "at"), [(linear, 4), (linear, 8), (linear, 11), (boosted, 2), (boosted, 5), (boosted, 9)]
)
def test_breaking_off_keeps_a_model_that_works(make, at, rows):
    estimator = make()
    fitted = fit_watched(estimator, *rows, stopping(at, []))
    assert not fitted.complete
    assert fitted.held_out is None
    X, y = rows
    assert partial_auc_score(y, estimator.decision_function(X), max_fpr=0.2) > 0.2  # chance is 0.1
    assert estimator.report_.model.endswith("broken off")
    assert estimator.threshold_.fpr <= 0.2
    assert 0 < estimator.predict(X).mean() < 0.5
    assert estimator.predict_proba(X).shape == (600, 2)


@pytest.mark.parametrize("make", [linear, boosted])
def test_with_nothing_fitted_there_is_nothing_to_keep(make, rows):
    with pytest.raises(KeyboardInterrupt):
        fit_watched(make(), *rows, stopping(1, []))


def test_a_column_that_nothing_rests_on_loses_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + 0.3 * X[:, 1] > 1
    asked = []

    def score(rows):
        asked.append(len(rows))
        return rows[:, 0] + 0.3 * rows[:, 1]

    region = Region(max_fpr=0.2)
    found = column_importances(score, X, y, names=["a", "b", "c"], region=region, seed=1)
    assert [each.name for each in found] == ["a", "b", "c"]
    assert found[2].loss == 0
    assert 0 < found[1].loss < found[0].loss
    assert len(asked) == 1 + 3 * 3
    assert found == column_importances(score, X, y, names=["a", "b", "c"], region=region, seed=1)


def test_of_many_rows_some_are_drawn_from_each_class():
    X = np.arange(30_000.0)[:, None]
    sizes = []

    def score(rows):
        sizes.append(len(rows))
        return rows[:, 0]

    column_importances(score, X, X[:, 0] % 3 == 0, names=["a"], region=Region())
    assert set(sizes) == {10_000}
