"""Fetching a published file: with a progress bar, resumed where it broke off, checked against its checksum."""

import http.client
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pauci.data.archives import check_sha256, file_digest
from pauci.data.progress import progress_bar
from pauci.errors import DownloadError, FileFormatError, InputError
from pauci.locking import lock_file

_ATTEMPTS = 6
_FIRST_PAUSE = 1.0  # seconds; doubles with every attempt that brought nothing
_TIMEOUT = 30.0
_BLOCK = 1 << 18
#: Answers that may be different in a moment; any other HTTP error is final.
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
#: Ways a connection fails; other errors of the operating system (a full disk) are not tried again.
_BROKEN = (urllib.error.URLError, ConnectionError, TimeoutError, ssl.SSLError, http.client.HTTPException)


@dataclass(frozen=True)
class Archive:
    """A file as its authors published it.

    Parameters
    ----------
    url : str
        Where it is, by http or https.
    size : int
        Its length in bytes.
    sha256 : str
        Its checksum in hexadecimal.

    Examples
    --------
    >>> Archive("https://example.org/data/pictures.zip", size=10, sha256="00").name
    'pictures.zip'
    """

    url: str
    size: int
    sha256: str

    def __post_init__(self) -> None:
        if urllib.parse.urlsplit(self.url).scheme not in ("http", "https"):
            raise InputError(f"url={self.url!r} must begin with https:// or http://.")

    @property
    def name(self) -> str:
        """File name, the last part of the address."""
        return urllib.parse.urlsplit(self.url).path.rpartition("/")[2]


def download(archive: Archive, folder: Path) -> Path:
    """Fetch a published file into a folder.

    The bytes arrive in ``<name>.part``, which a later call continues; only when size and checksum are right does the
    file get its name. Broken connections and busy servers are tried again, with growing pauses.

    The folder is created when missing. A file of that name already there is taken as it is.

    Raises
    ------
    DownloadError
        There is no connection, or the server refused.
    FileFormatError
        What arrived, twice from its first byte, is not the published file.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "here.zip"
    >>> path.touch()
    >>> download(Archive("https://example.org/here.zip", size=0, sha256="00"), Path(folder.name)) == path
    True
    >>> folder.cleanup()
    """
    target = folder / archive.name
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with lock_file(folder / f".{archive.name}.lock"):
        # Whoever had the lock before may have been here for the same.
        return target if target.exists() else _fetched(archive, target)


def _fetched(archive: Archive, target: Path) -> Path:
    part = target.with_name(f"{target.name}.part")
    with progress_bar(f"fetching {archive.name}", archive.size, in_bytes=True) as advance:
        _complete(archive, part, advance)
        if file_digest(part) != archive.sha256:
            # A resumed file may have been stitched together from two different ones: once more, from the start.
            advance(-part.stat().st_size)
            part.unlink()
            _complete(archive, part, advance)
            try:
                check_sha256(part, archive.sha256)
            except FileFormatError:
                part.unlink()
                raise
    part.replace(target)
    return target


def _complete(archive: Archive, part: Path, advance: Callable[[int], None]) -> None:
    """Append to the partial file until it has its full length."""
    part.touch()
    have = part.stat().st_size
    if have > archive.size:
        part.write_bytes(b"")
        have = 0
    advance(have)
    failures = 0
    while have < archive.size:
        if failures:
            time.sleep(_FIRST_PAUSE * 2 ** (failures - 1))
        reason = "the connection was closed early"
        try:
            _fetch(archive, part, have, advance)
        except urllib.error.HTTPError as error:
            error.close()
            reason = f"the server answered {error.code} {error.reason}"
            if error.code not in _TRANSIENT:
                raise _failed(archive, part, reason) from error
        except _BROKEN as error:
            reason = str(error) or type(error).__name__
        gained, have = part.stat().st_size - have, part.stat().st_size
        failures = 0 if gained > 0 else failures + 1
        if failures == _ATTEMPTS:
            raise _failed(archive, part, f"{reason}, {failures} times without progress")


def _fetch(archive: Archive, part: Path, have: int, advance: Callable[[int], None]) -> None:
    """Ask for what is missing; take the whole file from a server that cannot send a part of it."""
    headers = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(archive.url, headers=headers)  # noqa: S310 - Archive allows http(s) only
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
        resumed = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if have and not resumed:
            advance(-have)
            have = 0
        with part.open("ab" if resumed else "wb") as file:
            while have < archive.size and (block := answer.read(min(_BLOCK, archive.size - have))):
                file.write(block)
                have += len(block)
                advance(len(block))


def _failed(archive: Archive, part: Path, reason: str) -> DownloadError:
    return DownloadError(
        f"fetching {archive.url} failed: {reason}. {part.stat().st_size:,} of {archive.size:,} bytes are kept in "
        f"{part}; run the same command again to go on, or put the file {archive.name} into your data folder yourself."
    )
