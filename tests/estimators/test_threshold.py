import numpy as np
import pytest

from pauci import Region
from pauci.estimators.calibration import Calibration
from pauci.estimators.threshold import GuaranteeWarning, decide

BUDGET = Region(max_fpr=0.05)


def test_the_guarantee_holds_on_simulated_scores():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [400, 40])
    found = [decide(y, rng.normal(size=440) + 2 * y, region=BUDGET, confidence=0.9) for _ in range(400)]
    fresh = rng.normal(size=200_000)
    kept = np.mean([(fresh >= each.threshold).mean() <= 0.05 for each in found])
    assert all(each.guaranteed and each.fpr <= 0.05 for each in found)
    assert 0.87 <= kept <= 1.0


def test_too_few_negatives_fall_back_and_say_so():
    y, s = np.repeat([0, 1], [30, 5]), np.arange(35.0)
    with pytest.warns(GuaranteeWarning, match="needs at least 59 negatives"):
        found = decide(y, s, region=BUDGET, confidence=0.95)
    assert not found.guaranteed
    assert found.threshold == decide(y, s, region=BUDGET, confidence=None).threshold
    assert "not guaranteed" in str(found)


def test_too_few_positives_are_called_that():
    y, s = np.repeat([0, 1], [300, 20]), np.arange(320.0)
    with pytest.warns(
        GuaranteeWarning, match=r"at min_tpr=0\.95 needs at least 59 positives, but there are 20\. .*looser"
    ):
        decide(y, s, region=Region(min_tpr=0.95), confidence=0.95)


def test_weights_that_differ_among_negatives_void_the_guarantee():
    rng = np.random.default_rng(0)
    y, s = np.repeat([0, 1], [300, 30]), rng.normal(size=330)
    of_classes = np.where(y == 1, 10.0, 2.0)
    assert decide(y, s, region=BUDGET, confidence=0.95, sample_weight=of_classes).guaranteed
    with pytest.warns(GuaranteeWarning, match="negatives of different sample_weight"):
        found = decide(y, s, region=BUDGET, confidence=0.95, sample_weight=rng.uniform(1, 2, size=330))
    assert not found.guaranteed


@pytest.mark.filterwarnings("ignore:confidence=0.9 is kept approximately")
def test_positives_count_by_weight_where_negatives_weigh_alike():
    y, s = np.repeat([0, 1], [300, 4]), np.append(np.arange(300.0), [10, 20, 400, 500])
    weight = np.append(np.ones(300), [5, 3, 1, 1])
    for options in ({}, {"groups": np.arange(304)}, {"own": s + 1}):
        found = decide(y, s, region=Region(max_fpr=0.1), confidence=0.9, sample_weight=weight, **options)
        assert found.guaranteed or found.approximate
        assert found.tpr == pytest.approx(0.2)


def test_the_threshold_lies_between_scores():
    y, s = np.repeat([0, 1], [10, 3]), np.array([*range(10), 9.0, 12.0, 13.0])
    assert decide(y, s, region=Region(max_fpr=0.1), confidence=None).threshold == pytest.approx(8.5)
    assert decide(y, s, region=Region(max_fpr=0.01), confidence=None).threshold == pytest.approx(10.5)
    assert decide(y, s, region=Region(min_tpr=0.6), confidence=None).threshold == pytest.approx(10.5)


def test_without_a_budget_the_least_tpr_is_kept():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [500, 200])
    found = [decide(y, rng.normal(size=700) + y, region=Region(min_tpr=0.8), confidence=0.9) for _ in range(300)]
    fresh = rng.normal(1, 1, size=100_000)
    kept = np.mean([(fresh >= each.threshold).mean() >= 0.8 for each in found])
    assert all(each.tpr >= 0.8 and each.promise == "tpr>=0.8" for each in found)
    assert 0.86 <= kept < 1.0


def test_in_the_whole_plane_errors_are_fewest():
    y, s = np.array([0, 0, 1, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    found = decide(y, s, region=Region(), confidence=0.95)
    errors = [np.sum((s >= t) != y) for t in s]
    assert np.sum((s >= found.threshold) != y) == min(errors)
    heavy = np.where(np.arange(6) == 2, 10.0, 1.0)
    assert decide(y, s, region=Region(), confidence=None, sample_weight=heavy).threshold == 0.3


def test_calibration_is_increasing_and_recovers_the_truth():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=50_000)
    y = rng.random(50_000) < 1 / (1 + np.exp(-(0.7 * scores - 2)))
    found = Calibration.fit(y, scores)
    assert found.slope == pytest.approx(0.7, abs=0.03)
    assert found.offset == pytest.approx(-2, abs=0.03)
    reversed_scores = Calibration.fit(~y, scores)
    assert reversed_scores.slope > 0
    weight = rng.integers(0, 3, size=500)
    weighted = Calibration.fit(y[:500], scores[:500], sample_weight=weight.astype(float))
    repeated = Calibration.fit(np.repeat(y[:500], weight), np.repeat(scores[:500], weight))
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-5)


def test_calibration_smooths_labels_as_platt_does():
    found = Calibration.fit(np.array([0, 0, 0, 1]), np.zeros(4))
    assert found(np.zeros(1))[0] == pytest.approx((2 / 3 + 3 / 5) / 4, abs=1e-4)


def test_a_tpr_that_the_budget_does_not_reach_is_told():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [400, 40])
    s = rng.normal(size=440) + y
    region = Region(max_fpr=0.05, min_tpr=0.8)
    with pytest.warns(GuaranteeWarning, match=r"finds 0\.\d+ of the held-out positives, fewer than min_tpr=0.8"):
        found = decide(y, s, region=region, confidence=0.9)
    assert found == decide(y, s, region=BUDGET, confidence=0.9)
    decide(y, s + 9 * y, region=region, confidence=0.9)  # without a warning


def test_for_a_mean_of_models_the_middle_is_that_of_the_class_that_counts():
    y = np.repeat([0, 1], 100)
    assert decide(y, np.arange(200.0), region=Region(min_tpr=0.8), confidence=0.9, of_mean=True).guaranteed
    # The mean of these negatives is 6.5, their median above 10.
    y, scores = np.repeat([0, 1], [100, 20]), np.r_[np.linspace(0, 1, 40), np.linspace(10, 11, 60), np.full(20, 12.0)]
    assert decide(y, scores, region=Region(max_fpr=0.55), confidence=0.9, of_mean=True).guaranteed
    with pytest.warns(GuaranteeWarning, match="the mean of the folds' models"):
        found = decide(y, scores, region=Region(max_fpr=0.6), confidence=0.9, of_mean=True)
    assert not found.guaranteed
    assert 6.5 < found.threshold < np.median(scores[y == 0])


def test_nobody_is_acted_on_where_that_means_the_fewest_errors():
    y, s = np.array([0, 1, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert decide(y[:4], s[:4], region=Region(), confidence=None).tpr == 0
    assert decide(y[:4], s[:4], region=Region(), confidence=None).fpr == 0
    assert decide(y, s, region=Region(), confidence=None).threshold == 5


def test_fewest_errors_do_not_divide_equal_scores():
    found = decide(np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 1.0, 1.0]), region=Region(), confidence=None)
    assert (found.threshold, found.fpr, found.tpr) == (2.0, 0.0, 0.5)


@pytest.mark.parametrize("confidence", [0.95, None])
def test_the_final_models_own_scores_keep_the_budget_too(confidence):
    rng = np.random.default_rng(0)
    y = np.repeat([False, True], [1000, 200])
    scores = rng.normal(size=1200) + y
    own = scores.copy()
    own[:200] = 1.5  # one side of any threshold
    for region, sign in ((Region(max_fpr=0.1), 1), (Region(min_tpr=0.9), -1)):
        labels = y if sign > 0 else ~y
        options = {"region": region, "confidence": confidence}
        alone = decide(labels, sign * scores, **options)
        both = decide(labels, sign * scores, own=sign * own, **options)
        assert sign * both.threshold > sign * alone.threshold
        acted = sign * scores >= both.threshold
        assert (both.fpr, both.tpr) == (acted[~labels].mean(), acted[labels].mean())
        own_fpr, own_tpr = ((sign * own >= both.threshold)[rows].mean() for rows in (~labels, labels))
        assert own_fpr <= 0.1 if sign > 0 else own_tpr >= 0.9
        assert both.guaranteed == alone.guaranteed == (confidence is not None)
        assert decide(labels, sign * scores, own=sign * (scores - 1), **options) == alone
