"""Files appear in full or not at all, and stay what they were otherwise."""

import errno
import os
import stat

import pytest

from pauci.replacing import replacing


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as unfinished:
        unfinished.write_text("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_one_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "there" / "a.txt"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as unfinished:
        unfinished.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("name", ["a" * 251 + ".csv", "\N{BROCCOLI}" * 62 + ".csv"])
def test_names_may_be_as_long_as_the_file_system_allows(tmp_path, name):
    with replacing(tmp_path / name) as unfinished:
        assert unfinished.suffix == ".csv"
        unfinished.write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fill():
        with replacing(path) as unfinished:
            unfinished.write_text("ne")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match=r"cannot write: No space left.*a\.txt"):
        fill()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_error_without_a_number_keeps_its_words(tmp_path):
    with pytest.raises(OSError, match=r"^the library says so$"), replacing(tmp_path / "scores.csv"):
        raise OSError("the library says so")
    assert list(tmp_path.iterdir()) == []
