"""What sharing the cores costs a fit of LightGBM, the work inside `pauci fit`: all threads against one, beside others.

As many processes as there are cores do nothing but keep them busy. Fits are interleaved, and the ratio is that of the
medians; beside it the same on cores as they are without those processes:

    python benchmarks/busy_cores.py --rows 40000 --rounds 50
"""

import argparse
import multiprocessing
import os
import statistics
import time

import lightgbm
import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, options.columns))
    y = X.sum(1) + 2 * rng.normal(size=options.rows) > 6
    data = lightgbm.Dataset(X, label=y.astype(float), params={"verbosity": -1}).construct()
    cores = os.cpu_count() or 1
    print(f"{cores} threads against one, {options.rows:,} rows, {options.rounds} rounds")
    print(f"beside nothing of ours: {_ratio(data, cores, options.rounds, options.repeats):.2f} times the seconds")
    others = [multiprocessing.Process(target=_keep_busy, daemon=True) for _ in range(cores)]
    for process in others:
        process.start()
    ratio = _ratio(data, cores, options.rounds, options.repeats)
    print(f"beside {cores} busy processes: {ratio:.2f} times the seconds")


def _ratio(data: lightgbm.Dataset, cores: int, rounds: int, repeats: int) -> float:
    seconds: dict[int, list[float]] = {1: [], cores: []}
    for _ in range(repeats):
        for threads, times in seconds.items():
            start = time.perf_counter()
            lightgbm.train({"objective": "binary", "num_threads": threads, "verbosity": -1}, data, rounds)
            times.append(time.perf_counter() - start)
    return statistics.median(seconds[cores]) / statistics.median(seconds[1])


def _keep_busy() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
