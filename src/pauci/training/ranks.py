"""Several processes that train one network: each takes its share of every batch, gradients are averaged."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor, distributed, nn

from pauci.errors import InputError, RankError


@dataclass(frozen=True)
class Ranks:
    """Which process this is, of how many.

    Attributes
    ----------
    rank, size : int
        Its number, from 0, and the number of processes.
    """

    rank: int = 0
    size: int = 1

    def mean_(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by their mean over all processes, in one exchange."""
        if self.size > 1 and tensors:
            flat = torch.cat([tensor.detach().reshape(-1) for tensor in tensors])
            distributed.all_reduce(flat)
            flat /= self.size
            for tensor, mean in zip(tensors, torch.split(flat, [t.numel() for t in tensors]), strict=True):
                tensor.copy_(mean.view_as(tensor))

    def share_(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by those of the first process."""
        if self.size > 1:
            for tensor in tensors:
                value = tensor.detach().contiguous()
                distributed.broadcast(value, src=0)
                tensor.detach().copy_(value)

    def have_same(self, text: str, device: torch.device) -> bool:
        """Whether all processes have the same text; the same answer everywhere."""
        if self.size == 1:
            return True
        number = float(int(hashlib.sha256(text.encode()).hexdigest()[:12], 16))
        ends = torch.tensor([number, -number], dtype=torch.float64, device=device)
        distributed.all_reduce(ends, distributed.ReduceOp.MAX)
        return bool(ends.sum() == 0)

    def agree(self, asked: bool, device: torch.device) -> bool:
        """Whether any process asks for it; the same answer everywhere."""
        if self.size == 1:
            return asked
        votes = torch.tensor(float(asked), device=device)
        distributed.all_reduce(votes)
        return bool(votes > 0)


@contextmanager
def joined(device: torch.device, *, timeout: float) -> Iterator[Ranks]:
    """Join the processes that `torchrun` or ``pauci train --devices`` started, if any; leave them afterwards.

    Parameters
    ----------
    device : torch.device
        Decides how they talk: nccl between GPUs, gloo otherwise.
    timeout : float
        Seconds after which a silent process counts as dead.

    Yields
    ------
    Ranks
        One of one where there are no others.

    Raises
    ------
    RankError
        Another process died or stopped answering.
    """
    if distributed.is_available() and distributed.is_initialized():
        yield Ranks(distributed.get_rank(), distributed.get_world_size())
        return
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield Ranks()
        return
    on_gpu, patience = device.type == "cuda", timedelta(seconds=timeout)
    try:
        store, rank, size = _meeting_point(patience)
        distributed.init_process_group(
            "nccl" if on_gpu else "gloo",
            store=store,
            rank=rank,
            world_size=size,
            timeout=patience,
            device_id=device if on_gpu else None,
        )
        yield Ranks(distributed.get_rank(), distributed.get_world_size())
    except RuntimeError as error:
        if not _is_about_peers(error):
            raise
        raise RankError(
            f"rank {os.environ.get('RANK')} lost its peers: another process of the run died or did not answer within "
            f"{timeout:g} s ({str(error).splitlines()[0]}). Look for its own error above, then resume from the last "
            "checkpoint."
        ) from error
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


#: Where processes find each other, with rank and size; it stays open, for those that are still on their way.
_MEETING_POINTS: dict[tuple[str | None, ...], tuple[Any, int, int]] = {}


def _meeting_point(timeout: timedelta) -> tuple[Any, int, int]:
    from torch.distributed.rendezvous import rendezvous  # not every torch has it

    address = tuple(os.environ.get(name) for name in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"))
    if address not in _MEETING_POINTS:
        _MEETING_POINTS[address] = next(rendezvous("env://", timeout=timeout))
    store, rank, size = _MEETING_POINTS[address]
    store.set_timeout(timeout)
    # Every run meets under a name of its own, or it would find addresses that the one before has left. It is counted
    # at the meeting point, which knows of runs that a process that has taken this rank over was not part of.
    run = store.add(f"pauci-runs-of-{rank}", 1)
    return distributed.PrefixStore(f"pauci-{run}", store), rank, size  # type: ignore[attr-defined]


def local_device(device: str | torch.device) -> torch.device:
    """Return a device that is there; "cuda" is this process's own GPU among those of the machine.

    Examples
    --------
    >>> local_device("cpu")
    device(type='cpu')
    """
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise InputError(f"device={device!r} is not known to torch; give 'cpu', 'cuda' or 'cuda:1'.") from error
    if found.type == "cuda" and (found.index or 0) >= torch.cuda.device_count():
        raise InputError(
            f"device={str(found)!r} is not there: torch sees {torch.cuda.device_count()} GPU(s); give another or leave "
            "it out, and ask pauci doctor if there should be one."
        )
    if str(found) == "cuda":
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", torch.cuda.current_device())))
    return found


def average_buffers(model: nn.Module, ranks: Ranks) -> None:
    """Make running statistics the same everywhere: each process has seen only its share of the batches."""
    ranks.mean_([buffer for buffer in model.buffers() if buffer.is_floating_point()])


def _is_about_peers(error: RuntimeError) -> bool:
    text = str(error).lower()
    return isinstance(error, distributed.DistError) or any(
        word in text for word in ("gloo", "nccl", "connection", "peer")
    )
