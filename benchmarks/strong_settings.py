"""The strong protocol of the study against the same with other settings, on validation data, at the best epochs.

    python benchmarks/strong_settings.py common optimizer.weight_decay=5e-4      # six CIFAR tasks, on a GPU
    python benchmarks/strong_settings.py epochs=30 "epochs=90 optimizer.lr=0.05" --methods ce --seeds 0,1
    python benchmarks/strong_settings.py epochs=2 --protocol miniature --tasks cifar10-lt-1 --device cpu --lanes 1

Every argument is one setting, of one or more changes, whose values are written as in TOML, without blanks:
'loss={name="pairwise-sigmoid",region="fpr<=0.1",ce_weight=0.5}'; "common" has none. Prints, for every method and
setting, the mean over tasks of the paired differences to the first setting in partial AUC of FPR <= 0.3 and of
FPR <= 0.05; epochs are chosen by the former. Test data are not looked at. What the store has is not run again.
With `--store results/paper` the study's page tells of the trials. A trial that diverges is named and left out.
"""

import argparse
import tempfile
import tomllib
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean

from pauci.errors import DivergedError
from pauci.studies.paired import mean_over_cells
from pauci.studies.paper.plan import Run
from pauci.studies.paper.protocols import study_recipe
from pauci.studies.paper.training import Machine, side_by_side_on, study_inputs, train_in_turns
from pauci.studies.paper.trials import COMMON, METRICS, add_trial, read_trials


def main():
    options = read_options()
    tasks, methods = options.tasks.split(","), options.methods.split(",")
    settings = {text: {} if text == COMMON else dict(map(parsed, text.split())) for text in options.settings}
    first = options.settings[0]
    places = [
        (task, method, int(seed), name)
        for seed in options.seeds.split(",")
        for name in settings
        for task in tasks
        for method in methods
    ]
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder)
        is_gpu = options.device == "cuda"
        machine = Machine(options.device, compiled=is_gpu, graphs=is_gpu, warmups=Path(folder))
        lines = read_trials(store, options.protocol)
        found = {place: values for place in places if (values := known(lines, place, settings))}
        runs = (
            partial(judged, options.protocol, place, settings[place[-1]], machine, store)
            for place in places
            if place not in found
        )
        found |= {place: values for place, values in side_by_side_on(machine, runs, lanes=options.lanes) if values}
    for method, name in product(methods, options.settings[1:]):
        print(f"{method}, {name}: minus {first}")
        for metric in METRICS:
            gains = {
                task: [
                    found[place][metric] - found[*place[:3], first][metric]
                    for place in found
                    if place[:2] == (task, method) and place[-1] == name and (*place[:3], first) in found
                ]
                for task in tasks
            }
            gains = {task: values for task, values in gains.items() if values}
            if not gains:
                continue
            mean = mean_over_cells(gains)
            each = ", ".join(f"{task} {fmean(values):+.4f}" for task, values in gains.items())
            print(f"    {metric:10} {mean.difference:+.4f} [{mean.low:+.4f}, {mean.high:+.4f}]: {each}")


def known(lines, place, settings):
    """Values of a trial that is there already; None if it is not."""
    task, method, seed, name = place
    facts = {"task": task, "method": method, "seed": seed, "changes": settings[name]}
    return next((line["val_metrics"] for line in lines if facts.items() <= line.items()), None)


def judged(protocol, place, changes, machine, store, here):
    """Train, write the trial down, and return values on validation data at the best epoch."""
    task, method, seed, name = place
    run = Run(protocol, task, "clean", method, ("fpr<=0.3",), seed)
    facts = {"task": task, "method": method, "seed": seed}
    recipe = study_recipe(
        protocol, **facts, variant="clean", region="fpr<=0.3", settings={"selection.metric": METRICS[0], **changes}
    )
    inputs = replace(study_inputs(run, recipe, machine), test=None)
    try:
        result = yield from train_in_turns(inputs, recipe, machine, here)
    except DivergedError as error:
        print(f"{task} {method} seed {seed}, {name}: {error}", flush=True)
        return place, None
    values = {metric: round(result.val_metrics[metric], 4) for metric in METRICS}
    add_trial(store, protocol, {**facts, "changes": changes, "epoch": result.best_epoch, "val_metrics": values})
    print(f"{task} {method} seed {seed}, {name}: epoch {result.best_epoch}, {values}", flush=True)
    return place, values


def parsed(text):
    """Split ``path=value``; values are written as in TOML."""
    path, _, value = text.partition("=")
    return path, tomllib.loads(f"value = {value}")["value"]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="+", metavar="PATH=VALUE ...", help='changes to a recipe, or "common"')
    parser.add_argument("--protocol", default="strong")
    parser.add_argument("--tasks", default=",".join(f"cifar{n}-lt-{k}" for n in (10, 100) for k in (1, 2, 3)))
    parser.add_argument("--methods", default="ce,ours")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--store", type=Path, help="folder of a study; none by default")
    parser.add_argument("--lanes", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
