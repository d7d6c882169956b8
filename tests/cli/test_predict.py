import dataclasses
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from pauci.data import read_columns
from pauci.metrics import partial_auc_score
from pauci.tabular.model_file import save_model
from payments import model, payments
from terminal import failed

COLUMNS = ["score", "probability", "decision"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    fitted = model("lightgbm", folder)
    save_model(fitted, folder / "m.pauci")
    return fitted, folder / "m.pauci"


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.csv"
    payments(250, seed=2).drop(columns="fraud").to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_rows_are_scored_in_their_order_whatever_the_format(run, fitted, new, tmp_path, suffix):
    out = tmp_path / f"scores{suffix}"
    code, printed, err = run("predict", fitted[1], new, "-o", out, "--id", "key", "--rows", 64)
    assert (code, printed) == (0, "")
    scores = fitted[0].score_file(new)
    assert f"{(scores >= 0).sum()} of 250 rows" in err
    assert "fpr<=0.1 (guaranteed)" in err
    found = read_columns(out, ["key", *COLUMNS], numeric=COLUMNS)
    assert found["key"].tolist() == payments(250, seed=2)["key"].tolist()
    assert np.array_equal(found["score"], scores)
    assert np.array_equal(found["decision"], scores >= 0)
    assert np.array_equal(found["probability"], fitted[0].probability(scores))


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.gz"])
def test_tabs_separate_where_the_suffix_says_so(run, fitted, new, tmp_path, suffix):
    out = tmp_path / f"scores{suffix}"
    assert run("predict", fitted[1], new, "-o", out)[0] == 0
    assert list(pd.read_csv(out, sep="\t").columns) == COLUMNS


@pytest.mark.parametrize("suffix", [".parquet", ".tsv"])
def test_rows_come_from_any_table(run, fitted, new, tmp_path, suffix):
    other, table = tmp_path / f"new{suffix}", pd.read_csv(new, dtype={"day": str})
    if suffix == ".parquet":
        table.assign(day=pd.to_datetime(table["day"])).to_parquet(other, row_group_size=100)
    else:
        table.to_csv(other, index=False, sep="\t")
    out = tmp_path / "scores.csv"
    assert run("predict", fitted[1], other, "-o", out)[0] == 0
    assert list(pd.read_csv(out).columns) == COLUMNS
    assert pd.read_csv(out)["score"].to_numpy() == pytest.approx(fitted[0].score_file(new), rel=1e-12)


@pytest.mark.parametrize("out", ["scores.csv", "scores.parquet"])
@pytest.mark.parametrize("has_arrow", [True, False])
def test_identifiers_are_kept_to_the_letter(run, fitted, new, tmp_path, monkeypatch, out, has_arrow):
    if not has_arrow:
        if out.endswith("parquet"):
            pytest.skip("Parquet needs pyarrow")
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    names = ["", "", "NA", "null", "None", " pad ", "007", "?"]
    table = pd.read_csv(new, dtype={"day": str}).head(len(names)).assign(key=names)
    table.to_csv(new, index=False)
    assert run("predict", fitted[1], new, "--id", "key", "-o", tmp_path / out, "--rows", 2)[0] == 0
    if out.endswith("parquet"):
        kept = pd.read_parquet(tmp_path / out)["key"].fillna("").tolist()
    else:
        kept = pd.read_csv(tmp_path / out, keep_default_na=False)["key"].tolist()
    assert kept == names


@pytest.mark.parametrize(("source", "out"), [("new.parquet", "scores.parquet"), ("new.parquet", "scores.csv")])
def test_identifiers_keep_their_type(run, fitted, new, tmp_path, source, out):
    whole = np.arange(250) + 2**60
    table = pd.read_csv(new).assign(key=whole, kind=pd.Series(["x", None] * 125, dtype="category"))
    table.assign(day=pd.to_datetime(table["day"])).to_parquet(tmp_path / source, row_group_size=100)
    options = ("--id", "key", "--id", "kind", "-o", tmp_path / out, "--rows", 64)
    assert run("predict", fitted[1], tmp_path / source, *options)[0] == 0
    found = pd.read_parquet(tmp_path / out) if out.endswith("parquet") else pd.read_csv(tmp_path / out)
    assert found["key"].dtype == np.int64
    assert found["key"].tolist() == whole.tolist()
    assert found["kind"].fillna("-").tolist() == ["x", "-"] * 125


def test_neither_the_rows_nor_the_model_are_overwritten(run, fitted, new, tmp_path):
    before = new.read_bytes()
    assert failed(run("predict", fitted[1], new, "-o", new), "is the file itself, which would be lost")
    other = tmp_path / "model.csv"
    other.symlink_to(fitted[1])
    assert failed(run("predict", fitted[1], new, "-o", other), "is the model itself")
    assert failed(run("predict", new, fitted[1]), f"pauci predict {fitted[1]} {new}`")
    assert new.read_bytes() == before


def test_errors_about_standard_input_say_so(run, fitted, new, monkeypatch):
    rows = pd.read_csv(new).drop(columns="age").to_csv(index=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.encode())))
    assert failed(run("predict", fitted[1], "-"), "standard input has no column 'age'")


def test_standard_input_to_standard_output(run, fitted, new, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(new.read_bytes())))
    code, printed, err = run("predict", fitted[1], "-")
    assert code == 0
    found = pd.read_csv(io.StringIO(printed))
    assert found["score"].to_numpy() == pytest.approx(fitted[0].score_file(new), rel=1e-12)
    assert "250 rows" in err


def test_standard_output_is_utf_8_whatever_the_terminal_speaks(run, fitted, new, monkeypatch):
    pd.read_csv(new).assign(key="Z\u00fcrich").to_csv(new, index=False)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert run("predict", fitted[1], new, "--id", "key")[0] == 0
    assert written.getvalue().decode().count("Z\u00fcrich,") == 250


def test_columns_that_are_not_read_are_named(run, fitted, new, tmp_path):
    _, _, err = run("predict", fitted[1], new, "-o", tmp_path / "s.csv")
    assert "note: columns that the model does not read: 'key'" in err
    assert "note" not in run("predict", fitted[1], new, "-o", tmp_path / "s.csv", "--id", "key")[2]


@pytest.mark.parametrize("kind", ["lightgbm", "linear"])
def test_columns_that_the_model_cannot_know_are_told(run, fitted, new, tmp_path, kind):
    path, out = tmp_path / "m.pauci", tmp_path / "s.csv"
    save_model(model(kind, fitted[1].parent), path)
    assert "warning" not in run("predict", path, new, "-o", out)[2]
    table = pd.read_csv(new)
    broken = table.assign(country=table["country"].str.lower(), age=None)
    broken.to_csv(new, index=False)
    code, _, err = run("predict", path, new, "-o", out, "--rows", 64)
    assert code == 0
    assert f"warning: column 'country': 100% of {table['country'].count()} values were not there" in err
    assert "warning: column 'age' has no values" in err
    assert err.count("warning") == 2
    assert "for cases like those the model was fitted on, the threshold keeps fpr<=0.1" in err
    broken[:10].to_csv(new, index=False)
    assert "warning" not in run("predict", path, new, "-o", out)[2]
    some = table["country"].where(np.arange(len(table)) % 3 > 0, "AT")
    table.assign(country=some).to_csv(new, index=False)
    assert "warning" not in run("predict", path, new, "-o", out)[2]


def test_another_unit_is_told(run, fitted, new, tmp_path):
    out = tmp_path / "s.csv"
    table = pd.read_csv(new)
    table.assign(amount=100 * table["amount"]).to_csv(new, index=False)
    _, _, err = run("predict", fitted[1], new, "-o", out, "--rows", 64)
    assert err.count("warning") == 1
    assert "warning: column 'amount': 100% of " in err
    assert "another unit?" in err
    table.assign(amount=1.2 * table["amount"]).to_csv(new, index=False)
    assert "warning" not in run("predict", fitted[1], new, "-o", out)[2]


def test_labels_kept_beside_scores_can_be_judged_at_once(run, fitted, tmp_path):
    test, out = tmp_path / "test.csv", tmp_path / "scores.csv"
    table = payments(250, seed=2)
    table.to_csv(test, index=False)
    assert run("predict", fitted[1], test, "-o", out, "--id", "key", "--id", "fraud", "--rows", 64)[0] == 0
    found = pd.read_csv(out)
    assert list(found) == ["key", "fraud", *COLUMNS]
    assert found["fraud"].tolist() == table["fraud"].tolist()
    judge = ("--label", "fraud", "--positive", "fraud", "--region", "fpr<=0.1", "--resamples", 20, "--json")
    code, printed, err = run("score", out, *judge)
    assert (code, err) == (0, "")
    (judged,) = json.loads(printed)["scores"]
    assert judged["name"] == "score"
    expected = partial_auc_score(table["fraud"] == "fraud", fitted[0].score_file(test), max_fpr=0.1)
    assert judged["partial_auc"] == pytest.approx(expected)
    alone = run("compare", fitted[1], "--data", test)
    assert failed(alone, "only one score", "`pauci score`", "--id fraud")
    assert failed(run("score", fitted[1], *judge), "is a model", "pauci predict")


def test_memory_holds_one_part_at_a_time(fitted, new, monkeypatch):
    sizes = []
    monkeypatch.setattr(type(fitted[0]), "score", lambda self, X: sizes.append(len(X)) or np.zeros(len(X)))
    assert sum(map(len, fitted[0].iter_scores(new, rows=60))) == 250
    assert sizes == [60, 60, 60, 60, 10]


def test_what_goes_wrong_is_one_line_and_leaves_no_file(run, fitted, new, tmp_path):
    out = tmp_path / "scores.csv"
    path = fitted[1]
    assert failed(run("predict", tmp_path / "none.pauci", new, "-o", out), "none.pauci does not exist", "pauci fit")
    assert failed(run("predict", new, new, "-o", out), "not a model file")
    assert failed(run("predict", path, tmp_path / "knew.csv", "-o", out), "did you mean", "new.csv")
    assert failed(run("predict", path, new, "-o", tmp_path / "scores.xlsx"), "scores are written to")
    # Before anything is read.
    assert failed(run("predict", "none.pauci", new, "-o", tmp_path / "no" / "s.csv"), "--out", "create it first")
    assert failed(run("predict", path, new, "-o", out, "--id", "keys"), "no column 'keys'; did you mean 'key'?")
    bad = tmp_path / "bad.csv"
    table = pd.read_csv(new)
    table.drop(columns=["age", "day"]).to_csv(bad, index=False)
    assert failed(run("predict", path, bad, "-o", out), "no column 'age' (and 1 more), which the model reads")
    table.rename(columns={"key": "score"}).to_csv(bad, index=False)
    assert failed(run("predict", path, bad, "-o", out, "--id", "score"), "column of this name too")
    table.astype({"amount": object}).replace({"amount": {table["amount"][200]: "lots"}}).to_csv(bad, index=False)
    assert failed(run("predict", path, bad, "-o", out, "--rows", 50), "line 202", "'lots'")
    assert {each.name for each in tmp_path.iterdir()} == {"new.csv", "bad.csv"}


def test_export_says_what_it_wrote(run, fitted, tmp_path):
    code, printed, _ = run("export", fitted[1], "-o", tmp_path / "m.txt")
    assert (code, printed.split()) == (0, [str(tmp_path / "m.txt"), str(tmp_path / "m.txt.json")])
    assert failed(run("export", fitted[1], "-o", tmp_path / "m.onnx"), "exported as a .txt file")


def test_models_are_compared_on_labelled_rows(run, fitted, tmp_path):
    other, test = tmp_path / "linear.pauci", tmp_path / "test.csv"
    linear = model("linear", fitted[1].parent)
    save_model(linear, other)
    labelled = payments(400, seed=3)
    labelled.to_csv(test, index=False)
    code, printed, err = run("compare", other, fitted[1], "--data", test, "--resamples", 20, "--json")
    assert (code, err) == (0, "")
    found = json.loads(printed)
    assert [each["name"] for each in found["scores"]] == ["linear.pauci", "m.pauci"]
    assert found["region"] == "fpr<=0.1"
    for each, one in zip(found["scores"], (linear, fitted[0]), strict=True):
        expected = partial_auc_score(labelled["fraud"] == "fraud", one.score_file(test), max_fpr=0.1)
        assert each["partial_auc"] == pytest.approx(expected)
    assert failed(run("compare", other, fitted[1]), "--data")
    run("predict", fitted[1], test, "--id", "fraud", "-o", tmp_path / "scores.csv")
    assert failed(run("compare", tmp_path / "scores.csv", fitted[1]), "none of the columns that the model", "--data")
    seen = fitted[1].parent / "payments.csv"
    code, _, err = run("compare", other, fitted[1], "--data", seen, "--resamples", 20, "--json")
    assert (code, err.count(f"was fitted on {seen}")) == (0, 2)


def test_models_are_judged_by_another_label_in_its_own_words(run, fitted, tmp_path):
    test, other = tmp_path / "test.csv", tmp_path / "other.pauci"
    late = np.arange(250) % 5 == 0
    payments(250, seed=2).assign(late=late.astype(int)).to_csv(test, index=False)
    save_model(fitted[0], other)
    judge = ("compare", fitted[1], other, "--data", test, "--resamples", 20, "--label", "late", "--json")
    code, printed, _ = run(*judge)
    assert code == 0
    expected = partial_auc_score(late, fitted[0].score_file(test), max_fpr=0.1)
    assert json.loads(printed)["scores"][0]["partial_auc"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "option"), [({"positive": "honest"}, "--positive"), ({"target": "late"}, "--label")]
)
def test_models_of_different_things_are_not_compared(run, fitted, tmp_path, change, option):
    test, other = tmp_path / "test.csv", tmp_path / "other.pauci"
    payments(250, seed=2).to_csv(test, index=False)
    save_model(dataclasses.replace(fitted[0], **change), other)
    judge = ("compare", fitted[1], other, "--data", test, "--resamples", 20)
    assert failed(run(*judge), "different things", option)
    assert run(*judge, option, "fraud")[0] == 0
