"""Tiny archives and tables, a cache folder of the test's own, and the real data where they are."""

import dataclasses
import functools
import gzip
import hashlib
import http.server
import io
import os
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pauci.data.datasets import DATASETS
from pauci.data.download import Archive

WNIDS = [f"n{number:08d}" for number in range(1, 201)]


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PAUCI_CACHE", str(folder))
    monkeypatch.delenv("PAUCI_DATA", raising=False)
    return folder


@pytest.fixture(scope="session")
def _real_data(tmp_path_factory) -> tuple[Path, Path]:
    folder = Path(os.environ.get("PAUCI_DATA") or Path(__file__).parents[3] / "shared" / "data")
    if not (folder / "cifar10_lt.npz").is_file():
        pytest.skip("no real data: set PAUCI_DATA to a folder with cifar10_lt.npz, cifar100_lt.npz, ...")
    return folder, tmp_path_factory.mktemp("prepared")


@pytest.fixture
def real_data(_real_data, cache, monkeypatch) -> Path:
    """The folder of the real data, which are prepared once per session."""
    folder, prepared = _real_data
    monkeypatch.setenv("PAUCI_CACHE", str(prepared))
    return folder


@pytest.fixture
def make_official(monkeypatch) -> Callable[..., None]:
    """Declare a file to be the official archive of a data set."""

    def declare(name: str, path: Path, url: str | None = None) -> None:
        data = path.read_bytes()
        archive = Archive(url or f"http://127.0.0.1:9/{path.name}", len(data), hashlib.sha256(data).hexdigest())
        monkeypatch.setitem(DATASETS, name, dataclasses.replace(DATASETS[name], archive=archive))

    return declare


@pytest.fixture
def cifar10_archive(tmp_path, make_official) -> Path:
    """500 + 100 random images in ten classes, and in the folder "official"."""
    rng = np.random.default_rng(1)
    members = {}
    for name, count in [(f"data_batch_{number}.bin", 100) for number in range(1, 6)] + [("test_batch.bin", 100)]:
        records = rng.integers(0, 256, (count, 3073), dtype=np.uint8)
        records[:, 0] = np.arange(count) % 10
        members[f"cifar-10-batches-bin/{name}"] = records.tobytes()
    path = _write_tar(tmp_path / "official" / "cifar-10-binary.tar.gz", members)
    make_official("cifar10-lt", path)
    return path


@pytest.fixture
def cifar100_archive(tmp_path, make_official) -> Path:
    """30 + 6 random images of each of the hundred classes."""
    rng = np.random.default_rng(2)
    members = {}
    for name, per_class in (("train.bin", 30), ("test.bin", 6)):
        records = rng.integers(0, 256, (100 * per_class, 3074), dtype=np.uint8)
        records[:, 1] = np.arange(len(records)) % 100
        records[:, 0] = records[:, 1] // 5
        members[f"cifar-100-binary/{name}"] = records.tobytes()
    path = _write_tar(tmp_path / "official" / "cifar-100-binary.tar.gz", members)
    make_official("cifar100-lt", path)
    return path


@pytest.fixture
def tiny_archive(tmp_path, make_official) -> Path:
    """Ten images of each of the two hundred classes; number 3 of each class is grey."""
    path = tmp_path / "official" / "tiny-imagenet-200.zip"
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny-imagenet-200/wnids.txt", "\n".join(reversed(WNIDS)))
        for label, wnid in reversed(list(enumerate(WNIDS))):
            for number in range(10):
                name = f"tiny-imagenet-200/train/{wnid}/images/{wnid}_{number}.JPEG"
                archive.writestr(name, _jpeg(label, number, grey=number == 3))
        archive.writestr("tiny-imagenet-200/val/images/val_0.JPEG", b"not used")
    make_official("tiny-imagenet", path)
    return path


@pytest.fixture
def write_tar() -> Callable[[Path, dict[str, bytes]], Path]:
    return _write_tar


def _write_tar(path: Path, members: dict[str, bytes]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def _jpeg(label: int, number: int, *, grey: bool) -> bytes:
    """Encode a flat colour that tells class and number apart after lossy compression."""
    file = io.BytesIO()
    colour = 20 + 20 * number if grey else (label, 20 + 20 * number, 255 - label)
    Image.new("L" if grey else "RGB", (64, 64), colour).save(file, "JPEG", quality=95)
    return file.getvalue()


@pytest.fixture
def http_folder():
    """Serve a folder on 127.0.0.1; returns the address it is at."""
    servers = []

    def serve(folder: Path) -> str:
        handler = functools.partial(_SilentHandler, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


class _SilentHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(params=["pyarrow", "stdlib"])
def csv_reader(request, monkeypatch):
    """Both CSV readers must do the same."""
    if request.param == "stdlib":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    else:
        pytest.importorskip("pyarrow")


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file, compressed if its name says so, and return its path."""

    def write(text, name="t.csv"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write
