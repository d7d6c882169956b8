import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import pauci
from pauci.cli import app, main
from pauci.errors import InputError
from pauci.training import load_recipe

RECIPE = """
region = "fpr<=0.3"
epochs = 2
batch_size = 40
model = { name = "mlp", hidden = [4] }
loss = { name = "pauci", ce_weight = 0.5 }
[data]
task = "cifar10-lt-1"
"""


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """A recipe whose task is a small table, and a folder of its own to run in."""
    from pauci.training import source

    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    x = rng.normal(size=(200, 3)) + y[:, None]
    data = {"train": (x, y), "val": (x, y), "test": (x, y)}
    monkeypatch.setattr(source, "load_task", lambda name, variant: data)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.toml"
    path.write_text(RECIPE)
    return str(path)


def invoke(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_without_a_recipe_the_shipped_ones_are_listed():
    listed = invoke("train").stdout
    assert "strong-ce" in listed.split()
    assert "A small network for tables" in listed


def test_a_picture_that_cannot_be_written_is_refused_before_training(recipe, tmp_path):
    with pytest.raises(InputError, match=r"\.png"):
        invoke("train", recipe, "--device", "cpu", "--plot", str(tmp_path / "new" / "curve.gif"))
    assert not (tmp_path / "runs").exists()


def test_train_writes_a_folder_and_says_where(recipe, tmp_path):
    done = invoke("train", recipe, "--set", "loss.kappa=6", "--device", "cpu", "--plot", str(tmp_path / "curve.png"))
    assert done.exit_code == 0
    assert "target (fpr<=0.3)" in done.stdout
    assert "test" in done.stdout
    assert (tmp_path / "curve.png").stat().st_size > 1000
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("mine-")
    assert load_recipe(folder / "recipe.toml").loss.options["kappa"] == 6
    assert len((folder / "log.jsonl").read_text().splitlines()) == 2


def test_the_result_as_json_and_a_finished_run_resumed(recipe, tmp_path):
    first = invoke("train", recipe, "--device", "cpu", "--out", str(tmp_path / "a"), "--json")
    again = invoke("train", recipe, "--device", "cpu", "--out", str(tmp_path / "a"), "--json", "--resume")
    facts = json.loads(first.stdout)
    assert facts == json.loads(again.stdout)
    assert facts["test_metrics"]["target"] == facts["val_metrics"]["target"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epoch = 3", "unknown key 'epoch'; did you mean 'epochs'?"),
        ("[data]\ntable = 'none.csv'\ntarget = 'y'", "none.csv"),
        (None, "bad.toml does not exist; check the path."),
    ],
)
def test_bad_recipes_and_missing_files_exit_with_2_and_one_message(text, message, tmp_path, monkeypatch, capsys):
    bad = tmp_path / "bad.toml"
    if text is not None:
        bad.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pauci", "train", str(bad), "--device", "cpu"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err.replace("\n", " ")


def test_an_interrupted_run_goes_on_with_all_that_was_given(recipe, monkeypatch, run):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pauci.training.train", interrupted)
    given = f"train {recipe} --set epochs=3 --device cpu --compile --save-every 5.0 --warmups shared"
    code, _, err = run(*given.split())
    assert code == 130
    again = err.partition("continue with: pauci ")[2].split()
    assert again[:-3] == given.split()
    assert again[-3] == "--out"
    assert again[-1] == "--resume"
    assert run(*again)[2] == err


@pytest.mark.slow
def test_ctrl_c_exits_with_130(recipe, tmp_path):
    """A real process, a real signal."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        import numpy as np
        import sys
        from pauci.training import source
        from pauci.cli import main

        rng = np.random.default_rng(0)
        y = rng.random(400) < 0.3
        x = rng.normal(size=(400, 3)) + y[:, None]
        source.load_task = lambda name, variant: {"train": (x, y), "val": (x, y)}
        main()
        """)
    )
    command = [sys.executable, str(program), "train", recipe, "--out", "run", "--device", "cpu", "--save-every", "0"]
    environment = {**os.environ, "PYTHONPATH": str(Path(pauci.__file__).parents[1])}
    process = subprocess.Popen(
        [*command, "--set", "epochs=100000"], stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("run/checkpoints/step-*")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; continue with: pauci train" in stderr
    assert "Traceback" not in stderr
    assert list(tmp_path.glob("run/checkpoints/step-*.safetensors"))


def test_the_progress_bar_shows_loss_and_partial_auc(monkeypatch, capsys):
    from pauci.cli.train_progress import ProgressBar
    from pauci.training.observers import Start
    from training.toy import toy_recipe

    monkeypatch.setenv("COLUMNS", "140")
    bar = ProgressBar("fpr<=0.3")
    bar.start(Start(toy_recipe(), 20, 5, []))
    bar.step(6)
    bar.epoch({"epoch": 1, "step": 10, "loss": 0.25, "val": {"target": 0.875}})
    bar.end()
    screen = capsys.readouterr().err
    assert "loss 0.2500" in screen
    assert "pAUC (fpr<=0.3) 0.8750" in screen
    assert "10/20" in screen


@pytest.mark.parametrize("name", ["../../evil", "/evil", "..", ".hidden", "a/b\\\\c", ""])
def test_whatever_a_recipe_is_called_its_default_folder_is_in_runs(recipe, tmp_path, name):
    for command, *more in (["train"], ["tune", "--trials", "1", "--random"]):
        before = {*(tmp_path / "runs").glob("*")}
        assert invoke(command, recipe, *more, "--device", "cpu", "--set", f'name="{name}"').exit_code == 0
        (folder,) = {*(tmp_path / "runs").iterdir()} - before
        assert not folder.name.startswith((".", "-"))
        assert (folder / "recipe.toml").exists()


@pytest.mark.parametrize("name", ["x[/red]y", "z[red]y", ":bug:"])
def test_names_of_folders_are_printed_as_they_are(recipe, name):
    done = invoke("train", recipe, "--device", "cpu", "--out", name)
    assert f"are in {name}" in done.stdout
    arguments = ["--trials", "1", "--random", "--device", "cpu", "--out", f"tn-{name}", "--set", f"name={name}"]
    done = invoke("tune", recipe, *arguments)
    assert f"{name}: best of 1 trials" in done.stdout
    assert f"is {Path(f'tn-{name}', 'best.toml')}" in done.stdout


def test_tune_prints_the_best_trials(recipe, tmp_path):
    arguments = ["--trials", "2", "--random", "--range", "optimizer.lr=0.01:0.1:log", "--device", "cpu"]
    done = invoke("tune", recipe, *arguments, "--out", str(tmp_path / "study"))
    assert done.exit_code == 0
    assert "best of 2 trials" in done.stdout
    headings = done.stdout.splitlines()[1:4]
    assert any(line.split() == ["optimizer."] for line in headings)
    assert any(line.split() == ["trial", "validation", "lr"] for line in headings)
    assert load_recipe(tmp_path / "study" / "best.toml").epochs == 2


def test_tune_goes_on_with_other_ranges(recipe, tmp_path):
    arguments = ["--trials", "1", "--random", "--device", "cpu", "--out", str(tmp_path / "study")]
    invoke("tune", recipe, *arguments, "--range", "optimizer.lr=0.01:0.1")
    done = invoke("tune", recipe, *arguments, "--range", "loss.kappa=2:6", "--range", "data.flip=true,false")
    assert done.exit_code == 0
    rows = [line.split()[2:] for line in done.stdout.splitlines() if line.split()[:1] in (["0"], ["1"])]
    assert sorted(row.count("-") for row in rows) == [1, 2]
    assert {"True", "False"} & {*rows[0], *rows[1]}


def test_tune_cuts_nothing_off_where_many_ranges_are_searched(recipe, tmp_path):
    ranges = ("optimizer.weight_decay=1e-7:1e-6:log", "optimizer.momentum=0.90001:0.90009", "optimizer.lr=0.01:0.1")
    ranges += ("loss.kappa=2.0:6.0", "loss.omega=0.0001:0.0002", "positive_ratio=0.1:0.5")
    arguments = ["--trials", "1", "--random", "--device", "cpu", "--out", str(tmp_path / "study")]
    done = invoke("tune", recipe, *arguments, *[part for each in ranges for part in ("--range", each)])
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines()[1:-1])) <= 80
    assert "\u2026" not in done.stdout


def test_tune_tells_the_trials_of_two_searches_apart(recipe, tmp_path):
    pytest.importorskip("optuna")
    arguments = ["--trials", "1", "--device", "cpu", "--out", str(tmp_path / "study"), "--range", "loss.kappa=2:6"]
    invoke("tune", recipe, *arguments)
    done = invoke("tune", recipe, *arguments, "--random")
    assert "best of 2 trials" in done.stdout
    assert "optuna 0" in done.stdout
    assert "random 0" in done.stdout


def test_tune_says_so_where_every_trial_diverges(recipe, tmp_path):
    arguments = ["--trials", "2", "--random", "--device", "cpu", "--out", str(tmp_path / "study")]
    done = invoke("tune", recipe, *arguments, "--range", "optimizer.lr=1e30:1e38:log")
    assert done.exit_code == 1
    assert "diverged in all 2 trials" in done.stderr
    assert "best.toml" not in done.stdout


def test_the_command_line_starts_without_torch():
    code = "import sys; from pauci.cli import train, tune; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_two_processes_are_interrupted_together(tmp_path, kind):
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    np.savez(tmp_path / "table.npz", X=rng.normal(size=(400, 3)) + y[:, None], y=y)
    recipe = tmp_path / "mine.toml"
    recipe.write_text(RECIPE.replace('task = "cifar10-lt-1"', 'table = "table.npz"\ntarget = "y"'))
    environment = {**os.environ, "PYTHONPATH": str(Path(pauci.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pauci", "train", str(recipe), "--out", "run", "--device", "cpu", "--devices", "2"]
    process = subprocess.Popen(
        [*command, "--set", "epochs=100000", "--save-every", "0"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("run/checkpoints/step-*")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, kind)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert stderr.count("interrupted; continue with") == 1
    assert list(tmp_path.glob("run/checkpoints/step-*.safetensors"))
