"""Seeds for what draws from torch's default generators, as dropout and first weights do."""

import torch


def seed_default_generators(seed: int, device: torch.device) -> None:
    """Seed the generators that modules on a device draw from, and those of no other device.

    Examples
    --------
    >>> with torch.random.fork_rng(devices=[]):
    ...     seed_default_generators(3, torch.device("cpu"))
    ...     torch.initial_seed()
    3
    """
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.default_generators[device.index].manual_seed(seed)
