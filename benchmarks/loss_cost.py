"""What a loss costs next to BCEWithLogitsLoss: forward + backward, one CPU thread, interleaved in one run.

    python benchmarks/loss_cost.py [--repeats 300] [--sizes 64 128 256 512 1024 2048 500000]

Sizes are instances per class. Printed are milliseconds of BCE and the ratios to it of PAUCILoss, one-way
(FPR <= 0.3) and two-way (FPR <= 0.5, TPR >= 0.5), with the smooth selectors. Each figure is the least of many
interleaved rounds, which other work on the machine disturbs least; targets are 3.0 one-way and 3.5 two-way up to
2048, and 2.5 at n = 1e6.
"""

import argparse
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from pauci.losses import PAUCILoss


def losses() -> dict[str, nn.Module]:
    return {
        "bce": nn.BCEWithLogitsLoss(),
        "one-way": PAUCILoss(max_fpr=0.3),
        "two-way": PAUCILoss(max_fpr=0.5, min_tpr=0.5),
        "one-way dual": PAUCILoss(max_fpr=0.3, selector="dual"),
        "two-way dual": PAUCILoss(max_fpr=0.5, min_tpr=0.5, selector="dual"),
    }


def step_of(loss: nn.Module, score: Tensor, y: Tensor) -> Callable[[], None]:
    leaves = [score, *loss.parameters()]

    def step() -> None:
        for leaf in leaves:
            leaf.grad = None
        loss(score, y).backward()

    return step


def measure(per_class: int, repeats: int) -> dict[str, float]:
    generator = torch.Generator().manual_seed(0)
    y = (torch.arange(2 * per_class) % 2).float()
    score = (torch.randn(2 * per_class, generator=generator) + y).requires_grad_()
    steps = {name: step_of(loss, score, y) for name, loss in losses().items()}
    calls = max(1, min(20, 40_000 // per_class))
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(repeats):
        for name, step in steps.items():
            start = time.perf_counter()
            for _ in range(calls):
                step()
            best[name] = min(best[name], (time.perf_counter() - start) / calls)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 128, 256, 512, 1024, 2048, 500_000])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    names = list(losses())
    print(f"torch {torch.__version__}, 1 thread, least of {arguments.repeats} interleaved rounds")
    print("per class", "bce ms", *names[1:], sep="  ")
    for size in arguments.sizes:
        best = measure(size, arguments.repeats)
        ratios = [f"{best[name] / best['bce']:.2f}".rjust(len(name)) for name in names[1:]]
        print(f"{size:9d}", f"{1e3 * best['bce']:6.3f}", *ratios, sep="  ", flush=True)


if __name__ == "__main__":
    main()
