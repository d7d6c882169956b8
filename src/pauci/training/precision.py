"""Number formats of the network's passes."""

from contextlib import AbstractContextManager, nullcontext

import torch

from pauci.training.recipe import Precision

_TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[None]:
    """Context in which a network's passes run in a precision, to be entered anew for every pass.

    Weights, losses and gradients of weights stay in fp32. A context of the caller's around it has no say.

    Examples
    --------
    >>> with autocast(torch.device("cpu"), "bf16"):
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    """
    if precision == "fp32":
        available = torch.amp.is_autocast_available(device.type)
        return torch.autocast(device.type, enabled=False) if available else nullcontext()
    # Captured passes must not reuse casts cached by earlier ones; casting 60 weights anew costs nothing beside them.
    return torch.autocast(device.type, dtype=_TYPES[precision], cache_enabled=False)
