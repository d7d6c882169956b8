"""What each of two processes does in the synchronisation test; importable, as spawned processes need it."""

import json
from contextlib import suppress
from pathlib import Path

import torch
import torch.distributed as dist

from pauci.errors import LabelError
from pauci.metrics import StreamingPartialAUC


def batches(seed: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Batches of different lengths; the first has one class only."""
    generator = torch.Generator().manual_seed(seed)
    made = []
    for size in (3, 40, 17):
        scores = torch.randn(size, generator=generator)
        made.append((scores, (torch.rand(size, generator=generator) < 0.3) & (size > 3)))
    return made


def score_on_rank(rank: int, folder: str) -> None:
    """Score both ranks' batches together, then batches that only rank 0 has, and write down the results."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2)
    results = {}
    for bits in (None, 12):
        metric = StreamingPartialAUC(max_fpr=0.3, bits=bits)
        for preds, target in batches(rank):
            metric.update(preds, target)
        results[f"{bits} both"] = metric.compute().item()
        with metric.sync_context():
            results[f"{bits} bound"] = metric.error_bound()
        metric.reset()
        # The first batch of either rank has one class; what follows must not suffer from having asked too early.
        for preds, target in batches(rank):
            metric.update(preds, target)
            with suppress(LabelError):
                results[f"{bits} again"] = metric.compute().item()
        metric.reset()
        for preds, target in batches(7) if rank == 0 else []:
            metric.update(preds, target)
        results[f"{bits} one"] = metric.compute().item()
    Path(folder, f"rank{rank}.json").write_text(json.dumps(results))
    dist.destroy_process_group()
