"""What holds from the first step in a process to the last: its peers, requests to stop, torch's global settings."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch

from pauci.training.interrupt import StopRequest, stop_requests
from pauci.training.ranks import Ranks, joined
from pauci.training.usual_settings import usual_settings


@dataclass(frozen=True)
class Sitting:
    """Where runs are made.

    Attributes
    ----------
    device : torch.device
        On what.
    ranks : Ranks
        The processes that train together.
    stop : StopRequest
        Whether someone asked to stop.
    """

    device: torch.device
    ranks: Ranks
    stop: StopRequest

    @property
    def device_name(self) -> str:
        """The device as results name it."""
        return torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "cpu"


@contextmanager
def sitting(device: torch.device, *, timeout: float = 300.0) -> Iterator[Sitting]:
    """Make a process ready for runs, one after another or in turns; leave everything as it was afterwards.

    After `timeout` seconds a silent process of a distributed run counts as dead.

    Examples
    --------
    >>> with sitting(torch.device("cpu")) as here:
    ...     here.ranks
    Ranks(rank=0, size=1)
    """
    with _at_home(device), joined(device, timeout=timeout) as ranks, stop_requests() as stop:
        yield Sitting(device, ranks, stop)


@contextmanager
def _at_home(device: torch.device) -> Iterator[None]:
    """Let dropout and initialisation use torch's global generators, and leave those and all settings as they were."""
    is_gpu, benchmark = device.type == "cuda", torch.backends.cudnn.benchmark
    with (
        usual_settings(device),
        torch.random.fork_rng(devices=[device] if is_gpu else []),
        torch.cuda.device(device) if is_gpu else nullcontext(),
    ):
        torch.backends.cudnn.benchmark = True  # every batch has the same shape, so the search for kernels pays
        try:
            yield
        finally:
            torch.backends.cudnn.benchmark = benchmark
