import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
import torch
from torch import distributed

from pauci.errors import InputError, RankError
from pauci.training import Component, LossSpec, Observer, train
from pauci.training.files import read_tensors, write_tensors
from pauci.training.launch import free_port, launch
from pauci.training.ranks import joined
from pauci.training.specs import RollbackSpec
from training.forked import context
from training.toy import assert_same_weights, toy_data
from training.worker import OPTIMIZERS, one_run_after_another, recipe_for, same_weights

WORKER = [sys.executable, str(Path(__file__).with_name("worker.py"))]


@pytest.fixture(autouse=True)
def _paths(monkeypatch):
    import pauci

    folders = [Path(pauci.__file__).parents[1], Path(__file__).parents[1]]
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, folders)))


def one_of(processes, number, port, work, *arguments):
    torch.set_num_threads(1)
    os.environ |= {"RANK": str(number), "WORLD_SIZE": str(processes), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    work(*arguments)


def run_together(processes, work, *arguments):
    """Let several processes do the same, and wait until all have ended well."""
    port = str(free_port())
    ranks = [context.Process(target=one_of, args=(processes, n, port, work, *arguments)) for n in range(processes)]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join(100)
    assert [process.exitcode for process in ranks] == [0] * processes


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_train_like_one(tmp_path, processes):
    run_together(processes, same_weights, tmp_path)
    for optimizer in OPTIMIZERS:
        alone = train(recipe_for(optimizer), toy_data(), device="cpu")
        assert alone.history[-1]["step"] == 20
        together, _ = read_tensors(tmp_path / f"{optimizer}.safetensors")
        for name, value in alone.last.items():
            torch.testing.assert_close(together[name], value, atol=1e-5, rtol=0)


@pytest.mark.slow
def test_several_processes_make_one_run_after_another(tmp_path):
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    run_together(2, one_run_after_another, tmp_path, store.port)
    weights = [read_tensors(tmp_path / f"{run}-{rank}.safetensors")[0] for run in range(2) for rank in range(2)]
    for others in weights[1:]:
        assert_same_weights(others, weights[0])


def meet(times):
    for _ in range(times):
        with joined(torch.device("cpu"), timeout=30) as ranks:
            both = torch.tensor([float(ranks.rank)])
            ranks.mean_([both])
            assert both.item() == 0.5


@pytest.mark.slow
def test_a_new_process_may_take_over_a_rank_in_the_next_run():
    port = str(free_port())
    stays = context.Process(target=one_of, args=(2, 0, port, meet, 2))
    stays.start()
    for _ in range(2):
        peer = context.Process(target=one_of, args=(2, 1, port, meet, 1))
        peer.start()
        peer.join(100)
        assert peer.exitcode == 0
    stays.join(100)
    assert stays.exitcode == 0


FRAGILE = {
    "loss": {"loss": LossSpec(name="training.toy:FragileLoss")},
    # Losses refuse scores that are not finite, which only one process may have.
    "scores": {"model": Component("training.toy:FragileNet"), "loss": LossSpec(name="mb"), "ema": 0.0},
}


def fragile(out, what):
    recipe = recipe_for("sgd").replace(
        optimizer=Component("sgd", {"lr": 3.0}), rollback=RollbackSpec(times=5, factor=0.1), **FRAGILE[what]
    )
    result = train(recipe, toy_data(), device="cpu", out=out / "run", save_every=0, timeout=30)
    assert result.history[-1]["rate"] < 0.5
    (out / f"ended-{os.environ['RANK']}").touch()


@pytest.mark.slow
@pytest.mark.parametrize("what", list(FRAGILE))
def test_processes_go_back_together_when_one_of_them_diverges(tmp_path, what):
    """Loss and scores of each are those of its own share, so that one may notice before the other."""
    run_together(2, fragile, tmp_path, what)
    assert {path.name for path in tmp_path.glob("ended-*")} == {"ended-0", "ended-1"}


class StoppedError(Exception):
    pass


class Stop(Observer):
    def step(self, done):
        if done == 8:
            raise StoppedError


def normalising_network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))


def resumed(out, name):
    """Go on from a checkpoint of the first process, which saw its own share of the batches: so did BatchNorm."""
    distributed.init_process_group("gloo")
    recipe, given = recipe_for("sgd").replace(loss=LossSpec(name=name)), {"model": normalising_network()}
    whole = train(recipe, toy_data(), device="cpu", **given)
    with pytest.raises(StoppedError):
        train(recipe, toy_data(), device="cpu", out=out / "run", observers=[Stop()], save_every=0, **given)
    again = train(recipe, toy_data(), device="cpu", out=out / "run", resume=True, **given)
    distributed.destroy_process_group()
    assert_same_weights(again.last, whole.last)
    assert [{**record, "seconds": 0} for record in again.history] == [{**r, "seconds": 0} for r in whole.history]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ce", "sopa"])
def test_resumed_within_an_epoch_several_processes_end_the_same(tmp_path, name):
    """Cross-entropy of each is that of its own share, SOPA remembers rows, but one of them writes the checkpoint."""
    run_together(2, resumed, tmp_path, name)


def own_network(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))


def unlike(out):
    number = int(os.environ["RANK"])
    distributed.init_process_group("gloo", timeout=timedelta(seconds=20))
    result = train(recipe_for("sgd"), toy_data(), model=own_network(number), device="cpu")
    write_tensors(out / f"{number}.safetensors", result.last, {})
    with pytest.raises(InputError, match=r"processes of this run have different data or recipes"):
        train(recipe_for("sgd"), toy_data(seed=number), device="cpu")
    distributed.destroy_process_group()


@pytest.mark.slow
def test_processes_start_from_the_weights_of_the_first_and_need_the_same_data(tmp_path):
    """As where each process makes a network, or splits its data, with random numbers of its own."""
    run_together(2, unlike, tmp_path)
    alone = train(recipe_for("sgd"), toy_data(), model=own_network(0), device="cpu")
    for number in range(2):
        together, _ = read_tensors(tmp_path / f"{number}.safetensors")
        for name, value in alone.last.items():
            torch.testing.assert_close(together[name], value, atol=1e-5, rtol=0)


@pytest.mark.slow
def test_a_dead_process_stops_the_run_and_it_can_be_resumed(tmp_path, capfd):
    began = time.monotonic()
    with pytest.raises(RankError, match=r"rank 1 was killed by SIGKILL; the run was stopped"):
        launch([*WORKER, str(tmp_path)], 2)
    assert time.monotonic() - began < 60
    assert "rank 0 lost its peers: another process of the run died" in capfd.readouterr().err
    result = train(recipe_for("asgda"), toy_data(), device="cpu", out=tmp_path / "run", resume=True)
    alone = train(recipe_for("asgda"), toy_data(), device="cpu")
    for name, value in alone.last.items():
        torch.testing.assert_close(result.last[name], value, atol=1e-5, rtol=0)


PATIENT = """
import sys, time
from pathlib import Path
from pauci.training.interrupt import stop_requests

with stop_requests() as stop:
    Path(sys.argv[1], str(time.time_ns())).touch()
    while not stop.asked:
        time.sleep(0.01)
sys.exit(130)
"""
LAUNCHER = """
import sys
from pauci.training.launch import launch

sys.exit(launch([sys.executable, "-c", sys.argv[1], sys.argv[2]], 2))
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_who_tells_the_launcher_alone_stops_all(tmp_path, kind):
    """A supervisor does so; a terminal tells every process."""
    launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER, PATIENT, str(tmp_path)], start_new_session=True)
    try:
        while len(list(tmp_path.iterdir())) < 2 and launcher.poll() is None:
            time.sleep(0.05)
        launcher.send_signal(kind)
        assert launcher.wait(60) == 130
    finally:
        if launcher.poll() is None:
            os.killpg(launcher.pid, signal.SIGKILL)
            launcher.wait()
