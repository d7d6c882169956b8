"""What one process of a distributed run does; as a program, it is one that dies."""

import os
import sys
import time
from pathlib import Path

import torch
from torch import distributed

from pauci.training import Component, LossSpec, Observer, train
from pauci.training.files import write_tensors
from training.toy import toy_data, toy_recipe

OPTIMIZERS = {
    "sgd": Component("sgd", {"lr": 0.1, "momentum": 0.9}),
    "asgda": Component("asgda", {"nu": 0.3, "lam": 0.3}),
}


def recipe_for(optimizer):
    # Four epochs of five steps. No dropout: processes draw their own masks.
    model = Component("mlp", {"hidden": [8]})
    return toy_recipe(model=model, loss=LossSpec(name="pauci"), optimizer=OPTIMIZERS[optimizer], ema=0.9)


def same_weights(out):
    distributed.init_process_group("gloo")
    for optimizer in OPTIMIZERS:
        result = train(recipe_for(optimizer), toy_data(), device="cpu")
        if distributed.get_rank() == 0:
            write_tensors(out / f"{optimizer}.safetensors", result.last, {})
    distributed.destroy_process_group()


def one_run_after_another(out, port):
    # As under torchrun, whose store keeps what processes of earlier groups have left there.
    os.environ |= {"TORCHELASTIC_USE_AGENT_STORE": "True", "MASTER_PORT": str(port)}
    for run in range(2):
        if os.environ["RANK"] == "1":
            time.sleep(2 * run)  # the others look for it while it is not there yet
        result = train(recipe_for("sgd"), toy_data(), device="cpu", timeout=30)
        write_tensors(out / f"{run}-{os.environ['RANK']}.safetensors", result.last, {})


class Death(Observer):
    def step(self, done):
        if done == 7 and os.environ["RANK"] == "1":
            os.kill(os.getpid(), 9)


def death(out):
    train(recipe_for("asgda"), toy_data(), device="cpu", observers=[Death()], out=out / "run", timeout=60, save_every=0)


if __name__ == "__main__":
    torch.set_num_threads(1)
    death(Path(sys.argv[1]))
