"""Files that appear in full or not at all."""

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pauci.errors import MissingFileError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name to write to, which becomes the file when the block ends well.

    Parameters
    ----------
    path : Path
        The file; its folder must exist.

    Yields
    ------
    Path
        Next to it, with the same suffixes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "scores.csv")
    >>> with replacing(path) as unfinished:
    ...     _ = unfinished.write_text("score")
    ...     path.exists()
    False
    >>> path.read_text()
    'score'
    """
    if not path.parent.is_dir():
        raise MissingFileError(f"cannot write {path}: the folder {path.parent} does not exist; create it first.")
    path = path.resolve()  # through a link, to the file that it stands for
    # No two writers share it, whatever process or thread they are in.
    # Of a long name the end is enough: with more before it, it might be too long for the file system.
    unfinished = path.with_name(f".unfinished-{uuid.uuid4().hex}-{path.name[-48:]}")
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        if path.exists():
            unfinished.chmod(stat.S_IMODE(path.stat().st_mode))
        unfinished.replace(path)
    except OSError as error:
        if error.filename is None and error.errno is not None:
            # A disk that is full says so without a name.
            raise OSError(error.errno, f"cannot write: {error.strerror}", str(path)) from error
        raise
    finally:
        unfinished.unlink(missing_ok=True)
