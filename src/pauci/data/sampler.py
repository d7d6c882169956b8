"""Batches with a fixed number of positives, so that no batch lacks a class."""

import operator
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from pauci.data.passes import shuffled_passes
from pauci.errors import InputError, LabelError

Last = Literal["fill", "drop"]


class StratifiedBatchSampler:
    """Draw batches of indices that all hold the same number of positives.

    An epoch goes through one class once. It goes through the other class, which would run out earlier, several times,
    each time in a new order. No index comes back before its class has been gone through. No index is twice in a batch,
    unless its class is smaller than its share of the batch.

    The batches depend only on labels, `batch_size`, share of positives, `seed` and epoch. They do not depend on the
    platform, on global random state or on the number of processes, which merely share out each batch.

    Parameters
    ----------
    labels : array-like or tensor of shape (n,)
        Bool, {0, 1} or {-1, 1}; positive means above 0.
    batch_size : int
        Instances per batch, over all processes together.
    positives_per_batch : int, optional
        Number of positives in each batch.
    positive_ratio : float, optional
        Share of positives instead, rounded to at least one of each class. Without either argument, it is their share in
        `labels`.
    last : {"fill", "drop"}
        What to do with the instances left over when an epoch does not divide into whole batches: "fill" completes the
        last batch with instances of the next pass, "drop" leaves them out this time. A batch is never short, and an
        epoch has at least one batch.
    seed : int, default 0
        Seed of the local generator.
    num_replicas, rank : int
        Number of processes that share each batch, and the rank of this process. Each process gets equally many batches
        and instances, and at least one instance of each class.

    See Also
    --------
    DeviceBatches : Batches of tensors that are already on the device.

    Examples
    --------
    >>> sampler = StratifiedBatchSampler([1, 1, 0, 0, 0, 0, 0, 0], 4, positives_per_batch=1)
    >>> len(sampler)
    2
    >>> [len(batch) for batch in sampler]
    [4, 4]
    >>> sampler.epoch
    1
    """

    def __init__(
        self,
        labels: ArrayLike | torch.Tensor,
        batch_size: int,
        *,
        positives_per_batch: int | None = None,
        positive_ratio: float | None = None,
        last: Last = "fill",
        seed: int = 0,
        num_replicas: int = 1,
        rank: int = 0,
    ) -> None:
        positive = _positive(labels)
        batch_size = _integer("batch_size", batch_size)
        self._classes = (np.flatnonzero(positive), np.flatnonzero(~positive))
        self.batch_size = batch_size
        self.positives_per_batch = _count(positives_per_batch, positive_ratio, batch_size, float(positive.mean()))
        self.last = last
        self.seed = _integer("seed", seed)
        self.num_replicas = _integer("num_replicas", num_replicas)
        self.rank = _integer("rank", rank)
        self._check()
        self.epoch = 0
        self._next = 0  # batches of this epoch handed out so far
        self._resume = 0  # where the next iteration starts

    def __len__(self) -> int:
        """Batches in an epoch."""
        rounded_up = self.last == "fill"
        shares = zip(self._classes, self._shares, strict=True)
        return max(
            1, *(-(-len(members) // share) if rounded_up else len(members) // share for members, share in shares)
        )

    def __iter__(self) -> Iterator[list[int]]:
        """Batches of one epoch as lists, for ``DataLoader(batch_sampler=...)``."""
        for row in self.rows():
            yield row.tolist()

    @property
    def size(self) -> int:
        """Number of labels."""
        return sum(map(len, self._classes))

    def rows(self, *, device: torch.device | str | None = None) -> Iterator[torch.Tensor]:
        """Yield the batches of one epoch as index tensors, with this process's share of each.

        The next epoch begins by itself with the last batch, even if the loop takes no more than `len` batches. After a
        `break` before the last batch, the same epoch begins anew.

        Parameters
        ----------
        device : torch.device or str, optional
            Device to which the indices of the whole epoch are moved at once.

        Yields
        ------
        Tensor of shape (batch_size / num_replicas,)
            Positives first.

        Examples
        --------
        >>> for row in StratifiedBatchSampler([True, False], 2).rows():
        ...     print(row)
        tensor([0, 1])
        """
        self._next, self._resume = self._resume, 0
        indices = self.indices(self.epoch).to(device)
        for place in range(self._next, len(indices)):
            self._next = place + 1
            if self._next == len(indices):
                self.set_epoch(self.epoch + 1)
            yield indices[place]

    def indices(self, epoch: int) -> torch.Tensor:
        """Compute all batches of an epoch, with this process's share of each.

        Parameters
        ----------
        epoch : int
            Number of the epoch, from 0.

        Returns
        -------
        Tensor of shape (len(self), batch_size / num_replicas)
            int64 indices, positives first.

        Examples
        --------
        >>> StratifiedBatchSampler([True, False], 2).indices(0)
        tensor([[0, 1]])
        """
        batches = len(self)
        parts = []
        for k, (members, share) in enumerate(zip(self._classes, self._shares, strict=True)):
            order = shuffled_passes(len(members), batches * share, share, seed=(self.seed, epoch, k))
            parts.append(members[order].reshape(batches, share)[:, self._dealt(k)])
        return torch.from_numpy(np.concatenate(parts, axis=1))

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch; the current epoch is left as it is, so code that resumes may call it, too.

        Parameters
        ----------
        epoch : int
            Number of the epoch, from 0.
        """
        if epoch != self.epoch:
            self.epoch, self._next, self._resume = epoch, 0, 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position: the epoch, and how many of its batches were handed out so far.

        A `DataLoader` with workers asks for batches ahead of time. There, store the epoch as ``state["epoch"]``, and
        the number of its batches that were trained on as ``state["batch"]``. The position is the same for every
        process.

        Returns
        -------
        dict
            Plain numbers and strings.
        """
        return {"epoch": self.epoch, "batch": self._next, **self._plan}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a position: the next iteration yields the rest of its epoch, or all of the next one.

        Afterwards `epoch` is the epoch that continues; begin a loop over epochs there.

        Parameters
        ----------
        state : mapping
            The `state_dict` of a sampler with the same labels and settings; the number of processes may differ.

        Raises
        ------
        InputError
            If the other sampler drew other batches.
        """
        for name, value in self._plan.items():
            if state.get(name) != value:
                raise InputError(
                    f"the saved position belongs to a sampler with {name}={state.get(name)!r}, this one has {value!r}; "
                    "resume with the labels and settings the run was started with."
                )
        if not 0 <= state["batch"] <= len(self):
            raise InputError(f"state['batch']={state['batch']!r} is not within the {len(self)} batches of an epoch.")
        finished, batch = divmod(state["batch"], len(self))
        self.epoch = state["epoch"] + finished
        self._next = self._resume = batch

    @property
    def _plan(self) -> dict[str, Any]:
        """What decides which batches are drawn, apart from the epoch."""
        return {
            "positives": len(self._classes[0]),
            "negatives": len(self._classes[1]),
            "batch_size": self.batch_size,
            "positives_per_batch": self.positives_per_batch,
            "last": self.last,
            "seed": self.seed,
        }

    @property
    def _shares(self) -> tuple[int, int]:
        return self.positives_per_batch, self.batch_size - self.positives_per_batch

    def _dealt(self, k: int) -> slice:
        """Which of a batch's positives (k=0) or negatives (k=1) this process gets; together always equally many."""
        first, end = ((self.positives_per_batch * r) // self.num_replicas for r in (self.rank, self.rank + 1))
        if k == 0:
            return slice(first, end)
        each = self.batch_size // self.num_replicas
        return slice(each * self.rank - first, each * (self.rank + 1) - end)

    def _check(self) -> None:
        if self.last not in ("fill", "drop"):
            raise InputError(f"last={self.last!r} is not known; use 'fill' or 'drop'.")
        if self.seed < 0:
            raise InputError(f"seed={self.seed!r} must not be negative.")
        if not 0 <= self.rank < self.num_replicas:
            raise InputError(f"rank={self.rank!r} must be from 0 to num_replicas - 1 = {self.num_replicas - 1}.")
        if self.batch_size % self.num_replicas:
            raise InputError(
                f"batch_size={self.batch_size} is that of all processes together and must be a multiple of "
                f"num_replicas={self.num_replicas}, so that each gets equally many instances; use "
                f"{-(-self.batch_size // self.num_replicas) * self.num_replicas}."
            )
        if min(self._shares) < self.num_replicas:
            raise InputError(
                f"batches of {self._shares[0]} positives and {self._shares[1]} negatives leave some of the "
                f"num_replicas={self.num_replicas} processes without one class; raise batch_size={self.batch_size} or "
                "change positives_per_batch or positive_ratio."
            )


def _positive(labels: ArrayLike | torch.Tensor) -> NDArray[np.bool_]:
    if isinstance(labels, torch.utils.data.Dataset):  # which numpy would read from end to end
        raise LabelError(f"labels is a {type(labels).__name__}; pass the labels of its instances alone, in its order.")
    values = labels.detach().cpu().double().numpy() if isinstance(labels, torch.Tensor) else np.asarray(labels)
    if values.ndim != 1:
        raise LabelError(
            f"labels have shape {values.shape}, expected (n,). Flatten a single column; of several take one to draw by."
        )
    found = np.unique(values) if values.dtype.kind in "biuf" else np.array([np.nan])
    if not (np.isin(found, (0, 1)).all() or np.isin(found, (-1, 1)).all()):
        raise LabelError("labels must be bool, {0, 1} or {-1, 1}; turn classes into one of these first.")
    if len(found) < 2:
        raise LabelError(f"labels hold {len(values)} instances of {len(found)} class(es); batches need both classes.")
    return values > 0


def _integer(name: str, value: object) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]  # which is what it finds out
    except TypeError:
        raise InputError(f"{name}={value!r} must be an integer.") from None


def _count(count: int | None, ratio: float | None, batch_size: int, prevalence: float) -> int:
    if batch_size < 2:
        raise InputError(f"batch_size={batch_size!r} must be at least 2: one of each class.")
    if count is not None and ratio is not None:
        raise InputError(
            f"positives_per_batch={count!r} and positive_ratio={ratio!r} say the same thing; give one of them."
        )
    if count is not None:
        count = _integer("positives_per_batch", count)
        if not 1 <= count < batch_size:
            raise InputError(f"positives_per_batch={count!r} must be from 1 to batch_size - 1 = {batch_size - 1}.")
        return count
    if ratio is not None and not 0 < ratio < 1:
        raise InputError(f"positive_ratio={ratio!r} must be between 0 and 1: it is a share of the batch.")
    return min(max(round(batch_size * (prevalence if ratio is None else ratio)), 1), batch_size - 1)
