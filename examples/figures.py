"""Every static figure, from one small experiment.

Linear models of increasing training time on four of the digits give real scores, convergence and differences.
Writes one SVG file per figure.
"""

import numpy as np
import torch
from sklearn.datasets import load_digits

from pauci import MixedLoss, PAUCILoss, Region
from pauci.losses import AUCMLoss, CrossEntropyLoss
from pauci.metrics import compare_partial_auc, partial_auc_score
from pauci.metrics.region_curve import RegionCurve
from pauci.report.figures import Curve, ForestRow, convergence, forest, heatmap, regions, roc, save

REGION = Region(max_fpr=0.05)
LOSSES = {
    "CE": lambda: CrossEntropyLoss(),
    "AUC-M + CE": lambda: MixedLoss(AUCMLoss(), CrossEntropyLoss()),
    "PAUCI + CE": lambda: MixedLoss(PAUCILoss(REGION.widened(3)), CrossEntropyLoss()),
}


def fit(loss: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> list[np.ndarray]:
    """Scores of the test images after every tenth step."""
    torch.manual_seed(0)
    model = torch.nn.Linear(64, 1)
    optimizer = torch.optim.AdamW([*model.parameters(), *loss.parameters()], lr=0.03)
    scores = []
    for step in range(200):
        optimizer.zero_grad()
        loss(model(x[:900]), y[:900]).backward()
        optimizer.step()
        if step % 10 == 9:
            scores.append(model(x[900:]).detach().flatten().numpy())
    return scores


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    x = torch.tensor(images / 16, dtype=torch.float32)
    chosen = (1, 3, 8, 9)
    found = {
        (digit, name): fit(make(), x, torch.tensor(digits == digit))
        for digit in chosen
        for name, make in LOSSES.items()
    }
    test = {digit: digits[900:] == digit for digit in chosen}

    def value(digit: int, scores: np.ndarray) -> float:
        return partial_auc_score(test[digit], scores, region=REGION)

    save(regions(test[8], found[8, "CE"][3], title="Digit 8 after 40 steps of cross-entropy"), "regions.svg")
    curves = [RegionCurve.of(test[8], found[8, name][-1], REGION, name=name) for name in ("CE", "PAUCI + CE")]
    save(roc(curves, region=REGION), "roc.svg")
    steps = range(10, 201, 10)
    lines = [Curve(name, steps, [value(8, scores) for scores in found[8, name]]) for name in LOSSES]
    save(convergence(lines, xlabel="step", ylabel="test partial AUC", title="Digit 8"), "convergence.svg")
    table = np.array([[value(digit, found[digit, name][-1]) for digit in chosen] for name in LOSSES])
    best = table == table.max(axis=0)
    save(heatmap(table, list(LOSSES), [f"digit {d}" for d in chosen], shade="column", marked=best), "heatmap.svg")
    rows = []
    for digit in chosen:
        gain = compare_partial_auc(test[digit], found[digit, "PAUCI + CE"][-1], found[digit, "CE"][-1], region=REGION)
        rows.append(ForestRow(f"digit {digit}", gain.difference, gain.low, gain.high))
    save(forest(rows, title="PAUCI + CE minus CE"), "forest.svg")
    print("wrote regions.svg, roc.svg, convergence.svg, heatmap.svg and forest.svg")


if __name__ == "__main__":
    main()
