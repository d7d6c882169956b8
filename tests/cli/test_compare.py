import json

import numpy as np
import pandas as pd
import pytest

from pauci.metrics import compare_partial_auc, partial_auc_score
from terminal import failed

REGION = ("--region", "fpr<=0.1", "--resamples", 20)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.2).astype(int)
    hard = rng.normal(size=600)
    return pd.DataFrame(
        {
            "id": [f"t{i:03d}" for i in range(600)],
            "y": y,
            "good": hard + 2 * y,
            "weak": hard + y + rng.normal(size=600),
            "who": [i % 90 for i in range(600)],
        }
    )


@pytest.fixture
def files(table, tmp_path):
    """Two files of scores, of which the second has the rows in another order, and no labels."""
    first, second = tmp_path / "first.csv", tmp_path / "second.tsv"
    table[["id", "y", "good", "who"]].to_csv(first, index=False)
    shuffled = table.sample(frac=1, random_state=1)
    shuffled.rename(columns={"weak": "score"})[["score", "id"]].to_csv(second, index=False, sep="\t")
    return first, second


def the_difference(table):
    return compare_partial_auc(table["y"], table["weak"], table["good"], max_fpr=0.1, n_resamples=20)


@pytest.mark.parametrize("key", ["id", "number", "long"])
def test_rows_in_another_order_are_noticed_by_what_tells_them_apart(run, table, tmp_path, key):
    table = table.assign(number=np.arange(600) + 1000, long=np.arange(600) + 10**17)
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    table.rename(columns={"good": "score"})[[key, "y", "score", "who"]].to_csv(first, index=False)
    other = table.rename(columns={"weak": "score"})[[key, "score", "who"]]
    other.to_csv(second, index=False)
    assert run("compare", first, second, *REGION)[0] == 0
    other.sample(frac=1, random_state=1).to_csv(second, index=False)
    assert failed(run("compare", first, second, *REGION), f"line 2: '{key}' differs", f"--id {key}")
    assert run("compare", first, second, *REGION, "--id", key)[0] == 0
    # What is no identifier may differ: a name of the model, another score, or a number that several rows have.
    table.rename(columns={"good": "score"}).assign(by="a")[[key, "y", "score", "who", "by"]].to_csv(first, index=False)
    other = other.assign(by="b")
    for shift in (0.5, 1):
        other.assign(**{key: table[key], "who": table["who"] + shift}).to_csv(second, index=False)
        assert run("compare", first, second, *REGION)[0] == 0


def test_scores_that_rank_alike_are_marked(run, table, tmp_path):
    path = tmp_path / "a.csv"
    table.assign(twice=2 * table["good"])[["y", "good", "twice", "weak"]].to_csv(path, index=False)
    code, out, _ = run("score", path, *REGION, "--json")
    assert code == 0
    assert [each["same_ranking"] for each in json.loads(out)["comparisons"]] == [True, False]


def test_rows_are_matched_by_a_key(run, table, files):
    code, out, err = run("compare", *files, *REGION, "--id", "id", "--score", "good", "--score", "score", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [each["name"] for each in found["scores"]] == ["first.csv", "second.tsv"]
    (comparison,) = found["comparisons"]
    expected = the_difference(table)
    assert [comparison["difference"], comparison["low"], comparison["high"]] == pytest.approx(
        [expected.difference, expected.low, expected.high]
    )


def test_rows_are_taken_in_order_without_a_key(run, table, tmp_path):
    labelled, other = tmp_path / "a.csv", tmp_path / "b.parquet"
    table[["y", "good"]].to_csv(labelled, index=False)
    table[["weak"]].to_parquet(other)
    found = json.loads(run("compare", labelled, other, *REGION, "--json")[1])
    assert found["comparisons"][0]["difference"] == pytest.approx(the_difference(table).difference)


def test_labels_may_come_from_a_file_of_their_own(run, table, files, tmp_path):
    labels = tmp_path / "truth.csv"
    table[["id", "y"]].iloc[::-1].to_csv(labels, index=False)
    found = json.loads(run("compare", *files, "--data", labels, *REGION, "--id", "id", "--json", "--score", "good",
                           "--score", "score")[1])  # fmt: skip
    for entry, name in zip(found["scores"], ("good", "weak"), strict=True):
        assert entry["partial_auc"] == pytest.approx(partial_auc_score(table["y"], table[name], max_fpr=0.1))


def test_columns_of_one_file_are_told_apart(run, table, tmp_path):
    path = tmp_path / "both.csv"
    table[["y", "good", "weak"]].to_csv(path, index=False)
    code, out, _ = run("compare", path, *REGION)
    assert code == 0
    assert "both.csv:good" in out
    assert "Difference to both.csv:good (paired)" in out


def test_dates_and_row_indices_are_no_scores(run, table, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.parquet"
    table[["y", "good"]].to_csv(first)
    table[["weak"]].assign(day=pd.Timestamp("2024-01-01")).to_parquet(second)
    found = json.loads(run("compare", first, second, *REGION, "--json")[1])
    assert [entry["name"] for entry in found["scores"]] == ["a.csv", "b.parquet"]


def test_columns_with_another_role_are_no_scores(run, table, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    table[["id", "y", "good"]].to_csv(first, index=False)
    table.rename(columns={"y": "score"})[["id", "score", "weak"]].to_csv(second, index=False)
    for given in (("y",), ("id",), ("good", "good")):
        named = [word for name in given for word in ("--score", name)]
        assert failed(
            run("compare", first, second, *REGION, "--id", "id", *named), f"--score {given[0]}", "another role"
        )
    first.write_text(first.read_text().replace("id,y,good", "id,score,good", 1))
    code, out, _ = run("compare", first, second, *REGION, "--id", "id", "--label", "score", "--json")
    assert code == 0
    assert [each["name"] for each in json.loads(out)["scores"]] == ["a.csv", "b.csv"]
    assert json.loads(out)["comparisons"][0]["difference"] == pytest.approx(the_difference(table).difference)


def test_scores_may_have_the_name_of_the_labels_in_files_that_are_matched_by_identifiers(run, table, tmp_path):
    truth, *others = (tmp_path / name for name in ("truth.csv", "good.csv", "weak.csv"))
    table[["id", "y"]].to_csv(truth, index=False)
    for path in others:
        renamed = table[["id", path.stem]].rename(columns={path.stem: "y"})
        renamed.sample(frac=1, random_state=2).to_csv(path, index=False)
    options = [*others, *REGION, "--data", truth, "--label", "y", "--id", "id"]
    code, out, _ = run("compare", *options, "--score", "y", "--json")
    assert code == 0
    assert json.loads(out)["comparisons"][0]["difference"] == pytest.approx(the_difference(table).difference)


def test_what_is_compared_without_being_named_is_told(run, table, tmp_path):
    path = tmp_path / "both.csv"
    table[["y", "good", "weak"]].to_csv(path, index=False)
    note = "note: without --score every numeric column is compared: 'both.csv:good', 'both.csv:weak'"
    assert note in run("compare", path, *REGION)[2]
    assert "note" not in run("compare", path, *REGION, "--score", "good", "--score", "weak")[2]


def test_groups_widen_the_interval_they_explain(run, table, tmp_path):
    path = tmp_path / "twice.csv"
    pd.concat([table, table])[["y", "good", "weak", "id"]].to_csv(path, index=False)
    arguments = ("compare", path, "--score", "good", "--score", "weak", *REGION, "--method", "delong", "--json")

    def width(outcome):
        found = json.loads(outcome[1])["comparisons"][0]
        return found["high"] - found["low"]

    assert width(run(*arguments, "--groups", "id")) > 1.2 * width(run(*arguments))


def test_scores_that_rank_alike_are_said_to(run, table, tmp_path):
    path = tmp_path / "t.csv"
    table[["y", "good", "weak"]].assign(twice=2 * table["good"]).to_csv(path, index=False)
    alike = "t.csv:twice ranks these rows exactly as t.csv:good does, so there is nothing to compare"
    _, both, _ = run("compare", path, *REGION)
    assert alike in both
    assert "Difference to t.csv:good" in both
    _, only, _ = run("compare", path, *REGION, "--score", "good", "--score", "twice")
    assert alike in only
    assert "Difference" not in only
    assert "ranks these rows" not in run("compare", path, *REGION, "--score", "good", "--score", "weak")[1]


def test_a_picture_is_drawn(run, table, tmp_path):
    path = tmp_path / "both.csv"
    table[["y", "good", "weak"]].to_csv(path, index=False)
    run("compare", path, *REGION, "--plot", tmp_path / "roc.svg")
    assert "<svg" in (tmp_path / "roc.svg").read_text()


def test_what_cannot_be_compared_is_one_line(run, table, files, tmp_path):
    first, second = files
    key = ("--id", "id")
    assert failed(run("compare", first, second), "say where to compare", "--region")
    assert failed(run("compare", first, first, *REGION), "is named twice")
    alone = run("compare", first, "--score", "good", *REGION)
    assert failed(alone, "only one score", "first.csv", "`pauci score`")
    assert "pauci predict" not in alone[2]  # its scores are next to the labels
    assert failed(run("compare", first, tmp_path / "firts.csv", *REGION), "firts.csv", "did you mean", "first.csv")
    assert failed(run("compare", first, second, *REGION, "--score", "goood"), "first.csv has no column 'goood'")
    assert failed(
        run("compare", first, second, *REGION, *key, "--score", "good", "--score", "score", "--score", "x"),
        "--score x", "none of the score files",
    )  # fmt: skip
    assert failed(run("compare", first, second, *REGION, "--id", "key"), "no column 'key'")
    short = tmp_path / "short.csv"
    table[["id", "weak"]].head(599).to_csv(short, index=False)
    assert failed(run("compare", first, short, *REGION), "599 rows", "600", "--id")
    assert failed(run("compare", first, short, *REGION, *key), "no row with id = 't599'")
    table[["id", "y", "weak"]].head(599).to_csv(short, index=False)
    assert failed(run("compare", first, short, *REGION), "599 rows", "600", "--id")
    table[["id", "weak"]].assign(id=[*table["id"][:599], None]).to_csv(short, index=False)
    assert failed(run("compare", first, short, *REGION, *key), "line 601: --id id is empty")
    table[["id", "weak", "good"]].assign(weak=[None, *table["weak"][1:]]).to_csv(short, index=False)
    assert failed(run("compare", first, short, *REGION), "line 2: column 'weak' has no value", "name it with --data")
    assert "--data" not in run("compare", first, short, *REGION, "--score", "weak", "--score", "good")[2]
    table[["id", "weak"]].assign(id=["t000"] * 600).to_csv(short, index=False)
    assert failed(run("compare", first, short, *REGION, *key), "line 3", "'t000' a second time")
    table.iloc[::-1][["y", "weak"]].to_csv(short, index=False)
    assert failed(run("compare", first, short, *REGION), "label differs", "another order", "--id")
    assert failed(run("compare", first, second, "--region", "fpr<=1", "--confidence", 0.9), "--confidence")
    assert failed(run("compare", first, second, *REGION, "--groups", "id", "--confidence", 0.9), "not independent")


def test_identifiers_that_became_floats_are_the_same(run, tmp_path):
    """As whole numbers do in a column of which pandas once held a missing value."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 4 == 0
    frame = pd.DataFrame({"id": np.arange(300), "label": y.astype(int), "score": rng.normal(size=300) + y})
    first, second = tmp_path / "whole.csv", tmp_path / "float.csv"
    frame.to_csv(first, index=False)
    frame.assign(id=frame.id.astype(float)).iloc[::-1].to_csv(second, index=False)
    assert "0.0" in second.read_text()
    code, out, err = run("compare", first, second, *REGION, "--id", "id", "--json")
    assert code == 0, err
    assert [each["difference"] for each in json.loads(out)["comparisons"]] == [0.0]
