import numpy as np
import pytest


@pytest.fixture
def tables(tmp_path):
    """Two small tables, one with text and gaps, both with repeated rows."""
    folder = tmp_path / "tables"
    folder.mkdir()
    rng = np.random.default_rng(0)
    y = (np.arange(240) < 48).astype(np.uint8)
    X = rng.normal(size=(240, 3)).astype(np.float32) + y[:, None]
    X[10:14] = X[9]
    X[100:140] = X[99]
    np.savez(folder / "round.npz", X=X, y=y)
    lines = ["a,b,city,y"]
    for row, label in zip(X, y, strict=True):
        city = rng.choice(["Ulm", "Bonn", "Kiel"])
        lines.append(f"{row[0]:.3f},{'' if row[1] > 2 else round(float(row[1]), 3)},{city},{label}")
    (folder / "square.csv").write_text("\n".join(lines) + "\n")
    return folder
