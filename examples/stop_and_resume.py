"""Stop a run at any moment and resume it to the same result, bit for bit.

The first run is stopped after three epochs, as Ctrl-C or a pre-empted machine would do it, and continued from its
folder. A second one runs through. Their weights are equal.
"""

import dataclasses
import tempfile
from pathlib import Path

import torch
from sklearn.datasets import load_breast_cancer

from pauci import Region
from pauci.training import Observer, load_recipe, train
from pauci.training.observers import Start


class Begin(Observer):
    """Says where a run begins."""

    def start(self, start: Start) -> None:
        print(f"from step {start.done} of {start.total}")


class PowerCut(Begin):
    """Ends the run after its third epoch."""

    def epoch(self, record: dict) -> None:
        if record["epoch"] == 3:
            raise KeyboardInterrupt


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    data = (X, y == 0)
    recipe = dataclasses.replace(load_recipe("demo"), region=Region(max_fpr=0.05), epochs=6, batch_size=128)
    with tempfile.TemporaryDirectory() as folder:
        try:
            train(recipe, data, device="cpu", out=Path(folder, "cut"), save_every=0, observers=[PowerCut()])
        except KeyboardInterrupt:
            print("stopped after three epochs")
        resumed = train(recipe, data, device="cpu", out=Path(folder, "cut"), resume=True, observers=[Begin()])
    straight = train(recipe, data, device="cpu")
    equal = all(torch.equal(a, b) for a, b in zip(resumed.last.values(), straight.last.values(), strict=True))
    print(f"validation partial AUC: {resumed.val_metrics['target']:.3f}; all weights equal: {equal}")
    if not equal:
        raise SystemExit("the resumed run differs")


if __name__ == "__main__":
    main()
