"""A word about runs that will take very long, from the pace of their first steps."""

import time
import warnings

from pauci.training.observers import Observer, Start

#: Seconds after which the pace is known well enough, and seconds to go that are worth a word.
_KNOWN, _LONG = 20.0, 3600.0


class PaceWarning(UserWarning):
    """A run will take very long on its device."""


class Pace(Observer):
    """Warns once, early on, when a run on the CPU has hours to go.

    Nothing is guessed from the recipe: what a step takes depends on the machine, so the first steps are measured.

    Examples
    --------
    >>> from pauci.training import Recipe, train
    >>> import numpy as np
    >>> x, y = np.arange(400.0).reshape(200, 2), np.arange(200) % 4 == 0
    >>> train(Recipe(epochs=1, batch_size=32), (x, y), device="cpu", observers=[Pace()]).best_epoch
    1
    """

    def __init__(self) -> None:
        self._has_told = False

    def start(self, start: Start) -> None:
        """Note the time; a warm-up may be short, and what follows long."""
        self._is_watching = not self._has_told
        self._total, self._made, self._begun = start.total, 0, time.monotonic()

    def step(self, done: int) -> None:
        """Look at the time until enough is known."""
        self._made += 1  # a run that diverged has gone back: `done` does not tell how many were made here
        if not self._is_watching or (passed := time.monotonic() - self._begun) < _KNOWN:
            return
        self._is_watching = False
        left = passed / self._made * (self._total - done)
        if left > _LONG:
            self._has_told = True
            warnings.warn(
                f"at the pace of its first steps ({passed / self._made:.2g} s each) training takes about "
                f"{left / 3600:.1f} more hours on the CPU. Use a GPU, a smaller network, fewer epochs or less data; "
                "Ctrl-C keeps what is done, if there is a folder for it.",
                PaceWarning,
                stacklevel=2,
            )
