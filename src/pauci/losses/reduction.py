"""Sums over the processes of a distributed run."""

import torch
from torch import Tensor, distributed


def world_size() -> int:
    """Return the number of processes that train together, 1 outside `torch.distributed`."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    return 1


def sum_over_ranks(sums: Tensor) -> Tensor:
    """Add up a few numbers over all processes, in place.

    Parameters
    ----------
    sums : Tensor
        This process's share; overwritten.

    Returns
    -------
    Tensor
        The total, the same on every process.
    """
    distributed.all_reduce(sums)
    return sums


def gather_rows(rows: Tensor) -> Tensor:
    """Concatenate the rows of all processes, of which each may have a different number.

    Parameters
    ----------
    rows : Tensor
        This process's rows, at least one column; the same number of columns everywhere.

    Returns
    -------
    Tensor
        All rows, in order of rank.
    """
    lengths = [torch.zeros(1, dtype=torch.long, device=rows.device) for _ in range(world_size())]
    distributed.all_gather(lengths, torch.tensor([len(rows)], device=rows.device))
    sizes = [int(length) for length in lengths]
    padded = rows.new_zeros(max(sizes), *rows.shape[1:])
    padded[: len(rows)] = rows
    everyone = [torch.empty_like(padded) for _ in sizes]
    distributed.all_gather(everyone, padded)
    return torch.cat([part[:size] for part, size in zip(everyone, sizes, strict=True)])
