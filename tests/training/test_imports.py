import subprocess
import sys

import pytest

from pauci.training import load_recipe

CODE = """
import sys
for name in ("sklearn", "scipy", "typer", "rich", "lightning_fabric", "matplotlib", "optuna", "pyarrow", "PIL"):
    sys.modules[name] = None
import numpy as np
from pauci.training import load_recipe, train
rng = np.random.default_rng(0)
y = rng.random(200) < 0.3
x = rng.normal(size=(200, 3)) + y[:, None]
print(load_recipe("strong").hash)
print(train(load_recipe("demo", overrides=["epochs=2"]), (x, y), device="cpu").best_epoch)
"""


@pytest.mark.slow
def test_training_needs_torch_numpy_and_safetensors_only_and_hashes_are_stable():
    recipe_hash, best_epoch = subprocess.check_output([sys.executable, "-c", CODE], text=True).split()
    assert best_epoch in ("1", "2")
    assert recipe_hash == load_recipe("strong").hash
