import dataclasses
import importlib
import inspect
import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from typer.testing import CliRunner

from pauci import Region, __version__
from pauci.cli import app
from pauci.cli.decisions import judge_decisions
from pauci.cli.words import in_command_line_words
from pauci.metrics import compare_partial_auc, fpr_at_tpr, partial_auc_interval, threshold_at_fpr, threshold_at_tpr
from terminal import failed


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = (rng.random(800) < 0.2).astype(int)
    return pd.DataFrame(
        {
            "label": y,
            "good": rng.normal(size=800) + 2 * y,
            "weak": rng.normal(size=800) + y,
            "patient": [f"p{i % 130}" for i in range(800)],
            "w": rng.uniform(0.5, 2.0, 800),
        }
    )


@pytest.fixture
def csv(table, tmp_path):
    path = tmp_path / "scores.csv"
    table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_json_holds_what_the_library_computes(run, table, tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    if suffix == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    arguments = ["--score", "good", "--score", "weak", "--region", "fpr<=0.1", "--resamples", 50, "--confidence", 0.9]
    code, out, err = run("score", path, *arguments, "--json", "--seed", 3)
    assert (code, err) == (0, "")
    found = json.loads(out)
    y, good, weak = (table[name].to_numpy() for name in ("label", "good", "weak"))
    options = {"max_fpr": 0.1, "n_resamples": 50, "seed": 3}
    for entry, scores in zip(found["scores"], (good, weak), strict=True):
        interval = partial_auc_interval(y, scores, **options)
        assert [entry["partial_auc"], entry["low"], entry["high"]] == pytest.approx(
            [interval.estimate, interval.low, interval.high]
        )
        for key, confidence in (("threshold", None), ("guaranteed", 0.9)):
            expected = threshold_at_fpr(y, scores, max_fpr=0.1, confidence=confidence)
            assert entry[key]["threshold"] == pytest.approx(expected.threshold)
            assert entry[key]["tpr"] == pytest.approx(expected.tpr)
    (comparison,) = found["comparisons"]
    expected = compare_partial_auc(y, weak, good, **options)
    assert (comparison["name"], comparison["baseline"]) == ("weak", "good")
    assert comparison["difference"] == pytest.approx(expected.difference)
    assert comparison["p_value"] == pytest.approx(expected.p_value)
    assert (found["n_positive"], found["n_negative"]) == (int(y.sum()), int((1 - y).sum()))
    assert Region.parse(found["region"]) == Region(max_fpr=0.1)
    assert (found["level"], found["confidence"], found["resamples"], found["seed"]) == (0.95, 0.9, 50, 3)


def test_tables_show_every_score_and_the_comparison(run, csv):
    code, out, err = run("score", csv, "--score", "good", "--score", "weak", "--region", "fpr<=0.1", "--resamples", 50)
    assert (code, err) == (0, "")
    for word in (
        "Partial AUC where fpr<=0.1",
        "95% interval",
        "share of the region's area",
        "threshold",
        "TPR",
        "FPR",
        "Difference to good",
        "weak",
        "p",
    ):
        assert word in out
    assert "probability" not in out
    with_confidence = run(
        "score", csv, "--score", "good", "--region", "fpr<=0.1", "--resamples", 50, "--confidence", 0.9
    )
    assert "True FPR at most 0.1 with probability 0.9" in with_confidence[1]
    assert "Difference" not in with_confidence[1]


def test_a_share_to_find_has_its_guaranteed_threshold(run, csv, table):
    arguments = ("score", csv, "--score", "good", "--resamples", 50, "--confidence", 0.9, "--region")
    assert "True TPR at least 0.8 with probability 0.9" in run(*arguments, "tpr>=0.8")[1]
    (found,) = json.loads(run(*arguments, "tpr>=0.8", "--json")[1])["scores"]
    expected = threshold_at_tpr(table["label"], table["good"], min_tpr=0.8, confidence=0.9)
    assert found["guaranteed"] == dataclasses.asdict(expected)
    positives = int(table["label"].sum())
    code, _, error = run(*arguments, "tpr>=0.999")
    assert code == 2
    assert f"--confidence 0.9 at tpr>=0.999 needs at least 2302 positives, but there are {positives}" in error
    assert "a share of positives to find" in run(*arguments, "fpr<=1")[2]


def test_the_whole_plane_is_called_auc(run, csv):
    _, out, _ = run("score", csv, "--score", "good", "--region", "all", "--resamples", 20)
    assert "\nAUC " in out
    assert "where all" not in out


def test_what_rounds_to_nothing_has_no_minus(run, tmp_path):
    y = np.arange(40_000) % 2
    first = y * (np.arange(40_000) >= 20_000) + np.linspace(0, 1e-9, 40_000)
    second = first.copy()
    second[np.flatnonzero(y)[:1]] = -1
    pd.DataFrame({"label": y, "first": first, "second": second}).to_csv(tmp_path / "scores.csv", index=False)
    out = run("score", tmp_path / "scores.csv", "--label", "label", "--region", "fpr<=1", "--resamples", 20)[1]
    assert "+0.0000" in out
    assert "-0.0000" not in out


def test_a_region_of_fewer_than_two_cases_is_pointed_out(run, csv, table):
    arguments = ("score", csv, "--score", "good", "--resamples", 10, "--region")
    negatives = int((table["label"] == 0).sum())
    _, out, _ = run(*arguments, "fpr<=0.00001")
    assert f"covers {negatives * 1e-5:.2g} of {negatives} negatives, fewer than two" in out
    assert "positives, fewer than two" in run(*arguments, "tpr>=0.999")[1]
    assert "fewer than two" not in run(*arguments, f"fpr<={2 / negatives}")[1]


def test_a_region_whose_cases_count_less_is_pointed_out(run, csv, table, tmp_path):
    negatives = int((table["label"] == 0).sum())
    region = ("--score", "good", "--resamples", 10, "--region", f"fpr<={3 / negatives}")
    assert "fewer than two" not in run("score", csv, *region)[1]
    uneven = tmp_path / "uneven.csv"
    best = table["patient"].where(table["good"] < table["good"].nlargest(200).min(), "one")
    table.assign(w=np.where(np.arange(800) % 10, 1.0, 100.0), patient=best).to_csv(uneven, index=False)
    for option in (("--weight", "w"), ("--groups", "patient")):
        out = run("score", uneven, *region, *option)[1]
        assert f"of {negatives} negatives as they weigh and belong together, fewer than two" in out


def test_names_are_nothing_but_text(run, tmp_path):
    path = tmp_path / "names.csv"
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4 == 0
    pd.DataFrame({"y": y, ":bug:": rng.normal(size=200), "[red]x": rng.normal(size=200)}).to_csv(path, index=False)
    code, out, _ = run("score", path, "--region", "fpr<=0.2", "--resamples", 5)
    assert code == 0
    assert ":bug:" in out
    assert "[red]x" in out


@pytest.mark.parametrize("columns", ["40", "80"])
def test_names_survive_a_narrow_terminal(run, csv, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = run("score", csv, "--score", "good", "--region", "fpr<=0.1", "--resamples", 10, "--confidence", 0.9)
    assert "\u2026" not in out
    assert "good" in out


@pytest.mark.parametrize("columns", ["40", "80", "160"])
def test_printed_thresholds_keep_their_promise(run, table, tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    path = tmp_path / "scores.csv"
    close_to_1 = 1 - np.argsort(np.argsort(-table["good"])) * 1e-9
    table.assign(mine=close_to_1)[["label", "mine"]].to_csv(path, index=False)
    _, out, _ = run("score", path, "--region", "fpr<=0.1", "--resamples", 10, "--confidence", 0.9)
    rows = [line.split() for line in out.splitlines() if line.startswith(" mine")]
    assert len(rows) == 2
    for row in rows:
        threshold, tpr, fpr = map(float, row[-3:])
        acted = close_to_1 >= threshold
        assert 0.05 < acted[table["label"] == 0].mean() <= 0.1
        assert acted[table["label"] == 0].mean() == pytest.approx(fpr, abs=1e-4)
        assert acted[table["label"] == 1].mean() == pytest.approx(tpr, abs=1e-4)


def test_where_only_a_tpr_is_asked_for_the_threshold_reaches_it(run, csv, table):
    arguments = ("score", csv, "--score", "good", "--region", "tpr>=0.9", "--resamples", 10)
    point = json.loads(run(*arguments, "--json")[1])["scores"][0]["threshold"]
    positives, negatives = (table["good"][table["label"] == y] for y in (1, 0))
    assert point["tpr"] == (positives >= point["threshold"]).mean() >= 0.9
    assert (positives > point["threshold"]).mean() < 0.9
    assert (
        point["fpr"]
        == (negatives >= point["threshold"]).mean()
        == fpr_at_tpr(table["label"], table["good"], min_tpr=0.9)
    )
    assert repr(point["threshold"]) in run(*arguments)[1]


@pytest.mark.parametrize("convention", [None, "paper", "sklearn"])
def test_convention_reaches_every_number_and_is_named(run, csv, table, tmp_path, convention):
    chosen = [] if convention is None else ["--convention", convention]
    arguments = ["score", csv, "--score", "good", "--score", "weak", "--region", "fpr<=0.1", "--resamples", 20]
    outcome = run(*arguments, *chosen, "--json")
    found = json.loads(outcome[1])
    options = {"max_fpr": 0.1, "n_resamples": 20, "convention": convention}
    y, good, weak = (table[name].to_numpy() for name in ("label", "good", "weak"))
    assert found["scores"][0]["low"] == pytest.approx(partial_auc_interval(y, good, **options).low)
    assert found["comparisons"][0]["low"] == pytest.approx(compare_partial_auc(y, weak, good, **options).low)
    assert found["convention"] == convention
    assert found["scale"] in run(*arguments, *chosen)[1]
    assert run(*arguments, *chosen, "--json", "--plot", tmp_path / "roc.png") == outcome


def test_method_reaches_intervals_and_comparisons(run, csv, table, tmp_path):
    arguments = ["--score", "good", "--score", "weak", "--region", "fpr<=0.1", "--method", "delong", "--json"]
    outcome = run("score", csv, *arguments)
    found = json.loads(outcome[1])
    y, good, weak = (table[name].to_numpy() for name in ("label", "good", "weak"))
    interval = partial_auc_interval(y, good, max_fpr=0.1, method="delong")
    assert found["method"] == "delong"
    assert found["scores"][0]["low"] == pytest.approx(interval.low)
    expected = compare_partial_auc(y, weak, good, max_fpr=0.1, method="delong")
    assert found["comparisons"][0]["p_value"] == pytest.approx(expected.p_value)
    assert run("score", csv, *arguments, "--plot", tmp_path / "roc.png") == outcome
    assert "bootstrap" in run("score", csv, *arguments[:-2], "jackknife")[2]


def test_every_numeric_column_is_scored_by_default(run, csv):
    _, out, _ = run("score", csv, "--region", "fpr<=0.1", "--resamples", 20, "--json", "--weight", "w")
    assert [entry["name"] for entry in json.loads(out)["scores"]] == ["good", "weak"]


def test_columns_that_were_guessed_are_named(run, csv, table, tmp_path):
    arguments = ("--region", "fpr<=0.1", "--resamples", 20, "--json")
    assert run("score", csv, *arguments, "--weight", "w")[2] == (
        "note: without --score every numeric column is judged: 'good', 'weak'\n"
    )
    table[["label", "good"]].to_csv(tmp_path / "one.csv", index=False)
    assert run("score", tmp_path / "one.csv", *arguments)[2] == ""


def test_columns_that_cannot_be_scores_are_left_out_with_an_option(run, table, tmp_path):
    table.assign(amount=[np.nan, *range(1, len(table))]).to_csv(tmp_path / "gaps.csv", index=False)
    gaps = run("score", tmp_path / "gaps.csv", "--region", "fpr<=0.1")
    assert failed(gaps, "line 2", "column 'amount' has no value", "name those that are with --score")
    table.assign(face=[[0.1, 0.2]] * len(table)).to_parquet(tmp_path / "vectors.parquet")
    vectors = run("score", tmp_path / "vectors.parquet", "--region", "fpr<=0.1")
    assert failed(vectors, "column 'face' holds values of type list", "bools. If that is not a score, name those")


def test_labels_that_are_not_there_are_no_matter_of_scores(run, table, tmp_path):
    path = tmp_path / "scored.csv"
    table.drop(columns="label").assign(score=table["good"], decision=0).to_csv(path, index=False)
    for arguments, told in (([], "no column named label"), (["--label", "fraud"], "no column 'fraud'")):
        result = run("score", path, "--region", "fpr<=0.1", *arguments)
        assert failed(result, told, "keep the labels there with --id")
        assert "--score" not in result[2]
    table.drop(columns="label").to_csv(path, index=False)
    bare = run("score", path, "--region", "fpr<=0.1", "--label", "fraud")
    assert failed(bare, "no column 'fraud'; there are")
    assert not any(words in bare[2] for words in ("--id", "--score"))


def test_dates_are_no_scores(run, table, tmp_path):
    path = tmp_path / "scores.parquet"
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(table)), unit="D")
    table.assign(stamp=day, day=day.date)[["stamp", "label", "day", "good"]].to_parquet(path)
    code, out, err = run("score", path, "--region", "fpr<=0.1", "--resamples", 10, "--json")
    assert (code, err) == (0, "")
    assert [entry["name"] for entry in json.loads(out)["scores"]] == ["good"]


@pytest.mark.parametrize("name", [None, "Unnamed: 0"])
def test_a_row_index_is_no_score(run, table, tmp_path, name):
    path = tmp_path / "scores.csv"
    table[["label", "good"]].rename_axis(name).to_csv(path)
    code, out, err = run("score", path, "--region", "fpr<=0.1", "--resamples", 10, "--json")
    assert (code, err) == (0, "")
    assert [entry["name"] for entry in json.loads(out)["scores"]] == ["good"]


def test_a_column_named_score_may_be_the_label(run, table, tmp_path):
    path = tmp_path / "scores.csv"
    table.rename(columns={"label": "score"})[["score", "good"]].to_csv(path, index=False)
    code, out, _ = run("score", path, "--label", "score", "--region", "fpr<=0.1", "--resamples", 10, "--json")
    assert code == 0
    assert [entry["name"] for entry in json.loads(out)["scores"]] == ["good"]


@pytest.mark.parametrize(("word", "expected"), [("True", True), ("YES", True), ("no", False), ("0", False)])
def test_stored_booleans_go_by_any_word_for_them(run, table, tmp_path, word, expected):
    path = tmp_path / "scores.parquet"
    table.assign(label=table["label"] == 1)[["label", "good"]].to_parquet(path)
    code, out, _ = run("score", path, "--positive", word, "--region", "fpr<=0.1", "--resamples", 10, "--json")
    assert code == 0
    assert json.loads(out)["n_positive"] == (table["label"] == expected).sum()


@pytest.mark.parametrize("others", [("no",), ("no", "unknown")])
def test_labels_are_spelled_as_fit_spells_them(run, tmp_path, others):
    path = tmp_path / "words.csv"
    rng = np.random.default_rng(0)
    positive = rng.random(400) < 0.3
    words = np.where(positive, rng.choice(["yes", "Yes", "YES"], 400), rng.choice(others, 400))
    pd.DataFrame({"answer": words, "score": rng.normal(size=400)}).to_csv(path, index=False)
    code, out, _ = run("score", path, "--label", "answer", "--positive", "yes", "--region", "fpr<=0.1", "--json")
    assert code == 0
    assert json.loads(out)["n_positive"] == positive.sum()


def test_a_promise_that_cannot_be_given_is_refused_in_words_of_the_command_line(run, tmp_path):
    path = tmp_path / "few.csv"
    pd.DataFrame({"y": [0, 1] * 10, "score": range(20)}).to_csv(path, index=False)
    assert failed(run("score", path, "--region", "fpr<=0.05", "--confidence", 0.95), "--confidence 0.95 at fpr<=0.05")
    words = in_command_line_words("max_tpr=0.5, min_fpr=0.1, min_tpr=0.9")
    assert words == "--max-tpr 0.5, --min-fpr 0.1, --min-tpr 0.9"


def test_pipes_are_refused_in_plain_words(run, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", "/dev/stdin", "-"):
        assert failed(run("score", path, "--region", "fpr<=0.1"), str(path), "not a regular file", "save it")


def test_messages_speak_of_options_and_columns(run, table, tmp_path):
    path, region = tmp_path / "scores.csv", ("--region", "fpr<=0.1", "--score", "good")

    def refused(frame, *arguments):
        frame.to_csv(path, index=False)
        outcome = run("score", path, *region, *arguments)
        assert failed(outcome)
        assert not any(word in outcome[2] for word in ("sample_weight", "y_true", "confidence=", "cut="))
        return outcome[2]

    positive = table["label"] == 1
    huge = table.assign(good=2**60 + (10 * table["good"]).astype(int))
    assert "column 'good' has 11529215" in refused(huge)
    assert "column 'label' has 0 negatives" in refused(table[positive])
    assert "column 'label' has 1 positives" in refused(table[~positive | (positive.cumsum() == 1)])
    assert "column 'w' has negative values; --weight" in refused(table.assign(w=-1), "--weight", "w")
    assert "--weight w" in refused(table.assign(w=table["w"].where(positive, 0)), "--weight", "w")
    assert "--weight" in refused(table, "--weight", "w", "--confidence", 0.9)
    assert "not independent" in refused(table, "--groups", "patient", "--confidence", 0.9)
    assert "--weight" in refused(table, "--weight", "w", "--convention", "paper")
    assert "--groups" in refused(table, "--groups", "patient", "--convention", "paper")
    homeless = table.assign(patient=table["patient"].where(table.index != 3))
    assert "line 5: column 'patient' has no value; --groups" in refused(homeless, "--groups", "patient")
    assert "--convention paper" in refused(table, "--region", "fpr<=0.0001", "--convention", "paper")
    nothing = ("--region", "fpr>=0.5,tpr<=0.5", "--convention", "sklearn")
    assert "--convention sklearn is undefined" in refused(table, *nothing)


def test_weights_and_groups_are_used(run, csv, table):
    _, out, _ = run(
        "score", csv, "--score", "good", "--region", "fpr<=0.1", "--resamples", 20, "--json",
        "--weight", "w", "--groups", "patient", "--level", 0.8,
    )  # fmt: skip
    expected = partial_auc_interval(
        table["label"], table["good"], max_fpr=0.1, n_resamples=20,
        sample_weight=table["w"].to_numpy(), groups=table["patient"].to_numpy(dtype=object), level=0.8,
    )  # fmt: skip
    (entry,) = json.loads(out)["scores"]
    assert [entry["partial_auc"], entry["low"], entry["high"]] == pytest.approx(
        [expected.estimate, expected.low, expected.high]
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("write", ["7{:017d}".format, lambda i: "0" * (i % 3) + str(1 + i // 3)])
def test_groups_are_told_apart_by_every_digit(run, table, tmp_path, suffix, write):
    accounts = [write(i % 130) for i in range(800)]
    if suffix == "parquet" and accounts[0].startswith("7"):
        accounts = [*map(int, accounts)]
    found = []
    for name, groups in (("plain", [f"x{account}" for account in accounts]), ("numbers", accounts)):
        path = tmp_path / f"{name}.{suffix}"
        frame = table[["label", "good"]].assign(account=groups)
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
        _, out, _ = run("score", path, "--score", "good", "--groups", "account", "--region", "fpr<=0.1", "--json")
        found.append(json.loads(out)["scores"])
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_thresholds_hold_in_the_precision_of_the_file(run, table, tmp_path, dtype, suffix):
    frame = table[["label"]].assign(score=table["good"].round().astype(dtype))
    path = tmp_path / f"scores.{suffix}"
    frame.to_parquet(path) if suffix == "parquet" else np.savez(path, **{name: frame[name] for name in frame})
    _, out, _ = run("score", path, "--region", "fpr<=0.1", "--confidence", 0.9, "--resamples", 20, "--json")
    (entry,) = json.loads(out)["scores"]
    for found in (entry["threshold"], entry["guaranteed"]):
        assert (frame["score"][frame["label"] == 0] >= found["threshold"]).mean() == pytest.approx(found["fpr"])


def test_groups_have_no_bound_that_counts_rows(run, csv):
    judge = ("score", csv, "--score", "good", "--region", "fpr<=0.1", "--resamples", 20, "--json")
    (alone,), (grouped,) = (json.loads(run(*judge, *more)[1])["scores"] for more in ((), ("--groups", "patient")))
    assert alone["threshold"]["fpr_upper"] > 0.1
    assert grouped["threshold"] == {**alone["threshold"], "fpr_upper": None}


def test_a_class_that_does_not_occur_is_told_of_those_that_do(run, table, tmp_path):
    """As they are written: yes and no are read as truth values."""
    path = tmp_path / "answers.csv"
    table.assign(answer=np.where(table["label"] == 1, "yes", "no")).to_csv(path, index=False)
    found = run("score", path, "--label", "answer", "--positive", "maybe", "--region", "fpr<=0.1")
    assert failed(found, "--positive maybe does not occur in column 'answer', which holds no, yes.")


def test_a_class_that_is_spelled_in_two_ways_is_refused(run, table, tmp_path):
    path = tmp_path / "states.csv"
    table.assign(state=np.where(table["label"] == 1, np.where(table.index % 2, "fraud", "Fraud"), "ok")).to_csv(path)
    found = run("score", path, "--label", "state", "--positive", "fraud", "--region", "fpr<=0.1")
    assert failed(found, "column 'state' holds 'Fraud', which would be negative beside the positive 'fraud'")


@pytest.mark.parametrize(
    ("names", "positive", "arguments"),
    [
        (["no", "yes"], "yes", []),
        (["False", "True"], "True", []),
        (["-1", "1"], "1", []),
        (["well", "sick"], "sick", ["--positive", "sick"]),
        (["1", "2"], "2", ["--positive", "2"]),
        (["no", "yes"], "no", ["--positive", "no"]),
        (["0", "1"], "1", []),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_labels_of_any_spelling(run, table, tmp_path, names, positive, arguments, suffix):
    path = tmp_path / f"scores.{suffix}"
    spelled = [names[y] for y in table["label"]]
    frame = table.assign(label=spelled)[["label", "good"]]
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    _, out, _ = run("score", path, "--region", "all", "--resamples", 10, "--json", *arguments)
    is_positive = np.array(spelled) == positive
    found = json.loads(out)
    assert found["n_positive"] == is_positive.sum()
    expected = partial_auc_interval(is_positive, table["good"], n_resamples=10).estimate
    assert found["scores"][0]["partial_auc"] == pytest.approx(expected)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_picture_is_written_whole(run, csv, tmp_path, suffix):
    path = tmp_path / "pictures" / f"roc.{suffix}"
    path.parent.mkdir()
    code, out, _ = run("score", csv, "--region", "fpr<=0.1", "--resamples", 20, "--json", "--plot", path)
    assert code == 0
    assert len(json.loads(out)["scores"]) == 3
    assert path.stat().st_size > 5000
    assert list(path.parent.iterdir()) == [path]


def test_curves_and_table_agree(run, csv, tmp_path):
    arguments = ("score", csv, "--region", "fpr<=0.1", "--resamples", 20, "--json")
    assert run(*arguments) == run(*arguments, "--plot", tmp_path / "roc.png")


def test_names_are_printed_literally(run, table, tmp_path):
    path = tmp_path / "[bold]scores.csv"
    table.rename(columns={"good": "[red]x", "weak": "[/]_$y$"})[["label", "[red]x", "[/]_$y$"]].to_csv(
        path, index=False
    )
    code, out, _ = run("score", path, "--region", "fpr<=0.1", "--resamples", 10, "--plot", tmp_path / "roc.svg")
    assert code == 0
    for name in ("[red]x", "[/]_$y$", "[bold]scores.csv", "Difference to [red]x"):
        assert name in out
    assert failed(run("score", path, "--score", "[red]y", "--region", "fpr<=0.1"), "'[red]y'", "'[red]x'")


def test_bad_files_are_one_line_and_exit_code_2(run, csv, table, tmp_path):
    region = ("--region", "fpr<=0.1")
    assert failed(run("score", tmp_path / "absent.csv", *region), "absent.csv", "does not exist")
    assert failed(run("score", tmp_path, *region), "folder")
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert failed(run("score", empty, *region), "empty")
    assert failed(run("score", csv, "--score", "godd", *region), "'godd'", "did you mean 'good'")
    assert failed(run("score", csv, "--label", "lable", *region), "'lable'", "did you mean 'label'")
    assert failed(run("score", csv, "--label", "good", *region), "'good'", "--positive")
    assert failed(run("score", csv, "--score", "patient", *region), "'patient'", "line 2")
    assert failed(run("score", csv, "--score", "label", *region), "--score label")
    assert failed(run("score", csv, "--positive", "7", *region), "--positive 7")
    broken = tmp_path / "broken.csv"
    table.assign(good=table["good"].mask(table.index == 5))[["label", "good"]].to_csv(broken, index=False)
    assert failed(run("score", broken, *region), "line 7", "'good'")
    unlabelled = tmp_path / "unlabelled.csv"
    table.assign(label=table["label"].astype(object).mask(table.index == 3))[["label", "good"]].to_csv(
        unlabelled, index=False
    )
    assert failed(run("score", unlabelled, *region), "line 5", "'label'")
    one_class = tmp_path / "one.csv"
    table[table["label"] == 1][["label", "good"]].to_csv(one_class, index=False)
    assert failed(run("score", one_class, *region), "both classes")
    texts = tmp_path / "texts.csv"
    table[["label", "patient"]].to_csv(texts, index=False)
    assert failed(run("score", texts, *region), "no numeric column")
    nameless = tmp_path / "nameless.csv"
    table.rename(columns={"label": "outcome"}).to_csv(nameless, index=False)
    assert failed(run("score", nameless, *region), "--label", "'outcome'")
    ungrouped = tmp_path / "ungrouped.csv"
    table.assign(patient=table["patient"].mask(table.index == 3)).to_csv(ungrouped, index=False)
    assert failed(run("score", ungrouped, "--score", "good", "--groups", "patient", *region), "groups")
    (tmp_path / "scores.txt").write_text("label,good\n1,2\n")
    assert failed(run("score", tmp_path / "scores.txt", *region), ".csv")


def test_bad_options_are_one_line_and_exit_code_2(run, csv, tmp_path):
    assert failed(run("score", csv, "--region", "fpr<0.1"), "fpr<0.1")
    assert failed(run("score", csv, "--region", "tpr"), "cannot read 'tpr'", "without them, the shell takes < and >")
    assert failed(run("score", csv, "--region", "fpr<=0"), "max_fpr")
    assert failed(run("score", csv, "--region", "fpr<=0.1", "--plot", tmp_path / "roc.gif"), ".png")
    assert failed(run("score", csv, "--region", "fpr<=0.1", "--plot", tmp_path / "no" / "roc.png"), "folder")
    assert failed(run("score", csv, "--region", "fpr<=0.1", "--level", 95), "--level 95 must be", "1: 95% is 0.95")
    assert failed(run("score", csv, "--region", "fpr<=0.1", "--confidence", 95), "--confidence 95 must be")
    assert failed(run("score", csv, "--region", "fpr<=5"), "write 0.05 or 5%")
    assert failed(run("score", csv, "--region", "fpr<=0.001", "--confidence", 0.99, "--resamples", 10), "negatives")
    assert failed(run("score", csv, "--region", "fpr<=0.1", "--confidence", 0.9, "--weight", "w"), "confidence")
    code, out, err = run("score", csv)
    assert (code, out) == (2, "")
    assert "--region" in err
    code, out, err = run("score", csv, "--region", "fpr<=0.1", "--seed", -1)
    assert (code, out) == (2, "")
    assert "--seed" in err


def test_without_matplotlib_only_the_picture_fails(run, csv, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ("score", csv, "--score", "good", "--region", "fpr<=0.1", "--resamples", 10)
    assert failed(run(*arguments, "--plot", tmp_path / "roc.png"), "pauci[plot]")
    assert run(*arguments)[0] == 0


def test_help_names_the_commands_and_their_defaults():
    result = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "160"})
    assert result.exit_code == 0
    assert "score" in result.output
    assert "doctor" in result.output
    details = CliRunner().invoke(app, ["score", "--help"], env={"COLUMNS": "200"})
    assert "every numeric column" in details.output
    assert "first of label" in details.output


@pytest.mark.parametrize("command", app.registered_commands, ids=lambda command: command.callback.__name__)
def test_help_breaks_lines_between_sentences(command):
    """The terminal is given the lines of later paragraphs as they are, and breaks them again where it is narrower."""
    _, *later = inspect.cleandoc(command.callback.__doc__).split("\n\n")
    assert all(line.endswith(".") for paragraph in later for line in paragraph.splitlines())


def test_version_starts_without_numpy_and_torch():
    program = (
        "import sys; sys.argv = ['pauci', '--version']\n"
        "from pauci.cli import main\n"
        "try: main()\n"
        "finally: assert not {'numpy', 'torch', 'sklearn', 'matplotlib'} & set(sys.modules), 'heavy imports'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"pauci {__version__}\n", "")


def test_what_a_terminal_cannot_show_is_spelled_out(run, csv, monkeypatch):
    csv.write_text(csv.read_text().replace("good", "g\u00fct"), encoding="utf-8")
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    assert run("score", csv, "--region", "fpr<=0.1", "--score", "g\u00fct", "--resamples", 20)[0] == 0
    sys.stdout.flush()
    assert "g\\xfct" in shown.getvalue().decode()


@pytest.mark.slow
def test_as_a_process_results_go_to_stdout_and_errors_to_stderr(csv):
    command = [sys.executable, "-W", "error", "-m", "pauci", "score"]
    options = ["--region", "fpr<=0.1", "--score", "good", "--resamples", "20", "--json"]
    done = subprocess.run([*command, str(csv), *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["scores"][0]["name"] == "good"
    done = subprocess.run([*command, f"{csv}x", *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_reading_and_drawing_are_announced_like_resampling(run, csv, tmp_path, monkeypatch):
    command, judging = (importlib.import_module(f"pauci.cli.{name}") for name in ("score", "judging"))
    during, now = {}, []

    @contextmanager
    def recorded(description, total=None, *, quiet=False):
        now.append(description)
        yield lambda: None
        now.pop()

    def watched(module, name):
        original = getattr(module, name)

        def call(*arguments, **options):
            during[name] = list(now)
            return original(*arguments, **options)

        return call

    for module in (command, judging):
        monkeypatch.setattr(module, "late_progress", recorded)
    for module, name in ((command, "read_scored"), (judging, "_judge"), (judging, "write_picture")):
        monkeypatch.setattr(module, name, watched(module, name))
    run("score", csv, "--score", "good", "--region", "fpr<=0.1", "--resamples", 10, "--plot", tmp_path / "roc.png")
    assert during == {"read_scored": ["reading"], "_judge": ["resampling"], "write_picture": ["drawing"]}


def predicted(tmp_path, decision, *, rows=400, positives=40):
    """A file as `pauci predict` writes it, with labels beside; every row of a block is like its neighbours."""
    y = np.arange(rows) < positives
    score = np.random.default_rng(0).normal(size=rows) + 2 * y
    path = tmp_path / "scored.csv"
    pd.DataFrame({"label": y.astype(int), "score": score, "probability": 0.5, "decision": decision}).to_csv(
        path, index=False
    )
    return path


def test_decisions_of_predict_are_judged_beside_their_scores(run, tmp_path):
    acted = np.isin(np.arange(400), [*range(30), 40, 41, 42])
    path = predicted(tmp_path, acted.astype(int))
    arguments = ("score", path, "--region", "fpr<=0.05", "--resamples", 20, "--level", 0.9)
    found = json.loads(run(*arguments, "--json")[1])["decisions"]
    assert (found["acted"], found["rows"]) == (33, 400)
    for rate, successes, trials in (("fpr", 3, 360), ("tpr", 30, 40), ("precision", 30, 33)):
        exact = scipy.stats.binomtest(successes, trials).proportion_ci(0.9)
        assert [found[rate][key] for key in ("estimate", "low", "high")] == pytest.approx(
            [successes / trials, exact.low, exact.high]
        )
    _, out, _ = run(*arguments)
    assert "acted on 33 of 400 rows" in out
    assert f"[{found['fpr']['low']:.4g}, {found['fpr']['high']:.4g}]" in out
    assert "note:" not in out


def test_decisions_beyond_the_budget_are_pointed_out(run, tmp_path):
    path = predicted(tmp_path, (np.arange(400) < 100).astype(int))
    _, out, _ = run("score", path, "--region", "fpr<=0.05", "--resamples", 20)
    assert "note: the decisions act on more negatives than fpr<=0.05 allows" in out
    _, out, _ = run("score", path, "--region", "tpr>=0.999", "--resamples", 20)
    assert "the decisions" not in out, "all are found"
    missing = predicted(tmp_path, np.zeros(400, dtype=int))
    _, out, _ = run("score", missing, "--region", "tpr>=0.5", "--resamples", 20)
    assert "note: the decisions find fewer positives than tpr>=0.5 asks for" in out


def test_nothing_acted_on_has_no_precision(run, tmp_path):
    path = predicted(tmp_path, np.zeros(400, dtype=int))
    found = json.loads(run("score", path, "--region", "fpr<=0.05", "--resamples", 20, "--json")[1])["decisions"]
    assert found["precision"] is None
    assert found["fpr"]["estimate"] == 0
    assert "precision" not in run("score", path, "--region", "fpr<=0.05", "--resamples", 20)[1]


@pytest.mark.parametrize("decision", ["stop", 2, None], ids=str)
def test_a_column_of_something_else_is_no_decision(run, tmp_path, decision):
    path = predicted(tmp_path, [1, decision] * 200)
    found = json.loads(run("score", path, "--region", "fpr<=0.05", "--resamples", 20, "--json")[1])
    assert found["decisions"] is None


def test_a_column_that_cannot_be_read_is_no_decision(run, tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.read_csv(predicted(tmp_path, [1] * 400))
    frame["decision"] = [["approve", "later"]] * 400
    frame.to_parquet(tmp_path / "scores.parquet")
    arguments = ("score", tmp_path / "scores.parquet", "--region", "fpr<=0.05", "--resamples", 20, "--json")
    assert json.loads(run(*arguments)[1])["decisions"] is None


def test_decisions_are_not_counted_where_rows_do_not_count_alike(run, tmp_path):
    path = predicted(tmp_path, (np.arange(400) < 30).astype(int))
    pd.read_csv(path).assign(other=np.arange(400) // 2 + 1).to_csv(path, index=False)
    arguments = ("score", path, "--region", "fpr<=0.05", "--weight", "other", "--resamples", 20)
    code, out, _ = run(*arguments, "--json")
    assert code == 0
    assert json.loads(out)["decisions"] is None
    assert "note: the decisions in the file are not judged" in run(*arguments)[1]
    pd.read_csv(path).drop(columns="decision").to_csv(path, index=False)
    assert "note: the decisions" not in run(*arguments)[1]


def test_decisions_about_rows_that_belong_together_have_the_intervals_of_fewer(run, tmp_path):
    acted = np.isin(np.arange(400), [*range(30), *range(40, 60)])
    path = predicted(tmp_path, acted.astype(int))
    table = pd.read_csv(path).assign(alone=np.arange(400), pair=np.arange(400) // 2)
    # Every row twice, and a group of each: worth what one of them is.
    pd.concat([table, table]).to_csv(tmp_path / "twice.csv", index=False)

    def rates(path, *groups):
        arguments = ("score", path, "--region", "fpr<=0.05", "--resamples", 20, *groups, "--json")
        found = json.loads(run(*arguments)[1])["decisions"]
        return {name: (found[name]["low"], found[name]["high"]) for name in ("fpr", "tpr", "precision")}

    table.to_csv(path, index=False)
    plain = rates(path)
    assert rates(path, "--groups", "alone") == {name: pytest.approx(ends) for name, ends in plain.items()}
    twice, together = rates(tmp_path / "twice.csv"), rates(tmp_path / "twice.csv", "--groups", "alone")
    for name in plain:
        assert together[name] == pytest.approx(plain[name], abs=0.01)
        assert together[name][0] < twice[name][0]
        assert together[name][1] > twice[name][1]
    assert rates(path, "--groups", "pair")["fpr"][1] > plain["fpr"][1]


def test_decisions_allow_for_a_large_group_that_had_none_by_how_alike_the_small_ones_are():
    groups = np.minimum(np.arange(310) // 2, 100)  # pairs that are acted on together or not at all, and a crowd
    acted = (groups < 100) & (groups % 10 == 0)
    found = judge_decisions(np.arange(310) >= 300, acted, level=0.95, groups=groups)
    assert found.fpr.estimate == 20 / 300
    assert found.fpr.high > 0.3


def test_decisions_allow_for_a_large_group_in_which_they_are_as_many_as_anywhere():
    groups = np.minimum(np.arange(310) // 2, 100)
    acted = np.where(groups == 100, np.arange(310) % 2 == 0, np.arange(310) % 29 == 0)
    found = judge_decisions(np.arange(310) >= 300, acted, level=0.95, groups=groups)
    assert found.fpr.high > 0.45, "likeness alone says 0.32"
