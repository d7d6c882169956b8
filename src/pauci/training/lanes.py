"""Several runs in one process, in turns: while the kernels of one wait for memory, those of another compute."""

import itertools
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from typing import Any, TypeVar

import torch

from pauci.errors import InputError

T = TypeVar("T")

#: Turns after which the next lane joins. Runs of one length would else all wait for their evaluation at the same time.
_HEAD_START = 16

#: A run that pauses after every step, and returns its result.
Steps = Generator[None, None, T]


def finished(steps: Steps[T]) -> T:
    """Take all steps of a run, and return its result.

    Examples
    --------
    >>> def run():
    ...     yield
    ...     return "done"
    >>> finished(run())
    'done'
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def side_by_side(runs: Iterable[Steps[T]], *, lanes: int, device: torch.device) -> Iterator[T]:
    """Take the steps of several runs in turns, each run on a stream of its own if the device is a GPU.

    Parameters
    ----------
    runs : iterable of generator
        The runs; each is asked for only when a lane is free.
    lanes : int
        How many are under way at a time.
    device : torch.device
        Where they train.

    Yields
    ------
    object
        Results, in the order in which the runs end. An error in a run ends all of them.

    Examples
    --------
    >>> def run(name, steps):
    ...     for step in range(steps):
    ...         print(name, step)
    ...         yield
    ...     return name
    >>> list(side_by_side([run("a", 2), run("b", 1)], lanes=2, device=torch.device("cpu")))
    a 0
    a 1
    b 0
    ['a', 'b']
    """
    if lanes < 1:
        raise InputError(f"lanes={lanes!r} must be at least 1.")
    waiting = iter(runs)
    joining = deque(torch.cuda.Stream(device) if device.type == "cuda" else None for _ in range(lanes))  # type: ignore[no-untyped-call]
    queue: deque[tuple[Any, Steps[T]]] = deque()
    with ExitStack() as stack:

        def start(stream: Any) -> None:
            for run in itertools.islice(waiting, 1):
                queue.append((stream, stack.enter_context(closing(run))))

        for turn in itertools.count():
            if joining and turn % _HEAD_START == 0:
                start(joining.popleft())
            if not queue:
                return
            stream, run = queue.popleft()
            try:
                with _on(stream):
                    next(run)
                queue.append((stream, run))
            except StopIteration as end:
                yield end.value
                start(stream)


def in_lane() -> bool:
    """Tell whether what is launched now goes to a stream of its own, beside those of other runs."""
    return bool(torch.cuda.current_stream() != torch.cuda.default_stream())


def _on(stream: Any) -> AbstractContextManager[Any]:
    return nullcontext() if stream is None else torch.cuda.stream(stream)
