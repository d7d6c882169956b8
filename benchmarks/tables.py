"""Peak memory and time of reading a CSV file of 1,000,000 rows and 30 columns, each in a process of its own.

python benchmarks/tables.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv

ROWS = 1_000_000
MEASURE = """
import resource, sys, time
start = time.perf_counter()
{code}
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""
WITHOUT_PYARROW = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "pyarrow" else find(name)
"""
READ = "from pauci.data import read_table; read_table(sys.argv[1], target='y')"
READERS = {
    "pandas.read_csv": "import pandas; pandas.read_csv(sys.argv[1])",
    "read_table": READ,
    "read_table without pyarrow": WITHOUT_PYARROW + READ,
    "iter_table": "from pauci.data import infer_columns, iter_table\n"
    "for part in iter_table(sys.argv[1], columns=infer_columns(sys.argv[1], target='y'), target='y'): pass",
}


def write(path: Path) -> None:
    rng = np.random.default_rng(0)
    table = {f"x{i}": rng.normal(size=ROWS).astype(np.float32) for i in range(26)}
    table["colour"] = rng.choice(["red", "green", "blue"], ROWS)
    table["count"] = rng.integers(0, 100, ROWS)
    table["flag"] = rng.random(ROWS) < 0.5
    table["y"] = rng.integers(0, 2, ROWS)
    pv.write_csv(pa.table(table), path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        write(path)
        print(f"{path.stat().st_size / 2**20:.0f} MiB of text")
        for name, code in READERS.items():
            command = [sys.executable, "-c", MEASURE.format(code=code), str(path)]
            seconds, gigabytes = map(float, subprocess.run(command, capture_output=True, check=True).stdout.split())
            print(f"{name:28} {seconds:5.1f} s, peak {gigabytes:.2f} GiB")


if __name__ == "__main__":
    main()
