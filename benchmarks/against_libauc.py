"""LibAUC and pauci side by side: cost of losses, speed of the metric, and what networks trained by either are worth.

    pip install libauc
    python benchmarks/against_libauc.py [FOLDER OF TABLES] [--splits 4] [--steps 400]

Printed are ratios and paired differences measured in one run, on one thread:

- One forward and backward pass over that of BCEWithLogitsLoss, half of the batch positive. Both take logits; those of
  LibAUC go through a sigmoid first.
- Time of LibAUC's `pauc_roc_score` over that of `partial_auc_score`, and the largest difference of their values.
- Test partial AUC of the same network (layers of 128 and 64 units), minus that of cross-entropy. Every method has the
  same first weights, splits and steps, and six settings: learning rates, and two values of what it leaves to choose
  (see `METHODS` in `libauc_networks.py`). The setting is chosen on a third of the training half, for each region by
  itself; the test half is read once. All see the batches of LibAUC's DualSampler with a fifth of positives; for
  cross-entropy the second choice is to draw from all rows alike. What is not named is as each library has it by
  default. Learning rates fall tenfold at a half and at three quarters of the steps, where PESG updates its regulariser.

Without the folder, two sets that come with scikit-learn are used. Tables with fewer than 50 positives are left out.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from pauci import PAUCILoss, partial_auc_score
from pauci.losses import AUCMLoss, SOPALoss, SOPASLoss, STACOLoss

try:
    from libauc.losses import auc
    from libauc.metrics import pauc_roc_score
    from libauc_networks import compare_networks
except ImportError as error:
    raise SystemExit(f"this needs LibAUC beside pauci ({error}): pip install libauc") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="?", type=Path, metavar="FOLDER OF TABLES")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    torch.set_num_threads(1)
    compare_costs()
    compare_scores()
    compare_networks(options.tables, splits=options.splits, steps=options.steps)


def compare_costs():
    print("forward and backward over BCEWithLogitsLoss, least of interleaved rounds: LibAUC / pauci")
    costs = {size: measured_costs(size) for size in (128, 1024, 4096)}
    print(f"{'batch':19}", *(f"{size:>15,}" for size in costs))
    for name in costs[128]:
        ratios = (" / ".join(f"{ratio:,.1f}" for ratio in found[name]) for found in costs.values())
        print(f"{name:19}", *(f"{text:>15}" for text in ratios), flush=True)


def pairs(size):
    """Name to LibAUC's loss and ours, or ours alone."""
    two_way = {"max_fpr": 0.5, "min_tpr": 0.5}
    return {
        "SOPA": (auc.pAUC_CVaR_Loss(size, size // 2, beta=0.3, device="cpu"), SOPALoss(max_fpr=0.3, data_size=size)),
        "SOPA-S": (auc.pAUC_DRO_Loss(size, device="cpu"), SOPASLoss(data_size=size)),
        "SOTA-s": (auc.tpAUC_KL_Loss(size, device="cpu"), SOPASLoss(positive_temperature=1.0, data_size=size)),
        "STACO": (auc.tpAUC_CVaR_loss(size, device="cpu"), STACOLoss(**two_way, data_size=size)),
        "AUC-M": (auc.AUCMLoss(version="v2", device="cpu"), AUCMLoss()),
        "PAUCI, one-way": (PAUCILoss(max_fpr=0.3),),
        "PAUCI, two-way": (PAUCILoss(**two_way),),
    }


def measured_costs(size):
    index, y = torch.arange(size), (torch.arange(size) % 2).float()
    score = (torch.randn(size, generator=torch.Generator().manual_seed(0)) + y).requires_grad_()

    def step(loss, *rows, sigmoid):
        for leaf in (score, *loss.parameters()):
            leaf.grad = None
        start = time.perf_counter()
        loss(score.sigmoid() if sigmoid else score, y, *rows).backward()
        return time.perf_counter() - start

    entropy, losses = nn.BCEWithLogitsLoss(), pairs(size)
    best = {loss: float("inf") for loss in (entropy, *sum(losses.values(), ()))}
    for _ in range(10):
        for loss in best:
            theirs = type(loss).__module__.startswith("libauc")
            rows = () if isinstance(loss, nn.BCEWithLogitsLoss | auc.AUCMLoss) else (index,)
            # Several at a time: the first finds its memory taken by the loss before.
            best[loss] = min(best[loss], *(step(loss, *rows, sigmoid=theirs) for _ in range(6)))
    return {name: [best[loss] / best[entropy] for loss in both] for name, both in losses.items()}


def compare_scores():
    rng = np.random.default_rng(0)
    y = (rng.random(1_000_000) < 0.01).astype(np.int64)
    s = rng.normal(size=len(y)) + 1.5 * y
    print("\npauc_roc_score over partial_auc_score, 1,000,000 scores, 1% positive, medians of interleaved rounds")
    half = 1 - round(0.5 * y.sum()) / y.sum()  # a whole number of positives, where both agree
    for region, same in (
        ({"max_fpr": 0.05}, {"scale": "mcclish"}),
        ({"max_fpr": 0.3}, {"scale": "mcclish"}),
        ({"max_fpr": 0.5, "min_tpr": half}, {"cut": "floor"}),
    ):
        times, values = ([], []), ([], [])
        for _ in range(7):
            for k, call in enumerate((pauc_roc_score, partial_auc_score)):
                start = time.perf_counter()
                values[k].append(call(y, s, **region, **(same if k else {})))
                times[k].append(time.perf_counter() - start)
        ratio = statistics.median(times[0]) / statistics.median(times[1])
        name = ", ".join(f"{edge}={value:.2g}" for edge, value in region.items())
        print(f"{name:26} time {ratio:5.1f}, largest difference {np.ptp(np.concatenate(values)):.0e}", flush=True)


if __name__ == "__main__":
    main()
