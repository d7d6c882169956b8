import hashlib
import http.server
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from pauci.data import download as module
from pauci.data.download import Archive, download
from pauci.errors import DownloadError, FileFormatError, InputError

CONTENT = np.random.default_rng(0).bytes(1_000_000)


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    taken = []
    monkeypatch.setattr(module.time, "sleep", taken.append)
    return taken


@contextmanager
def serving(*answers, ranges=True, content=CONTENT):
    """Serve `content`; each request follows the next of `answers`: a status, or how many bytes to send ("all" then)."""
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range")
            answer = answers[len(requests)] if len(requests) < len(answers) else len(content)
            requests.append(asked)
            if isinstance(answer, str):
                self.send_error(int(answer))
                return
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and ranges else 0
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start : start + answer])

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/some/data.bin", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def archive(url, content=CONTENT):
    return Archive(url, len(content), hashlib.sha256(content).hexdigest())


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_whole_file_at_once(tmp_path):
    with serving() as (url, requests):
        path = download(archive(url), tmp_path / "new")
        assert path.read_bytes() == CONTENT
        assert requests == [None]
        assert download(archive(url), tmp_path / "new") == path
        assert len(requests) == 1
    assert names(tmp_path / "new") == ["data.bin"]


def test_broken_connections_are_resumed_where_they_broke(tmp_path, pauses):
    with serving(300_000, 200_000) as (url, requests):
        assert download(archive(url), tmp_path).read_bytes() == CONTENT
    assert requests == [None, "bytes=300000-", "bytes=500000-"]
    assert pauses == []  # there was progress every time


def test_an_earlier_run_is_continued(tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:400_000])
    with serving() as (url, requests):
        assert download(archive(url), tmp_path).read_bytes() == CONTENT
    assert requests == ["bytes=400000-"]
    assert names(tmp_path) == ["data.bin"]


def test_busy_servers_are_asked_again_with_growing_pauses(tmp_path, pauses):
    with serving("503", "429", "500") as (url, _):
        assert download(archive(url), tmp_path).read_bytes() == CONTENT
    assert pauses == [1, 2, 4]


def test_server_without_ranges_starts_over(tmp_path):
    with serving(300_000, ranges=False) as (url, requests):
        assert download(archive(url), tmp_path).read_bytes() == CONTENT
    assert requests == [None, "bytes=300000-"]


def test_a_server_that_never_gets_further_is_given_up(tmp_path, pauses):
    with (
        serving(*[300_000] * 50, ranges=False) as (url, requests),
        pytest.raises(DownloadError, match="6 times without progress"),
    ):
        download(archive(url), tmp_path)
    assert len(requests) == 7
    assert (tmp_path / "data.bin.part").stat().st_size == 300_000


def test_a_refusal_is_final(tmp_path, pauses):
    with serving("404") as (url, requests), pytest.raises(DownloadError, match="404"):
        download(archive(url), tmp_path)
    assert len(requests) == 1
    assert not (tmp_path / "data.bin").exists()
    assert issubclass(DownloadError, OSError)


def test_no_connection(tmp_path, pauses):
    with serving() as (url, _):
        pass
    with pytest.raises(DownloadError, match="refused"):
        download(archive(url), tmp_path)
    assert pauses == [1, 2, 4, 8, 16]


@pytest.mark.parametrize("leftover", [b"\0" * 400_000, b"\0" * len(CONTENT), b"\0" * (len(CONTENT) + 1)])
def test_a_foreign_leftover_is_noticed_and_replaced(tmp_path, leftover):
    (tmp_path / "data.bin.part").write_bytes(leftover)
    with serving() as (url, _):
        assert download(archive(url), tmp_path).read_bytes() == CONTENT
    assert names(tmp_path) == ["data.bin"]


def test_a_tampered_file_is_refused_and_not_kept(tmp_path):
    with serving(content=CONTENT[:-1] + b"!") as (url, requests), pytest.raises(FileFormatError, match="SHA-256"):
        download(archive(url), tmp_path)
    assert len(requests) == 2
    assert names(tmp_path) == []


def test_a_longer_file_is_cut_off_and_refused(tmp_path):
    with serving(content=CONTENT + b"more") as (url, _):
        assert download(archive(url), tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://example.org/a", "data.bin"])
def test_other_schemes_are_refused(url):
    with pytest.raises(InputError, match="url"):
        Archive(url, 1, "00")


def test_two_that_fetch_the_same_wait_for_each_other(tmp_path):
    with serving(400_000) as (url, requests):
        threads = [threading.Thread(target=download, args=(archive(url), tmp_path)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert names(tmp_path) == ["data.bin"]
    assert len(requests) == 2  # the first one breaks off
