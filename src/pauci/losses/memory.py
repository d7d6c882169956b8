"""One number per instance of the dataset, remembered between batches."""

from typing import Any

import torch
from torch import Tensor, nn

from pauci.errors import InputError
from pauci.losses.checks import check_index, check_whole
from pauci.losses.inputs import check_loss_device


class Memory(nn.Module):
    """Numbers keyed by dataset index, one row per label; a buffer that is saved, moved and loaded with its loss.

    Parameters
    ----------
    first : float
        What an instance that was not seen yet has.
    size : int, optional
        Number of instances of the dataset. By default the memory grows to the largest index it meets, which on a
        GPU makes the host wait.
    labels : int, optional
        Number of labels; by default one, and more are added when they are met.

    Examples
    --------
    >>> memory = Memory(0.0)
    >>> memory.write(torch.tensor([3, 1, 3]), torch.tensor([1.0, 5.0, 2.0]))
    >>> memory.read(torch.tensor([0, 1, 3]))
    tensor([0.0000, 5.0000, 1.5000])
    """

    values: Tensor

    def __init__(self, first: float, size: int | None = None, labels: int | None = None) -> None:
        super().__init__()
        if size is not None:
            check_whole(": that of the instances of the dataset", data_size=size)
        self.first = first
        self.size = size
        self.labels = labels
        self.register_buffer("values", torch.full((labels or 1, size or 0), first))

    def read(self, index: Tensor, label: int = 0) -> Tensor:
        """Return a copy of what is remembered of some instances, which may repeat."""
        check_loss_device(index, self.values)
        self._cover(index, label)
        return self.values[label, index]

    def write(self, index: Tensor, values: Tensor, label: int = 0, *, only: Tensor | None = None) -> None:
        """Remember new numbers, or those of a mask `only`; an index that repeats gets the mean of its numbers."""
        self._cover(index, label)
        row = self.values[label]
        new = values.detach().to(row)
        if only is None:
            row.scatter_reduce_(0, index, new, "mean", include_self=False)
            return
        # What does not count may have the index of what does. To drop it, a GPU would wait: sum and count in the row.
        old, only = row[index], only.expand_as(new)
        sums, counts = (
            row.scatter_(0, index, 0.0).index_add_(0, index, part)[index]
            for part in (torch.where(only, new, 0.0), only.to(row))
        )
        row.scatter_(0, index, torch.where(counts > 0, sums / counts, old))

    def reset_parameters(self) -> None:
        """Forget everything; a memory made on the meta device needs it after `to_empty`."""
        self.values.fill_(self.first)

    def _cover(self, index: Tensor, label: int) -> None:
        size = int(index.max()) + 1 if self.size is None and index.numel() else 0
        self.values = self._grown(self.values, label + 1, size)

    def _grown(self, values: Tensor, labels: int, size: int) -> Tensor:
        """Return values of at least so many labels and instances; they themselves if they are."""
        rows, columns = max(0, labels - values.shape[0]), max(0, size - values.shape[1])
        return nn.functional.pad(values, (0, columns, 0, rows), value=self.first) if rows or columns else values

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any, **kwargs: Any) -> None:
        saved = state_dict.get(name := f"{prefix}values")
        if saved is not None and saved.ndim == 2:
            # A memory that grew as it went knows nothing of labels and instances that it did not meet.
            whole = self._grown(saved, self.labels or 0, self.size or 0)
            shape = (self.labels or len(saved), self.size or saved.shape[1])
            # In the same tensor if it fits: a recorded graph may already hold it.
            if self.values.shape != shape:
                self.values = self.values.new_full(shape, self.first)
            state_dict = {**state_dict, name: whole}
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)


def read_index(index: Any, length: int, data_size: int | None, device: torch.device) -> Tensor:
    """Check the dataset index of every instance of a batch, and return them as int64 of shape (N,) on a device.

    Values are checked on the CPU only.

    Examples
    --------
    >>> read_index([4, 2], 2, None, torch.device("cpu"))
    tensor([4, 2])
    """
    try:
        rows = torch.as_tensor(index)
    except (TypeError, ValueError) as error:
        raise InputError(f"index holds {str(index)[:40]}...; expected dataset indices, which are integers.") from error
    check_index(rows)
    if rows.shape not in ((length,), (length, 1)):
        raise InputError(
            f"index has shape {tuple(rows.shape)} but the batch {length} instances: give the dataset index of every "
            "instance, positive or negative."
        )
    rows = rows.reshape(length).long()
    if rows.is_cpu and length:
        low, high = rows.aminmax()
        if low < 0 or (data_size is not None and high >= data_size):
            end = "" if data_size is None else f" and below data_size={data_size}"
            raise InputError(f"index lies in [{low}, {high}]; dataset indices are at least 0{end}.")
    return rows.to(device)
