import json
import sys
from functools import partial

import numpy as np
import pytest

from pauci import Region
from pauci.errors import CheckpointError, FileFormatError, InputError, MissingExtraError, RecipeError
from pauci.extras import EXTRAS
from pauci.training import Component, LossSpec, load_recipe, train, tune, tuning
from pauci.training.component import NAMES
from pauci.training.recipe_file import with_changes
from pauci.training.space import Choice, Range, paper_space, parse_range
from pauci.training.specs import RollbackSpec, SelectionSpec, WarmupSpec
from training.forked import context
from training.toy import toy_data, toy_recipe

RECIPE = toy_recipe(epochs=3, ema=0.0)
SPACE = {
    "optimizer.lr": Range(1e-4, 1e-1, log=True),
    "loss.kappa": Choice((2, 4)),
    "batch_size": Range(20, 60, whole=True),
}


@pytest.fixture(autouse=True)
def _extra(monkeypatch):
    monkeypatch.setitem(EXTRAS, "optuna", "tune")


def test_random_search_continues_where_it_stopped(tmp_path):
    whole = tune(RECIPE, toy_data(), trials=5, out=tmp_path / "whole", space=SPACE, device="cpu", optuna=False)
    tune(RECIPE, toy_data(), trials=2, out=tmp_path / "parts", space=SPACE, device="cpu", optuna=False)
    parts = tune(RECIPE, toy_data(), trials=3, out=tmp_path / "parts", space=SPACE, device="cpu", optuna=False)
    assert parts == whole
    assert [trial.value for trial in whole] == sorted((trial.value for trial in whole), reverse=True)
    best = load_recipe(tmp_path / "whole" / "best.toml")
    assert best.optimizer.options["lr"] == whole[0].changes["optimizer.lr"]
    assert 20 <= best.batch_size <= 60


def test_optuna_keeps_its_trials(tmp_path):
    pytest.importorskip("optuna")
    space = {"optimizer.lr": Range(1e-7, 1e-1, log=True)}
    recipe = RECIPE.replace(epochs=4)
    first = tune(recipe, toy_data(), trials=3, out=tmp_path, space=space, device="cpu")
    assert len(first) == 3
    again = tune(recipe, toy_data(), trials=2, out=tmp_path, space=space, device="cpu")
    assert len(again) == 5
    assert {trial.number: trial for trial in again}.items() >= {trial.number: trial for trial in first}.items()
    assert again[0].value == max(trial.value for trial in again if trial.value is not None)
    assert (tmp_path / "study.db").exists()


RATES = {"optimizer.lr": Range(1e-3, 1e-1, log=True)}


def test_where_the_last_epoch_is_kept_trials_are_judged_by_the_target(tmp_path):
    recipe = RECIPE.replace(selection=SelectionSpec(metric="last"))
    (trial,) = tune(recipe, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu", optuna=False)
    run = train(with_changes(recipe, trial.changes), toy_data(), device="cpu")
    assert trial.value == run.val_metrics["target"]


def worker(out):
    tune(RECIPE, toy_data(), trials=3, out=out, space=RATES, device="cpu")


@pytest.mark.slow
def test_two_processes_share_a_study(tmp_path):
    pytest.importorskip("optuna")
    processes = [context.Process(target=worker, args=(tmp_path,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(100)
        assert process.exitcode == 0
    found = tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu")
    assert sorted(trial.number for trial in found) == list(range(7))


def test_a_file_that_is_no_study(tmp_path):
    pytest.importorskip("optuna")
    (tmp_path / "study.db").write_text("something else entirely, and long enough to be looked at")
    with pytest.raises(FileFormatError, match="cannot be used as a study: it is not an SQLite file"):
        tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu")


def test_optuna_goes_on_with_other_ranges_and_refuses_other_kinds(tmp_path):
    pytest.importorskip("optuna")

    def go_on(**space):
        return tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=space, device="cpu", optuna=True)

    go_on(batch_size=Choice((32, 64)), epochs=Range(1, 3, whole=True))
    for other in (Choice((32, 48)), Range(32, 64, whole=True)):
        with pytest.raises(RecipeError, match="the range of batch_size has other choices"):
            go_on(batch_size=other)
    found = go_on(epochs=Range(2, 4, whole=True))
    assert sorted(len(trial.changes) for trial in found) == [1, 2]


def test_optuna_gives_up_what_falls_behind(tmp_path):
    pytest.importorskip("optuna")
    from pauci.training.optuna_search import optuna_trials, stored_trials

    values = iter([0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.95])
    epochs = []

    def evaluate(changes, watch):
        value = next(values)
        epochs.append(next((epoch for epoch in range(1, 5) if watch(epoch, value)), 4))
        return value

    optuna_trials(evaluate, {"seed": Range(0, 9, whole=True)}, trials=8, folder=tmp_path, name="x")
    assert [trial.value for trial in stored_trials(tmp_path, "x")] == [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, None, 0.95]
    assert epochs[6] < 4


def test_without_optuna_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pauci\[tune\]'"):
        tune(RECIPE, toy_data(), trials=1, out=tmp_path, device="cpu", optuna=True)


def test_the_best_is_that_of_all_trials_in_the_folder(tmp_path):
    pytest.importorskip("optuna")

    def search(low, high, *, optuna):
        space = {"optimizer.lr": Range(low, high, log=True)}
        return tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=space, device="cpu", optuna=optuna)

    (good,) = search(0.05, 0.1, optuna=True)
    best = (tmp_path / "best.toml").read_text()
    found = search(1e-9, 1e-8, optuna=False)
    assert [trial.search for trial in found] == ["optuna", "random"]
    assert found[0] == good
    assert (tmp_path / "best.toml").read_text() == best
    assert search(1e-9, 1e-8, optuna=True)[0] == good
    assert (tmp_path / "best.toml").read_text() == best


def test_a_folder_belongs_to_one_recipe(tmp_path):
    def search(recipe):
        tune(recipe, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu", optuna=False)

    search(RECIPE)
    best = (tmp_path / "best.toml").read_text()
    assert load_recipe(tmp_path / "recipe.toml").hash == RECIPE.hash
    with pytest.raises(CheckpointError, match=r"of another recipe; compare .*recipe\.toml"):
        search(RECIPE.replace(region=Region(max_fpr=0.5)))
    assert (tmp_path / "best.toml").read_text() == best
    search(RECIPE.replace(name="the same by another name"))


def test_trials_that_cannot_be_read_are_an_error_before_others_are_made(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.setattr(tuning, "train", None)
    (tmp_path / "study.db").touch()
    with pytest.raises(MissingExtraError, match=r"reading the trials in .*study\.db needs the package 'optuna'"):
        tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu", optuna=False)


@pytest.mark.parametrize(
    "line",
    [
        *("{", "[]", '{"unknown": 1}', "[" * 100_000, '{"number": 0, "changes": [], "value": 0.5}'),
        *(f'{{"number": 0, "changes": {{}}, "value": {value}}}' for value in ('"0.5"', "NaN", "true")),
    ],
)
def test_lines_that_are_no_trials_are_refused(tmp_path, line):
    path = tmp_path / f"trials-{RECIPE.hash}.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(FileFormatError, match=r"trials-.*\.jsonl holds what is not a trial"):
        tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu", optuna=False)


def test_diverged_trials_have_no_value(tmp_path):
    recipe = RECIPE.replace(optimizer=Component("sgd", {"lr": 1.0}))
    space = {"optimizer.lr": Choice((1e30, 1e31))}
    found = tune(recipe, toy_data(), trials=2, out=tmp_path, space=space, device="cpu", optuna=False)
    assert [trial.value for trial in found] == [None, None]
    assert not (tmp_path / "best.toml").exists()
    line = json.loads(next(tmp_path.glob("*.jsonl")).read_text().splitlines()[0])
    assert line["value"] is None


def test_values_are_read_as_a_recipe_reads_them():
    for values in ("true, false", "True,False"):
        assert parse_range(f"data.flip={values}") == ("data.flip", Choice((True, False)))
    assert parse_range("loss.power=1,0.5, topk") == ("loss.power", Choice((1, 0.5, "topk")))


def test_bad_ranges_fail_before_anything_is_trained(tmp_path):
    with pytest.raises(RecipeError, match="did you mean 'kappa'"):
        tune(RECIPE, toy_data(), trials=1, out=tmp_path, space={"loss.kapa": Range(1, 2)}, device="cpu")
    for path, values in (("region", ["fpr<=0.05", "fpr<=0.5"]), ("data.val_share", [0.2, 0.3]), ("seed", [1, 2])):
        with pytest.raises(RecipeError, match=f"{path} decides what trials are judged by"):
            tune(RECIPE, toy_data(), trials=1, out=tmp_path, space={path: Choice(values)}, device="cpu")
    for trials in (-1, 1.5, "2"):
        with pytest.raises(InputError, match=f"trials={trials!r} must be a whole number"):
            tune(RECIPE, toy_data(), trials=trials, out=tmp_path, device="cpu")
    with pytest.raises(InputError, match=r"space: optimizer\.lr is \(1, 2\), expected a Range or a Choice"):
        tune(RECIPE, toy_data(), trials=1, out=tmp_path, space={"optimizer.lr": (1, 2)}, device="cpu")
    for make in (partial(Range, 2, 1), partial(Range, -1, 1, log=True), partial(Range, 1, 1.5, whole=True)):
        with pytest.raises(InputError, match="Range"):
            make()
    with pytest.raises(InputError, match=r"Choice\(values=\(\)\) needs several values"):
        Choice(())
    for path in ("epochs", "data.pad"):
        space = {path: Range(2, 4), "batch_size": Range(2, 4, whole=True)}
        with pytest.raises(RecipeError, match=rf"{path} takes whole numbers alone: search in {path}=2:4:int"):
            tune(RECIPE, toy_data(), trials=1, out=tmp_path, space=space, device="cpu")
    for text in (
        *("loss.kappa", "loss.kappa=2", "loss.kappa=6:2", "loss.kappa=0:2:log", "loss.kappa=1:2:cube", "a=b:c"),
        *("loss.kappa=1:inf", "loss.kappa=-inf:1", "epochs=1.5:2.5:int"),
    ):
        with pytest.raises(RecipeError, match="cannot be read"):
            parse_range(text)


@pytest.mark.parametrize("loss", NAMES["loss"])
@pytest.mark.parametrize("name", ["paper-cifar10-lt", "strong", "tabular"])
def test_the_papers_ranges_suit_every_recipe(name, loss):
    recipe = load_recipe(name).replace(loss=LossSpec(name=loss))
    rng = np.random.default_rng(0)
    for _ in range(5):
        changed = with_changes(recipe, {path: entry.draw(rng) for path, entry in paper_space(recipe).items()})
        options = changed.optimizer.options
        if recipe.optimizer.name == "asgda":
            assert options["k"] ** 3 <= options["m"]
        else:
            assert 1e-5 <= options["lr"] <= 1e-2
        if loss == "pauci":
            assert 2 <= changed.loss.options["kappa"] <= 6


def test_optuna_watches_what_it_selects_by(tmp_path, monkeypatch):
    optuna = pytest.importorskip("optuna")
    seen = []
    monkeypatch.setattr(optuna.Trial, "report", lambda _, value, step: seen.append(value))
    recipe = toy_recipe(epochs=2, selection=SelectionSpec(metric="auc"))
    space = {"optimizer.lr": Range(0.01, 0.1)}
    (trial,) = tune(recipe, toy_data(), trials=1, out=tmp_path, space=space, device="cpu", optuna=True)
    assert max(seen) == trial.value


def test_optuna_does_not_look_at_warm_ups(tmp_path, monkeypatch):
    optuna = pytest.importorskip("optuna")
    told = []
    monkeypatch.setattr(optuna.Trial, "report", lambda _, value, step: told.append(step))
    recipe = toy_recipe(epochs=2, warmup=WarmupSpec(epochs=3))
    tune(recipe, toy_data(), trials=1, out=tmp_path, space=RATES, device="cpu", optuna=True)
    assert told == [1, 2]


def test_recipes_that_go_back_can_be_tuned(tmp_path):
    recipe = toy_recipe(epochs=1, rollback=RollbackSpec(times=1))
    space = {"optimizer.lr": Range(0.01, 0.1)}
    (trial,) = tune(recipe, toy_data(), trials=1, out=tmp_path / "a?b=1", space=space, device="cpu", optuna=True)
    assert trial.value is not None
    assert [path.name for path in tmp_path.iterdir()] == ["a?b=1"]


def test_an_error_in_a_trial_of_optuna_comes_without_a_traceback(tmp_path, caplog):
    optuna = pytest.importorskip("optuna")
    optuna.logging.enable_propagation()
    try:
        with pytest.raises(RecipeError, match=r"neither data\.task nor data\.table"):
            tune(RECIPE, trials=1, out=tmp_path, space=SPACE, device="cpu", optuna=True)
    finally:
        optuna.logging.disable_propagation()
    assert not caplog.records
