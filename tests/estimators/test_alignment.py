import numpy as np
import pytest

from pauci.estimators.alignment import align


@pytest.mark.parametrize("weighted", [False, True])
def test_a_model_on_another_scale_is_brought_back_to_the_scale_of_the_first(weighted):
    rng = np.random.default_rng(0)
    scores, fitted = rng.normal(size=20), rng.normal(size=50)
    weight = rng.random(50) if weighted else None
    aligned = align(scores, fitted, 3 * fitted - 5, weight=weight)
    np.testing.assert_allclose(aligned, 3 * scores - 5)


def test_only_rows_with_weight_tell_the_scale():
    fitted, weight = np.array([1.0, 2.0, 3.0, 100.0]), np.array([1.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(align(fitted, fitted, np.array([10.0, 20.0, 30.0, 0.0]), weight=weight), 10 * fitted)


@pytest.mark.parametrize(("fitted", "reference"), [([2.0, 2.0], [5.0, 7.0]), ([1.0, 3.0], [6.0, 6.0])])
def test_scores_without_spread_tell_a_shift_alone(fitted, reference):
    scores = np.array([0.0, 2.0, 9.0])
    np.testing.assert_allclose(align(scores, np.array(fitted), np.array(reference)), scores + 4)
