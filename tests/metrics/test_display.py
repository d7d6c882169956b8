import sys
import warnings
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import ShuffleSplit, cross_validate

from oracles import samples
from pauci import Region, partial_auc_score
from pauci.boosting import lightgbm_objective
from pauci.errors import InputError, LabelError, MissingExtraError, ScoreError
from pauci.metrics import PartialROCDisplay, fpr_at_tpr, partial_auc_interval, partial_roc_curve, threshold_at_fpr
from pauci.metrics.band import roc_band
from pauci.metrics.region_curve import RegionCurve, operating_point, surroundings
from pauci.metrics.sample import Sample


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 600])
    return y, rng.normal(size=660) + 2 * y


@pytest.fixture(scope="module")
def classified():
    return make_classification(n_samples=400, weights=[0.8], flip_y=0.1, random_state=0)


def test_predictions_show_curve_region_point_and_band(scored):
    region = Region(max_fpr=0.1)
    display = PartialROCDisplay.from_predictions(*scored, region=region, name="model", n_resamples=200)
    fpr, tpr, _ = partial_roc_curve(*scored)
    np.testing.assert_array_equal(display.line_.get_xdata(), fpr)
    np.testing.assert_array_equal(display.line_.get_ydata(), tpr)
    interval = partial_auc_interval(*scored, region=region, n_resamples=200)
    expected = f"model: pAUC {interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    assert display.line_.get_label() == expected
    assert display.curves[0].partial_auc == partial_auc_score(*scored, region=region)
    assert display.region_.get_bbox().bounds == (0.0, 0.0, 0.1, 1.0)
    assert len(display.band_) == 1
    (left, right), (bottom, top) = surroundings(region)
    assert display.ax_.get_xlim() == (left, right)
    assert display.ax_.get_ylim() == (bottom, top)
    assert display.figure_ is display.ax_.figure
    shown = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert shown[:2] == ["region FPR \u2264 0.1", expected]


@pytest.mark.parametrize(
    ("threshold", "told"), [(0.25, "0.25"), (0.8200118520409773, "\u2248 0.82"), (-12345.678, "\u2248 -1.235e+04")]
)
def test_a_legend_marks_a_threshold_that_it_rounds(threshold, told):
    display = PartialROCDisplay.from_predictions([0, 1], [threshold - 1, threshold], min_tpr=0.9, n_resamples=0)
    assert display.curves[0].point.threshold == threshold
    assert display.point_[0].get_label() == f"threshold {told}: TPR 1.000 at FPR 0"


def test_operating_point_is_the_last_threshold_within_the_budget(scored):
    y, s = scored
    display = PartialROCDisplay.from_predictions(y, s, max_fpr=0.1, n_resamples=0)
    point = display.curves[0].point
    assert point == threshold_at_fpr(y, s, max_fpr=0.1) == operating_point(y, s, Region(max_fpr=0.1, min_tpr=0.5))
    assert display.point_[0].get_xydata().tolist() == [[point.fpr, point.tpr]]
    assert display.point_[0].get_label().startswith(f"threshold \u2248 {point.threshold:.4g}: ")
    fpr, tpr, _ = partial_roc_curve(y, s, drop_intermediate=False)
    last = np.flatnonzero(fpr <= 0.1)[-1]
    assert (point.fpr, point.tpr) == (fpr[last], tpr[last])


@settings(max_examples=50, deadline=None)
@given(samples(), st.sampled_from([0.05, 0.5, 0.9, 0.999]), st.booleans())
def test_where_only_a_tpr_is_asked_for_the_point_is_the_largest_threshold_that_reaches_it(sample, min_tpr, weighted):
    y, s = sample
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    point = operating_point(y, s, Region(min_tpr=min_tpr), sample_weight=weight)

    def rate(of, threshold):
        return np.average(s[of] >= threshold, weights=None if weight is None else weight[of])

    assert point.threshold == max(t for t in s if rate(y, t) >= min_tpr - 1e-9)
    assert point.tpr == pytest.approx(rate(y, point.threshold))
    assert point.fpr == pytest.approx(rate(~y, point.threshold))
    assert point.fpr == pytest.approx(fpr_at_tpr(y, s, min_tpr=min_tpr, sample_weight=weight))


def test_the_point_of_a_tpr_region_is_drawn_on_its_lower_edge(scored):
    display = PartialROCDisplay.from_predictions(*scored, min_tpr=0.9, n_resamples=0)
    ((fpr, tpr),) = display.point_[0].get_xydata().tolist()
    assert tpr == 0.9  # 54 of 60 positives
    assert fpr == fpr_at_tpr(*scored, min_tpr=0.9) < 1


def test_without_resamples_there_is_neither_interval_nor_band(scored):
    display = PartialROCDisplay.from_predictions(*scored, max_fpr=0.1, n_resamples=0)
    assert display.band_ == []
    assert display.line_.get_label() == f"pAUC {partial_auc_score(*scored, max_fpr=0.1):.3f}"


def test_several_displays_share_axes_without_shading_twice(scored):
    y, s = scored
    first = PartialROCDisplay.from_predictions(y, s, max_fpr=0.1, name="a", n_resamples=0)
    second = PartialROCDisplay.from_predictions(y, -s, max_fpr=0.1, name="b", n_resamples=0, ax=first.ax_)
    assert second.region_ is first.region_
    assert second.figure_ is first.figure_
    assert second.line_.get_color() != first.line_.get_color()


def test_named_curves_have_colours_and_legend_entries_of_their_own(scored):
    y, s = scored
    region = Region(max_fpr=0.5, min_tpr=0.5)
    curves = [RegionCurve.of(y, values, region, name=name, n_resamples=0) for name, values in (("_a$", s), ("b", -s))]
    display = PartialROCDisplay(curves=curves, region=region).plot(plot_chance_level=True, despine=True)
    assert len({line.get_color() for line in display.line_}) == 2
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[0] == "region FPR \u2264 0.5, TPR \u2265 0.5"
    assert texts[1].startswith(r" _a\$: pAUC")
    assert texts[2].startswith("b: pAUC")
    assert texts[-1] == "chance"
    assert display.chance_level_ is not None
    assert not display.ax_.spines["top"].get_visible()
    display.figure_.canvas.draw()


def test_weights_and_groups_reach_everything_shown(scored):
    y, s = scored
    rng = np.random.default_rng(1)
    weight, groups = rng.uniform(0.5, 2, len(y)), rng.integers(0, 80, len(y))
    options = {"max_fpr": 0.2, "sample_weight": weight, "groups": groups, "n_resamples": 50, "level": 0.8}
    curve = PartialROCDisplay.from_predictions(y, s, **options).curves[0]
    assert curve.interval == partial_auc_interval(y, s, **options)
    grid, low, high = curve.band
    sample = Sample.read(y, {"y_score": s}, sample_weight=weight, groups=groups)
    np.testing.assert_array_equal((low, high), roc_band(sample, grid, n_resamples=50, level=0.8))


def test_negatives_of_groups_give_no_binomial_bound(scored):
    alone, together = (operating_point(*scored, Region(max_fpr=0.2), groups=of) for of in (None, range(len(scored[0]))))
    assert together == replace(alone, fpr_upper=None) != alone


def test_a_convention_reaches_the_value_and_its_interval(scored):
    options = {"region": Region(max_fpr=0.2), "convention": "sklearn"}
    curve = RegionCurve.of(*scored, **options, n_resamples=50)
    assert curve.partial_auc == pytest.approx(partial_auc_score(*scored, **options))
    assert curve.interval == partial_auc_interval(*scored, **options, n_resamples=50)


@pytest.mark.parametrize("model", [LogisticRegression(), RidgeClassifier()])
@pytest.mark.parametrize("pos_label", [None, 0, 1])
def test_estimator_gives_its_scores_for_either_class(classified, model, pos_label):
    X, y = classified
    model.fit(X, y)
    display = PartialROCDisplay.from_estimator(model, X, y, max_fpr=0.2, pos_label=pos_label, n_resamples=0)
    scores = model.decision_function(X) if pos_label != 0 else -model.decision_function(X)
    expected = partial_auc_score(y == (1 if pos_label is None else pos_label), scores, max_fpr=0.2)
    assert display.curves[0].partial_auc == pytest.approx(expected, abs=1e-12)
    assert display.curves[0].name == type(model).__name__
    assert display.ax_.get_xlabel() == f"False Positive Rate (Positive label: {1 if pos_label is None else pos_label})"


@pytest.mark.parametrize("pos_label", [0, 1])
def test_raw_scores_of_an_objective_of_ones_own_are_taken_as_they_are(classified, pos_label):
    X, y = classified
    model = LGBMClassifier(objective=lightgbm_objective(max_fpr=0.2), n_estimators=5, verbosity=-1).fit(X, y)
    raw = model.predict(X, raw_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM says that these are no probabilities
        display = PartialROCDisplay.from_estimator(model, X, y, max_fpr=0.2, pos_label=pos_label, n_resamples=0)
    expected = partial_auc_score(y == pos_label, raw if pos_label else -raw, max_fpr=0.2)
    assert display.curves[0].partial_auc == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("frame", [False, True])
def test_folds_share_a_colour_and_one_legend_entry(classified, frame):
    X, y = classified
    y = np.where(y == 1, "sick", "well")
    data = (pd.DataFrame(X), pd.Series(y)) if frame else (X, y)
    folds = cross_validate(LogisticRegression(), *data, cv=3, return_estimator=True, return_indices=True)
    display = PartialROCDisplay.from_cv_results(folds, *data, max_fpr=0.2, pos_label="sick")
    assert len(display.line_) == len(display.point_) == 3
    assert len({line.get_color() for line in display.line_}) == 1
    values = [
        partial_auc_score(
            y[rows] == "sick", model.predict_proba(X[rows] if not frame else data[0].iloc[rows])[:, 0], max_fpr=0.2
        )
        for model, rows in zip(folds["estimator"], folds["indices"]["test"], strict=True)
    ]
    summary = f"LogisticRegression: pAUC {np.mean(values):.3f} +/- {np.std(values):.3f} (3 folds)"
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][1:] == [summary]


def test_folds_take_groups_and_level(classified):
    X, y = classified
    groups = np.arange(len(y)) // 4
    folds = cross_validate(LogisticRegression(), X, y, cv=2, return_estimator=True, return_indices=True)
    options = {"max_fpr": 0.2, "n_resamples": 30, "level": 0.8}
    display = PartialROCDisplay.from_cv_results(folds, X, y, groups=groups, **options)
    for curve, model, rows in zip(display.curves, folds["estimator"], folds["indices"]["test"], strict=True):
        scores = model.predict_proba(X[rows])[:, 1]
        assert curve.interval == partial_auc_interval(y[rows], scores, groups=groups[rows], **options)


def test_folds_of_other_data_are_an_error(classified):
    X, y = classified
    folds = cross_validate(LogisticRegression(), X, y, cv=2, return_estimator=True, return_indices=True)
    for rows in (slice(0, 390), np.arange(410) % 400):
        with pytest.raises(InputError, match=r"X has (390|410) rows .* 400"):
            PartialROCDisplay.from_cv_results(folds, X[rows], y[rows])
    with pytest.raises(InputError, match="y has 390 rows"):
        PartialROCDisplay.from_cv_results(folds, X, y[:390].tolist())
    with pytest.raises(InputError, match="groups has 390 rows"):
        PartialROCDisplay.from_cv_results(folds, X, y, groups=np.arange(390))
    part = ShuffleSplit(2, train_size=0.3, test_size=0.3, random_state=0)
    folds = cross_validate(LogisticRegression(), X, y, cv=part, return_estimator=True, return_indices=True)
    assert len(PartialROCDisplay.from_cv_results(folds, X, y, max_fpr=0.2).line_) == 2


def test_a_style_for_each_fold_gives_each_a_legend_entry(classified):
    X, y = classified
    folds = cross_validate(LogisticRegression(), X, y, cv=2, return_estimator=True, return_indices=True)
    styles = [{"color": "red"}, {"color": "green", "label": "second"}]
    display = PartialROCDisplay.from_cv_results(folds, X, y, max_fpr=0.2, curve_kwargs=styles)
    assert [line.get_color() for line in display.line_] == ["red", "green"]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][2] == "second"
    with pytest.raises(InputError, match="curve_kwargs"):
        display.plot(curve_kwargs=styles[:1])


def test_plot_draws_again_under_another_name(scored):
    display = PartialROCDisplay.from_predictions(*scored, max_fpr=0.1, name="old", n_resamples=0)
    first = display.ax_
    display.plot(name="new", curve_kwargs={"ls": "--", "c": "red"}, plot_chance_level=True, chance_level_kw={"lw": 3})
    assert display.ax_ is not first
    assert display.line_.get_label().startswith("new: ")
    assert display.line_.get_linestyle() == "--"
    assert display.line_.get_color() == "red"
    assert display.chance_level_.get_linewidth() == 3


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_figure_is_written(scored, tmp_path, suffix):
    path = tmp_path / f"roc.{suffix}"
    PartialROCDisplay.from_predictions(*scored, max_fpr=0.1, n_resamples=50).figure_.savefig(path)
    assert path.stat().st_size > 1000


def test_a_class_is_named_to_the_letter(scored, tmp_path):
    y_true, y_score = scored
    price = np.where(np.asarray(y_true) == 1, "$^$", "none")
    display = PartialROCDisplay.from_predictions(price, y_score, max_fpr=0.1, pos_label="$^$", n_resamples=0)
    display.figure_.savefig(tmp_path / "roc.png")  # as a formula it would be an error
    assert display.ax_.get_xlabel() == r"False Positive Rate (Positive label: \$^\$)"


def test_bad_input_is_an_error(classified):
    X, y = classified
    with pytest.raises(ScoreError):
        PartialROCDisplay.from_predictions([0, 1], [0.1, np.nan])
    with pytest.raises(LabelError):
        PartialROCDisplay.from_predictions([1, 1], [0.1, 0.2])
    with pytest.raises(InputError, match="return_estimator"):
        PartialROCDisplay.from_cv_results({}, X, y)
    with pytest.raises(InputError, match="fitted classifier"):
        PartialROCDisplay.from_estimator(LogisticRegression(), X, y)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InputError, match="pos_label='sick'"):
        PartialROCDisplay.from_estimator(model, X, y, pos_label="sick")
    with pytest.raises(InputError, match="response_method"):
        PartialROCDisplay.from_estimator(model, X, y, response_method="predict")


def test_without_matplotlib_the_error_names_the_extra(scored, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"pauci\[plot\]"):
        PartialROCDisplay.from_predictions(*scored, n_resamples=0)


def test_a_model_is_drawn_by_what_the_scorer_judges():
    """Its probabilities are 1 where the region is: they tie, and the region's operating point would find nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    y = X[:, 0] + rng.normal(size=400) > 1
    model = LogisticRegression().fit(X, y)
    model.coef_ *= 1e3
    (curve,) = PartialROCDisplay.from_estimator(model, X, y, max_fpr=0.05, n_resamples=0).curves
    plt.close("all")
    assert curve.point.tpr == threshold_at_fpr(y, model.decision_function(X), max_fpr=0.05).tpr > 0


@pytest.mark.parametrize("kind", [pa.table, lambda columns: sparse.coo_matrix(np.column_stack([*columns.values()]))])
def test_folds_of_every_container_that_cross_validate_takes_are_drawn(kind):
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=200), "b": rng.normal(size=200)}
    y = columns["a"] > 0.5
    X, scores = kind(columns), {}
    for name, data in (("kind", X), ("matrix", np.column_stack([*columns.values()]))):
        found = cross_validate(LogisticRegression(), data, y, cv=3, return_estimator=True, return_indices=True)
        display = PartialROCDisplay.from_cv_results(found, data, y, max_fpr=0.5, n_resamples=0)
        scores[name] = [(curve.point.fpr, curve.point.tpr) for curve in display.curves]
        plt.close("all")
    assert scores["kind"] == scores["matrix"]
