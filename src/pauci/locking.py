"""Locks between processes, which the operating system releases when their holder ends or dies."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

if sys.platform != "win32":
    import fcntl

#: What file systems answer that know no locks.
_UNKNOWN = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


@contextmanager
def lock_file(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Keep others out for as long as the block lasts, by a file that is there for nothing else, and stays.

    Parameters
    ----------
    path : Path
        The file; its folder must exist.
    wait : bool, default True
        Whether to wait for whoever has the lock.

    Raises
    ------
    BlockingIOError
        Another has the lock, and `wait` is False.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), ".lock")
    >>> with lock_file(path):
    ...     path.exists()
    True
    """
    # It is never removed: whoever waits would then have the lock of a file that others no longer see.
    with path.open("ab") as file, locked(file, wait=wait):
        yield


@contextmanager
def locked(file: IO[Any], *, shared: bool = False, wait: bool = True) -> Iterator[None]:
    """Hold the lock of an open file for as long as the block lasts.

    On Windows, and on file systems without locks, nobody is kept out.

    Parameters
    ----------
    file : file object
        Open; the lock is that of this opening, so that threads of one process keep each other out as well.
    shared : bool, default False
        Let in others that ask for a shared lock.
    wait : bool, default True
        Whether to wait for whoever has the lock.

    Raises
    ------
    BlockingIOError
        Another has the lock, and `wait` is False.
    """
    held = _take(file, shared=shared, wait=wait)
    try:
        yield
    finally:
        # Closing the file would not do where a forked process has it, too.
        if held and sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_UN)


def _take(file: IO[Any], *, shared: bool, wait: bool) -> bool:
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _UNKNOWN:
            return False
        raise
    return True
