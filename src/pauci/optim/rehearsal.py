"""Run a training pass that leaves no trace: random generators and buffers end as they began."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook


@contextmanager
def rehearsal(devices: Iterable[torch.device]) -> Iterator[None]:
    """Undo, on leaving, what the passes inside did to random generators and module buffers.

    The next pass then draws the same dropout masks and meets the same buffers, and BatchNorm's running
    statistics count it alone. Gradients stay.

    Covered are torch's default generators of the CPU and of `devices`, and the buffers of every module that
    is called inside, found when it is called: no list of modules can be forgotten. Not seen are generators of
    one's own, state outside of buffers, and the buffers of a module compiled in place (``model.compile()``), or
    together with a function that calls it: wrap it instead, ``torch.compile(model)``.

    Examples
    --------
    >>> norm = nn.BatchNorm1d(2)
    >>> with rehearsal([torch.device("cpu")]):
    ...     first = nn.functional.dropout(norm(torch.ones(3, 2)))
    >>> norm.running_mean
    tensor([0., 0.])
    >>> torch.equal(nn.functional.dropout(norm(torch.ones(3, 2))), first)
    True
    """
    # The module of a device type, and how it is told the device: there is one MPS device, which takes no name.
    accelerators = [
        (torch.get_device_module(device), () if device.type == "mps" else (device,))
        for device in set(devices)
        if device.type != "cpu"
    ]
    cpu_state = torch.get_rng_state()
    states = [module.get_rng_state(*which) for module, which in accelerators]
    buffers: list[tuple[nn.Module, str, Tensor | None, Tensor | None]] = []
    met: set[nn.Module] = set()

    def remember(module: nn.Module, _: object) -> None:
        # The outermost module is called first, so that one look covers everything below it, compiled parts too.
        if not torch.compiler.is_compiling() and module not in met:
            for part in module.modules():
                if part not in met:
                    met.add(part)
                    # Also those that are still None.
                    buffers.extend(
                        (part, name, b, None if b is None else _own(b).clone()) for name, b in part._buffers.items()
                    )

    hook = register_module_forward_pre_hook(remember)
    try:
        yield
    finally:
        hook.remove()
        with torch.no_grad():
            for owner, name, buffer, value in reversed(buffers):  # a shared one was first met unchanged
                if buffer is not None and value is not None:
                    if (own := _own(buffer)).shape != value.shape:
                        continue  # the first batch told its shape, which stays
                    own.copy_(value)
                setattr(owner, name, buffer)
        torch.set_rng_state(cpu_state)
        for (module, which), state in zip(accelerators, states, strict=True):
            module.set_rng_state(state, *which)


def _own(buffer: Tensor) -> Tensor:
    """Return the part of a buffer that has memory of its own: what is expanded cannot be copied into as a whole."""
    if buffer.layout is torch.strided:
        for dimension, (size, stride) in enumerate(zip(buffer.shape, buffer.stride(), strict=True)):
            if size > 1 and stride == 0:
                buffer = buffer.narrow(dimension, 0, 1)
    return buffer
