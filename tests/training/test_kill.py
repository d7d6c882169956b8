import json
import os
import random
import signal
import time

import pytest
import torch

from pauci.errors import CheckpointError
from pauci.training import Component, Result, train
from pauci.training.specs import WarmupSpec
from training.forked import context
from training.toy import assert_same_weights, toy_data, toy_recipe

KILLS = 10
#: So many that a run on a quiet machine is not over before it was killed so often.
EPOCHS = 40


def long_recipe(optimizer):
    return toy_recipe(optimizer=optimizer, epochs=EPOCHS, warmup=WarmupSpec(epochs=2))


def victim(out, optimizer):
    torch.set_num_threads(1)
    train(long_recipe(optimizer), toy_data(), device="cpu", out=out, resume=True, save_every=0)


def saved(out):
    return {path.name for path in out.rglob("step-*.safetensors")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sgd", "asgda"])
def test_killed_at_random_moments_a_run_ends_the_same(tmp_path, name):
    optimizer = Component("sgd", {"lr": 0.05, "momentum": 0.9}) if name == "sgd" else Component("asgda")
    whole, out = tmp_path / "whole", tmp_path / "killed"
    process = context.Process(target=victim, args=(whole, optimizer))
    process.start()
    process.join(60)
    delays = random.Random(0)
    for _ in range(KILLS):
        before = saved(out)
        process = context.Process(target=victim, args=(out, optimizer))
        process.start()
        deadline = time.monotonic() + 30
        while process.is_alive() and saved(out) <= before and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(delays.uniform(0, 0.03))
        assert process.is_alive(), "the run is too short to be killed so often"
        process.kill()
        process.join()
    assert not (out / "model.safetensors").exists()
    process = context.Process(target=victim, args=(out, optimizer))
    process.start()
    process.join(60)
    one, other = (Result.load(folder / "model.safetensors") for folder in (whole, out))
    assert_same_weights(one.model.state_dict(), other.model.state_dict())
    assert [record["val"] for record in one.history] == [record["val"] for record in other.history]
    log = (out / "log.jsonl").read_text().splitlines()
    assert len(log) == len(other.history)


@pytest.mark.slow
def test_only_one_process_trains_in_a_folder(tmp_path):
    optimizer, out = Component("sgd", {"lr": 0.05, "momentum": 0.9}), tmp_path / "run"
    process = context.Process(target=victim, args=(out, optimizer))
    process.start()
    deadline = time.monotonic() + 30
    while not saved(out) and time.monotonic() < deadline:
        time.sleep(0.002)
    assert process.is_alive()
    os.kill(process.pid, signal.SIGSTOP)  # neither too early nor too late for what follows
    try:
        with pytest.raises(CheckpointError, match=r"another process is training in .*run; wait for it, or choose"):
            victim(out, optimizer)
    finally:
        process.kill()
    process.join()
    victim(out, optimizer)  # a dead process holds no lock
    log = (out / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in log] == list(range(1, EPOCHS + 1))
