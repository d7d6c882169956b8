"""Being asked to stop: Ctrl-C and SIGTERM take effect between two steps."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: What a program stopped by Ctrl-C exits with, as shells report it.
INTERRUPTED = 130


class StopRequest:
    """Whether someone asked the run to stop.

    Attributes
    ----------
    asked : bool
        True after Ctrl-C or SIGTERM.
    """

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Turn the first Ctrl-C and every SIGTERM into a request; Ctrl-C after a request stops at once, as usual.

    Who ends a group of processes tells each of them, and the one that started the others passes it on: a second SIGTERM
    means no more than the first. Outside of the main thread signals cannot be caught, and the request is never made.

    Yields
    ------
    StopRequest
        To be looked at between steps.

    Examples
    --------
    >>> with stop_requests() as stop:
    ...     signal.raise_signal(signal.SIGINT)
    ...     stop.asked
    True
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}

    def remember(_: int, __: FrameType | None) -> None:
        request.asked = True
        signal.signal(signal.SIGINT, before[signal.SIGINT])

    for kind in before:
        signal.signal(kind, remember)
    try:
        yield request
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
