import functools
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.exceptions import NotFittedError

from pauci.boosting import PartialAUCBooster
from pauci.data.schema import Column
from pauci.errors import FileFormatError, InputError
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.unseen import UnseenWarning
from pauci.tabular.archive import read_archive, write_archive
from pauci.tabular.model import TabularModel
from pauci.tabular.model_file import load_model, save_model
from payments import model, payments

KINDS = ["linear", "mlp", "lightgbm", "xgboost"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_model_scores_and_decides_as_the_original(kind, folder, new, tmp_path):
    fitted = model(kind, folder)
    save_model(fitted, tmp_path / "m.pauci")
    loaded = load_model(tmp_path / "m.pauci")
    scores = fitted.score_file(new)
    assert np.array_equal(loaded.score_file(new), scores)
    assert np.array_equal(loaded.probability(scores), fitted.probability(scores))
    assert (loaded.columns, loaded.target, loaded.positive) == (fitted.columns, "fraud", "fraud")
    assert loaded.ranges == fitted.ranges
    assert loaded.region == fitted.region
    assert loaded.estimator.threshold_ == fitted.estimator.threshold_
    assert loaded.estimator.report_ == fitted.estimator.report_


@pytest.mark.parametrize("kind", KINDS)
def test_scores_do_not_depend_on_the_size_of_the_parts(kind, folder, new):
    fitted = model(kind, folder)
    whole = fitted.score_file(new)
    assert len(whole) == 300
    assert np.concatenate(list(fitted.iter_scores(new, rows=37))) == pytest.approx(whole, rel=1e-5, abs=1e-5)


@pytest.mark.filterwarnings("error:X does not have valid feature names")
@pytest.mark.parametrize("columns", [["age", "city"], ["age"]])
@pytest.mark.parametrize("kind", ["linear", "lightgbm"])
def test_a_model_of_a_data_frame_scores_files(kind, columns, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4 == 0
    frame = pd.DataFrame({"age": rng.normal(size=200) + y, "city": np.where(rng.random(200) < 0.5, "Ulm", "Bonn")})
    frame.to_csv(tmp_path / "new.csv")
    shared = {"max_fpr": 0.3, "confidence": None, "shares": (1.0,), "random_state": 0}
    make = PartialAUCClassifier if kind == "linear" else functools.partial(PartialAUCBooster, max_rounds=5, n_jobs=1)
    estimator = make(**shared).fit(frame[columns], y)
    fitted = TabularModel(estimator, target="fraud", positive="yes")
    save_model(fitted, tmp_path / "m.pauci")
    scores = load_model(tmp_path / "m.pauci").score_file(tmp_path / "new.csv")
    np.testing.assert_allclose(scores, estimator.decision_function(frame[columns]))
    np.testing.assert_allclose(scores, fitted.score_file(tmp_path / "new.csv"))
    assert estimator.feature_names_in_.tolist() == columns, "what is the user's own stays as it is"


def test_decisions_are_those_of_the_estimator(folder, new):
    fitted = model("lightgbm", folder)
    scores = fitted.score_file(new)
    assert 0 < (scores >= 0).mean() < 1
    assert (np.diff(fitted.probability(np.sort(scores))) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_frame_are_scored_as_those_of_the_file_it_was_read_from(kind, folder, new, tmp_path):
    save_model(model(kind, folder), tmp_path / "m.pauci")
    loaded = load_model(tmp_path / "m.pauci")
    frame = pd.read_csv(new)[[column.name for column in loaded.columns]]
    scores = loaded.score_file(new)
    assert loaded.score(frame) == pytest.approx(scores, rel=1e-12)
    row = frame.iloc[0].to_dict()
    assert loaded.score(pd.DataFrame([row])) == pytest.approx(scores[:1], rel=1e-5, abs=1e-5)


def test_missing_columns_are_named_at_once(folder, tmp_path):
    path = tmp_path / "new.csv"
    payments(20).rename(columns={"amount": "Amounts"}).to_csv(path, index=False)
    with pytest.raises(FileFormatError, match=r"no column 'amount', which the model reads; did you mean 'Amounts'"):
        model("linear", folder).iter_scores(path)
    payments(20).drop(columns="amount").to_csv(path, index=False)
    with pytest.raises(FileFormatError, match="which the model reads; there are: 'key', 'age', 'country'"):
        model("linear", folder).iter_scores(path)


def test_columns_that_the_model_reads_are_not_suggested_for_missing_ones(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("paid_out,Paid\n1,2\n")
    booster = PartialAUCBooster(max_fpr=0.1)
    booster.columns_ = (Column("paid_in", "numeric"), Column("paid_out", "numeric"))
    with pytest.raises(FileFormatError, match=r"no column 'paid_in', which the model reads; did you mean 'Paid'\?"):
        TabularModel(booster, "fraud", "1").iter_scores(path)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ([[0, 1]], "1 ranges for 5 columns"),
        ([["x", 1]] * 5, "not pairs of numbers"),
        ([[1]] * 5, "not pairs of numbers"),
        ([[0, 10**400]] * 5, "not pairs of numbers"),
    ],
)
def test_ranges_that_are_none_are_refused(folder, tmp_path, ranges, message):
    path = tmp_path / "m.pauci"
    save_model(model("linear", folder), path)
    facts, parts = read_archive(path)
    write_archive(path, {**facts, "ranges": ranges}, parts)
    with pytest.raises(FileFormatError, match=message):
        load_model(path)


def test_files_without_ranges_are_read(folder, tmp_path):
    path = tmp_path / "m.pauci"
    save_model(model("linear", folder), path)
    facts, parts = read_archive(path)
    del facts["ranges"]
    write_archive(path, facts, parts)
    assert load_model(path).ranges == ()


@pytest.mark.parametrize("kind", ["linear", "lightgbm"])
def test_there_is_no_code_in_the_file(kind, folder, tmp_path):
    save_model(model(kind, folder), tmp_path / "m.pauci")
    with zipfile.ZipFile(tmp_path / "m.pauci") as archive:
        names = set(archive.namelist())
        assert json.loads(archive.read("manifest.json"))["facts"]["target"] == "fraud"
    assert names == {"manifest.json", "weights.safetensors" if kind == "linear" else "lightgbm.txt"}


@pytest.mark.parametrize("kind", ["linear", "lightgbm"])
def test_a_file_with_parts_left_out_is_an_error(kind, folder, tmp_path):
    path = tmp_path / "m.pauci"
    save_model(model(kind, folder), path)
    facts, parts = read_archive(path)
    role = "classifier" if kind == "linear" else "booster"
    for spoiled, left in (
        ({**facts, role: {}}, parts),
        ({name: value for name, value in facts.items() if name != "target"}, parts),
        ({**facts, role: {**facts[role], "report": {}}}, parts),
        (facts, {}),
    ):
        write_archive(path, spoiled, left)
        with pytest.raises(FileFormatError, match=r"m\.pauci"):
            load_model(path)
    if kind == "linear":
        write_archive(path, facts, {"weights.safetensors": b"nonsense"})
        with pytest.raises(FileFormatError, match="damaged"):
            load_model(path)


def test_facts_that_were_changed_are_noticed(folder, tmp_path):
    path = tmp_path / "m.pauci"
    save_model(model("lightgbm", folder), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["facts"]["booster"]["threshold"]["threshold"] = -100.0
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(FileFormatError, match=r"manifest\.json does not match its checksum"):
        load_model(path)


def test_numbers_of_numpy_are_kept(tmp_path):
    table, y = payments(200)[["age", "amount"]].fillna(0), np.arange(200) % 4 == 0
    settings = {"max_rounds": np.int64(5), "params": {"num_leaves": np.int64(5)}, "average": np.bool_(False)}
    booster = PartialAUCBooster(max_fpr=np.float32(0.3), shares=(), confidence=None, **settings).fit(table, y)
    save_model(TabularModel(booster, "fraud", "1"), tmp_path / "m.pauci")
    assert load_model(tmp_path / "m.pauci").estimator.max_rounds == 5


def test_what_a_file_cannot_hold_is_refused_before_it_is_written(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(80, 2)), np.arange(80) % 2
    plain = {"max_fpr": 0.5, "confidence": None, "shares": ()}
    columns = [Column("a", "numeric"), Column("b", "numeric")]
    own = PartialAUCClassifier(**plain, columns=columns, architecture=lambda n: torch.nn.Linear(n, 1), max_epochs=1)
    for estimator, words in (
        (own.fit(X, y), "a function of your own"),
        (PartialAUCClassifier(**plain).fit(X, y), "columns have no names"),
    ):
        with pytest.raises(InputError, match=words):
            save_model(TabularModel(estimator, "fraud", "1"), tmp_path / "m.pauci")
    with pytest.raises(NotFittedError):
        save_model(TabularModel(PartialAUCBooster(), "fraud", "1"), tmp_path / "m.pauci")
    assert not (tmp_path / "m.pauci").exists()


def spoil(facts, path, value):
    *way, last = path.split(".")
    place = facts
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value


@pytest.mark.parametrize("kind", ["linear", "lightgbm"])
@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("", None, "format"),
        ("calibration.slope", "x", "slope of Calibration is 'x', not float"),
        ("calibration.slope", True, "slope of Calibration is True, not float"),
        ("calibration.slope", 10**400, "slope of Calibration is 1000"),
        ("calibration", 3, "Calibration is 3"),
        ("calibration", {"slope": 1.0}, "missing 1 required positional argument: 'offset'"),
        ("columns.0.kind", "x", "kind of Column is 'x', not"),
        ("columns.2.categories", [1, 2], "categories of Column"),
        ("columns.0", "amount", "Column is 'amount'"),
        ("classes", 2, "of unsized object"),
        ("classes", [0, 1, 2], "are not two"),
        ("report.choice.scores", ["x", "y"], "scores of Choice"),
        ("report.folds", None, "folds of Report is None, not int"),
        ("report.region.max_fpr", 7.0, "max_fpr=7"),
    ],
)
def test_facts_of_the_wrong_kind_are_refused(kind, path, value, message, folder, tmp_path):
    place, role = tmp_path / "m.pauci", "classifier" if kind == "linear" else "booster"
    save_model(model(kind, folder), place)
    facts, parts = read_archive(place)
    spoil(facts, f"{role}.{path}".rstrip("."), value)
    write_archive(place, facts, parts)
    with pytest.raises(FileFormatError, match=rf"m\.pauci.*{message}"):
        load_model(place)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rounds", "ten", "rounds is 'ten', not int"),
        ("offset", None, "offset is None, not float"),
        ("n_features", "5", "n_features is '5', not int"),
        ("n_features", 4, "5 columns for a model of 4"),
        ("classes", [0, 10**400], "too large"),
        ("threshold.threshold", "low", "threshold of DecisionThreshold is 'low'"),
        ("settings.base", "catboost", "catboost"),
        ("settings.max_fpr", "x", "max_fpr"),
        ("settings.max_fpr", 10**400, "max_fpr"),
    ],
)
def test_facts_of_a_booster_of_the_wrong_kind_are_refused(path, value, message, folder, tmp_path):
    test_facts_of_the_wrong_kind_are_refused("lightgbm", path, value, message, folder, tmp_path)


@pytest.mark.parametrize("kind", ["lightgbm", "xgboost"])
def test_trees_that_are_cut_off_are_refused(kind, folder, tmp_path):
    path = tmp_path / "m.pauci"
    save_model(model(kind, folder), path)
    facts, parts = read_archive(path)
    write_archive(path, facts, {name: part[: len(part) // 2] for name, part in parts.items()})
    with pytest.raises(FileFormatError, match=r"m\.pauci"):
        load_model(path)


def test_a_table_unlike_that_of_the_fit_is_told_of(tmp_path):
    fitted, new = model("linear", tmp_path), tmp_path / "new.csv"
    payments(250, seed=2).assign(country="Poland").to_csv(new, index=False)
    with pytest.warns(UnseenWarning, match="column 'country': 100% of 250 values were not there") as told:
        scores = fitted.score_file(new)
    assert (len(scores), len(told)) == (250, 1)
    with pytest.warns(UnseenWarning):
        assert sum(map(len, fitted.iter_scores(new, rows=60))) == 250


def test_results_of_training_are_told_from_damaged_files(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"no zip")
    with pytest.raises(FileFormatError, match=r"not a model file of `pauci fit`.* pauci\.training\.Result\.load"):
        load_model(tmp_path / "model.safetensors")
