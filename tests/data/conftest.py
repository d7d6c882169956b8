import gzip
import sys

import pytest


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
