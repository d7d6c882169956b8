import json
import re
import shutil

import numpy as np
import pytest
import torch

from pauci.errors import FileFormatError, MissingFileError
from pauci.metrics import partial_auc_score
from pauci.models import MLP
from pauci.region import Region
from pauci.report import read_run, write_report
from pauci.training import Component, LossSpec, Recipe, train
from pauci.training.specs import DataSpec


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.random(900) < 0.2
    x = rng.normal(size=(900, 3)) + y[:, None]
    path = tmp_path_factory.mktemp("data") / "table.csv"
    rows = [",".join([*(f"{value:.6f}" for value in row), str(int(label))]) for row, label in zip(x, y, strict=True)]
    path.write_text("\n".join(["a,b,c,fraud", *rows]) + "\n", encoding="utf-8")
    return path


def recipe_for(table, loss="pauci", **changes):
    options = {"kappa": 4.0} if loss == "pauci" else {}
    return Recipe(
        region=Region(max_fpr=0.1),
        data=DataSpec(table=str(table), target="fraud"),
        model=Component("mlp", {"hidden": [8]}),
        loss=LossSpec(name=loss, options=options),
        epochs=3,
        batch_size=128,
        **changes,
    )


def page_of(run, folder):
    path = write_report([], folder / "page.html", region=Region(max_fpr=0.1), runs=[run], n_resamples=20)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_the_scores_are_those_that_the_run_was_judged_by(table, tmp_path, ema):
    result = train(recipe_for(table, ema=ema), out=tmp_path / "run", device="cpu", save_every=0.0)
    run = read_run(tmp_path / "run")
    assert (run.name, run.part, run.missing) == ("run", "validation", "")
    assert run.recipe == result.recipe
    assert run.history == result.history
    found = partial_auc_score(run.model.y_true, run.model.y_score, max_fpr=0.1)
    assert found == pytest.approx(result.val_metrics["target"], abs=1e-12)


def test_the_diagnosis_is_about_the_newest_checkpoint(table, tmp_path):
    # A rate that moves gamma visibly, but nowhere near its optimum.
    recipe = recipe_for(table, optimizer=Component("sgd", {"lr": 0.02}))
    train(recipe, out=tmp_path / "run", device="cpu", save_every=0.0)
    run = read_run(tmp_path / "run")
    assert run.diagnosis.kept_inner
    assert abs(run.diagnosis.found.gamma - float(run.diagnosis.found.optimum.gamma)) > 1e-3
    page = page_of(run, tmp_path)
    assert "inner variables of the newest checkpoint" in page
    assert f">{run.diagnosis.found.gamma:.3f}<" in page
    assert f">{float(run.diagnosis.found.optimum.gamma):.3f}, its optimum<" in page
    for quantity in (
        "Effective region: selection weight on the region's negatives",
        "Active negatives",
        "Curvature in gamma",
    ):
        assert quantity in page


def test_without_a_checkpoint_gamma_is_not_made_up(table, tmp_path):
    train(recipe_for(table), out=tmp_path / "run", device="cpu")
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    run = read_run(tmp_path / "run")
    assert not run.diagnosis.kept_inner
    assert run.diagnosis.found.gamma == pytest.approx(float(run.diagnosis.found.optimum.gamma), abs=1e-6)
    page = page_of(run, tmp_path)
    assert ">not kept<" in page
    assert "kept no checkpoint" in page


def test_other_losses_have_no_diagnosis(table, tmp_path):
    train(recipe_for(table, loss="ce"), out=tmp_path / "run", device="cpu")
    run = read_run(tmp_path / "run")
    assert run.diagnosis is None
    assert "Diagnosis" not in page_of(run, tmp_path)


def test_the_recipe_and_the_command_are_on_the_page(table, tmp_path):
    train(recipe_for(table, loss="ce"), out=tmp_path / "my run", device="cpu")
    page = page_of(read_run(tmp_path / "my run"), tmp_path)
    assert f"pauci train &#x27;{tmp_path / 'my run' / 'recipe.toml'}&#x27; --out" in page
    assert "epochs = 3" in page


def test_a_run_on_arrays_is_trained_again_from_python(tmp_path):
    y = np.arange(200) % 4 == 0
    train(Recipe(epochs=1, batch_size=50), (np.arange(400.0).reshape(200, 2), y), out=tmp_path / "run", device="cpu")
    run = read_run(tmp_path / "run")
    assert run.missing == "the recipe names no data: they were passed as arrays"
    page = page_of(run, tmp_path)
    assert "train(load_recipe(" in page
    assert "pauci train" not in page


def test_two_runs_on_the_same_data_are_compared(table, tmp_path):
    for loss in ("ce", "pauci"):
        train(recipe_for(table, loss=loss), out=tmp_path / loss, device="cpu")
    runs = [read_run(tmp_path / loss) for loss in ("ce", "pauci")]
    path = write_report([], tmp_path / "page.html", region=Region(max_fpr=0.1), runs=runs, n_resamples=20)
    assert re.search(r"pauci (ranks|and ce cannot)", path.read_text(encoding="utf-8"))


def test_a_run_whose_data_are_gone_shows_the_rest(table, tmp_path):
    moved = tmp_path / "table.csv"
    moved.write_bytes(table.read_bytes())
    train(recipe_for(moved), out=tmp_path / "run", device="cpu")
    moved.unlink()
    run = read_run(tmp_path / "run")
    assert run.model is None
    assert "table.csv" in run.missing
    page = page_of(run, tmp_path)
    assert 'id="convergence-0"' in page
    assert "none: its data are not at hand" in page
    assert 'id="roc"' not in page


def test_rows_in_another_order_are_not_scored_as_validation_data(table, tmp_path):
    """The part that is set aside would be another one, of rows that were trained on."""
    moved, (head, *rows) = tmp_path / "table.csv", table.read_text(encoding="utf-8").splitlines()
    moved.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    train(recipe_for(moved), out=tmp_path / "run", device="cpu")
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    assert read_run(tmp_path / "run").model is not None
    moved.write_text("\n".join([head, *rows[::-1]]) + "\n", encoding="utf-8")
    run = read_run(tmp_path / "run")
    assert run.model is None
    assert run.missing.startswith("its data have changed since (train, val)")


@pytest.mark.parametrize("model", [torch.nn.Linear(3, 1), MLP(3, hidden=[8])], ids=["other sizes", "same sizes"])
def test_a_network_that_was_passed_is_not_scored_as_that_of_the_recipe(table, tmp_path, model):
    """It may compute something else, though its weights fit."""
    train(recipe_for(table), out=tmp_path / "run", device="cpu", model=model)
    run = read_run(tmp_path / "run")
    assert run.model is None
    assert "passed to train()" in run.missing


def test_a_run_that_is_not_finished_shows_what_there_is(table, tmp_path):
    train(recipe_for(table), out=tmp_path / "run", device="cpu")
    for name in ("result.json", "model.safetensors"):
        (tmp_path / "run" / name).unlink()
    log = tmp_path / "run" / "log.jsonl"
    log.write_text("".join(log.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    run = read_run(tmp_path / "run")
    assert (len(run.history), run.missing) == (2, "the run is not finished")
    assert "not finished: 2 of 3 epochs" in page_of(run, tmp_path)
    whole = log.read_text()
    log.write_text(whole[:-9])
    assert len(read_run(tmp_path / "run").history) == len(run.history) - 1
    log.unlink()
    assert "No epoch is finished yet" in page_of(read_run(tmp_path / "run"), tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("log.jsonl", "{", "line 1 is not JSON"),
        ("log.jsonl", "[1]", "line 1 holds list"),
        ("log.jsonl", json.dumps({"epoch": 1}), "line 1 is not a record"),
        ("log.jsonl", json.dumps({"epoch": 1, "loss": "<b>", "val": {"target": 0.5}}), "line 1 is not a record"),
        ("log.jsonl", '{"epoch": 1, "loss": NaN, "val": {"target": 0.5}}', "line 1 is not a record"),
        ("log.jsonl", '{"epoch": 1, "loss": true, "val": {"target": 0.5}}', "line 1 is not a record"),
        ("log.jsonl", f'{{"epoch": 1, "loss": {10**400}, "val": {{"target": 0.5}}}}', "line 1 is not a record"),
        ("log.jsonl", "[" * 100_000, "line 1 is not JSON"),
        ("log.jsonl", "\udcff", "line 1 is not JSON"),
        ("result.json", "[" * 100_000, "is not JSON"),
        ("result.json", "nonsense", "is not JSON"),
        ("result.json", '{"best_epoch": 1, "seconds": 1, "val_metrics": {}, "test_metrics": {}}', "is not the result"),
        ("result.json", "{}", "is not the result"),
    ],
)
def test_damaged_files_are_named(table, tmp_path, name, content, words):
    train(recipe_for(table, loss="ce"), out=tmp_path / "run", device="cpu")
    (tmp_path / "run" / name).write_text(content + "\n", encoding="utf-8", errors="surrogateescape")
    with pytest.raises(FileFormatError, match=words):
        read_run(tmp_path / "run")


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(MissingFileError, match=r"no recipe\.toml"):
        read_run(tmp_path)
