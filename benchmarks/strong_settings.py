"""The strong protocol of the study against the same with other settings, on validation data, at the best epochs.

    python benchmarks/strong_settings.py optimizer.weight_decay=5e-4              # six CIFAR tasks, on a GPU
    python benchmarks/strong_settings.py epochs=30 --tasks cifar10-lt-3 --methods ce --seeds 0,1
    python benchmarks/strong_settings.py epochs=2 --protocol miniature --tasks cifar10-lt-1 --device cpu --lanes 1

Prints partial AUC of FPR <= 0.3 and, for every method, the mean over tasks of the paired differences. Test data are not
looked at.
"""

import argparse
import tempfile
import tomllib
from functools import partial
from pathlib import Path
from statistics import fmean

from pauci.studies.paired import mean_over_cells
from pauci.studies.paper.plan import Run
from pauci.studies.paper.protocols import study_recipe
from pauci.studies.paper.training import Machine, side_by_side_on, study_inputs, train_in_turns

METRIC = "opauc@0.3"


def main():
    options = read_options()
    places = [
        (task, method, int(seed))
        for seed in options.seeds.split(",")
        for task in options.tasks.split(",")
        for method in options.methods.split(",")
    ]
    changes = dict(map(parsed, options.changes))
    with tempfile.TemporaryDirectory() as folder:
        is_gpu = options.device == "cuda"
        machine = Machine(options.device, compiled=is_gpu, graphs=is_gpu, warmups=Path(folder))
        runs = (
            partial(judged, options.protocol, place, name, settings, machine)
            for place in places
            for name, settings in (("shipped", {}), ("changed", changes))
        )
        found = dict(side_by_side_on(machine, runs, lanes=options.lanes))
    for method in options.methods.split(","):
        gains = {}
        for task in options.tasks.split(","):
            pairs = [(found[p, "shipped"], found[p, "changed"]) for p in places if p[:2] == (task, method)]
            shipped, changed = (fmean(values) for values in zip(*pairs, strict=True))
            gains[task] = [after - before for before, after in pairs]
            print(f"{method:8} {task:16} shipped {shipped:.4f}, changed {changed:.4f} ({len(pairs)} seeds)")
        mean = mean_over_cells(gains)
        print(f"{method:8} changed minus shipped: {mean.difference:+.4f} [{mean.low:+.4f}, {mean.high:+.4f}]")


def judged(protocol, place, name, settings, machine, here):
    """Train, and return the best value on validation data."""
    task, method, seed = place
    run = Run(protocol, task, "clean", method, ("fpr<=0.3",), seed)
    facts = {"task": task, "variant": "clean", "method": method, "region": "fpr<=0.3", "seed": seed}
    recipe = study_recipe(protocol, **facts, settings={"selection.metric": METRIC, **settings})
    result = yield from train_in_turns(study_inputs(run, recipe, machine), recipe, machine, here)
    print(
        f"{name}: {task} {method} seed {seed}: epoch {result.best_epoch}, {result.val_metrics[METRIC]:.4f}", flush=True
    )
    return (place, name), result.val_metrics[METRIC]


def parsed(text):
    """Split ``path=value``; values are written as in TOML."""
    path, _, value = text.partition("=")
    return path, tomllib.loads(f"value = {value}")["value"]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changes", nargs="+", metavar="PATH=VALUE", help="settings of a recipe")
    parser.add_argument("--protocol", default="strong")
    parser.add_argument("--tasks", default=",".join(f"cifar{n}-lt-{k}" for n in (10, 100) for k in (1, 2, 3)))
    parser.add_argument("--methods", default="ce,ours")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--lanes", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
