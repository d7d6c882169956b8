"""Every script of the gallery runs by itself, prints something, and is in the gallery."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_example_runs(script, tmp_path):
    command = [sys.executable, str(script)]
    if "torchrun" in script.stem:
        command[1:1] = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_example_is_in_the_gallery(script):
    assert f'--8<-- "examples/{script.name}"' in GALLERY
