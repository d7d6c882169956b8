"""Batches of tensors that already are where they are needed."""

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt
import torch

from pauci.data.sampler import StratifiedBatchSampler
from pauci.errors import InputError


class DeviceBatches:
    """Batches of tensors, picked on their own device without worker processes or per-instance Python.

    Parameters
    ----------
    *tensors : Tensor or ndarray of shape (n, ...)
        Of the same length, on the same device.
    sampler : StratifiedBatchSampler
        Sampler that decides what is in each batch, and knows the position (`state_dict`, `set_epoch`).

    Examples
    --------
    >>> x, y = torch.arange(8.0), torch.tensor([1, 0, 0, 0, 1, 0, 0, 0])
    >>> batches = DeviceBatches(x, y, sampler=StratifiedBatchSampler(y, 4))
    >>> for x_batch, y_batch in batches:
    ...     print(len(x_batch), y_batch)
    4 tensor([1, 0, 0, 0])
    4 tensor([1, 0, 0, 0])
    """

    def __init__(self, *tensors: torch.Tensor | npt.NDArray[Any], sampler: StratifiedBatchSampler) -> None:
        if not tensors:
            raise InputError("DeviceBatches needs at least one tensor.")
        self.tensors = tuple(torch.as_tensor(each) for each in tensors)
        device = self.tensors[0].device
        for i, tensor in enumerate(self.tensors):
            if len(tensor) != sampler.size or tensor.device != device:
                raise InputError(
                    f"tensor {i} has {len(tensor)} rows on {tensor.device}; the sampler has {sampler.size} labels and "
                    f"the first tensor is on {device}. All must be of the same length and on one device."
                )
        self.sampler = sampler

    def __len__(self) -> int:
        """Batches in an epoch."""
        return len(self.sampler)

    def __iter__(self) -> Iterator[tuple[torch.Tensor, ...]]:
        """Batches of one epoch."""
        for row in self.sampler.rows(device=self.tensors[0].device):
            yield tuple(tensor.index_select(0, row) for tensor in self.tensors)
