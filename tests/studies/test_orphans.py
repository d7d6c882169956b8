"""Workers end with the process that started them, however that ended."""

import os
import signal
import subprocess
import sys
import time

import pytest

_PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    module, _, name = sys.argv[1].rpartition(".")
    initializer = getattr(import_module(module), name) if name else None
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=initializer)
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 20)
    time.sleep(20)
"""


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("initializer", "follows"),
    [("pauci.studies.orphans.end_with_parent", True), ("pauci.studies.tabular.runner._begin", True), ("", False)],
)
def test_a_worker_ends_in_the_middle_of_its_work(tmp_path, initializer, follows):
    (tmp_path / "parent.py").write_text(_PARENT)
    command = [sys.executable, str(tmp_path / "parent.py"), initializer]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    until = time.monotonic() + (5 if follows else 1)
    while is_running(worker) and time.monotonic() < until:
        time.sleep(0.05)
    survived = is_running(worker)
    if survived:
        os.kill(worker, signal.SIGKILL)
    parent.stdout.close()
    assert survived is not follows
