"""Time of `pauci fit --model boosting`, selection included, relative to one plain LightGBM fit; and its peak memory.

Both run on one thread, and what counts is processor time, so that other work on the machine does not matter. The fit
counts from the start of the process to its end, with the reading of the file; the plain fit counts without it.

python benchmarks/fit_million.py [--rows 1000000] [--rounds 100] [--repeats 1]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv

from pauci.tabular.model_file import load_model

COLUMNS = 30
PLAIN = """
import sys, time
import lightgbm, numpy
X, y = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
start = time.process_time()
params = {"objective": "binary", "learning_rate": 0.05, "num_threads": 1, "verbose": -1}
lightgbm.train(params, lightgbm.Dataset(X, y), num_boost_round=int(sys.argv[3]))
print(time.process_time() - start)
"""


def write(folder: Path, rows: int) -> None:
    """Rows of which 2% are positive, by a rule with interactions and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, COLUMNS)).round(4)
    signal = X[:, 0] + 0.8 * X[:, 1] * X[:, 2] + 0.6 * np.sin(2 * X[:, 3]) - 0.5 * X[:, 4] ** 2
    signal += 0.3 * X[:, 5:10].sum(axis=1) + rng.logistic(size=rows)
    y = (signal > np.quantile(signal, 0.98)).astype(int)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    pv.write_csv(pa.table({**{f"x{i}": X[:, i] for i in range(COLUMNS)}, "y": y}), folder / "train.csv")


def measured(command: list[str]) -> tuple[float, float, str]:
    """Processor seconds, peak memory in GiB, and what was printed, of one process."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[:4]} failed with exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20, printed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=100, help="most rounds of logloss")
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    ratios, peaks = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, options.rows)
        fit = [sys.executable, "-m", "pauci", "fit", str(folder / "train.csv"), "--target", "y", "--max-fpr", "0.01"]
        fit += [
            "--model",
            "boosting",
            "--jobs",
            "1",
            "--rounds",
            str(options.rounds),
            "-o",
            str(folder / "model.pauci"),
        ]
        for _ in range(options.repeats):
            seconds, peak, printed = measured(fit)
            rounds = load_model(folder / "model.pauci").estimator.ensemble_.rounds
            plain = [sys.executable, "-c", PLAIN, str(folder / "X.npy"), str(folder / "y.npy"), str(rounds)]
            of_plain = float(measured(plain)[2])
            ratios.append(seconds / of_plain)
            peaks.append(peak)
            print(printed)
            print(f"pauci fit: {seconds:.1f} s in all; plain LightGBM, {rounds} rounds: {of_plain:.1f} s", flush=True)
    print(
        f"{options.rows:,} rows, {COLUMNS} columns: {statistics.median(ratios):.2f} times one plain LightGBM fit of as"
    )
    print(f"many rounds as the model has; peak memory {max(peaks):.2f} GiB")


if __name__ == "__main__":
    main()
