"""The settings of torch that training depends on, whatever its caller has set."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from pauci.training.precision import autocast


@contextmanager
def usual_settings(device: torch.device) -> Iterator[None]:
    """Let gradients be recorded, and tensors be in single precision; leave everything as it was afterwards.

    A context of mixed precision around the block has no say in it: it would keep casts of the weights while they
    change.

    Examples
    --------
    >>> with torch.no_grad(), usual_settings(torch.device("cpu")):
    ...     torch.ones(1, requires_grad=True).sum().requires_grad
    True
    """
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with (
            torch.inference_mode(False),
            torch.enable_grad(),
            autocast(torch.device("cpu"), "fp32"),
            autocast(device, "fp32"),
        ):
            yield
    finally:
        torch.set_default_dtype(dtype)
