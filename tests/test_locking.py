import os
import sys

import pytest

from pauci.locking import lock_file, locked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nobody is kept out there")


def test_a_lock_ends_with_its_block_though_a_forked_process_has_the_file(tmp_path):
    path = tmp_path / ".lock"
    with path.open("ab") as file:
        forked = os.dup(file.fileno())
        with locked(file), pytest.raises(BlockingIOError), lock_file(path, wait=False):
            pass
    try:
        with lock_file(path, wait=False):
            pass
    finally:
        os.close(forked)


def test_shared_locks_let_in_each_other_and_nobody_else(tmp_path):
    path = tmp_path / ".lock"
    with path.open("ab") as one, path.open("ab") as other, locked(one, shared=True):
        with locked(other, shared=True, wait=False):
            pass
        with pytest.raises(BlockingIOError), lock_file(path, wait=False):
            pass
