"""What an iteration of each loss costs: the paper's acceleration tables, and ours."""

import gc
import itertools
import math
import operator
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from pauci.losses import (
    AGDSBCDLoss,
    AUCExpLoss,
    AUCMLoss,
    AUCPolyLoss,
    FocalLoss,
    MiniBatchLoss,
    PairwiseSigmoidLoss,
    PAUCILoss,
    SOPALoss,
    SOPASLoss,
    STACOLoss,
)
from pauci.region import Region
from pauci.studies.paper.methods import ONE_WAY, TWO_WAY

Passes = Literal["forward", "forward+backward"]

#: Instances per class: the paper's, and two sizes more.
SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
#: What all ratios are to: `torch.nn.BCEWithLogitsLoss`.
BASELINE = "CE"

_SWEEPS = 3

#: The losses of each of the paper's two tables. Those that remember something of each positive are given indices.
METHODS: dict[Region, dict[str, Callable[[], nn.Module]]] = {
    ONE_WAY: {
        BASELINE: nn.BCEWithLogitsLoss,
        "PAUCI": lambda: PAUCILoss(ONE_WAY),
        "AUC-M": AUCMLoss,
        "focal": FocalLoss,
        "AUC-poly": AUCPolyLoss,
        "AUC-exp": AUCExpLoss,
        "MB": lambda: MiniBatchLoss(ONE_WAY),
        "SOPA": lambda: SOPALoss(ONE_WAY),
        "SOPA-S": SOPASLoss,
        "AGD-SBCD": lambda: AGDSBCDLoss(ONE_WAY),
        "pairwise sigmoid": lambda: PairwiseSigmoidLoss(ONE_WAY),
    },
    TWO_WAY: {
        BASELINE: nn.BCEWithLogitsLoss,
        "PAUCI": lambda: PAUCILoss(TWO_WAY),
        "AUC-M": AUCMLoss,
        "AUC-poly": lambda: AUCPolyLoss(two_way=True),
        "AUC-exp": lambda: AUCExpLoss(two_way=True),
        "MB": lambda: MiniBatchLoss(TWO_WAY),
        "SOPA": lambda: STACOLoss(TWO_WAY),
        "SOPA-S": lambda: SOPASLoss(positive_temperature=1.0),
        "pairwise sigmoid": lambda: PairwiseSigmoidLoss(TWO_WAY),
    },
}


@dataclass(frozen=True)
class Cost:
    """What one iteration costs.

    Attributes
    ----------
    region : str
        What the loss is for.
    method : str
        The loss, by its name in the paper.
    size : int
        Positives in the batch; there are as many negatives.
    passes : str
        "forward", as in the paper, or "forward+backward".
    milliseconds, low, high : float
        Median and quartiles over the rounds.
    least : float
        The fastest round, in milliseconds: what other work on the machine has disturbed least.
    ratio : float
        Median over the rounds of its time over that of cross-entropy, with which it took turns.
    rounds : int
        How often it was measured.
    """

    region: str
    method: str
    size: int
    passes: Passes
    milliseconds: float
    low: float
    high: float
    least: float
    ratio: float
    rounds: int


def measure_cost(*, sizes: Sequence[int] = SIZES, seconds: float = 0.6, rounds: int = 300, seed: int = 0) -> list[Cost]:
    """Measure every loss for both regions, forward alone and with backward, on one CPU thread.

    Every loss takes turns of up to 20 calls with cross-entropy, round by round, so that what disturbs one disturbs the
    other; and all of it is done in three sweeps, so that what disturbs a second disturbs one sweep only. Time is that
    of this process, not of the clock on the wall: other processes do not count.

    Parameters
    ----------
    sizes : sequence of int
        Instances per class.
    seconds : float
        Time for each measurement; but one round in every sweep at least.
    rounds : int
        Most rounds.
    seed : int
        Of the scores.

    Examples
    --------
    >>> costs = measure_cost(sizes=[8], seconds=0.0)
    >>> {cost.ratio for cost in costs if cost.method == "CE"}
    {1.0}
    """
    cells = [
        (region, name, size, passes)
        for region, methods in METHODS.items()
        for name, size, passes in itertools.product(methods, sizes, get_args(Passes))
    ]
    found: list[tuple[list[float], list[float]]] = [([], []) for _ in cells]
    with _quiet():
        for _ in range(_SWEEPS):
            for (region, name, size, passes), (times, baselines) in zip(cells, found, strict=True):
                batch = _batch(size, seed)
                step, baseline = (_step(METHODS[region][one](), *batch, passes) for one in (name, BASELINE))
                turns = _take_turns(step, baseline, seconds / _SWEEPS, math.ceil(rounds / _SWEEPS))
                times.extend(turns[0])
                baselines.extend(turns[1])
    return [
        _cost(str(region), name, size, passes, *times)
        for (region, name, size, passes), times in zip(cells, found, strict=True)
    ]


def _batch(size: int, seed: int) -> tuple[Tensor, Tensor]:
    label = (torch.arange(2 * size) % 2).float()
    score = torch.randn(2 * size, generator=torch.Generator().manual_seed(seed)) + label
    return score.requires_grad_(), label


def _step(loss: nn.Module, score: Tensor, label: Tensor, passes: Passes) -> Callable[[], None]:
    arguments = [score, label]
    if getattr(loss, "remembers", False):
        arguments.append(torch.arange(len(score)))
    leaves = [score, *loss.parameters()]

    def forward() -> None:
        loss(*arguments)

    def forward_backward() -> None:
        for leaf in leaves:
            leaf.grad = None
        loss(*arguments).backward()

    return forward if passes == "forward" else forward_backward


def _take_turns(
    step: Callable[[], None], baseline: Callable[[], None], seconds: float, rounds: int
) -> tuple[list[float], list[float]]:
    """Milliseconds per call of a step and of the baseline, one number per round each."""
    calls = [_calls(one) for one in (step, baseline)]
    found: tuple[list[float], list[float]] = ([], [])
    while len(found[0]) < rounds and (not found[0] or sum(found[0]) * calls[0] < 1000 * seconds):
        for times, one, several in zip(found, (step, baseline), calls, strict=True):
            times.append(_milliseconds(one, several))
    return found


def _calls(step: Callable[[], None]) -> int:
    """So many calls that a turn lasts some milliseconds, which the timer can tell; first calls are slow."""
    return max(1, min(20, round(4 / max(min(_milliseconds(step, 1) for _ in range(5)), 1e-3))))


def _milliseconds(step: Callable[[], None], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        step()
    return (time.process_time() - start) / calls * 1000


def _cost(region: str, name: str, size: int, passes: Passes, times: list[float], baseline: list[float]) -> Cost:
    low, median, high = statistics.quantiles(times, n=4, method="inclusive")
    # Round by round: what slows a loss down for a while slows down the turn of cross-entropy beside it, too.
    ratio = 1.0 if name == BASELINE else statistics.median(map(operator.truediv, times, baseline))
    return Cost(region, name, size, passes, median, low, high, min(times), ratio, len(times))


@contextmanager
def _quiet() -> Iterator[None]:
    """One thread, and no garbage collection: like `timeit`."""
    threads, collecting = torch.get_num_threads(), gc.isenabled()
    torch.set_num_threads(1)
    gc.disable()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if collecting:
            gc.enable()
