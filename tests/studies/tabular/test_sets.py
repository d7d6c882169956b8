import numpy as np
import pytest

from pauci.errors import InputError, MissingDataError
from pauci.studies.tabular.sets import find_sets, load_set


@pytest.fixture
def folder(tmp_path):
    np.savez(tmp_path / "b.npz", X=np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0]]), y=np.array([0, 0, 1]))
    (tmp_path / "a.csv").write_text("city,age,y\nUlm,3,no\nBonn,,yes\n")
    (tmp_path / "notes.txt").write_text("nothing to learn from")
    return tmp_path


def test_tables_of_a_folder_are_found_by_name(folder):
    assert list(find_sets([folder])) == ["a", "b"]
    assert find_sets([folder], names=["b"]) == {"b": folder / "b.npz"}
    assert find_sets([folder / "a.csv"]) == {"a": folder / "a.csv"}


def test_what_is_not_there_or_there_twice_is_an_error(folder, tmp_path):
    with pytest.raises(MissingDataError, match="there are a, b"):
        find_sets([folder], names=["c"])
    (folder / "b.tsv").write_text("x\ty\n1\t0\n")
    with pytest.raises(InputError, match="rename one"):
        find_sets([folder])
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(MissingDataError, match="no table"):
        find_sets([empty])


def test_equal_rows_share_a_group_and_other_rows_change_the_checksum(folder):
    first = load_set(folder / "b.npz")
    assert first.name == "b"
    assert first.groups.tolist() == [0, 0, 1]
    np.savez(folder / "c.npz", X=np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 5.0]]), y=np.array([0, 0, 1]))
    assert load_set(folder / "c.npz").checksum != first.checksum
    mixed = load_set(folder / "a.csv")
    assert mixed.y.tolist() == [0, 1]
    assert np.isnan(mixed.X[1, 1])
