import dataclasses
import os

import numpy as np
import pytest

from pauci.data import preparation
from pauci.data.collection import Collection
from pauci.data.datasets import DATASETS
from pauci.data.preparation import find_prepared, prepare
from pauci.data.prepared import open_prepared, verify_prepared
from pauci.data.splits import Parts
from pauci.data.tensorfile import write_tensors
from pauci.errors import FileFormatError, InputError, MissingDataError, PauciError


def listing(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock") if folder.exists() else []


def test_cifar10_from_the_official_archive(cifar10_archive, cache):
    path = prepare("cifar10-lt", root=cifar10_archive.parent)
    assert path == cache / "cifar10-lt.safetensors"
    prepared = open_prepared(path)
    # 50 and 10 images per class, sizes decaying to a hundredth: int(50 r) + int(10 r), at least one each.
    r = 0.01 ** (np.arange(10) / 9)
    sizes = np.maximum(1, (50 * r).astype(int)) + np.maximum(1, (10 * r).astype(int))
    assert np.array_equal(np.bincount(prepared.labels), sizes)
    rows = np.concatenate(prepared.parts["clean"])
    assert np.array_equal(rows, np.arange(sizes.sum()))  # end to end, every image once
    assert len(np.unique(prepared.images, axis=0)) == sizes.sum()
    verify_prepared(path)
    assert listing(cifar10_archive.parent) == ["cifar-10-binary.tar.gz"]


def test_cifar100_doubled_variant_repeats_training_images_only(cifar100_archive):
    prepared = open_prepared(prepare("cifar100-lt", root=cifar100_archive.parent))
    rows, counts = np.unique(np.concatenate(prepared.parts["paper"]), return_counts=True)
    assert set(counts) == {2}
    r = 0.01 ** (np.arange(100) / 99)
    assert np.array_equal(np.bincount(prepared.labels[rows]), np.maximum(1, (30 * r).astype(int)))
    assert set(prepared.parts["paper"][0]) & set(prepared.parts["paper"][2])  # this is the leak
    clean = [set(part) for part in prepared.parts["clean"]]
    assert not clean[0] & clean[1]
    assert not clean[0] & clean[2]
    assert not clean[1] & clean[2]


def test_tiny_imagenet_seven_of_ten(tiny_archive):
    prepared = open_prepared(prepare("tiny-imagenet", root=tiny_archive.parent))
    train, val, test = prepared.parts["clean"]
    assert np.bincount(prepared.labels[train]).tolist() == [7] * 200
    assert np.bincount(prepared.labels[val]).tolist() == [2] * 200
    assert np.bincount(prepared.labels[test]).tolist() == [1] * 200
    colour = prepared.images[:, 32, 32].astype(int)
    coloured = colour[:, 1] != colour[:, 2]
    assert coloured.sum() > 1700
    assert colour[coloured, 0] == pytest.approx(prepared.labels[coloured], abs=8)


def test_it_is_prepared_once(cifar10_archive):
    path = prepare("cifar10-lt", root=cifar10_archive.parent)
    made = path.stat().st_mtime_ns
    assert prepare("cifar10-lt", root=cifar10_archive.parent) == path
    cifar10_archive.unlink()
    assert prepare("cifar10-lt", root=cifar10_archive.parent) == path
    assert path.stat().st_mtime_ns == made


def test_what_a_killed_process_left_is_removed_and_processes_take_turns(cifar10_archive, cache, monkeypatch):
    cache.mkdir(parents=True, exist_ok=True)
    left, other = (cache / f".unfinished-0-{name}-lt.safetensors" for name in ("cifar10", "cifar100"))
    left.write_bytes(b"half a file")
    other.write_bytes(b"of another")
    path = prepare("cifar10-lt", root=cifar10_archive.parent)
    assert listing(cache) == [other.name, path.name]
    # A process that began when there was nothing waits for its turn, and takes what it then finds.
    answers = iter([None, path])
    monkeypatch.setattr(preparation, "find_prepared", lambda *_, **__: next(answers))
    made = path.stat().st_mtime_ns
    assert prepare("cifar10-lt", root=cifar10_archive.parent) == path
    assert path.stat().st_mtime_ns == made


@pytest.mark.parametrize("damage", [lambda data: data[:-100], lambda data: data[:-1] + b"!", lambda data: data + b"x"])
def test_a_damaged_archive_leaves_nothing_behind(cifar10_archive, cache, damage):
    cifar10_archive.write_bytes(damage(cifar10_archive.read_bytes()))
    with pytest.raises(FileFormatError, match="SHA-256"):
        prepare("cifar10-lt", root=cifar10_archive.parent)
    assert listing(cache) == []


def test_a_damaged_image_leaves_nothing_behind(tiny_archive, cache, make_official):
    data = tiny_archive.read_bytes()
    first = data.index(b"\xff\xd8\xff")
    tiny_archive.write_bytes(data[: first + 300] + b"\0" + data[first + 301 :])
    make_official("tiny-imagenet", tiny_archive)
    with pytest.raises(FileFormatError, match="CRC"):
        prepare("tiny-imagenet", root=tiny_archive.parent)
    assert listing(cache) == []


def test_another_source_or_a_damaged_file_is_prepared_again(cifar10_archive, cache):
    path = prepare("cifar10-lt", root=cifar10_archive.parent)
    good = path.read_bytes()
    write_tensors(path, {"images": np.zeros((1, 1, 1, 1), np.uint8)}, metadata={"format": "other"})
    assert find_prepared("cifar10-lt", root=cifar10_archive.parent) is None
    assert prepare("cifar10-lt", root=cifar10_archive.parent).read_bytes() == good
    path.write_bytes(good[:-1])
    assert prepare("cifar10-lt", root=cifar10_archive.parent).read_bytes() == good
    path.write_bytes(good.replace(b"cifar-10-binary", b"cifar-11-binary", 1))
    assert prepare("cifar10-lt", root=cifar10_archive.parent).read_bytes() == good


def test_a_prepared_file_alone_is_enough(cifar10_archive, cache, tmp_path, monkeypatch):
    path = prepare("cifar10-lt", root=cifar10_archive.parent)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = path.rename(elsewhere / path.name)
    assert prepare("cifar10-lt", root=elsewhere) == moved
    monkeypatch.setenv("PAUCI_DATA", str(elsewhere))
    assert prepare("cifar10-lt") == moved
    moved.write_bytes(moved.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match="bytes instead of"):
        open_prepared(prepare("cifar10-lt"))


def test_altered_contents_are_found_by_verify(cifar10_archive):
    path = prepare("cifar10-lt", root=cifar10_archive.parent)
    data = bytearray(path.read_bytes())
    data[-5000] ^= 1
    path.write_bytes(data)
    open_prepared(path)
    with pytest.raises(FileFormatError, match="altered"):
        verify_prepared(path)


@pytest.mark.parametrize("rows", [[7], [-1], []])
def test_rows_that_point_nowhere(tmp_path, rows):
    path = tmp_path / "a.safetensors"
    arrays = {f"clean/{part}": np.array(rows, dtype=np.int32) for part in ("train", "val", "test")}
    arrays |= {"images": np.zeros((3, 2, 2, 3), np.uint8), "labels": np.zeros(3, np.uint8)}
    write_tensors(path, arrays, metadata={"format": "pauci images 1", "source": "x"})
    with pytest.raises(FileFormatError, match="belong together"):
        open_prepared(path)


def test_missing_data_says_where_it_looked(tmp_path, cache, monkeypatch):
    with pytest.raises(MissingDataError, match=r"cifar-10-binary.tar.gz.*nowhere.*pauci data prepare cifar10-lt"):
        prepare("cifar10-lt", root=tmp_path / "nowhere")
    monkeypatch.delenv("PAUCI_DATA", raising=False)
    with pytest.raises(MissingDataError) as caught:
        prepare("cifar10-lt")
    assert str(caught.value).count(str(cache)) == 1  # there is no other folder to look in
    assert issubclass(MissingDataError, FileNotFoundError)
    assert issubclass(MissingDataError, PauciError)
    assert not cache.exists()


def test_missing_data_are_downloaded_on_request(cifar10_archive, cache, make_official, http_folder, tmp_path):
    make_official("cifar10-lt", cifar10_archive, url=http_folder(cifar10_archive.parent) + cifar10_archive.name)
    path = prepare("cifar10-lt", root=tmp_path / "nowhere", download=True)
    assert listing(cache) == ["cifar-10-binary.tar.gz", "cifar10-lt.safetensors"]
    assert prepare("cifar10-lt") == path


def test_a_cache_folder_that_cannot_be_written_to(cifar10_archive, cache, monkeypatch):
    cache.write_bytes(b"a file in its place")
    with pytest.raises(InputError, match=r"cannot be created.* PAUCI_CACHE"):
        prepare("cifar10-lt", root=cifar10_archive.parent)
    cache.unlink()
    monkeypatch.setattr(os, "access", lambda *_: False)  # permissions do not hold back the superuser
    with pytest.raises(InputError, match="read-only"):
        prepare("cifar10-lt", root=cifar10_archive.parent)
    assert listing(cache) == []


def test_unknown_name():
    with pytest.raises(InputError, match="tiny-imagenet"):
        prepare("mnist")


def test_default_cache_folder(monkeypatch, tmp_path):
    from pauci.data import folders

    monkeypatch.delenv("PAUCI_CACHE")
    for platform, variable, expected in (
        ("linux", "XDG_CACHE_HOME", tmp_path / "pauci"),
        ("win32", "LOCALAPPDATA", tmp_path / "pauci"),
    ):
        monkeypatch.setattr(folders.sys, "platform", platform)
        monkeypatch.setenv(variable, os.fspath(tmp_path))
        assert folders.cache_folder() == expected
        monkeypatch.delenv(variable)
        assert folders.cache_folder().name == "pauci"
    monkeypatch.setattr(folders.sys, "platform", "darwin")
    assert folders.cache_folder().parts[-3:] == ("Library", "Caches", "pauci")


def test_another_content_of_the_same_size_is_prepared_again(tmp_path, monkeypatch):
    images, labels = np.zeros((30, 32, 32, 3), dtype=np.uint8), np.arange(30, dtype=np.uint8) % 10
    parts = {"clean": Parts(*np.split(np.arange(30), [10, 20]))}
    read = Collection(images, labels, np.zeros(30, dtype=bool), parts)
    dataset = dataclasses.replace(DATASETS["cifar10-lt"], read_npz=lambda paths: read)
    monkeypatch.setitem(DATASETS, "cifar10-lt", dataset)
    source = tmp_path / "cifar10_lt.npz"
    source.write_bytes(b"one")
    path = prepare("cifar10-lt", root=tmp_path)
    assert find_prepared("cifar10-lt", root=tmp_path) == path
    source.write_bytes(b"two")
    assert find_prepared("cifar10-lt", root=tmp_path) is None
