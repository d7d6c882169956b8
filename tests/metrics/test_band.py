import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import samples
from pauci.errors import InputError, TooFewSamplesError
from pauci.metrics import partial_roc_curve
from pauci.metrics.band import bootstrap_tpr, roc_band
from pauci.metrics.draws import instance_weights
from pauci.metrics.sample import Sample

GRID = np.array([0.0, 0.013, 0.1, 0.25, 0.6, 1.0])


def make(n_positive=30, n_negative=75, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    scores = rng.normal(size=len(y)) + y
    return y, scores if decimals is None else scores.round(decimals)


def brute_force(y, s, n_resamples, *, weight=None, groups=None):
    """Draw instances (or groups) again and read the curve of each resample off at its upper end."""
    rng = np.random.default_rng(99)
    rates = []
    while len(rates) < n_resamples:
        if groups is None:
            rows = np.concatenate([rng.choice(np.flatnonzero(y == c), (y == c).sum()) for c in (1, 0)])
        else:
            names = np.unique(groups)
            rows = np.concatenate([np.flatnonzero(groups == g) for g in rng.choice(names, len(names))])
            if len(set(y[rows])) < 2:
                continue
        fpr, tpr, _ = partial_roc_curve(y[rows], s[rows], sample_weight=None if weight is None else weight[rows])
        rates.append(np.interp(GRID, fpr, tpr))
    return np.array(rates)


def assert_same_distribution(drawn, expected):
    """Means, spreads and correlations of neighbours agree within 5 standard errors of simulation."""
    noise = 5 * np.sqrt(2 / len(expected))
    spread = expected.std(axis=0)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - expected.mean(axis=0)), noise * spread + 1e-12)
    np.testing.assert_array_less(np.abs(drawn.std(axis=0) - spread), noise * spread + 1e-12)
    inner = slice(0, 5)  # at FPR 1 everything is 1
    difference = np.corrcoef(drawn.T[inner]) - np.corrcoef(expected.T[inner])
    assert np.abs(difference).max() < noise


@pytest.mark.parametrize("sizes", [(30, 75), (300, 20)])
def test_order_statistics_have_the_distribution_of_explicit_resamples(sizes):
    y, s = make(*sizes)
    # Short of FPR 1, where what lies beyond the last threshold varies, too.
    drawn = bootstrap_tpr(Sample.read(y, {"y_score": s}), GRID[:5], n_resamples=3000)
    assert_same_distribution(drawn, brute_force(y, s, 3000)[:, :5])


@pytest.mark.parametrize("kind", ["weight", "groups"])
def test_weights_and_groups_have_the_distribution_of_explicit_resamples(kind):
    y, s = make(decimals=1)
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, len(y)).astype(float) if kind == "weight" else None
    groups = rng.integers(0, 25, len(y)) if kind == "groups" else None
    sample = Sample.read(y, {"y_score": s}, sample_weight=weight, groups=groups)
    drawn = bootstrap_tpr(sample, GRID, n_resamples=1500)
    assert_same_distribution(drawn, brute_force(y, s, 1500, weight=weight, groups=groups))


@given(samples(), st.integers(0, 2**32 - 1), st.booleans())
def test_resamples_of_weights_and_groups_are_curves_of_their_weights(sample, seed, grouped):
    y, s = (np.repeat(values, 2) for values in sample)
    rng = np.random.default_rng(seed)
    weight, groups = rng.random(len(y)) + 0.1, np.arange(len(y)) // 2 if grouped else None
    try:
        read = Sample.read(y, {"y_score": s}, sample_weight=weight, groups=groups)
    except TooFewSamplesError:
        return
    drawn = bootstrap_tpr(read, GRID, n_resamples=3, seed=1)
    weights = instance_weights(read, 3, np.random.default_rng(1))
    rows = [row for chunk in weights for row in zip(*chunk, strict=True)]
    for rates, (positives, negatives) in zip(drawn, rows, strict=True):
        resampled = np.empty(len(y))
        resampled[y], resampled[~y] = positives, negatives
        fpr, tpr, _ = partial_roc_curve(y, s, sample_weight=resampled, drop_intermediate=False)
        # Just right of a jump: at it, rounding decides which end is met.
        nearby = [np.interp(GRID + move, fpr, tpr) for move in (-1e-9, 1e-9)]
        assert (nearby[0] - 1e-6 <= rates).all()
        assert (rates <= nearby[1] + 1e-6).all()


@pytest.mark.parametrize(("name", "value"), [("seed", -1), ("seed", None), ("n_resamples", 1)])
def test_impossible_draws_are_errors(name, value):
    y, s = make()
    with pytest.raises(InputError, match=name):
        roc_band(Sample.read(y, {"y_score": s}), GRID, **{name: value})


def test_level_is_the_share_of_the_resamples_between_the_ends():
    y, s = make()
    sample = Sample.read(y, {"y_score": s})
    rates = bootstrap_tpr(sample, GRID, n_resamples=200)
    band = roc_band(sample, GRID, level=0.8, n_resamples=200)
    np.testing.assert_allclose(band, np.quantile(rates, [0.1, 0.9], axis=0))


@pytest.mark.parametrize("options", [{}, {"sample_weight": np.full(130, 2.0)}, {"groups": np.arange(130)}])
def test_where_all_positives_are_found_or_none_as_many_leave_doubt(options):
    y = np.repeat([1, 0], [30, 100])
    least = 0.025 ** (1 / 30)
    grid = np.array([0.0, 0.5, 0.99, 1.0])
    low, high = roc_band(Sample.read(y, {"y_score": 1.0 * y}, **options), grid, n_resamples=50)
    np.testing.assert_allclose((low, high), ([least, least, least, 1], np.ones(4)))
    low, high = roc_band(Sample.read(y, {"y_score": -1.0 * y}, **options), grid[:2], n_resamples=50)
    np.testing.assert_allclose((low, high), (np.zeros(2), [1 - least, 1 - least]))


def test_ties_keep_the_mean_on_the_diagonal():
    y = np.repeat([1, 0], [200, 200])
    drawn = bootstrap_tpr(Sample.read(y, {"y_score": np.ones(400)}), GRID, n_resamples=4000)
    np.testing.assert_allclose(drawn.mean(axis=0), GRID, atol=0.01)


def test_rates_never_fall_and_end_at_one():
    y, s = make(decimals=0)
    rates = bootstrap_tpr(Sample.read(y, {"y_score": s}), np.linspace(0, 1, 201), n_resamples=200)
    assert (np.diff(rates, axis=1) >= 0).all()
    assert (rates[:, -1] == 1).all()
    assert (rates[:, 0] >= 0).all()


def test_band_holds_the_curve_narrows_with_data_and_is_reproducible():
    widths = []
    for factor in (1, 16):
        y, s = make(30 * factor, 75 * factor)
        low, high = roc_band(Sample.read(y, {"y_score": s}), GRID)
        fpr, tpr, _ = partial_roc_curve(y, s)
        curve = np.interp(GRID, fpr, tpr)
        assert (low <= curve).all()
        assert (curve <= high).all()
        widths.append((high - low)[2:5])
        np.testing.assert_array_equal(roc_band(Sample.read(y, {"y_score": s}), GRID)[0], low)
    assert (widths[1] < widths[0] / 2).all()
