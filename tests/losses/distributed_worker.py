"""What each process of the distributed tests runs; a module of its own, so that spawned processes can import it."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed, nn

from pauci.losses import CrossEntropyLoss, MixedLoss, PAUCILoss

LABELS = 2
#: Rows of each process: uneven, and the last process has no positives.
SIZES = {2: (13, 8), 3: (11, 3, 7)}

CASES: dict[str, dict[str, Any]] = {
    "one-way": {"max_fpr": 0.3},
    "two-way": {"max_fpr": 0.5, "min_tpr": 0.5, "weighted": True},
    "prior": {"max_fpr": 0.3, "batch_prior": 0.2},
    "labels": {"max_fpr": 0.3, "min_tpr": 0.2, "num_labels": LABELS},
    "topk": {"max_fpr": 0.3, "min_tpr": 0.4, "selector": "topk", "weighted": True},
    "hinge": {"max_fpr": 0.3, "selector": "hinge", "num_labels": LABELS},
    "solve": {"max_fpr": 0.3, "inner": "solve"},
    "mixed": {"max_fpr": 0.3, "mixed": True},
}


def make(case: str, dtype: torch.dtype) -> tuple[nn.Linear, nn.Module, dict[str, Any]]:
    """Model, loss and options of a case; the same in every process."""
    options = dict(CASES[case])
    weighted, mixed = options.pop("weighted", False), options.pop("mixed", False)
    labels = options.get("num_labels")
    model = nn.Linear(4, labels or 1).to(dtype)
    with torch.no_grad():
        model.weight.copy_(torch.linspace(-1, 1, model.weight.numel()).view_as(model.weight))
        model.bias.zero_()
    loss: nn.Module = PAUCILoss(**options).to(dtype)
    if mixed:
        loss = MixedLoss(loss, CrossEntropyLoss(balanced=True), weight=0.3)
    return model, loss, {"weighted": weighted, "labels": labels}


def data(world: int, labels: int | None, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """The concatenated batch."""
    generator = torch.Generator().manual_seed(world)
    n = sum(SIZES[world])
    x = torch.randn(n, 4, generator=generator, dtype=dtype)
    y = torch.rand(n, labels or 1, generator=generator) < 0.4
    y[-SIZES[world][-1] :] = False
    weight = torch.rand(n, generator=generator, dtype=dtype)
    return x, y, weight


def gradients(case: str, world: int, rows: slice, dtype: torch.dtype, *, wrap: bool) -> list[Tensor]:
    """Gradients of model and loss on some rows of the batch, and the inner variables."""
    model, loss, options = make(case, dtype)
    x, y, weight = data(world, options["labels"], dtype)
    module: nn.Module = nn.parallel.DistributedDataParallel(model) if wrap else model
    named = {"sample_weight": weight[rows]} if options["weighted"] else {}
    loss(module(x[rows]), y[rows], **named).backward()
    found = [parameter.grad for parameter in (*model.parameters(), *loss.parameters())]
    return [*found, *(value for name, value in loss.state_dict().items() if "scent" in name)]


def evaluate_alone() -> list[Tensor]:
    """Values of losses in evaluation mode, which no other process computes at the same time."""
    score, y = torch.tensor([1.0, -0.5, 0.3, 0.2]), torch.tensor([1, 0, 1, 0])
    values = []
    for case in ("one-way", "topk", "solve", "mixed"):
        loss = make(case, torch.float32)[1].eval()
        values.append(loss(score, y).detach())
    return values


def work(rank: int, folder: str) -> None:
    """Run every case with two and with three processes, and save what this one found."""
    torch.set_num_threads(1)
    for world, sizes in SIZES.items():
        if rank < world:
            init = f"file://{folder}/rendezvous{world}"
            distributed.init_process_group("gloo", init_method=init, rank=rank, world_size=world)
            start = sum(sizes[:rank])
            rows = slice(start, start + sizes[rank])
            found = {
                f"{case} {dtype}": gradients(case, world, rows, dtype, wrap=True)
                for case in CASES
                for dtype in (torch.float32, torch.float64)
            }
            found["alone"] = [] if rank else evaluate_alone()
            torch.save(found, Path(folder) / f"{world}-{rank}.pt")
            distributed.destroy_process_group()
