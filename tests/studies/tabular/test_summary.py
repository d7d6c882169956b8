import dataclasses
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from pauci.errors import FileFormatError
from pauci.studies.store import Record, Store
from pauci.studies.tabular.gain import counts, mean_gain
from pauci.studies.tabular.page import render, summary
from pauci.studies.tabular.summary import FALLBACK, compare_cells, falling_back, newest, over_families
from pauci.studies.tabular.tables import tables


def record(task, method, seed, value, *, val=0.5, family="lightgbm", recipe="r", variant="v", parts=None):
    return Record(
        task=task,
        variant=variant,
        protocol=family,
        method=method,
        region="fpr<=0.05",
        seed=seed,
        metrics={"pauc": value},
        val_metrics={"pauc": val},
        seconds=1.0,
        device="cpu",
        recipe=recipe,
        details={"config": {}, "blocks": [0.0] * 8 if parts is None else list(parts)},
    )


def study(task, gain, *, noise=0.001, methods=("ce", "class-weight", "undersampling")):
    """Ours is better by `gain`; class weights look best in training and are no better on test halves."""
    rng = np.random.default_rng(len(task))
    found = []
    for seed in range(10):
        found += [record(task, method, seed, 0.6, val=0.7 if method == "class-weight" else 0.6) for method in methods]
        parts = noise * rng.normal(size=8)
        found.append(record(task, "ours", seed, 0.6 + gain + noise * rng.normal(), parts=parts))
    return found


def test_a_cell_is_ours_minus_the_model_that_training_halves_prefer():
    runs = study("bank", 0.05)
    # On test halves plain cross-entropy would be better; that must not matter.
    runs = [record(r.task, "ce", r.seed, 0.9, val=0.6) if r.method == "ce" else r for r in runs]
    (cell,) = compare_cells(runs)
    assert cell.reference == "class-weight"
    assert cell.comparison.difference == pytest.approx(0.05, abs=0.002)
    assert (cell.task, cell.family, cell.region) == ("bank", "lightgbm", "fpr<=0.05")
    assert cell.verdict == 1
    (other,) = compare_cells(runs, method="ce")
    assert other.comparison.difference == pytest.approx(0.3)


def test_cells_count_when_all_ten_splits_of_all_references_are_there():
    runs = study("bank", 0.05)
    assert compare_cells([run for run in runs if (run.method, run.seed) != ("undersampling", 9)]) == []
    assert compare_cells([run for run in runs if (run.method, run.seed) != ("ours", 0)]) == []
    assert compare_cells([]) == []
    assert len(compare_cells(runs)) == 1


def test_many_cells_are_corrected_for():
    rng = np.random.default_rng(0)
    runs = [run for i in range(12) for run in study(f"set {i:02}" + "x" * i, 0.0008 * rng.normal())]
    cells = compare_cells(runs)
    assert len(cells) == 12
    assert all(cell.p_holm >= cell.comparison.p_value for cell in cells)
    assert sum(cell.verdict != 0 for cell in cells) <= sum(cell.comparison.p_value < 0.05 for cell in cells)


def test_losses_are_called_so():
    (cell,) = compare_cells(study("bank", -0.05))
    assert cell.verdict == -1


def test_what_another_version_measured_is_left_out():
    old = [record("bank", "ours", seed, 0.1, recipe="old") for seed in range(10)]
    other = [record("bank", "ce", seed, 0.1, variant="older table") for seed in range(10)]
    new = study("bank", 0.05)
    assert newest([*old, *other, *new]) == new
    (cell,) = compare_cells([*old, *new])
    assert cell.comparison.difference > 0


def test_every_table_counts_the_same_in_the_mean():
    few, many = study("bank", 0.02), study("mail", 0.04)
    gain = mean_gain(compare_cells([*few, *many, *in_family(many, "xgboost")]))
    assert gain.here.difference == pytest.approx(0.03, abs=0.001)
    assert gain.elsewhere.difference == gain.here.difference
    assert gain.here.low > 0
    # Two tables say little about others.
    assert gain.elsewhere.low < 0


def in_family(runs, family):
    return [dataclasses.replace(run, protocol=family) for run in runs]


def test_tables_and_regions_are_judged_by_the_mean_over_families(tmp_path):
    # Three families with noise of their own: together they are surer than alone.
    rng = np.random.default_rng(1)
    families = ("linear", "lightgbm", "xgboost")
    for family in families:
        for seed in range(10):
            for method in ("ce", "class-weight", "undersampling"):
                Store(tmp_path).append(record("bank", method, seed, 0.6, family=family))
            value, parts = 0.602 + 0.001 * rng.normal(), 0.0035 * rng.normal(size=8)
            Store(tmp_path).append(record("bank", "ours", seed, value, parts=parts, family=family))
    cells = compare_cells(Store(tmp_path).records())
    (mean,) = over_families(cells)
    assert mean.family == "linear, lightgbm, xgboost"
    np.testing.assert_allclose(mean.differences, np.mean([cell.differences for cell in cells], axis=0))
    assert mean.comparison.difference == pytest.approx(np.mean([cell.comparison.difference for cell in cells]))
    widths = [cell.comparison.high - cell.comparison.low for cell in (mean, *cells)]
    assert widths[0] < 0.8 * np.mean(widths[1:])
    assert mean.p_holm == mean.comparison.p_value  # one cell: nothing to correct for
    assert counts(cells)["cells"] == 3
    found = summary(cells)
    assert found["gains"]["means"]["cells"] == len(found["means"]) == 1
    assert found["means"][0]["difference"] == mean.comparison.difference
    # Another table's cell is another cell.
    assert len(over_families([*cells, dataclasses.replace(cells[0], task="mail")])) == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"protocol": "forest"}, "protocol='forest'"),
        ({"metrics": {"auc": 0.5}}, "metrics lacks 'pauc'"),
        ({"val_metrics": {}}, "val_metrics lacks 'pauc'"),
        ({"details": {}}, "blocks=None"),
        ({"details": {"blocks": [0.0, "much"]}}, "blocks=.*much"),
    ],
)
def test_a_run_that_the_study_does_not_know_is_named_by_file_line_and_field(tmp_path, change, told):
    Store(tmp_path).append(dataclasses.replace(record("bank", "ce", 0, 0.5), **change))
    with pytest.raises(FileFormatError, match=rf"runs\.jsonl, line 1: .*{told}"):
        render(tmp_path, tmp_path / "page.md")


def test_a_table_that_changed_is_judged_where_it_was_measured_again():
    new = [dataclasses.replace(run, variant="new table") for run in study("bank", 0.05)]
    old = in_family(study("bank", 0.01), "xgboost")
    # A store reads file by file: what was measured last need not come last.
    assert {cell.family for cell in compare_cells([*new, *old])} == {"lightgbm", "xgboost"}
    # Models on different versions of a table are not compared.
    assert compare_cells([run for run in new if run.method == "ours"] + study("bank", 0.01)[:30]) == []


@pytest.mark.parametrize(
    ("store", "names"), [("tabular", ["tabular-study.md", "README.md"]), ("further", ["further-tables.md"])]
)
def test_the_pages_in_the_repository_say_what_its_store_says(tmp_path, store, names):
    root = Path(__file__).parents[3]
    pages = [tmp_path / ("docs" if number == 0 else "") / name for number, name in enumerate(names)]
    pages[0].parent.mkdir()
    for page in pages:
        shutil.copy(root / page.relative_to(tmp_path), page)
    render(root / "results" / store, pages[0], readme=pages[1] if len(pages) > 1 else None)
    for page in pages:
        told = (root / page.relative_to(tmp_path)).read_text(encoding="utf-8")
        assert page.read_text(encoding="utf-8") == told, "render anew: pauci study tabular --render"


def test_what_the_mean_over_folds_gains_is_told_apart():
    records = [
        record("one", method, seed, 0.5 + gain + 0.001 * seed)
        for method, gain in {"ce": 0, "class-weight": -0.1, "undersampling": -0.1, "ce-mean": 0.1, "ours": 0.3}.items()
        for seed in range(10)
    ]
    (over_best,) = compare_cells(records, method="ce-mean")
    (over_mean,) = compare_cells(records, against=("ce-mean",))
    assert over_best.comparison.difference == pytest.approx(0.1, abs=1e-9)
    assert over_mean.comparison.difference == pytest.approx(0.2, abs=1e-9)
    assert (over_best.reference, over_mean.reference) == ("ce", "ce-mean")


def test_falling_back_takes_the_anchor_where_a_loss_is_expected(tmp_path):
    records = [
        record("one", method, seed, 0.5) for method in ("ce", "class-weight", "undersampling") for seed in range(10)
    ]
    for seed in range(10):
        # A loss is expected of three splits; on test halves there was a gain.
        expected = {"expected": -0.01 if seed < 3 else 0.0}
        ours = record("one", "ours", seed, 0.6, parts=np.full(8, 0.01 * seed))
        records.append(dataclasses.replace(ours, details=ours.details | expected))
        records.append(record("one", "ce-mean", seed, 0.5, parts=np.full(8, 0.002)))
    fallback = falling_back(records)
    (cell,) = compare_cells([*records, *fallback], method=FALLBACK, against=("ours",))
    np.testing.assert_allclose(cell.differences, [-0.1] * 3 + [0] * 7, atol=1e-12)
    np.testing.assert_allclose(cell.parts[:, 0], [0.002, -0.008, -0.018] + [0] * 7, atol=1e-12)
    row = "that mean in place of ours wherever ours expects a loss, over ours | lightgbm | 1 | 0 | "
    assert row in tables(records)
    # Without the anchor, or without an expectation, nothing is said.
    assert falling_back([run for run in records if run.method != "ce-mean"]) == []
    assert row not in tables(
        [*records[:30], *(record("one", m, s, 0.5) for m in ("ours", "ce-mean") for s in range(10))]
    )


@pytest.mark.parametrize("store", ["tabular", "further"])
def test_a_loss_is_expected_of_as_many_splits_as_the_page_says(store):
    losses = defaultdict(list)
    for run in newest(Store(Path(__file__).parents[3] / "results" / store).records()):
        if run.method == "ours":
            losses[run.protocol].append(run.details["expected"] < 0)
    assert losses
    assert all(0.2 <= np.mean(family) <= 0.4 for family in losses.values())


def test_names_of_a_store_are_text_on_the_page(tmp_path):
    for one in study("<script>alert(1)</script>|\\|[x](y)\nz", 0.05):
        Store(tmp_path / "store").append(one)
    page = render(tmp_path / "store", tmp_path / "page.md")[0].read_text(encoding="utf-8")
    assert "<script" not in page
    assert r"| &lt;script>alert(1)&lt;/script>\|\\\|\[x](y) z |" in page
