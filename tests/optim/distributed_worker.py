"""One process of a distributed run with `ASGDA`."""

import torch
from torch import nn

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


def train(model, rows):
    """Train on the given rows of every batch; return the parameters, flattened."""
    optimizer = ASGDA(model.parameters(), weight_decay=0.01)

    for batch in batches():

        def closure(part=batch[rows]):
            optimizer.zero_grad()
            loss = (model(part).squeeze(1) - part[:, 0]).square().mean()
            loss.backward()
            return loss

        optimizer.step(closure)
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def work(rank, folder):
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    ends = {}
    for bucket_view in (False, True):
        model = nn.parallel.DistributedDataParallel(network(), gradient_as_bucket_view=bucket_view)
        ends[f"bucket view {bucket_view}"] = train(model, slice(rank * HALF, (rank + 1) * HALF))
    torch.save(ends, f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()
