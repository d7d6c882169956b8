"""What a round of boosting costs with a region objective, as a ratio to LightGBM's built-in logloss.

One booster per objective, all on the same million rows and with the same number of threads; rounds are interleaved,
and the ratio is that of the medians. On a busy machine take one thread and its processor time:

    python benchmarks/boosting_round.py --rows 1000000 --columns 30 --threads 2 --rounds 15
    python benchmarks/boosting_round.py --threads 1 --clock cpu
"""

import argparse
import statistics
import time

import lightgbm
import numpy as np
from threadpoolctl import threadpool_limits

from pauci.boosting import lightgbm_objective

CANDIDATES = {
    "sigmoid, exact": {"surrogate": "sigmoid", "selection": "exact"},
    "pauci, exact": {"surrogate": "pauci", "selection": "exact"},
    "sigmoid, softplus": {"surrogate": "sigmoid", "selection": "softplus"},
    "pauci, softplus": {"surrogate": "pauci", "selection": "softplus"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--max-fpr", type=float, default=0.05)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    options = parser.parse_args()

    clock = time.perf_counter if options.clock == "wall" else time.process_time
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, options.columns)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + 2 * rng.normal(size=options.rows) > 5
    data = lightgbm.Dataset(X, label=y.astype(np.float32)).construct()
    settings = {"verbosity": -1, "num_threads": options.threads}
    objectives = {name: lightgbm_objective(options.max_fpr, **given) for name, given in CANDIDATES.items()}
    boosters = {"logloss": lightgbm.Booster({**settings, "objective": "binary"}, data)}
    boosters |= {name: lightgbm.Booster({**settings, "objective": "none"}, data) for name in objectives}

    seconds: dict[str, list[float]] = {name: [] for name in boosters}
    with threadpool_limits(options.threads):
        for _ in range(options.rounds):
            for name, booster in boosters.items():
                start = clock()
                booster.update(fobj=objectives.get(name))
                seconds[name].append(clock() - start)
    plain = statistics.median(seconds["logloss"])
    print(f"{options.rows:,} rows, {options.columns} columns, {y.mean():.1%} positives, {options.threads} thread(s)")
    for name, times in seconds.items():
        median = statistics.median(times)
        print(f"{name:<18} {1e3 * median:7.1f} ms a round   {median / plain:5.2f}x logloss")


if __name__ == "__main__":
    main()
