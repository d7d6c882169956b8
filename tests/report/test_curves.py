import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.metrics.band import roc_band
from pauci.metrics.curve import roc_points
from pauci.region import Region
from pauci.report import ScoredModel
from pauci.report.curves import curve_band, difference_band, drawing_grid, paired_tpr, thinned_curve
from pauci.report.histogram import score_histogram


def large(seed=0, n=60_000, decimals=None):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    scores = rng.normal(size=n) + 1.5 * y
    return ScoredModel("a", y, scores if decimals is None else scores.round(decimals))


@pytest.mark.parametrize("decimals", [None, 2])
@pytest.mark.parametrize("region", [Region(max_fpr=0.01), Region(min_fpr=0.1, max_fpr=0.3), Region()], ids=str)
def test_thinning_keeps_true_vertices_and_moves_no_curve_by_more_than_a_cell(region, decimals):
    model = large(decimals=decimals)
    false_alarms, found = thinned_curve(model, region)
    fpr, tpr, _ = roc_points(model.sample.scores[0])
    kept = set(zip(false_alarms.tolist(), found.tolist(), strict=True))
    vertices = set(
        zip(np.rint(fpr * model.n_negative).astype(int), np.rint(tpr * model.n_positive).astype(int), strict=True)
    )
    assert kept <= vertices
    assert {(0, 0), (model.n_negative, model.n_positive)} <= kept
    assert len(found) < 4000
    # Every vertex left out lies, in each view, within a 600th of the picture's width of the curve that is drawn.
    for wide, inside in (
        (1.0, np.ones_like(fpr, bool)),
        (region.width, (fpr >= region.min_fpr) & (fpr <= region.max_fpr)),
    ):
        cell = wide / 600
        drawn_fpr, drawn_tpr = false_alarms / model.n_negative, found / model.n_positive
        above = drawn_tpr[np.minimum(np.searchsorted(drawn_fpr, fpr + cell, side="right"), len(found) - 1)]
        below = drawn_tpr[np.maximum(np.searchsorted(drawn_fpr, fpr - cell, side="left") - 1, 0)]
        assert ((below <= tpr) & (tpr <= above))[inside].all()


def test_small_curves_are_not_thinned():
    model = ScoredModel("a", [0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.8, 0.7, 0.2, 0.3])
    false_alarms, found = thinned_curve(model, Region(max_fpr=0.5))
    assert list(zip(false_alarms, found, strict=True)) == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)]


def test_the_band_is_that_of_the_metrics():
    model, fpr = large(n=2000), np.array([0.0, 0.01, 0.2])
    band = curve_band(model, fpr, level=0.9, n_resamples=100, seed=4)
    low, high = roc_band(model.sample, fpr, level=0.9, n_resamples=100, seed=4)
    assert (band.low == low).all()
    assert (band.high == high).all()


def test_equal_models_differ_by_nothing_in_any_resample():
    model, fpr = large(n=1000), np.linspace(0, 0.3, 7)
    other = ScoredModel("b", model.y_true, 2 * np.asarray(model.y_score) + 1)
    draws = tuple(paired_tpr(each, fpr, n_resamples=50, seed=0) for each in (model, other))
    assert draws[0].std(axis=0).min() > 0
    band = difference_band(model, other, fpr, draws, level=0.95)
    assert not np.any([band.value, band.low, band.high])


def test_the_paired_band_is_narrower_than_independent_ones_and_covers_its_curve():
    rng = np.random.default_rng(1)
    y = np.repeat([True, False], [200, 2000])
    hard = rng.normal(size=len(y))
    first, second = (
        ScoredModel(str(i), y, hard + y * shift + 0.2 * rng.normal(size=len(y))) for i, shift in enumerate((1.5, 2))
    )
    fpr = np.linspace(0.02, 0.3, 8)
    draws = tuple(paired_tpr(each, fpr, n_resamples=400, seed=0) for each in (second, first))
    band = difference_band(second, first, fpr, draws, level=0.95)
    alone = [curve_band(each, fpr, level=0.95, n_resamples=400, seed=0) for each in (first, second)]
    independent = np.hypot(*(each.high - each.low for each in alone))
    assert ((band.low < band.value) & (band.value < band.high)).all()
    assert ((band.high - band.low) < 0.8 * independent).all()


def test_the_grid_holds_every_budget_and_reaches_both_ends():
    budgets = np.array([0.1, 0.13, 0.2])
    grid = drawing_grid(budgets, Region(min_fpr=0.1, max_fpr=0.2))
    assert set(budgets) <= set(grid)
    assert (grid[0], grid[-1]) == (0, 1)
    assert (np.diff(grid) > 0).all()


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False)
        | st.sampled_from([0.0, 5e-324, 1.0, np.nextafter(1, 2), 1.7e308, -1.7e308]),
        min_size=4,
        max_size=30,
    )
)
def test_a_histogram_counts_every_score_once(scores):
    model = ScoredModel("a", [True, True, *([False] * (len(scores) - 2))], scores)
    found = score_histogram(model)
    assert (found.positives.sum(), found.negatives.sum()) == (model.n_positive, model.n_negative)
    assert np.isfinite(found.edges).all()
    assert (np.diff(found.edges) > 0).all()
    assert len(found.edges) == len(found.positives) + 1
