import contextlib
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.errors import FileFormatError, MissingFileError
from pauci.replacing import replacing
from pauci.tabular.archive import read_archive, write_archive

FACTS = {"target": "fraud", "threshold": 0.1 + 0.2, "columns": ["a", "b"], "nothing": None}
PARTS = {"weights.safetensors": bytes(range(256)) * 40, "booster.txt": b"tree\n" * 1000}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.pauci"
    write_archive(path, FACTS, PARTS)
    return path


def rewritten(path, change):
    """Write the archive anew, its members changed by a function of a dict."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def with_manifest(path, **entries):
    def change(members):
        members["manifest.json"] = json.dumps({**json.loads(members["manifest.json"]), **entries}).encode()

    return rewritten(path, change)


def test_what_was_written_is_read(path):
    assert read_archive(path) == (FACTS, PARTS)


@given(st.dictionaries(st.from_regex(r"[a-z0-9_-]{1,8}(\.[a-z]{1,4})?", fullmatch=True), st.binary(), max_size=4))
def test_any_bytes_survive(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("any") / "model.pauci"
    write_archive(path, {}, parts)
    assert read_archive(path) == ({}, parts)


def test_equal_content_makes_equal_bytes(path, tmp_path):
    write_archive(tmp_path / "again.pauci", FACTS, PARTS)
    assert (tmp_path / "again.pauci").read_bytes() == path.read_bytes()


def test_versions_of_packages_are_noted(path):
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert {"pauci", "torch", "python"} <= manifest["packages"].keys()


def test_every_truncation_is_an_error(path):
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(FileFormatError, match=r"model\.pauci"):
            read_archive(path)


def test_every_changed_byte_of_the_content_is_noticed(path):
    whole = path.read_bytes()
    for place in range(40, len(whole) - 400, 53):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with contextlib.suppress(FileFormatError):
            assert read_archive(path) == (FACTS, PARTS)  # a byte that nothing depends on


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"format": "other"}, "not a model file of pauci"),
        ({"version": 99}, "written by a newer pauci"),
        ({"version": None}, "written by a newer pauci"),
        ({"facts": []}, "no proper 'facts'"),
        ({"parts": {}}, "'booster.txt' is missing, or is not named"),
        ({"parts": {"../up": {"size": 0, "sha256": ""}}}, "no proper 'parts'"),
        ({"parts": {"a": 3}}, "no proper 'parts'"),
        ({"sha256": None}, "does not match its checksum, or has none"),
    ],
)
def test_a_wrong_manifest_is_an_error(path, entries, words):
    with pytest.raises(FileFormatError, match=words):
        read_archive(with_manifest(path, **entries))


def test_a_changed_part_is_an_error(path):
    def change(members):
        members["booster.txt"] = members["booster.txt"].replace(b"tree", b"tred", 1)

    with pytest.raises(FileFormatError, match=r"'booster.txt' does not match its checksum"):
        read_archive(rewritten(path, change))


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "sub/evil", "evil"])
def test_members_the_manifest_does_not_name_are_refused(path, name):
    with pytest.raises(FileFormatError, match="is not named in its manifest"):
        read_archive(rewritten(path, lambda members: members.update({name: b"x"})))


@pytest.mark.parametrize("name", ["../up", "/abs", "a/b", "", ".hidden", "manifest.json", "a\\b"])
def test_only_plain_names_are_written(tmp_path, name):
    with pytest.raises(FileFormatError, match="cannot name a part"):
        write_archive(tmp_path / "m.pauci", {}, {name: b""})


def test_a_bomb_is_not_read(path, monkeypatch):
    monkeypatch.setattr("pauci.tabular.archive._LARGEST", 10_000)
    with pytest.raises(FileFormatError, match="more than any model file"):
        read_archive(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_that_gives_a_small_size_is_not_unpacked(path, method):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", bytes(2**24), compress_type=method)
    path.write_bytes(path.read_bytes().replace((2**24).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    with pytest.raises(FileFormatError, match=r"'manifest\.json' is compressed in another way"):
        read_archive(path)


def test_a_directory_that_would_begin_before_the_file_is_an_error(path):
    content = bytearray(path.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 16 : end + 20] = (2**31).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="truncated, damaged or not a model file"):
        read_archive(path)


def test_what_is_no_archive_is_an_error(tmp_path):
    for name in ("nothing.pauci", "nothing"):  # of which a fit would refuse the second
        with pytest.raises(MissingFileError, match=r"does not exist; `pauci fit \.\.\. -o nothing\.pauci` writes one"):
            read_archive(tmp_path / name)
    with pytest.raises(MissingFileError, match="is a folder"):
        read_archive(tmp_path)
    (tmp_path / "text.pauci").write_text("hello")
    with pytest.raises(FileFormatError, match="not a model file"):
        read_archive(tmp_path / "text.pauci")
    with zipfile.ZipFile(tmp_path / "zip.pauci", "w") as archive:
        archive.writestr("a", b"")
    with pytest.raises(FileFormatError, match="no manifest"):
        read_archive(tmp_path / "zip.pauci")


def test_a_failure_leaves_the_old_file_and_no_other(path):
    before = path.read_bytes()

    def failing():
        with replacing(path) as unfinished:
            unfinished.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(MissingFileError, match=r"the folder .* does not exist"):
        write_archive(path.parent / "absent" / "m.pauci", {}, {})
