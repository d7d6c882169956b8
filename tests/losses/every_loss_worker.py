"""What each process of the distributed test of every loss runs."""

from pathlib import Path

import torch
from torch import Tensor, distributed, nn

from losses.cases import CASES

#: Rows of the two processes; the second one has no positives.
SIZES = (14, 9)


def train(name: str, rows: slice, *, wrap: bool) -> dict[str, Tensor]:
    """Three steps on some rows of the same batches; returns the state of the model and of the loss."""
    generator = torch.Generator().manual_seed(1)
    model = nn.Linear(4, 1).double()
    nn.init.constant_(model.weight, 0.1)
    nn.init.zeros_(model.bias)
    loss = CASES[name].build().double()
    module: nn.Module = nn.parallel.DistributedDataParallel(model) if wrap else model
    optimizer = torch.optim.SGD([*model.parameters(), *loss.parameters()], lr=0.1)
    for step in range(3):
        x = torch.randn(sum(SIZES), 4, generator=generator, dtype=torch.float64)
        y = torch.arange(sum(SIZES)) % 3 == 0
        y[SIZES[0] :] = False
        # Positives repeat within a batch and between batches.
        index = torch.randint(0, 12, (sum(SIZES),), generator=generator)
        weight = torch.rand(sum(SIZES), generator=generator, dtype=torch.float64)
        optimizer.zero_grad()
        known = index[rows] if step > 0 else None
        weights = weight[rows] if step != 1 else None
        loss(module(x[rows]), y[rows], known, sample_weight=weights).backward()
        optimizer.step()
    return {**model.state_dict(), **{f"loss.{key}": part for key, part in loss.state_dict().items()}}


def work(rank: int, folder: str) -> None:
    """Train every loss as one of two processes."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    rows = slice(0, SIZES[0]) if rank == 0 else slice(SIZES[0], None)
    torch.save({name: train(name, rows, wrap=True) for name in CASES}, Path(folder) / f"{rank}.pt")
    distributed.destroy_process_group()
