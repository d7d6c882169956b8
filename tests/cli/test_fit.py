import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import pauci
from pauci.estimators import PartialAUCClassifier
from pauci.metrics import partial_auc_score, region_curve
from pauci.tabular.model_file import load_model
from payments import payments
from terminal import failed

FRAUD = ("--target", "fraud", "--positive", "fraud", "--drop", "key", "--max-fpr", 0.1)
LINEAR = ("--model", "linear")


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "payments.csv"
    payments().to_csv(path, index=False)
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "model.pauci"


def test_columns_that_do_not_vary_are_told_once(run, tmp_path, out):
    path = tmp_path / "constant.csv"
    path.write_text("a,b,y\n" + "1,2,0\n1,2,0\n1,2,1\n" * 60)
    code, _, err = run("fit", path, "--target", "y", "--max-fpr", 0.1, *LINEAR, "-o", out)
    assert code == 0
    told = [line for line in err.splitlines() if line.startswith("warning")]
    assert told[0] == "warning: no column varies: all rows get the same score, and there is nothing to decide by."
    assert len(told) == len(set(told))


def test_columns_that_give_the_label_away_are_named(run, csv, out):
    table = payments()
    fraud = table["fraud"] == "fraud"
    verdict, refund = fraud.map({True: "N", False: "Y"}), table["amount"].where(fraud)
    table.assign(verdict=verdict, refund=refund).to_csv(csv, index=False)
    code, _, err = run("fit", csv, *FRAUD, *LINEAR, "-o", out)
    assert code == 0
    assert err.startswith("warning: columns 'verdict', 'refund' each tell the classes apart without any error")
    assert "If they are known before the outcome, all is well" in err
    assert "leave them out with --drop 'verdict' --drop 'refund'." in err
    dropped = [part for name in ("verdict", "refund", "day") for part in ("--drop", name)]
    assert run("fit", csv, *FRAUD, *LINEAR, *dropped, "-o", out)[::2] == (0, "")


@pytest.mark.parametrize("unlabeled", [False, True])
def test_groups_are_kept_together_and_not_learned_from(run, csv, out, unlabeled, monkeypatch):
    table = payments()
    table["account"] = [f"a{place // 3}" for place in range(len(table))]
    if unlabeled:
        table.loc[::7, "fraud"] = None
    table.to_csv(csv, index=False)
    options = [*FRAUD, *LINEAR, "--groups", "account", *["--drop-unlabeled"] * unlabeled]
    given = []
    fit = PartialAUCClassifier.fit_observed
    monkeypatch.setattr(
        PartialAUCClassifier,
        "fit_observed",
        lambda *args, **kwargs: (given.append(kwargs["groups"]), fit(*args, **kwargs))[1],
    )
    code, printed, err = run("fit", csv, *options, "-o", out, "--json")
    assert code == 0
    assert given[0].tolist() == table.loc[table["fraud"].notna(), "account"].tolist()
    assert "account" not in [column.name for column in load_model(out).columns]
    assert not json.loads(printed)["threshold"]["guaranteed"]
    assert "warning: --confidence 0.95 is kept approximately for negatives that belong together" in err
    assert run("fit", csv, *options, "--drop", "account", "-o", out)[0] == 0


def test_intervals_of_the_picture_count_groups(run, csv, out, tmp_path, monkeypatch):
    table = payments()
    table["account"] = [f"a{place // 3}" for place in range(len(table))]
    table.to_csv(csv, index=False)
    given, interval = [], region_curve.partial_auc_interval
    monkeypatch.setattr(
        region_curve,
        "partial_auc_interval",
        lambda *args, **kwargs: (given.append(kwargs["groups"]), interval(*args, **kwargs))[1],
    )
    options = [*FRAUD, *LINEAR, "--groups", "account", "-o", out, "--plot", tmp_path / "fit.svg"]
    assert run("fit", csv, *options)[0] == 0
    assert all(groups.tolist() == table["account"].tolist() for groups in given)
    assert given


def test_columns_that_are_left_out_and_look_like_accounts_are_pointed_out(run, csv, out):
    table = payments().drop(columns="day")
    table["account"] = [f"a{place // 3}" if place % 30 else None for place in range(len(table))]
    table.to_csv(csv, index=False)
    options = [*FRAUD, *LINEAR, "--drop", "account", "-o", out]
    code, _, err = run("fit", csv, *options)
    assert code == 0
    assert err.startswith("note: column 'account' is left out, and several rows share each of its values. If such rows")
    assert "say --groups 'account'." in err
    assert "--groups" not in run("fit", csv, *options, "--json")[2]
    assert "note" not in run("fit", csv, *options, "--groups", "key")[2]
    learned = run("fit", csv, *FRAUD, *LINEAR, "-o", out)[2]
    assert learned.startswith(
        "note: column 'account' is learned from, and several rows share each of its values. If that"
    )
    assert learned.count("note:") == 1, "no other category has many values"


def test_groups_need_a_column_of_their_own(run, csv, out):
    for name, told in (("fraud", "--groups fraud is the --target"), ("acount", "no column 'acount'")):
        assert failed(run("fit", csv, *FRAUD, *LINEAR, "--groups", name, "-o", out), told)


def test_what_is_printed_is_what_is_written(run, csv, out):
    code, printed, err = run("fit", csv, *FRAUD, *LINEAR, "-o", out, "--json")
    assert (code, err) == (0, "")
    found = json.loads(printed)
    model = load_model(out)
    table = payments()
    assert (found["n_positive"], found["n_negative"]) == tuple(
        (table["fraud"] == name).sum() for name in ("fraud", "fine")
    )
    assert (found["target"], found["positive"], found["region"]) == ("fraud", "fraud", "fpr<=0.1")
    choice = model.estimator.report_.choice
    assert [each["name"] for each in found["candidates"]] == list(choice.names)
    assert [each["partial_auc"] for each in found["candidates"]] == list(choice.scores)
    assert tuple(place for place, each in enumerate(found["candidates"]) if each["chosen"]) == choice.kept
    for each in found["candidates"][1:]:
        assert each["low"] < each["difference"] < each["high"]
    assert found["threshold"]["threshold"] == model.estimator.threshold_.threshold
    assert found["threshold"]["guaranteed"]
    assert {each["name"] for each in found["importances"]} == {column.name for column in model.columns}
    losses = [each["loss"] for each in found["importances"]]
    assert losses == sorted(losses, reverse=True)
    assert found["importances"][0]["name"] == "amount"
    assert losses[0] > 0.1
    scores = model.score_file(csv)
    assert partial_auc_score(table["fraud"] == "fraud", scores, max_fpr=0.1) > 0.3


def test_tables_and_picture(run, csv, out, tmp_path):
    code, printed, _ = run("fit", csv, *FRAUD, "--rounds", 10, "--jobs", 1, "-o", out, "--plot", tmp_path / "fit.svg")
    assert code == 0
    for words in (
        "columns: 2 numbers, 1 boolean, 1 date, 1 category (country 3 values)",
        "Partial AUC where fpr<=0.1, mean over 5 parts not fitted on: LightGBM",
        "logloss + 2 x sigmoid",
        "95% interval",
        "is kept",
        "threshold: fpr<=0.1 (guaranteed)",
        "Partial AUC lost when a column is shuffled",
        "amount",
        f"model: {out}",
    ):
        assert words in printed
    drawn = (tmp_path / "fit.svg").read_text()
    assert all(words in drawn for words in ("<svg", "rows not fitted on, all parts pooled", "means over parts"))


def test_what_columns_are_taken_as_is_said(run, csv, out):
    table = payments()
    days = table["day"].str[-2:]
    table.assign(day=days + "/03/2024", version="1.2." + days).to_csv(csv, index=False)
    refused = run("fit", csv, *FRAUD, *LINEAR, "-o", out)
    assert failed(refused, "'01/03/2024' where a date such as 2024-01-31 is expected", "--categorical 'day'")
    code, printed, err = run("fit", csv, *FRAUD, "--categorical", "day", *LINEAR, "-o", out)
    assert code == 0
    assert "read as days" not in err
    assert "columns: 2 numbers, 1 boolean, 3 categories (country 3 values, day 28 values, version 28 values)" in printed


def test_dates_that_new_rows_will_be_past_are_pointed_out(run, csv, out):
    code, _, err = run("fit", csv, *FRAUD, *LINEAR, "-o", out)
    assert code == 0
    assert err.startswith("note: column 'day' is read as days.")
    assert "leave it out with --drop 'day'" in err


def test_the_same_seed_makes_the_same_file(run, csv, tmp_path):
    for name in ("a.pauci", "b.pauci"):
        run("fit", csv, *FRAUD, *LINEAR, "-o", tmp_path / name)
    assert (tmp_path / "a.pauci").read_bytes() == (tmp_path / "b.pauci").read_bytes()


def test_too_few_negatives_for_the_guarantee_is_a_warning(run, csv, out):
    code, printed, err = run("fit", csv, *FRAUD[:-1], 0.001, *LINEAR, "-o", out)
    assert code == 0
    assert "warning: --confidence 0.95 at --max-fpr 0.001 needs at least 2995 negatives" in err
    assert "not guaranteed" in printed


def test_a_share_of_the_positives_can_be_asked_for(run, csv, out):
    code, printed, _ = run("fit", csv, *FRAUD[:-2], "--min-tpr", 0.8, *LINEAR, "-o", out)
    assert code == 0
    assert "threshold: tpr>=0.8" in printed


def test_the_first_ten_minutes(run, csv, out, tmp_path):
    def fit(path, *arguments):
        return run("fit", path, *arguments, "--max-fpr", 0.1, *LINEAR, "-o", out)

    assert failed(fit(tmp_path / "payment.csv", "--target", "fraud"), "does not exist", "did you mean", "payments.csv")
    assert failed(fit(tmp_path, "--target", "fraud"), "is a folder")
    assert failed(fit(csv, "--target", "Frauds"), "no column 'Frauds'; did you mean 'fraud'?")
    assert failed(fit(csv, "--target", "fraud"), "holds 'fine', 'fraud'", "Say so with --positive VALUE;")
    assert failed(fit(csv, "--target", "fraud", "--positive", "frau"), "--positive 'frau' is not a value", "'fraud'")
    assert failed(fit(csv, *FRAUD[:4]), "column 'key' has", "--drop 'key'", "--categorical 'key'")
    assert failed(fit(csv, *FRAUD[:4], "--drop", "kee"), "no column 'kee'; did you mean 'key'?")
    assert failed(fit(csv, *FRAUD[:4], "--drop", "fraud"), "--target fraud and --drop fraud name the same column")
    assert failed(fit(csv, *FRAUD[:6], "--base", "xgboost"), "--base xgboost is about boosted trees", "--model linear")
    assert failed(fit(csv, *FRAUD[:6], "--rounds", 20), "--rounds 20 is about boosted trees", "--model linear")
    assert failed(fit(csv, "--target", "country"), "'DE', 'FR', 'PL'", "which one is the positive class?")
    assert failed(run("fit", csv, *FRAUD[:-2], "-o", out), "--max-fpr 0.01", "--min-tpr 0.8")
    assert failed(fit(csv, *FRAUD[:6], "--confidence", 1.0), "--confidence 1 must be a number above 0 and below 1")
    assert failed(run("fit", csv, *FRAUD, "-o", tmp_path / "model.zip"), "model files end in .pauci")
    assert failed(run("fit", csv, *FRAUD, "-o", tmp_path / "no" / "m.pauci"), "does not exist; create it first")
    assert failed(run("fit", csv, *FRAUD, "-o", out, "--plot", tmp_path / "p.gif"), "pictures end in")
    assert failed(run("fit", csv, *FRAUD[:-1], 5, "-o", out), "--max-fpr 5 must be a share", "are 0.05")
    assert failed(run("fit", csv, *FRAUD[:-1], 0, "-o", out), "--max-fpr 0 must be a share above 0")
    assert failed(run("fit", csv, *FRAUD, "--min-tpr", 80, "-o", out), "--min-tpr 80 must be a share", "are 0.8")
    table = payments(60).drop(columns="key")
    bad = tmp_path / "bad.csv"
    table.assign(fraud="fine").to_csv(bad, index=False)
    assert failed(fit(bad, "--target", "fraud"), "holds 'fine' only; two classes are needed")
    table.assign(fraud=["fraud"] * 3 + ["fine"] * 57).to_csv(bad, index=False)
    assert failed(fit(bad, *FRAUD[:4]), "has 3 positives (fraud = 'fraud' is positive); at least 10")
    table.assign(fraud=[None, *table["fraud"][1:]]).to_csv(bad, index=False)
    assert failed(fit(bad, *FRAUD[:4]), "line 2", "has no value", "--drop-unlabeled")
    table.astype({"amount": object}).replace({"amount": {table["amount"][3]: "12 EUR"}}).to_csv(bad, index=False)
    assert failed(fit(bad, *FRAUD[:4]), "line 5", "'12 EUR'", "--categorical 'amount'")
    table.assign(id=[f"c{i}" for i in range(60)], note=[f"paid {i}" for i in range(60)]).to_csv(bad, index=False)
    assert failed(fit(bad, *FRAUD[:4]), "column 'id' has 60", "column 'note' has 60", "--drop 'id' --drop 'note'")
    table[["fraud"]].to_csv(bad, index=False)
    assert failed(fit(bad, *FRAUD[:4]), "no column left to learn from")
    assert not out.exists()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody can write to")
def test_a_place_that_cannot_be_written_to_is_found_before_the_work(run, csv, out, monkeypatch):
    monkeypatch.setattr("pauci.tabular.training_table.read_training_table", None)
    assert failed(run("fit", csv, *FRAUD, "-o", "/proc/m.pauci"), "--out /proc/m.pauci: nothing can be written")
    assert failed(run("fit", csv, *FRAUD, "-o", out, "--plot", "/proc/p.png"), "--plot /proc/p.png: nothing can be")
    out.mkdir()
    assert failed(run("fit", csv, *FRAUD, "-o", out), "is a folder; name a file in it")


def test_pictures_have_the_style_of_all_figures_and_names_are_literal(run, csv, out, tmp_path):
    payments().rename(columns={"amount": "price $ of $ " + 30 * "x"}).to_csv(csv, index=False)
    picture = tmp_path / "fit.svg"
    assert run("fit", csv, *FRAUD, *LINEAR, "-o", out, "--plot", picture)[0] == 0
    assert "#0072b2" in picture.read_text()  # the blue that everyone tells from the other colours


def test_ctrl_c_while_columns_are_weighed_leaves_out_only_these(run, csv, out, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pauci.tabular.importance.column_importances", stop)
    code, printed, err = run("fit", csv, *FRAUD, *LINEAR, "-o", out)
    assert code == 130
    assert "threshold: fpr<=0.1 (guaranteed)" in printed
    assert "column is shuffled" not in printed
    assert "interrupted: the model is complete, but its columns were not weighed." in err
    assert load_model(out).estimator.report_.folds == 5


def interrupted(csv, out, after):
    """Fit in a process of its own, with Ctrl-C after so many candidates of folds."""
    code = textwrap.dedent(
        f"""
        import os, signal, sys
        from pauci.cli import main
        from pauci.tabular import fitting

        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts beside itself ignores it
        original = fitting.fit_watched

        def watched(estimator, X, y, observe, **options):
            def step(done, total):
                observe(done, total)
                if done == {after}:
                    os.kill(os.getpid(), signal.SIGINT)

            return original(estimator, X, y, step, **options)

        fitting.fit_watched = watched
        main()
        """
    )
    options = ["fit", str(csv), *map(str, FRAUD), *LINEAR, "-o", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(Path(pauci.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-c", code, *options], capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_so_far(run, csv, out, tmp_path):
    done = interrupted(csv, out, after=12)  # tuning, two folds of five candidates, and one more
    assert done.returncode == 130
    assert "the best so far" in done.stderr
    assert "Traceback" not in done.stderr
    model = load_model(out)
    assert model.estimator.report_.folds == 2
    assert 0 < (model.score_file(csv) >= 0).mean() < 0.5
    assert run("predict", out, csv, "-o", tmp_path / "scores.csv")[0] == 0


@pytest.mark.slow
def test_ctrl_c_before_anything_is_fitted_writes_nothing(csv, out):
    done = interrupted(csv, out, after=1)
    assert done.returncode == 130
    assert "nothing is written" in done.stderr
    assert not out.exists()
