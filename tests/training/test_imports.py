import subprocess
import sys

CODE = """
import sys
for name in ("sklearn", "scipy", "typer", "rich", "lightning_fabric", "matplotlib", "optuna", "pyarrow", "PIL"):
    sys.modules[name] = None
import numpy as np
from pauci.training import load_recipe, train
rng = np.random.default_rng(0)
y = rng.random(200) < 0.3
x = rng.normal(size=(200, 3)) + y[:, None]
print(train(load_recipe("demo", overrides=["epochs=2"]), (x, y), device="cpu").best_epoch)
"""


def test_training_needs_torch_numpy_and_safetensors_only():
    assert subprocess.check_output([sys.executable, "-c", CODE], text=True).strip() in ("1", "2")
