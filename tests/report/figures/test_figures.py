"""Every figure shows the numbers it was given, in one style, and is written the same way every time."""

import dataclasses
import io
import re
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.colors import same_color, to_rgb
from matplotlib.legend import Legend

import pauci.report.figures as figures
from pauci.errors import InputError, MissingExtraError
from pauci.metrics import partial_auc_score
from pauci.metrics.region_curve import RegionCurve
from pauci.region import Region
from pauci.report.figures import CostLine, CostPanel, Curve, ForestRow
from pauci.report.figures.style import BLUE, GREY, VERMILION

RNG = np.random.default_rng(0)
Y = RNG.random(400) < 0.3
S = RNG.normal(size=400) + 1.2 * Y
NAME = "a $b$ <c> & _d"
REGION = Region(max_fpr=0.2)
RECORDS = [
    {"epoch": epoch, "loss": 1 / epoch, "seconds": 2.0 * epoch, "val": {"target": 0.1 * epoch, "auc": 0.2 * epoch}}
    for epoch in (1, 2, 3)
]

EXAMPLES = {
    "forest": lambda: figures.forest(
        [ForestRow(NAME, 0.1, 0.05, 0.2, NAME), ForestRow("y", 0.0, -0.1, 0.1)], title=NAME
    ),
    "convergence": lambda: figures.convergence(
        [Curve(NAME, [1, 2], [0.5, 0.6], [0.4, 0.5], [0.6, 0.7], warmup_end=1), Curve("_hidden?", [1], [0.4])],
        title=NAME,
    ),
    "heatmap": lambda: figures.heatmap([[0.1, np.nan]], [NAME], ["b", NAME], marked=[[True, False]], title=NAME),
    "regions": lambda: figures.regions(Y, S, title=NAME),
    "roc": lambda: figures.roc([RegionCurve.of(Y, S, REGION, n_resamples=50, name=NAME)], region=REGION, title=NAME),
    "history": lambda: figures.history(RECORDS, region=REGION, title=NAME),
    "cost": lambda: figures.cost([CostPanel(NAME, [CostLine(NAME, [1, 2], [3, 4], [2, 3], [4, 5])])]),
}


@pytest.mark.parametrize("draw", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_the_same_figure_is_the_same_file(draw, suffix, tmp_path):
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for path in paths:
        figures.save(draw(), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a{suffix}", f"b{suffix}"]


@pytest.mark.parametrize("draw", EXAMPLES.values(), ids=EXAMPLES)
def test_settings_of_matplotlib_are_left_alone(draw):
    def open_figures():
        return sys.modules["matplotlib.pyplot"].get_fignums() if "matplotlib.pyplot" in sys.modules else []

    before = dict(mpl.rcParams)  # reading every setting also settles the backend, once and for all
    figures_before = open_figures()  # other tests may have left some
    draw()
    assert dict(mpl.rcParams) == before
    assert open_figures() == figures_before


def test_names_that_no_order_of_imports_hides():
    code = (
        "from pauci.report.figures import ForestRow, Curve, CostPanel\nimport pauci.report.figures as f\n"
        "assert all(callable(getattr(f, name)) for name in f.__all__)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_matplotlib_names_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pauci\[plot\]"):
        figures.forest([ForestRow("x", 0, -1, 1)])


def test_an_unfinished_picture_is_never_left(tmp_path, monkeypatch):
    figure = EXAMPLES["forest"]()
    path = tmp_path / "old.png"
    path.write_text("old")
    monkeypatch.setattr(type(figure), "savefig", lambda self, target, **_: (target.write_text("half"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        figures.save(figure, path)
    assert [p.name for p in tmp_path.iterdir()] == ["old.png"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("path", ["x.gif", "nowhere/x.png", "x"])
def test_pictures_that_cannot_be_written(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=re.escape(path)):
        figures.save(EXAMPLES["forest"](), path)


def drawn(figure, y):
    """Interval and marker of the row at a height."""
    bars = [line for line in figure.axes[0].lines if set(line.get_ydata()) == {y} and len(line.get_xdata()) == 2]
    dots = [line for line in figure.axes[0].lines if list(line.get_ydata()) == [y] and line.get_marker() == "o"]
    assert len(bars) == len(dots) == 1
    return bars[0], dots[0]


def test_forest_rows_are_where_their_numbers_are():
    rows = [ForestRow("up", 0.2, 0.1, 0.3), ForestRow("down", -0.2, -0.3, -0.1), ForestRow("none", 0.1, -0.1, 0.3)]
    figure = figures.forest(rows, xlabel="gain")
    for y, (row, color) in enumerate(zip(rows, (BLUE, VERMILION, GREY), strict=True)):
        bar, dot = drawn(figure, y)
        assert list(bar.get_xdata()) == [row.low, row.high]
        assert list(dot.get_xdata()) == [row.estimate]
        assert same_color(bar.get_color(), color)
        assert same_color(dot.get_markerfacecolor(), "white" if row.label == "none" else color)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["up", "down", "none"]
    assert "+0.200 [+0.100, +0.300]" in [text.get_text() for text in figure.axes[0].texts]
    assert figure.axes[0].get_ylim()[0] > figure.axes[0].get_ylim()[1]  # the first row is on top
    assert figure.axes[0].get_xlabel() == "gain"


def test_forest_reference_and_correction_decide_the_colour():
    corrected = ForestRow("p", 0.2, 0.1, 0.3, significant=False)
    assert same_color(drawn(figures.forest([corrected]), 0)[0].get_color(), GREY)
    plain = dataclasses.replace(corrected, significant=None)
    assert same_color(drawn(figures.forest([plain], reference=0.5), 0)[0].get_color(), VERMILION)


def test_forest_groups_stay_together_below_their_name():
    rows = [ForestRow(label, 1, 1, 1, group) for label, group in (("a1", "A"), ("b1", "B"), ("a2", "A"))]
    ax = figures.forest(rows).axes[0]
    heights = {label.get_text(): y for y, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)}
    heights |= {text.get_text(): text.get_position()[1] for text in ax.texts if text.get_text() in "AB"}
    assert sorted(heights, key=heights.get) == ["A", "a1", "a2", "B", "b1"]


@pytest.mark.parametrize("values", [(np.nan, 0, 1), (0, -np.inf, 1), (0, 1, -1)])
def test_forest_rows_must_be_intervals(values):
    with pytest.raises(InputError, match="'bad'"):
        ForestRow("bad", *values)


def test_convergence_shows_lines_bands_and_warm_up():
    ax = EXAMPLES["convergence"]().axes[0]
    assert list(ax.lines[0].get_ydata()) == [0.5, 0.6]
    assert ax.lines[1].get_marker() == "o"  # a line of one point would be invisible
    assert len(ax.collections) == 1
    assert [line.get_xdata()[0] for line in ax.lines if list(line.get_ydata()) == [0, 1]] == [1]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [NAME.replace("$", r"\$"), " _hidden?"]


@pytest.mark.parametrize("change", [{"y": [1]}, {"low": [1, 2]}, {"low": [1], "high": [1, 2]}])
def test_convergence_curves_must_fit_together(change):
    with pytest.raises(InputError, match="'c'"):
        Curve(**{"label": "c", "x": [1, 2], "y": [1, 2], **change})


def test_convergence_takes_arrays_of_any_kind_and_keeps_the_legend_off_lines_that_fall():
    for end, place in ((0.9, "lower right"), (0.1, "upper right")):
        x, y = np.arange(1, 4), np.linspace(0.5, end, 3)
        for given in ((x, y), (pd.Series(x), pd.Series(y)), (torch.tensor(x), torch.tensor(y))):
            figure = figures.convergence([Curve("c", *given)])
            assert figure.axes[0].get_legend()._loc == Legend.codes[place]


def shades(figure):
    image = figure.axes[0].images[0]
    return image.get_array()


def test_heatmap_shades_by_table_by_column_or_around_a_center():
    table = [[1.0, 10.0], [2.0, 30.0], [3.0, np.nan]]
    names = ["a", "b", "c"], ["x", "y"]
    np.testing.assert_allclose(shades(figures.heatmap(table, *names))[:2, 1], [9 / 29, 1.0])
    by_column = shades(figures.heatmap(table, *names, shade="column"))
    np.testing.assert_allclose(by_column.compressed(), [0, 0, 0.5, 1, 1])
    centered = shades(figures.heatmap([[-1.0, 0.0, 4.0]], ["a"], ["x", "y", "z"], center=0.0))
    np.testing.assert_allclose(centered, [[0.375, 0.5, 1.0]])
    np.testing.assert_allclose(shades(figures.heatmap([[2.0, 2.0]], ["a"], ["x", "y"])), 0)


def test_heatmap_marks_cells_and_leaves_gaps_empty():
    ax = figures.heatmap(
        [[0.0, np.nan], [-0.0001, 0.25]], ["a", "b"], ["x", "y"], marked=[[False, False], [False, True]], form="+.3f"
    ).axes[0]
    assert [text.get_text() for text in ax.texts] == ["0.000", "0.000", "+0.250"]
    assert [text.get_weight() for text in ax.texts] == ["normal", "normal", "bold"]
    assert [patch.get_center().tolist() for patch in ax.patches] == [[1.0, 1.0]]


def test_heatmap_names_of_columns_do_not_run_into_each_other():
    names = ["FPR <= 0.05", "cifar100-lt-1 (insects)", "cifar100-lt-2 (trees)", "cifar100-lt-3 (flowers)"]
    for columns in (names[:1] * 4, names):
        figure = figures.heatmap([[0.1, 0.2, 0.3, 0.4]], ["CE"], columns)
        figure.savefig(io.BytesIO())
        labels = figure.axes[0].get_xticklabels()
        slant = np.deg2rad(labels[0].get_rotation())
        for label in labels:
            label.set_rotation(0)
        boxes = [label.get_window_extent() for label in labels]
        cell = figure.axes[0].bbox.width / len(names)
        assert all(box.width < cell for box in boxes) or cell * np.sin(slant) > boxes[0].height


def test_heatmap_digits_are_readable_on_every_shade():
    """Contrast of black on the darkest shades, as web accessibility guidelines define it, is at least 7."""
    image = figures.heatmap([[-1.0, 1.0]], ["a"], ["x", "y"], center=0.0).axes[0].images[0]
    for shade in (0.0, 0.5, 1.0):
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(image.cmap(shade))]
        assert (np.dot([0.2126, 0.7152, 0.0722], linear) + 0.05) / 0.05 >= 7


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [([[1.0]], {}, "shape"), ([[1.0, np.inf]], {}, "infinite"), ([[1.0, 2.0]], {"marked": [[True]]}, "marked")],
)
def test_heatmap_tables_must_fit(table, options, message):
    with pytest.raises(InputError, match=message):
        figures.heatmap(table, ["a"], ["x", "y"], **options)


def test_regions_are_the_areas_the_metric_reports():
    one, two = Region(max_fpr=0.25), Region(max_fpr=0.6, min_tpr=0.4)
    figure = figures.regions(Y, S, one_way=one, two_way=two)
    for ax, region in zip(figure.axes, (Region(), one, two), strict=True):
        corners = ax.collections[0].get_paths()[0].vertices
        x, y = corners[:, 0], corners[:, 1]
        area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
        assert area == pytest.approx(partial_auc_score(Y, S, region=region, scale="area"))
        assert ax.get_title().endswith(f"{area / region.area:.3f}")


def test_roc_marks_the_region_on_the_whole_plane_and_enlarges_it():
    whole, close = EXAMPLES["roc"]().axes
    assert whole.get_xlim()[1] > 1 > 0.3 > close.get_xlim()[1]
    assert [patch.get_bbox().bounds for patch in whole.patches] == [(0, 0, 0.2, 1)]
    assert any("pAUC" in text.get_text() for text in close.get_legend().get_texts())
    curve = RegionCurve.of(Y, S, Region(), n_resamples=0)
    assert len(figures.roc([curve], region=Region()).axes) == 1


def test_history_shows_both_metrics_and_the_loss():
    upper, lower = EXAMPLES["history"]().axes
    for line, key in zip(upper.lines, ("target", "auc"), strict=True):
        assert list(line.get_xdata()) == [1, 2, 3]
        assert list(line.get_ydata()) == [record["val"][key] for record in RECORDS]
    assert list(lower.lines[0].get_ydata()) == [record["loss"] for record in RECORDS]
    assert lower.get_xlabel() == "epoch (6 s in all)"


def test_cost_draws_a_method_in_one_colour_and_published_numbers_dotted():
    panels = [
        CostPanel("first", [CostLine("a", [1, 2], [3, 4]), CostLine("b", [1, 2], [5, 6])]),
        CostPanel("second", [CostLine("b", [1, 2], [5, 6]), CostLine("b", [1, 2], [1, 1], published=True)]),
        CostPanel("third", []),
    ]
    figure = figures.cost(panels)
    first, second, _, empty = figure.axes
    assert same_color(first.lines[1].get_color(), second.lines[0].get_color())
    assert [line.get_linestyle() for line in second.lines] == ["-", ":"]
    assert not empty.get_visible()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]


def test_nothing_to_draw_is_an_error():
    for draw in (
        lambda: figures.forest([]),
        lambda: figures.convergence([]),
        lambda: figures.convergence([Curve("x", [], [])]),
        lambda: figures.heatmap(np.zeros((0, 0)), [], []),
        lambda: figures.roc([], region=REGION),
        lambda: figures.cost([]),
        lambda: figures.history([], region=REGION),
    ):
        with pytest.raises(InputError):
            draw()
