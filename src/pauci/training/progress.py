"""How far a run is: plain numbers, in the form that checkpoints and the log have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pauci.rounding import is_number


@dataclass
class Progress:
    """The part of the state that is plain numbers.

    Attributes
    ----------
    step : int
        Steps made.
    history : list of dict
        One record per finished epoch.
    best_epoch : int or None
        Epoch whose weights are kept; None before the first.
    rate_scale : float
        What divergence has left of the learning rate.
    rollbacks : int
        How often the run went back to a checkpoint.
    seconds : float
        Time spent training, over all sittings.
    """

    step: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    best_epoch: int | None = None
    rate_scale: float = 1.0
    rollbacks: int = 0
    seconds: float = 0.0

    @property
    def epochs_since_best(self) -> int:
        """Epochs that have ended since the one whose weights are kept."""
        return len(self.history) - (self.best_epoch or 0)

    def is_last_best(self, metric: str) -> bool:
        """Whether the weights of the last epoch are those to keep; where the metric is "last" they always are."""
        if metric == "last" or self.best_epoch is None:
            return True
        return bool(self.history[-1]["val"][metric] > self.history[self.best_epoch - 1]["val"][metric])


def read_progress(facts: Mapping[str, Any]) -> Progress:
    """Check what a checkpoint says, which would otherwise fail somewhere in the middle of the run.

    Raises
    ------
    TypeError, ValueError
        A field is missing, unknown, or not what it should be.

    Examples
    --------
    >>> read_progress({"step": 3}).step
    3
    >>> read_progress({"step": "3"})
    Traceback (most recent call last):
    ValueError: progress.step is '3'
    """
    found = Progress(**facts)
    history, best = found.history, found.best_epoch
    records = isinstance(history, list) and all(_is_record(entry, n) for n, entry in enumerate(history, start=1))
    for name, is_right in {
        "step": _is_count(found.step),
        "history": records,
        "best_epoch": best is None or (_is_count(best) and records and 1 <= best <= len(history)),
        "rate_scale": is_number(found.rate_scale),
        "rollbacks": _is_count(found.rollbacks),
        "seconds": is_number(found.seconds),
    }.items():
        if not is_right:
            raise ValueError(f"progress.{name} is {getattr(found, name)!r}")
    return found


def _is_record(entry: Any, epoch: int) -> bool:
    """Whether this is what the loop writes down after an epoch."""
    return (
        isinstance(entry, dict)
        and entry.get("epoch") == epoch
        and _is_count(entry.get("step"))
        and all(is_number(entry.get(name)) for name in ("loss", "rate", "seconds"))
        and isinstance(values := entry.get("val"), dict)
        and "target" in values
        and all(map(is_number, values.values()))
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
