"""What is kept of a run while it is under way: checkpoints now and then, and the time it has taken."""

import time

import torch

from pauci.training.checkpoint import Checkpoints
from pauci.training.ranks import Ranks
from pauci.training.specs import RollbackSpec
from pauci.training.state import State


class Keeper:
    """Saves the state of a run, goes back to what was saved, and counts the seconds over all sittings.

    Without `checkpoints` nothing is saved; `every` is in seconds. Of several processes, the first writes for all.
    """

    def __init__(
        self, state: State, checkpoints: Checkpoints | None, *, ranks: Ranks, device: torch.device, every: float
    ) -> None:
        self.checkpoints = checkpoints
        self._state, self._ranks, self._device, self._every = state, ranks, device, every
        self._saved = time.monotonic()
        self.start_clock()

    @property
    def is_due(self) -> bool:
        """Whether the last checkpoint was long ago."""
        return self.checkpoints is not None and time.monotonic() - self._saved >= self._every

    def save(self) -> None:
        """Write a checkpoint."""
        self.count_time()
        if self.checkpoints is not None and self._ranks.rank == 0:
            self.checkpoints.save(self._state.progress.step, *self._state.pack())
        self._saved = time.monotonic()

    def resume(self) -> bool:
        """Continue from the newest usable checkpoint; False when there is none."""
        found = self.checkpoints.load() if self.checkpoints is not None else None
        if found is not None:
            self._state.unpack(*found)
        return found is not None

    def roll_back(self, rule: RollbackSpec, *, bad_from: int) -> bool:
        """Continue from before a step that diverged, at a lower rate; False when that is not, or no longer, allowed."""
        scale, times = self._state.progress.rate_scale, self._state.progress.rollbacks
        if self.checkpoints is not None and self._ranks.rank == 0:
            self.checkpoints.discard_from(bad_from)
        self._ranks.agree(False, self._device)  # the others wait until the bad ones are gone
        if times >= rule.times or not self.resume():
            return False
        self._state.progress.rate_scale = scale * rule.factor
        self._state.progress.rollbacks = times + 1
        return True

    def start_clock(self) -> None:
        """Count the time from now on."""
        self._clock = time.perf_counter()

    def count_time(self) -> None:
        """Add what has passed to the seconds of the run."""
        now = time.perf_counter()
        self._state.progress.seconds += now - self._clock
        self._clock = now
