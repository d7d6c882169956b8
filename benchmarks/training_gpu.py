"""Images per second of the training loop on a GPU: one run, or several seeds of one recipe.

    python benchmarks/training_gpu.py                          # one run of "strong", eager against CUDA graphs
    python benchmarks/training_gpu.py --modes graphs --runs 12 # twelve seeds after one another in this process
    python benchmarks/training_gpu.py --modes compiled+graphs --runs 12 --lanes 3     # three at a time, in turns
    python benchmarks/training_gpu.py --modes graphs --runs 12 --workers 3   # three processes, four seeds each
    python benchmarks/training_gpu.py --modes eager graphs --epochs 4 --profile   # which kernels the time goes to

Uses the task of the recipe where its data are on the machine (PAUCI_DATA), else random images of the same sizes, which
take the same time. The share of the matrix rate relates the operations of the network's passes, as torch counts them,
to the rate of a large bf16 matrix product measured in the same process.
"""

import argparse
import functools
import json
import subprocess
import sys
import time

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from pauci.data.tasks import load_task
from pauci.errors import PauciError
from pauci.models import ResNet18
from pauci.training import Observer, load_inputs, load_recipe
from pauci.training.lanes import side_by_side
from pauci.training.phases import run_steps
from pauci.training.sitting import sitting

MODES = {
    "eager": {},
    "graphs": {"graphs": True},
    "compiled": {"compiled": True},
    "compiled+graphs": {"compiled": True, "graphs": True},
}


def main():
    options = read_options()
    if options.workers > 1:
        run_workers(options)
        return
    data, source = load_data(options.recipe)
    device = torch.device("cuda", torch.cuda.current_device()) if options.device == "cuda" else torch.device("cpu")
    data = load_inputs(data, load_recipe(options.recipe, overrides=options.set).data, device=device)
    rate = matrix_rate() if options.device == "cuda" else float("nan")
    for mode in options.modes:
        began = time.perf_counter()
        with sitting(device) as here:
            seeds = range(options.first_seed, options.first_seed + options.runs)
            runs = (one_run(options, data, mode, seed, here) for seed in seeds)
            for run in side_by_side(runs, lanes=options.lanes, device=device):
                report(run, mode, rate)
        print(f"{mode}: {options.runs} run(s) in {time.perf_counter() - began:.1f} s ({source})", flush=True)


class Profile(Observer):
    """Say which kernels the time of some steps goes to."""

    first, last = 60, 80

    def step(self, done):
        """Start and stop the profiler."""
        if done == self.first:
            torch.cuda.synchronize()
            self._began = time.perf_counter()
            self._profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
            self._profiler.__enter__()
        if done == self.last:
            torch.cuda.synchronize()
            wall = time.perf_counter() - self._began
            self._profiler.__exit__(None, None, None)
            events = self._profiler.key_averages()
            busy = sum(event.self_device_time_total for event in events) / 1e6
            steps = self.last - self.first
            print(f"{wall / steps * 1e3:.2f} ms per step, the GPU busy for {busy / steps * 1e3:.2f} ms of them")
            print(events.table(sort_by="self_device_time_total", row_limit=25, max_name_column_width=90))


def one_run(options, data, mode, seed, here):
    changes = [f"seed={seed}", *options.set]
    if options.epochs:
        changes.append(f"epochs={options.epochs}")
    recipe = load_recipe(options.recipe, overrides=changes)
    began = time.perf_counter()
    observers = [Profile()] if options.profile else []
    result = yield from run_steps(recipe, data, here, observers=observers, **MODES[mode])
    wall = time.perf_counter() - began
    images = result.history[-1]["step"] * recipe.batch_size * recipe.accumulate
    return {
        "seed": seed,
        "wall": wall,
        "training": result.seconds,
        "images": images,
        "last_epoch": result.history[-1]["seconds"] - (result.history[-2]["seconds"] if recipe.epochs > 1 else 0),
        "per_epoch": images / recipe.epochs,
        "flop": images * flop_per_image(recipe.model.options.get("stem", "cifar")),
        "val": result.val_metrics["target"],
    }


def report(run, mode, rate):
    share = run["flop"] / run["training"] / rate
    print(
        f"{mode:16} seed {run['seed']}: {run['wall']:6.2f} s in all, {run['training']:6.2f} s training and evaluating, "
        f"{run['images'] / run['training']:9,.0f} images/s ({run['per_epoch'] / run['last_epoch']:,.0f} in the last "
        f"epoch), {share:5.1%} of the matrix rate ({rate / 1e12:.0f} TFLOP/s), validation pAUC {run['val']:.4f}",
        flush=True,
    )


def run_workers(options):
    """Deal the seeds out to processes that share the GPU."""
    shares = [options.runs // options.workers + (k < options.runs % options.workers) for k in range(options.workers)]
    base = [
        sys.executable,
        __file__,
        "--recipe",
        options.recipe,
        "--epochs",
        str(options.epochs),
        "--modes",
        *options.modes,
    ]
    base += ["--device", options.device, *(f"--set={change}" for change in options.set)]
    began = time.perf_counter()
    workers = [
        subprocess.Popen([*base, "--runs", str(share), "--first-seed", str(sum(shares[:k]))])
        for k, share in enumerate(shares)
    ]
    codes = [worker.wait() for worker in workers]
    summary = {"runs": options.runs, "workers": options.workers, "seconds": round(time.perf_counter() - began, 1)}
    print(json.dumps({**summary, "exit_codes": codes}))


def load_data(name):
    task = load_recipe(name).data.task
    try:
        return load_task(task), task
    except PauciError:
        rng = np.random.default_rng(0)
        sizes = {"train": (10_415, 1_508), "val": (2_233, 323), "test": (2_236, 324)}
        made = {}
        for part, (count, positives) in sizes.items():
            y = np.arange(count) < positives
            made[part] = (rng.integers(0, 256, (count, 32, 32, 3), dtype=np.uint8), y)
        return made, f"random images of the sizes of {task}"


@functools.cache
def flop_per_image(stem):
    model = ResNet18(stem=stem)
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(2, 3, 32, 32)).sum().backward()
    return counter.get_total_flops() / 2


def matrix_rate(size=8192, rounds=20):
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        a @ b
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(rounds):
        a @ b
    last.record()
    last.synchronize()
    return 2 * size**3 * rounds / (first.elapsed_time(last) / 1000)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", default="strong")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--epochs", type=int, default=0, help="instead of the recipe's")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=["eager", "graphs"])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes that share the GPU")
    parser.add_argument("--lanes", type=int, default=1, help="runs in turns in one process, each on its own stream")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


if __name__ == "__main__":
    main()
