import io
import re
import tarfile
import zipfile

import numpy as np
import pytest

from pauci.data import archives, read_table
from pauci.data.archives import check_sha256, read_npz, read_tar_gz, read_zip
from pauci.errors import FileFormatError


@pytest.fixture
def tar(tmp_path):
    """An archive with a plain member, one that tries to escape, a link and a large one."""
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in (("a.bin", b"abc"), ("../escaped", b"x"), ("large", bytes(100_000))):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    return path


def test_tar_members_are_read_and_nothing_is_unpacked(tar):
    assert read_tar_gz(tar, {"a.bin": 3, "large": 100_000})["a.bin"] == b"abc"
    assert list(tar.parent.iterdir()) == [tar]
    assert not (tar.parent.parent / "escaped").exists()


@pytest.mark.parametrize("limits", [{"a.bin": 2}, {"link": 100}, {"absent": 100}])
def test_tar_members_that_are_not_as_expected(tar, limits):
    with pytest.raises(FileFormatError, match=next(iter(limits))):
        read_tar_gz(tar, limits)


@pytest.mark.parametrize("share", [0, 0.01, 0.3, 0.6, 0.9])
def test_truncated_tar(tar, share):
    whole = tar.read_bytes()
    tar.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(FileFormatError, match=r"a\.tar\.gz"):
        read_tar_gz(tar, {"large": 100_000})


def make_zip(path, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("in/1.txt", b"needle" * 50)
        archive.writestr("in/2.txt", b"2")
        archive.writestr("../out.txt", b"x")
    return path


def test_zip_members_that_match(tmp_path):
    found = read_zip(make_zip(tmp_path / "a.zip"), re.compile(r"in/(\d)\.txt"), limit=300)
    assert {match[1]: len(data) for match, data in found} == {"1": 300, "2": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["a.zip"]


def test_zip_with_a_large_a_damaged_or_a_missing_part(tmp_path):
    path = make_zip(tmp_path / "a.zip")
    with pytest.raises(FileFormatError, match="more than"):
        list(read_zip(path, re.compile("in/1.txt"), limit=299))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"needleneedle", b"needleneedlf", 1))
    with pytest.raises(FileFormatError, match="CRC"):
        list(read_zip(path, re.compile("in/1.txt"), limit=300))
    path.write_bytes(whole[:-30])
    with pytest.raises(FileFormatError, match="truncated"):
        list(read_zip(path, re.compile("in/1.txt"), limit=300))


def test_npz_never_unpickles(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, good=np.arange(3), objects=np.array([{}], dtype=object))
    assert read_npz(path, ["good"])["good"].tolist() == [0, 1, 2]
    with pytest.raises(FileFormatError, match=r"[Oo]bject"):
        read_npz(path, ["objects"])
    with pytest.raises(FileFormatError, match="'absent'; it has good, objects"):
        read_npz(path, ["absent"])


@pytest.mark.parametrize("read", [lambda path: read_npz(path, ["y"]), lambda path: read_table(path, target=None)])
def test_a_small_npz_file_that_unpacks_to_more_than_the_memory(tmp_path, monkeypatch, read):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.zeros((1000, 500)), y=np.zeros(1000))
    read(path)
    monkeypatch.setattr(archives, "_memory", lambda: 4_000_000)
    with pytest.raises(FileFormatError, match=r"bytes\) unpacks to 4,008,\d+ bytes, more than the memory"):
        read(path)


def test_files_that_only_claim_to_be_npz(tmp_path):
    path = tmp_path / "a.npz"
    for content in (b"", b"nonsense", b"\x80\x04N."):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=r"a\.npz"):
            read_npz(path, ["y"])
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(FileFormatError, match=r"a\.npz"):
        read_npz(path, ["y"])


def test_checksum(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"x")
    with pytest.raises(FileFormatError, match=r"1 bytes.*2d711642"):
        check_sha256(path, "0" * 64)
