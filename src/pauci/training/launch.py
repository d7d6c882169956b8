"""Starting the processes of a distributed run on this machine, and noticing when one dies."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence

from pauci.errors import RankError
from pauci.training.interrupt import INTERRUPTED

#: Seconds that the others have to report their own trouble after one process died.
_GRACE = 10.0


def launch(command: Sequence[str], processes: int) -> int:
    """Run a command in several processes that find each other, as `torchrun` does.

    Each gets ``RANK``, ``LOCAL_RANK`` and ``WORLD_SIZE``.

    Returns
    -------
    int
        0, or 130 if they were interrupted.

    Raises
    ------
    RankError
        One failed; the others have been stopped.

    Examples
    --------
    >>> import sys
    >>> launch([sys.executable, "-c", "import os; assert os.environ['WORLD_SIZE'] == '2'"], 2)
    0
    """
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(processes)}
    running = [
        subprocess.Popen(list(command), env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)})  # noqa: S603
        for rank in range(processes)
    ]

    def pass_on(kind: int, _: object) -> None:
        for process in running:
            process.send_signal(kind)

    before = signal.signal(signal.SIGTERM, pass_on)  # Ctrl-C reaches them by itself
    try:
        return _wait(running)
    finally:
        signal.signal(signal.SIGTERM, before)
        for process in running:
            if process.poll() is None:
                process.kill()
            process.wait()


def _wait(running: list["subprocess.Popen[bytes]"]) -> int:
    quiet = [0, INTERRUPTED]
    while True:
        try:
            codes = [process.poll() for process in running]
            if None not in codes or any(codes):
                break
            time.sleep(0.05)
        except KeyboardInterrupt:
            # A terminal has told them too, a supervisor perhaps this process alone. SIGTERM, however often, asks
            # once; whoever has not begun yet dies of it.
            quiet += [-signal.SIGTERM, -signal.SIGINT]
            for process in running:
                process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while None in [process.poll() for process in running] and time.monotonic() < deadline:
        time.sleep(0.05)
    if all(code in quiet for code in codes if code is not None):
        codes = [process.wait() for process in running]
    if all(code in quiet for code in codes):
        return INTERRUPTED if any(codes) else 0
    rank, code = next((rank, code) for rank, code in enumerate(codes) if code is not None and code not in quiet)
    manner = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"failed with exit code {code}"
    raise RankError(f"rank {rank} {manner}; the run was stopped. Its own error is above.")


def free_port() -> int:
    """Find a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
