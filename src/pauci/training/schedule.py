"""The learning rate as a pure function of how much of the run is done."""

import math

from pauci.training.specs import ScheduleSpec

#: Where onecycle starts, relative to the highest rate.
_ONECYCLE_START = 1 / 25


def rate_factor(schedule: ScheduleSpec, step: int, total: int) -> float:
    """Learning rate, relative to the optimiser's own, of the step about to be made, from 0, of so many in total.

    There is no scheduler object and so no state to save: a resumed run computes the same rates.

    Examples
    --------
    >>> onecycle = ScheduleSpec(name="onecycle", warmup=0.5)
    >>> [round(rate_factor(onecycle, step, 9), 3) for step in range(9)]
    [0.04, 0.181, 0.52, 0.859, 1.0, 0.854, 0.5, 0.146, 0.0]
    """
    last = max(total - 1, 1)
    done = step / last
    if done < schedule.warmup:
        if schedule.name == "onecycle":
            return _between(_ONECYCLE_START, 1.0, done / schedule.warmup)
        return (step + 1) / (schedule.warmup * last + 1)
    if schedule.name == "constant":
        return 1.0
    fall = (done - schedule.warmup) / (1 - schedule.warmup)
    return _between(1.0, schedule.floor, fall)


def _between(first: float, last: float, share: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * share)) / 2
