import io
import tarfile

import numpy as np
import pytest
from PIL import Image

from pauci.data.cifar import read_cifar10, read_cifar100, read_cifar_npz
from pauci.errors import FileFormatError


def members(path):
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


@pytest.mark.parametrize(
    ("archive", "read", "label_bytes", "tests"),
    [("cifar10_archive", read_cifar10, 1, 100), ("cifar100_archive", read_cifar100, 2, 600)],
)
def test_records_become_images(archive, read, label_bytes, tests, request):
    path = request.getfixturevalue(archive)
    collection = read(path)
    raw = b"".join(members(path).values())
    length = label_bytes + 3072
    assert len(collection.labels) == len(collection.images) == len(raw) // length
    rng = np.random.default_rng(0)
    for row in rng.integers(len(collection.labels), size=20):
        record = raw[row * length : (row + 1) * length]
        assert collection.labels[row] == record[label_bytes - 1]
        for y, x, channel in rng.integers((32, 32, 3), size=(20, 3)):
            assert collection.images[row, y, x, channel] == record[label_bytes + 1024 * channel + 32 * y + x]
    assert np.flatnonzero(collection.official_test).tolist() == list(
        range(len(raw) // length - tests, len(raw) // length)
    )


@pytest.mark.parametrize("damage", [b"", b"\x0a" + bytes(3072), bytes(3072)])
def test_batches_that_are_empty_mislabelled_or_cut(cifar10_archive, write_tar, damage):
    contents = members(cifar10_archive)
    contents["cifar-10-batches-bin/data_batch_3.bin"] = damage
    write_tar(cifar10_archive, contents)
    with pytest.raises(FileFormatError, match="cifar-10-binary"):
        read_cifar10(cifar10_archive)


def test_missing_batch(cifar10_archive, write_tar):
    contents = members(cifar10_archive)
    del contents["cifar-10-batches-bin/test_batch.bin"]
    write_tar(cifar10_archive, contents)
    with pytest.raises(FileFormatError, match="test_batch"):
        read_cifar10(cifar10_archive)


@pytest.fixture
def sheets():
    """1,030 images on two sheets, in the form of the npz files."""
    rng = np.random.default_rng(3)
    images = rng.integers(0, 256, (1030, 32, 32, 3), dtype=np.uint8)
    blobs = []
    for first in (0, 1024):
        sheet = np.zeros((1024, 1024, 3), dtype=np.uint8)
        for place, image in enumerate(images[first : first + 1024]):
            top, left = 32 * (place // 32), 32 * (place % 32)
            sheet[top : top + 32, left : left + 32] = image
        file = io.BytesIO()
        Image.fromarray(sheet).save(file, "WEBP", lossless=True, quality=0, method=0)
        blobs.append(file.getvalue())
    arrays = {
        "webp": np.frombuffer(b"".join(blobs), dtype=np.uint8),
        "offsets": np.cumsum([0, *map(len, blobs)]),
        "n": np.array(1030),
        "y": (np.arange(1030) % 10).astype(np.uint8),
        "part": (np.arange(1030) % 3).astype(np.uint8),
        "orig_split": (np.arange(1030) % 2).astype(np.uint8),
        "author_train": np.array([5, 5, 1029], dtype=np.int32),
        "author_val": np.array([0], dtype=np.int32),
        "author_test": np.array([5], dtype=np.int32),
    }
    return images, arrays


def test_sheets_are_cut_into_tiles(tmp_path, sheets):
    images, arrays = sheets
    np.savez(tmp_path / "a.npz", **arrays)
    collection = read_cifar_npz(tmp_path / "a.npz", classes=10, doubled=True)
    assert np.array_equal(collection.images, images)
    assert collection.parts["clean"][1].tolist() == list(range(1, 1030, 3))
    assert collection.parts["paper"][0].tolist() == [5, 5, 1029]
    assert "paper" not in read_cifar_npz(tmp_path / "a.npz", classes=10, doubled=False).parts


@pytest.mark.parametrize(
    "damage",
    [
        {"n": np.array(3000)},
        {"y": np.zeros(5, dtype=np.uint8)},
        {"y": np.full(1030, 10, dtype=np.uint8)},
        {"author_val": np.array([1030], dtype=np.int32)},
        {"author_val": np.array([-1], dtype=np.int32)},
        {"author_val": np.array([], dtype=np.int32)},
        {"part": np.zeros(1030, dtype=np.uint8)},
        {"webp": np.zeros(100, dtype=np.uint8)},
        {"n": np.array([1, 2])},
        {"offsets": np.array(3)},
        {"offsets": np.array([0.0, 1.0, 2.0])},
        {"y": np.full(1030, -1)},
        {"y": np.full(1030, 0.5)},
        {"y": np.full(1030, "cat")},
        {"y": np.zeros((1030, 2), dtype=np.uint8)},
    ],
)
def test_npz_files_that_do_not_fit_together(tmp_path, sheets, damage):
    np.savez(tmp_path / "a.npz", **(sheets[1] | damage))
    with pytest.raises(FileFormatError, match=r"a\.npz"):
        read_cifar_npz(tmp_path / "a.npz", classes=10, doubled=True)


def test_sheet_of_another_size(tmp_path, sheets):
    file = io.BytesIO()
    Image.new("RGB", (64, 64)).save(file, "WEBP", lossless=True)
    blob = np.frombuffer(file.getvalue(), dtype=np.uint8)
    np.savez(tmp_path / "a.npz", **(sheets[1] | {"webp": blob, "offsets": np.array([0, len(blob)]), "n": np.array(4)}))
    with pytest.raises(FileFormatError, match="sheet"):
        read_cifar_npz(tmp_path / "a.npz", classes=10, doubled=False)


def test_a_sheet_that_would_take_all_memory(tmp_path, sheets, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    np.savez(tmp_path / "a.npz", **sheets[1])
    with pytest.raises(FileFormatError, match=r"sheet of images cannot be decoded .*bomb"):
        read_cifar_npz(tmp_path / "a.npz", classes=10, doubled=False)
