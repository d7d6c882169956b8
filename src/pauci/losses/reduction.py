"""Sums over the processes of a distributed run."""

import torch
from torch import Tensor, distributed

from pauci.losses.inputs import Batch


def world_size() -> int:
    """Return the number of processes that train together, 1 outside `torch.distributed`."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    return 1


def sum_over_ranks(sums: Tensor) -> Tensor:
    """Add up a few numbers over all processes, in place."""
    distributed.all_reduce(sums)
    return sums


def scaled_for_mean(loss: Tensor, ranks: int) -> Tensor:
    """Multiply the gradients of a loss of all processes' instances, but not its value, by the number of processes.

    Each differentiates its own instances alone, and data-parallel training takes the mean over processes.
    """
    return loss if ranks == 1 else loss + (ranks - 1) * (loss - loss.detach())


def gather_batch(batch: Batch) -> Batch:
    """Concatenate the batches of all processes, of which each may have a different length.

    Returns
    -------
    Batch
        All instances, in order of rank; the batch itself outside a distributed run.
    """
    if world_size() == 1:
        return batch
    score, positive, weight = batch
    weight = None if weight is None else gather_rows(weight)[0]
    return Batch(gather_rows(score)[0], gather_rows(positive.to(score))[0] > 0, weight)


def gather_rows(rows: Tensor) -> tuple[Tensor, slice]:
    """Concatenate the rows of all processes; waits for the device to tell how many there are.

    Returns
    -------
    tuple of Tensor and slice
        All rows in order of rank, and where this process's own are.
    """
    ranks = world_size()
    lengths = [torch.zeros(1, dtype=torch.long, device=rows.device) for _ in range(ranks)]
    distributed.all_gather(lengths, torch.tensor([len(rows)], device=rows.device))
    sizes = [int(length) for length in lengths]
    padded = rows.new_zeros(max(sizes), *rows.shape[1:])
    padded[: len(rows)] = rows
    everyone = [torch.empty_like(padded) for _ in range(ranks)]
    distributed.all_gather(everyone, padded)
    start = sum(sizes[: distributed.get_rank()])
    return torch.cat([part[:size] for part, size in zip(everyone, sizes, strict=True)]), slice(start, start + len(rows))
