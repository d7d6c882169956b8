"""Worker processes that do not outlive the one that started them."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """Let this process end as soon as its parent has, in the middle of its work: nobody will take its result.

    Workers of a pool notice by themselves only when they ask for the next piece, which may be many minutes later.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
