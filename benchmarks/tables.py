"""Peak memory and time of reading a CSV file of 30 columns, each in a process of its own, in turns.

python benchmarks/tables.py [ROWS]
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv

ROUNDS = 3
MEASURE = """
import resource, sys, time
{imports}
start = time.perf_counter()
{code}
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""
WITHOUT_PYARROW = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "pyarrow" else find(name)
"""
IMPORT = "from pauci.data import infer_columns, iter_table, read_table"
READ = "read_table(sys.argv[1], target='y')"
READERS = {
    "pandas.read_csv": ("import pandas", "pandas.read_csv(sys.argv[1])"),
    "read_table": (IMPORT, READ),
    "read_table without pyarrow": (WITHOUT_PYARROW + IMPORT, READ),
    "iter_table": (
        IMPORT,
        "for part in iter_table(sys.argv[1], columns=infer_columns(sys.argv[1], target='y'), target='y'): pass",
    ),
}


def write(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    table = {f"x{i}": rng.normal(size=rows).astype(np.float32) for i in range(26)}
    table["colour"] = rng.choice(["red", "green", "blue"], rows)
    table["count"] = rng.integers(0, 100, rows)
    table["flag"] = rng.random(rows) < 0.5
    table["y"] = rng.integers(0, 2, rows)
    pv.write_csv(pa.table(table), path)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in READERS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        write(path, rows)
        print(f"{rows:,} rows, {path.stat().st_size / 2**20:.0f} MiB of text")
        for _ in range(ROUNDS):
            for name, (imports, code) in READERS.items():
                command = [sys.executable, "-c", MEASURE.format(imports=imports, code=code), str(path)]
                out = subprocess.run(command, capture_output=True, check=True).stdout.split()
                measured[name].append((float(out[0]), float(out[1])))
    for name, results in measured.items():
        seconds, gigabytes = (statistics.median(column) for column in zip(*results, strict=True))
        ratio = statistics.median(s / p for (s, _), (p, _) in zip(results, measured["pandas.read_csv"], strict=True))
        print(f"{name:28} {seconds:5.1f} s, {ratio:4.1f} times pandas, peak {gigabytes:.2f} GiB")


if __name__ == "__main__":
    main()
