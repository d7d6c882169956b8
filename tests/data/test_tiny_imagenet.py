import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from pauci.data.jpeg import decode_jpegs
from pauci.data.tiny_imagenet import read_tiny_imagenet, read_tiny_imagenet_npz
from pauci.errors import FileFormatError


def picture(colour, *, mode="RGB", size=(64, 64)):
    file = io.BytesIO()
    Image.new(mode, size, colour).save(file, "JPEG", quality=95)
    return file.getvalue()


def write_npz(path, collection, rows, numbers, **damage):
    files = [collection.images[row] for row in rows]
    arrays = {
        "jpeg": np.frombuffer(b"".join(files), dtype=np.uint8),
        "offsets": np.cumsum([0, *map(len, files)]),
        "y": collection.labels[rows],
        "orig_index": np.asarray(numbers, dtype=np.int32),
        "wnids": np.array([f"n{number:08d}" for number in range(1, 201)]),
    }
    np.savez(path, **(arrays | damage))
    return path


def test_archive_is_read_by_sorted_class_and_number(tiny_archive):
    collection = read_tiny_imagenet(tiny_archive)
    assert np.array_equal(collection.labels, np.repeat(np.arange(200), 10))
    pixels = next(decode_jpegs([collection.images[1230:1240]], side=64)).astype(int)
    for number in set(range(10)) - {3}:
        assert pixels[number, 30, 30] == pytest.approx([123, 20 + 20 * number, 132], abs=3)
    assert pixels[3, 0, 0] == pytest.approx([80, 80, 80], abs=3)  # grey became colour
    assert not collection.official_test.any()


def test_npz_files_together_equal_the_archive(tmp_path, tiny_archive):
    official = read_tiny_imagenet(tiny_archive)
    rows = np.arange(2000)
    first, rest = rows[rows % 10 < 4], rows[rows % 10 >= 4]
    paths = [write_npz(tmp_path / f"{len(r)}.npz", official, r, r % 10) for r in (rest, first)]
    collection = read_tiny_imagenet_npz(paths)
    assert collection.images == official.images
    assert np.array_equal(collection.labels, official.labels)
    with pytest.raises(FileFormatError, match="twice"):
        read_tiny_imagenet_npz([*paths, paths[0]])


def test_npz_that_does_not_fit_together(tmp_path, tiny_archive):
    rows = np.arange(2000)
    for damage in (
        {"y": np.zeros(3, np.uint8)},
        {"y": np.full(2000, 201, np.uint8)},
        {"wnids": np.array(["n1"] * 200)},
        {"y": np.full(2000, -1)},
        {"y": np.full(2000, 0.5)},
        {"y": np.array(1)},
        {"orig_index": np.array(["x"] * 2000)},
        {"offsets": np.arange(2001) + 0.5},
    ):
        path = write_npz(tmp_path / "a.npz", read_tiny_imagenet(tiny_archive), rows, rows % 10, **damage)
        with pytest.raises(FileFormatError, match=r"a\.npz"):
            read_tiny_imagenet_npz([path])


def test_archive_without_some_classes(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny-imagenet-200/train/n00000001/images/n00000001_0.JPEG", picture(0))
        archive.writestr("tiny-imagenet-200/train/n00000001/images/n00000002_0.JPEG", picture(0))
    with pytest.raises(FileFormatError, match="1 classes instead of 200"):
        read_tiny_imagenet(path)


def test_several_processes_decode_in_order():
    batches = [[picture((40 * batch, 10 * row, 0)) for row in range(5)] for batch in range(6)]
    alone = list(decode_jpegs(batches, side=64))
    together = list(decode_jpegs(batches, side=64, workers=2))
    assert len(alone) == len(together) == 6
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


@pytest.mark.parametrize("bad", [b"", b"GIF89a", picture(0)[:200], picture(0, size=(64, 63))])
def test_files_that_are_no_picture_of_this_size(bad):
    with pytest.raises(FileFormatError, match="JPEG"):
        list(decode_jpegs([[picture(0), bad]], side=64))


def test_a_picture_that_claims_to_be_huge():
    place = picture(0).index(b"\xff\xc0") + 5
    huge = picture(0)[:place] + b"\xff\x00" * 2 + picture(0)[place + 4 :]
    with pytest.raises(FileFormatError, match=r"JPEG image cannot be decoded: .*bomb"):
        list(decode_jpegs([[huge]], side=64))


def test_an_error_in_another_process_arrives():
    with pytest.raises(FileFormatError, match="JPEG"):
        list(decode_jpegs([[picture(0)], [b"bad"], [picture(0)]], side=64, workers=2))
