import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

from pauci.data.tensorfile import Blocks, check_tensors, map_tensors, write_tensors
from pauci.errors import FileFormatError

IMAGES = np.arange(5 * 2 * 3, dtype=np.uint8).reshape(5, 2, 3)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "folder" / "a.safetensors"
    pieces = (IMAGES[i : i + 2] for i in range(0, 5, 2))
    arrays = {"rows": np.array([3, 1], dtype=np.int32), "images": Blocks((5, 2, 3), pieces), "empty": IMAGES[:0]}
    write_tensors(path, arrays, metadata={"source": "hand"})
    return path


def test_round_trip_is_mapped_and_read_only(path):
    arrays, metadata = map_tensors(path)
    assert metadata["source"] == "hand"
    assert arrays["rows"].tolist() == [3, 1]
    assert np.array_equal(arrays["images"], IMAGES)
    assert arrays["empty"].shape == (0, 2, 3)
    assert isinstance(arrays["images"], np.memmap)
    assert not arrays["images"].flags.writeable
    check_tensors(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_other_readers_understand_it(path):
    assert np.array_equal(load_file(path)["images"], IMAGES)


def test_an_interrupted_write_leaves_the_old_file(path):
    before = path.read_bytes()

    def broken():
        yield IMAGES[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_tensors(path, {"images": Blocks((5, 2, 3), broken())})
    with pytest.raises(FileFormatError, match="images"):
        write_tensors(path, {"images": Blocks((5, 2, 3), [IMAGES[:2]])})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_truncation_and_every_flipped_bit_is_noticed(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("tensors") / "a.safetensors"
    write_tensors(path, {"images": IMAGES})
    whole = path.read_bytes()
    if data.draw(st.booleans()):
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        with pytest.raises(FileFormatError):
            map_tensors(path)
    else:
        start = len(whole) - IMAGES.nbytes
        place = data.draw(st.integers(start, len(whole) - 1))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << data.draw(st.integers(0, 7))]) + whole[place + 1 :])
        with pytest.raises(FileFormatError, match="altered"):
            check_tensors(path)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        {"dtype": "U8", "shape": [-1, -4], "data_offsets": [0, 4]},
        {"dtype": "U8", "shape": [4], "data_offsets": [-4, 0]},
        {"dtype": "U8", "shape": [3], "data_offsets": [0, 4]},
        {"dtype": "U8", "shape": [4], "data_offsets": [1, 5]},
        {"dtype": "U8", "shape": "four", "data_offsets": [0, 4]},
        {"dtype": "U8", "shape": [float("inf")], "data_offsets": [0, 4]},
        [],
    ],
)
def test_hostile_headers(tmp_path, entry):
    header = json.dumps({"__metadata__": {}, "a": entry}).encode()
    path = tmp_path / "bad.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"data")
    with pytest.raises(FileFormatError, match=r"bad\.safetensors"):
        map_tensors(path)


def test_a_shape_without_entries_that_numpy_does_not_know(tmp_path):
    header = json.dumps({"__metadata__": {}, "a": {"dtype": "U8", "shape": [0, 10**30], "data_offsets": [0, 0]}})
    path = tmp_path / "bad.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode())
    with pytest.raises(FileFormatError, match=r"bad\.safetensors: array 'a' has no shape"):
        map_tensors(path)


@pytest.mark.parametrize("content", [b"", b"\xff" * 100, b"\x04" + bytes(7) + b"null", b"\x02" + bytes(7) + b"[]"])
def test_foreign_files(tmp_path, content):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="prepare it again"):
        map_tensors(path)
