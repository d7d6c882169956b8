import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.metrics import fpr_at_tpr, precision_at_threshold
from pauci.region import Region
from pauci.report import ScoredModel
from pauci.report.operating_points import alert_budgets, distinct, first_stop, operating_points

#: Few distinct values, so that ties abound.
LABELLED = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=4, max_size=60).filter(
    lambda rows: 2 <= sum(label for label, _ in rows) <= len(rows) - 2
)


def model_of(rows, name="a"):
    return ScoredModel(name, [label for label, _ in rows], [float(score) for _, score in rows])


@given(LABELLED, st.floats(0, 1))
def test_a_point_finds_the_most_that_any_threshold_does_within_the_budget(rows, budget):
    model = model_of(rows)
    (point,) = operating_points(model, np.array([budget]), level=0.95)
    best = (0, 0)
    for threshold in {*model.positives, *model.negatives}:
        false_alarms = int((model.negatives >= threshold).sum())
        if false_alarms <= budget * model.n_negative + 1e-9:
            best = max(best, (int((model.positives >= threshold).sum()), -false_alarms))
    # Of thresholds that find the same, the smallest is taken: it may add false alarms within the budget.
    assert point.found == best[0]
    assert point.false_alarms <= budget * model.n_negative + 1e-9
    assert point.found == (model.positives >= point.at.threshold).sum()
    assert point.false_alarms == (model.negatives >= point.at.threshold).sum()


@given(LABELLED, st.floats(0.001, 0.999))
def test_precision_at_any_prevalence_follows_from_even_classes(rows, prevalence):
    model = model_of(rows)
    for point in operating_points(model, np.array([0.0, 0.3, 1.0]), level=0.9):
        if point.even_precision is None:
            assert point.found + point.false_alarms == 0
            continue
        expected = precision_at_threshold(
            model.y_true, model.y_score, threshold=point.at, prevalence=prevalence, level=0.9
        )
        # As the page's script computes it.
        found = [
            prevalence * even / (prevalence * even + (1 - prevalence) * (1 - even)) for even in point.even_precision
        ]
        assert found == pytest.approx([expected.low, expected.high], abs=1e-12)


def test_a_budget_that_ties_leave_unused_does_not_loosen_the_bound():
    model = ScoredModel("a", [0] * 1000 + [1] * 10, [2.0] * 10 + [1.0] * 990 + [2.0] * 10)
    (point,) = operating_points(model, np.array([0.5]), level=0.95)
    assert point.at.fpr == 0.01
    assert 0.01 < point.at.fpr_upper < 0.02


def test_cases_in_groups_get_no_interval_that_counts_each_of_them():
    model = ScoredModel("a", [0, 1] * 10, range(20), groups=np.repeat(range(10), 2))
    assert operating_points(model, np.array([0.5]), level=0.95)[0].even_precision is None


def test_small_samples_stop_at_every_rate_of_the_region():
    model = ScoredModel("a", [0] * 50 + [1] * 2, range(52))
    assert alert_budgets([model], Region(max_fpr=0.2)).tolist() == [k / 50 for k in range(11)]
    assert alert_budgets([model], Region(min_fpr=0.1, max_fpr=0.15)).tolist() == [0.1, 0.12, 0.14, 0.15]


def test_large_samples_stop_at_some_of_them_from_the_first_to_the_last():
    model = ScoredModel("a", [0] * 30_000 + [1] * 2, range(30_002))
    budgets = alert_budgets([model], Region(max_fpr=0.5))
    assert 200 < len(budgets) <= 240
    assert budgets[:3].tolist() == [0, 1 / 30_000, 2 / 30_000]
    assert budgets[-1] == 0.5
    assert set(np.round(budgets * 30_000)) <= set(range(15_001))


def test_a_tpr_asked_for_has_a_stop_at_the_rate_where_each_model_reaches_it():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [5000, 40])
    region = Region(min_tpr=0.8)
    models = [ScoredModel(name, y, rng.normal(size=5040) + shift * y) for name, shift in (("a", 0.5), ("b", 1.5))]
    budgets = alert_budgets(models, region)
    for model in models:
        points = operating_points(model, budgets, level=0.95)
        begun = points[first_stop(points, region)].at
        assert begun.fpr == fpr_at_tpr(model.y_true, model.y_score, min_tpr=0.8)
        assert begun.tpr >= 0.8


def test_a_tpr_that_is_reached_before_the_region_begins_adds_no_stop_there():
    rng = np.random.default_rng(0)
    model = ScoredModel("a", np.repeat([1, 0], [100, 1000]), np.append(rng.normal(3, 1, 100), rng.normal(size=1000)))
    region = Region(min_fpr=0.1, min_tpr=0.5)
    budgets = alert_budgets([model], region)
    assert budgets[0] == 0.1
    points = operating_points(model, budgets, level=0.95)
    assert points[first_stop(points, region)].at.fpr == 0.1


def test_models_of_different_sizes_share_their_stops():
    models = [ScoredModel(str(n), [0] * n + [1] * 2, range(n + 2)) for n in (4, 5)]
    assert alert_budgets(models, Region(max_fpr=0.4)).tolist() == [0, 0.2, 0.25, 0.4]


def test_a_region_narrower_than_one_negative_has_one_stop():
    model = ScoredModel("a", [0] * 5 + [1] * 2, range(7))
    assert alert_budgets([model], Region(min_fpr=0.01, max_fpr=0.02)).tolist() == [0.02]


@given(LABELLED, LABELLED)
def test_stops_at_which_nothing_changes_are_left_out(first, second):
    models = [model_of(first), model_of(second, "b")]
    budgets = alert_budgets(models, Region())
    points = [operating_points(model, budgets, level=0.95) for model in models]
    kept = distinct(points)
    seen = [tuple((each[i].false_alarms, each[i].found) for each in points) for i in range(len(budgets))]
    assert [seen[i] for i in np.flatnonzero(kept)] == list(dict.fromkeys(seen))
    assert kept[-1]


@pytest.mark.parametrize(
    ("region", "expected"), [(Region(max_fpr=0.5), 4), (Region(min_tpr=0.6), 1), (Region(), 2)], ids=str
)
def test_the_slider_begins_where_one_would_operate(region, expected):
    model = ScoredModel("a", [0, 0, 0, 0, 1, 1, 1], [1, 2, 6, 8, 7, 9, 3])
    points = operating_points(model, np.linspace(0, 1, 5), level=0.95)
    rates = [(point.at.fpr, point.at.tpr) for point in points]
    assert rates == [(0, 1 / 3), (0.25, 2 / 3), (0.5, 1), (0.75, 1), (1, 1)]
    assert first_stop(points, region) == expected
