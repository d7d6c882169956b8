import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from pauci.cli import main
from pauci.region import Region
from pauci.training import Recipe, train


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the command in a folder of its own, as the terminal would; return exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["pauci", "report", *map(str, arguments), "--resamples", "20"])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return call


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.2).astype(int)
    frame = pd.DataFrame({"label": y, "good": rng.normal(size=400) + 2 * y, "weak": rng.normal(size=400) + y})
    frame["patient"] = [f"p{i % 90}" for i in range(400)]
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return frame


def facts_of(path):
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)[1])


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_every_score_column_is_reported(run, table, tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    if suffix == "parquet":
        table.to_parquet(path)
    if suffix == "npz":
        np.savez(path, **{name: table[name].to_numpy() for name in ("label", "good", "weak")})
    code, out, err = run(f"scores.{suffix}", "--region", "fpr<=0.1", "-o", "page.html", "--prevalence", 0.01)
    assert (code, err) == (0, "")
    assert "the report is page.html" in out
    facts = facts_of(tmp_path / "page.html")
    assert [model["name"] for model in facts["models"]] == ["good", "weak"]
    assert facts["prevalence"] == 0.01
    assert facts["models"][1]["versus"] is not None


def test_the_page_shows_the_command_that_made_it(run, table, tmp_path):
    run("scores.csv", "--region", "fpr<=0.1", "--score", "good", "--groups", "patient", "-o", "a page.html")
    page = (tmp_path / "a page.html").read_text(encoding="utf-8")
    command = re.search(r'aria-label="command"><code>(.*?)</code>', page)[1]
    assert command == (
        "pauci report scores.csv -o &#x27;a page.html&#x27; --region &#x27;fpr&lt;=0.1&#x27; --score good "
        "--groups patient --volume 10000 --level 0.95 --resamples 20 --seed 0"
    )


def test_the_command_for_a_file_that_begins_with_a_dash_can_be_run(run, table, tmp_path):
    (tmp_path / "scores.csv").rename(tmp_path / "-s.csv")
    assert run("./-s.csv", "--region", "fpr<=0.1")[0] == 0
    assert 'aria-label="command"><code>pauci report ./-s.csv -o' in (tmp_path / "report.html").read_text("utf-8")


def test_columns_of_two_files_with_the_same_labels_are_compared(run, table, tmp_path):
    for name in ("good", "weak"):
        table[["label", name]].to_csv(tmp_path / f"{name}.csv", index=False)
    assert run("good.csv", "weak.csv", "--region", "fpr<=0.1")[0] == 0
    facts = facts_of(tmp_path / "report.html")
    assert [model["name"] for model in facts["models"]] == ["good.csv", "weak.csv"]
    assert facts["models"][1]["versus"] is not None
    assert run("good.csv", "scores.csv", "--region", "fpr<=0.1")[0] == 0
    named = [model["name"] for model in facts_of(tmp_path / "report.html")["models"]]
    assert named == ["good.csv", "scores.csv:good", "scores.csv:weak"]


def test_files_of_the_same_labels_in_another_order_are_refused(run, table, tmp_path):
    """Sorted by label, the labels of both are equal row by row, and their rows are not."""
    table = table.assign(key=[f"k{row}" for row in range(len(table))]).sort_values("label", kind="stable")
    table.to_csv(tmp_path / "first.csv", index=False)
    other = table.assign(good=table.good + table.weak).sample(frac=1, random_state=0)
    other = other.sort_values("label", kind="stable")
    other.to_csv(tmp_path / "second.csv", index=False)
    asked = ("first.csv", "second.csv", "--region", "fpr<=0.1", "--score", "good")
    code, _, err = run(*asked)
    assert code == 2
    assert "second.csv, line 2: 'key' differs from that of first.csv" in err
    assert "Sort both by key" in err
    ranks = [each.assign(rank=each.good.rank().astype(int)) for each in (table, table.assign(good=table.weak))]
    for path, frame in zip(("first.csv", "second.csv"), ranks, strict=True):  # whose keys agree
        frame.to_csv(tmp_path / path, index=False)
    assert run(*asked)[0] == 0
    for path, frame in zip(("first.csv", "second.csv"), (table, other), strict=True):  # keys of each file's own
        frame.assign(key=[f"{path} {row}" for row in range(len(table))]).to_csv(tmp_path / path, index=False)
    assert run(*asked)[0] == 0
    table.to_csv(tmp_path / "first.csv", index=False)
    other.sort_values(["label", "key"]).to_csv(tmp_path / "second.csv", index=False)
    table.sort_values(["label", "key"]).to_csv(tmp_path / "first.csv", index=False)
    assert run(*asked)[0] == 0
    assert facts_of(tmp_path / "report.html")["models"][1]["versus"] is not None
    other.iloc[1:].to_csv(tmp_path / "second.csv", index=False)  # other cases: shown, not compared
    assert run(*asked)[0] == 0
    assert facts_of(tmp_path / "report.html")["models"][1]["versus"] is None


def test_runs_bring_their_region_and_their_scores(run, table, tmp_path):
    table[["good", "weak", "label"]].to_csv(tmp_path / "table.csv", index=False)
    recipe = Recipe(region=Region(max_fpr=0.2), epochs=2, batch_size=64)
    data = type(recipe.data)(table=str(tmp_path / "table.csv"), target="label")
    for folder in ("one/run", "two/run"):
        train(recipe.replace(data=data, seed=len(folder)), out=tmp_path / folder, device="cpu")
    assert run("one/run", "two/run")[0] == 0
    facts = facts_of(tmp_path / "report.html")
    assert facts["region"]["max_fpr"] == 0.2
    assert re.findall("<h3>(.*?)</h3>", (tmp_path / "report.html").read_text()) == ["one/run", "two/run"]
    train(recipe.replace(data=data, region=Region(max_fpr=0.3)), out=tmp_path / "three", device="cpu")
    code, _, err = run("one/run", "three")
    assert code == 2
    assert "different targets, fpr<=0.2, fpr<=0.3" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scores.csv"], "--region: scores.csv does not say where to judge"),
        (["nowhere.csv", "--region", "fpr<=0.1"], "nowhere.csv"),
        (["empty", "--region", "fpr<=0.1"], "not the folder of a training run"),
        (["scores.csv", "--region", "fpr<=0.1", "--score", "missing"], "missing"),
        (["scores.csv", "--region", "fpr<=0.1", "--volume", "0"], "--volume 0.0 must"),
        (["scores.csv", "--region", "fpr<=0.1", "--prevalence", "1"], "--prevalence 1 must be a number above 0 and"),
        (["scores.csv", "--region", "fpr<=0.1", "-o", "nowhere/page.html"], "create it first"),
        (["scores.csv", "--region", "fpr<=0.1", "-o", "page.pdf"], "--out page.pdf: the report is a web page"),
        (["scores.csv", "scores.csv", "--region", "fpr<=0.1"], "error: scores.csv is named twice."),
        (["empty.csv", "--region", "fpr<=0.1"], "empty.csv"),
    ],
)
def test_errors_are_one_line(run, table, tmp_path, arguments, words):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.csv").touch()
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert words in err
    assert not list(tmp_path.rglob("*.html"))
