"""One process of a distributed run with `ASGDA`."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from pauci.losses import PAUCILoss
from pauci.optim import ASGDA

STEPS, HALF = 12, 6


def batches():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(2 * HALF, 4, generator=generator) for _ in range(STEPS)]


def network():
    model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=generator) / 2)
    return model


def train(model, rows, **options):
    """Train on the given rows of every batch; return the parameters, flattened."""
    loss = PAUCILoss(max_fpr=0.5)
    groups = [{"params": list(model.parameters()), "weight_decay": 0.01}, *loss.param_groups()]
    optimizer = ASGDA(groups, **options)

    for batch in batches():

        def closure(part=batch[rows]):
            optimizer.zero_grad()
            value = loss(model(part), part[:, 0] > 0)
            value.backward()
            return value

        optimizer.step(closure)
    found = [p.full_tensor() if isinstance(p, DTensor) else p for p in (*model.parameters(), *loss.parameters())]
    return torch.cat([p.detach().flatten() for p in found])


def wrapped(way):
    """Return the network for several processes: copied, or each process with a share of every parameter."""
    if way == "sharded":
        return fully_shard(network())
    return nn.parallel.DistributedDataParallel(network(), gradient_as_bucket_view=way == "bucket view")


def work(rank, folder):
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    rows = slice(rank * HALF, (rank + 1) * HALF)
    ends = {
        (way, limit): train(wrapped(way), rows, max_norm=limit)
        for way in ("copied", "bucket view", "sharded")
        for limit in (None, 0.05)
    }
    torch.save(ends, f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()
