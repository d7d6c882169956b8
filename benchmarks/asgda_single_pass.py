"""What the second pass of ASGDA buys: distance to the inner optimum under mini-batch noise, at equal cost.

Scores are fixed and only the inner variables of `PAUCILoss` move, by gradients of small batches. SinglePassASGDA gets
twice the steps, so that both pay for the same number of passes:

    python benchmarks/asgda_single_pass.py --passes 1600 --runs 5
"""

import argparse
import statistics

import torch
from torch import Tensor

from pauci.losses import PAUCILoss
from pauci.optim import ASGDA, SinglePassASGDA

REGIONS = {"fpr<=0.3": {"max_fpr": 0.3}, "fpr<=0.05": {"max_fpr": 0.05}, "0.5/0.5": {"max_fpr": 0.5, "min_tpr": 0.5}}
SOLVERS = {
    "ASGDA": (ASGDA, {}, 2),
    "SinglePassASGDA": (SinglePassASGDA, {}, 1),
    "SinglePassASGDA, ASGDA's c": (SinglePassASGDA, {"c1": 3.0, "c2": 3.0}, 1),
}


def distances(solver: str, region: str, *, passes: int, seed: int, batch_size: int = 64) -> float:
    """Mean over the last quarter of the run of the largest error in a, b and gamma."""
    kind, settings, passes_per_step = SOLVERS[solver]
    generator = torch.Generator().manual_seed(seed)
    positive = torch.arange(4000) % 4 == 0
    score = torch.sigmoid(torch.randn(4000, generator=generator) + 1.5 * positive)
    loss = PAUCILoss(**REGIONS[region], from_logits=False)
    loss.gamma = 1.0
    best = loss.inner_optimum(score, positive)
    optimizer = kind(loss.param_groups(), **settings)
    steps = passes // passes_per_step
    late = []
    for step in range(steps):
        rows = torch.randint(len(score), (batch_size,), generator=generator)

        def closure(rows: Tensor = rows) -> Tensor:
            optimizer.zero_grad()
            value: Tensor = loss(score[rows], positive[rows])
            value.backward()
            return value

        optimizer.step(closure)
        if step >= 3 * steps // 4:
            late.append(
                max(abs(float(getattr(loss, name)) - float(getattr(best, name))) for name in ("a", "b", "gamma"))
            )
    return statistics.fmean(late)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=int, default=1600)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(
        f"{options.passes} passes each, mean of {options.runs} runs: largest error in a, b, gamma over the last quarter"
    )
    for solver in SOLVERS:
        cells = []
        for region in REGIONS:
            errors = [distances(solver, region, passes=options.passes, seed=seed) for seed in range(options.runs)]
            cells.append(f"{region}: {statistics.fmean(errors):.4f}")
        print(f"{solver:28s} " + "   ".join(cells))


if __name__ == "__main__":
    main()
