"""Numbers that change while training: kappa, omega, the weight of a mixture."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pauci.errors import InputError
from pauci.losses.checks import as_number, check_whole

#: A number that follows training: called with how often `advance()` was, 0 at first.
Schedule = Callable[[int], float]


@dataclass(frozen=True)
class Anneal:
    """Move from one value to another over a number of steps, then stay.

    Each call of the loss's `advance()` is a step: call it once per batch, or once per epoch.

    Parameters
    ----------
    start, end : float
        First and last value.
    steps : int
        Steps until `end` is reached.
    shape : {"linear", "geometric"}, default "linear"
        Steps of equal differences, or of equal ratios (for kappa: each step sharpens the selection by the same factor).

    Examples
    --------
    >>> kappa = Anneal(2, 32, 4, shape="geometric")
    >>> [kappa(step) for step in range(6)]
    [2.0, 4.0, 8.0, 16.0, 32.0, 32.0]
    """

    start: float
    end: float
    steps: int
    shape: Literal["linear", "geometric"] = "linear"

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            if not math.isfinite(as_number(value := getattr(self, name))):
                raise InputError(f"{name}={value!r} must be a finite number.")
        check_whole("; use a plain number for a constant", steps=self.steps)
        if self.shape not in ("linear", "geometric"):
            raise InputError(f"shape={self.shape!r} is not known; use 'linear' or 'geometric'.")
        if self.shape == "geometric" and not (self.start > 0 and self.end > 0):
            raise InputError(
                f"start={self.start!r} and end={self.end!r} must be positive for equal ratios; use shape='linear'."
            )

    def __call__(self, step: int) -> float:
        """Value after `step` steps."""
        done = min(max(step, 0), self.steps) / self.steps
        if done == 1:
            return float(self.end)
        if self.shape == "geometric":
            return float(self.start * (self.end / self.start) ** done)
        return float(self.start + (self.end - self.start) * done)


def value_at(schedule: float | Schedule, step: int, *, name: str) -> float:
    """Read a number that may be a schedule, after so many steps; the name is for messages."""
    value = schedule(step) if callable(schedule) else schedule
    if math.isnan(number := as_number(value)):
        raise InputError(f"{name}={value!r} must be a number, or a schedule: a function from steps to numbers.")
    return number
