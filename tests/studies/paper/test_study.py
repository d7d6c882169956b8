"""The miniature of the study, end to end: run, stop, resume, tune. It is the same code as the study itself."""

import dataclasses
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from pauci.cli import app
from pauci.errors import DivergedError, FileFormatError, InputError
from pauci.studies.jsonl import append_line, read_lines
from pauci.studies.paper import study, training, tuning
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.miniature import miniature_task
from pauci.studies.paper.plan import ALL, plan
from pauci.studies.paper.study import run_study
from pauci.studies.paper.training import Machine, OutOfTimeError, run_in_turns
from pauci.studies.paper.tuning import SEED, read_tuned, study_space, tune_study
from pauci.studies.store import Store
from pauci.training.lanes import finished, side_by_side
from pauci.training.specs import REGIONS, LossSpec


def miniature(**choice):
    return plan(protocols=["miniature"], tasks=["cifar10-lt-1"], **{"seeds": [0], **choice})


@pytest.fixture
def machine(tmp_path):
    return Machine(device="cpu", compiled=False, graphs=False, warmups=tmp_path / "warmups")


@pytest.mark.slow
def test_every_method_runs_and_leaves_what_the_design_says(tmp_path, machine):
    store, runs = Store(tmp_path / "paper"), miniature()
    told = []
    progress = run_study(runs, store, machine, report=lambda run, _, done: told.append((run, done)))
    assert (progress.done, progress.left, progress.made) == (len(runs), 0, len(runs))
    assert told == [(run, number) for number, run in enumerate(runs, start=1)]
    records = store.records()
    expected = {(method, region) for method in ALL for region in METHODS[method].losses}
    assert {(record.method, record.region) for record in records} == expected
    for record in records:
        assert set(record.metrics) == set(record.val_metrics) == set(REGIONS)
        assert record.seconds > 0
        assert record.details["images_per_second"] > 0
    both = [record for record in records if record.method == "ours"]
    assert both[0].metrics == both[1].metrics
    assert both[0].recipe == both[1].recipe
    histories = read_lines(store.folder / "history" / "miniature.jsonl")
    assert len(histories) == len(runs)
    assert {entry["warmup"] for entry in histories if entry["method"] == "ours"} == {0}
    assert {entry["warmup"] for entry in histories if entry["method"] == "pauci"} == {1}
    assert len(list(machine.warmups.iterdir())) == 1  # one warm-up for all methods
    again = run_study(runs, store, machine)
    assert (again.made, again.left) == (0, 0)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills a process")
def test_a_killed_study_goes_on_where_it_was_and_ends_with_the_same_results(tmp_path, machine):
    runs = miniature(seeds=[0, 1], methods=["ce", "ours", "pauci"])
    options = ["--methods", "ce,ours,pauci", "--tasks", "cifar10-lt-1", "--seeds", "0-1", "--device", "cpu"]
    command = ["study", "paper", "--protocol", "miniature", *options]
    command += ["--store", str(tmp_path / "killed"), "--warmups", str(tmp_path / "other")]
    process = subprocess.Popen([sys.executable, "-m", "pauci", *command], env={**os.environ, "OMP_NUM_THREADS": "1"})
    path = tmp_path / "killed" / "miniature.jsonl"
    while (not path.exists() or len(path.read_bytes().splitlines()) < 2) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "0 of 8 are left" in result.output
    run_study(runs, Store(tmp_path / "whole"), machine)
    killed, whole = (
        {(r.method, r.region, r.seed): (r.metrics, r.recipe) for r in Store(tmp_path / name).records()}
        for name in ("killed", "whole")
    )
    assert killed == whole
    assert len(read_lines(path)) == len(whole)  # nothing was run twice


@pytest.mark.slow
def test_several_processes_share_the_work(tmp_path, machine):
    runs = miniature(methods=["ce", "ours", "focal"])
    progress = run_study(runs, Store(tmp_path / "paper"), machine, workers=2)
    assert (progress.made, progress.left) == (3, 0)
    alone = make_run(runs[0], runs[0].recipe(), machine).records[0]
    assert alone.metrics in [record.metrics for record in Store(tmp_path / "paper").records()]
    with pytest.raises(InputError, match="workers"):
        run_study(runs, Store(tmp_path), machine, workers=0)


def test_runs_in_turns_find_what_they_find_alone(tmp_path, machine, monkeypatch):
    runs = miniature(methods=["ce", "ours", "pauci"])
    asked = []

    def watched(jobs, *, lanes, device):
        asked.append(lanes)
        yield from side_by_side(jobs, lanes=lanes, device=device)

    monkeypatch.setattr(training, "side_by_side", watched)
    progress = run_study(runs, Store(tmp_path / "turns"), machine, lanes=3)
    assert (progress.made, progress.left) == (len(runs), 0)
    run_study(runs, Store(tmp_path / "alone"), machine)
    turns, alone = (
        {(record.method, record.region): record.metrics for record in Store(tmp_path / name).records()}
        for name in ("turns", "alone")
    )
    assert turns == alone
    assert asked == [3, 1]
    records = Store(tmp_path / "turns").records()
    assert {record.details["beside"] for record in records} == {3}
    assert {record.details["rows"] for record in records} == {len(miniature_task("cifar10-lt-1").train)}
    with pytest.raises(InputError, match="lanes=2"):
        run_study(runs, Store(tmp_path), machine, workers=2, lanes=2)


def test_graphs_are_used_where_they_can_hold_the_loss(machine, monkeypatch):
    asked = {}

    def remember(recipe, *_, graphs, **__):
        asked[recipe.name.split()[-1]] = graphs
        yield

    monkeypatch.setattr(training, "run_steps", remember)
    recipes = [plan(stages=[0], methods=[name], tasks=["cifar10-lt-1"], seeds=[0])[0].recipe() for name in ALL]
    solved = recipes[0].replace(name="solved", loss=LossSpec(name="pauci", options={"inner": "solve"}))
    for recipe in (*recipes, solved):
        finished(training.train_in_turns(None, recipe, dataclasses.replace(machine, graphs=True), None))
    assert len(asked) == len(ALL) + 1
    assert {name for name, graphs in asked.items() if not graphs} == {"solved"}


def make_run(run, recipe, where):
    """One run, alone."""
    with where.sitting() as here:
        return finished(run_in_turns(run, recipe, where, here))


def slow_run(seconds):
    """Runs that pretend to have taken long."""

    def fake(*given, details):
        outcome = yield from run_in_turns(*given, details=details)
        records = [
            dataclasses.replace(record, details={**record.details, "wall": seconds}) for record in outcome.records
        ]
        return dataclasses.replace(outcome, records=records)

    return fake


def test_no_run_is_begun_that_would_not_end_in_time(tmp_path, machine, monkeypatch):
    runs, store = miniature(methods=["ce", "ours", "focal"]), Store(tmp_path / "paper")
    monkeypatch.setattr(study, "run_in_turns", slow_run(1000.0))
    progress = run_study(runs, store, machine, budget=100.0)
    assert (progress.made, progress.left) == (1, 2)
    # The next call knows from the store, and does not even begin; with more time it goes on.
    assert run_study(runs, store, machine, budget=100.0).made == 0
    # Two at a time take twice as long each.
    assert run_study(runs, store, machine, budget=2000.0, lanes=2).made == 0
    assert run_study(runs, store, machine, budget=5000.0).left == 0


def test_ctrl_c_after_the_last_step_counts(tmp_path, machine):
    runs = miniature(methods=["ce"])
    with pytest.raises(KeyboardInterrupt):
        run_study(runs, Store(tmp_path), machine, report=lambda *_: signal.raise_signal(signal.SIGINT))
    assert len(Store(tmp_path).records()) == 2


def test_a_run_that_is_not_finished_in_time_leaves_nothing(tmp_path, machine):
    late = dataclasses.replace(machine, deadline=time.time() - 1)
    (run, *_) = miniature(methods=["pauci"])
    with pytest.raises(OutOfTimeError):
        make_run(run, run.recipe(), late)
    assert not machine.warmups.exists()  # half a warm-up would be taken for a whole one

    store = Store(tmp_path / "paper")
    progress = run_study([run], store, machine, budget=-1.0)
    assert (progress.made, progress.left) == (0, 1)
    assert store.records() == []


def test_a_run_that_fails_does_not_cost_the_others_theirs(tmp_path, machine, monkeypatch):
    def fail(run, *given, details):
        if run.method == "ours":
            raise RuntimeError("out of luck")
        return (yield from run_in_turns(run, *given, details=details))

    monkeypatch.setattr(study, "run_in_turns", fail)
    runs, store = miniature(methods=["ours", "focal"]), Store(tmp_path / "paper")
    told = []
    progress = run_study(runs, store, machine, report=lambda run, outcome, _: told.append((run.method, str(outcome))))
    assert (progress.made, progress.failed, progress.left) == (1, 1, 1)
    assert told[0] == ("ours", "out of luck")
    assert {record.method for record in store.records()} == {"focal"}
    arguments = ["--protocol", "miniature", "--tasks", "cifar10-lt-1", "--seeds", "0", "--methods", "ours,focal"]
    arguments += ["--device", "cpu", "--store", str(store.folder), "--warmups", str(machine.warmups)]
    result = CliRunner().invoke(app, ["study", "paper", *arguments])
    assert result.exit_code == 1
    assert "failed: RuntimeError: out of luck" in result.output


def test_when_nothing_but_failures_comes_no_more_runs_are_begun(tmp_path, machine, monkeypatch):
    def fail(*_, **__):
        yield
        raise RuntimeError("out of luck")

    monkeypatch.setattr(study, "run_in_turns", fail)
    runs = [dataclasses.replace(run, seed=seed) for run in miniature(methods=["focal"]) for seed in range(15)]
    progress = run_study(runs, Store(tmp_path / "paper"), machine)
    assert (progress.made, progress.failed, progress.left) == (0, 10, 15)


def test_a_run_that_diverges_is_remembered_and_not_repeated(tmp_path, machine, monkeypatch):
    def diverge(*_, **__):
        yield
        raise DivergedError("the loss is nan", step=3)

    monkeypatch.setattr(training, "run_steps", diverge)
    runs, store = miniature(methods=["ours"]), Store(tmp_path / "paper")
    run_study(runs, store, machine)
    for record in store.records():
        assert record.metrics == {}
        assert "nan" in record.details["diverged"]
    assert len(store.records()) == 2
    assert not (store.folder / "history").exists()
    assert run_study(runs, store, machine).made == 0


@pytest.mark.parametrize("lanes", [1, 2])
def test_tuning_gives_every_method_the_same_trials_without_looking_at_test_data(tmp_path, machine, monkeypatch, lanes):
    seen = []

    def watched(inputs, recipe, where, here):
        seen.append((inputs.test, recipe.seed))
        return training.train_in_turns(inputs, recipe, where, here)

    monkeypatch.setattr(tuning, "train_in_turns", watched)
    runs, folder = miniature(methods=["ours", "pauci"]), tmp_path / "paper"
    told = []
    tune_study(
        runs, folder, machine, trials=2, lanes=lanes, report=lambda run, number, _: told.append((run.setting, number))
    )
    tuned = read_tuned(folder)
    settings = list(dict.fromkeys(run.setting for run in runs))
    assert sorted(told) == sorted((setting, number) for setting in settings for number in range(2))
    assert [number for _, number in told] == [0, 0, 0, 1, 1, 1] or lanes > 1  # nobody is ahead when time is up
    assert set(seen) == {(None, SEED)}
    assert {entry["trials"] for entry in tuned.values()} == {2}
    trials = read_lines(folder / "tuning" / "miniature.jsonl")
    assert [trial["changes"] for trial in trials if trial["number"] == 0] == [{}] * 3  # the shipped setting
    for setting in settings:
        best = max((trial for trial in trials if trial["setting"] == setting), key=lambda trial: trial["value"])
        assert tuned[setting] == {"changes": best["changes"], "value": best["value"], "trials": 2}
    # Nothing is tried again, a larger budget continues, and too little time loses nothing.
    seen.clear()
    tune_study(runs, folder, machine, trials=2)
    assert seen == []
    tune_study(runs, folder, machine, trials=3, budget=-1.0)
    assert read_tuned(folder) == tuned


def test_a_trial_is_worth_the_mean_of_all_its_tasks_or_nothing(tmp_path, machine):
    (run,) = miniature(methods=["ce"])
    reached = {
        ("cifar10-lt-1", 0): 0.6,
        ("cifar10-lt-3", 0): 0.6,
        ("cifar10-lt-1", 1): 0.9,  # one good task does not make up for a bad one
        ("cifar10-lt-3", 1): 0.2,
        ("cifar10-lt-1", 2): 0.5,
        ("cifar10-lt-3", 2): 0.8,
        ("cifar10-lt-1", 3): 0.9,
        ("cifar10-lt-3", 3): None,  # diverged
        ("cifar10-lt-1", 4): 0.99,  # the other task has not run yet
    }
    for (task, number), value in reached.items():
        line = {"setting": run.setting, "number": number, "changes": {"epochs": number}, "value": value}
        append_line(tmp_path / "tuning" / "miniature.jsonl", {**line, "task": task, "variant": "clean", "seed": SEED})
    tune_study([], tmp_path, machine, trials=0)
    assert read_tuned(tmp_path) == {run.setting: {"changes": {"epochs": 2}, "value": pytest.approx(0.65), "trials": 4}}


def test_ranges_are_the_papers_and_reach_the_protocols_own_settings():
    strong, paper = (
        {run.method: study_space(run.recipe(), protocol) for run in plan(protocols=[protocol], seeds=[0])}
        for protocol in ("strong", "paper")
    )
    assert (paper["ce"]["optimizer.lr"].low, paper["ce"]["optimizer.lr"].high) == (1e-5, 1e-2)
    assert strong["ce"]["optimizer.lr"].low < 0.1 < strong["ce"]["optimizer.lr"].high
    assert "optimizer.nu" in strong["pauci"]
    assert {"loss.ce_weight", "loss.region", "loss.kappa"} <= strong["ours"].keys()
    assert "loss.ce_weight" not in strong["pauci"]


def test_runs_use_what_tuning_chose(tmp_path, machine):
    (run,) = miniature(methods=["ours"])
    tuned = {run.setting: {"changes": {"loss.kappa": 6.0}, "value": 0.5, "trials": 4}}
    store = Store(tmp_path / "paper")
    run_study([run], store, machine, tuned=tuned)
    (record, _) = store.records()
    assert record.recipe == run.recipe(tuned).hash != run.recipe().hash
    assert record.details["trials"] == 4
    assert run_study([run], store, machine).made == 1  # the shipped setting is another run


def test_a_spoilt_file_of_settings_is_an_error(tmp_path):
    for text in ("nonsense", '{"a": {"changes": {}}}', '["a"]'):
        (tmp_path / "tuned.json").write_text(text)
        with pytest.raises(FileFormatError, match="tuned"):
            read_tuned(tmp_path)


def test_the_command_lists_and_refuses(tmp_path):
    run = CliRunner().invoke
    one = plan(stages=[1], methods=["ce"], tasks=["cifar10-lt-2"], seeds=[0])[0]
    for record in training._records(one, one.recipe(), "cpu", {}):
        Store(tmp_path).append(record, file="strong")
    listed = run(app, ["study", "paper", "--list", "--stages", "3,1", "--seeds", "0", "--store", str(tmp_path)])
    assert listed.exit_code == 0
    heads = [line for line in listed.output.splitlines() if line.startswith("Stage")]
    assert [head.partition(",")[0] for head in heads] == ["Stage 3", "Stage 1"]  # in the order that was asked for
    assert heads[1].endswith("1 of 12 runs are done")
    assert [line.split() for line in listed.output.splitlines()[-3:]] == [
        ["ce", "1", "of", "3"],
        ["ours", "0", "of", "3"],
        ["pauci", "0", "of", "6"],
    ]
    for seeds in ("few", "4-1", "0-", "-4"):
        assert run(app, ["study", "paper", "--list", f"--seeds={seeds}", "--store", str(tmp_path)]).exit_code == 2
    assert isinstance(run(app, ["study", "paper", "--methods", "magic"]).exception, InputError)
