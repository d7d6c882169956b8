"""What `import pauci` costs beyond `import torch`.

    python benchmarks/import_time.py [--rounds N]

Each round starts a fresh interpreter, imports torch, then pauci, and times both there.
"""

import argparse
import statistics
import subprocess
import sys

_PROGRAM = """
import time
start = time.perf_counter()
import torch
between = time.perf_counter()
import pauci
pauci.Region, pauci.partial_auc_score
print(between - start, time.perf_counter() - between)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = []
    for _ in range(parser.parse_args().rounds):
        printed = subprocess.check_output([sys.executable, "-c", _PROGRAM], text=True)
        rounds.append([float(seconds) for seconds in printed.split()])
    torch, pauci = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"import pauci and its score: {pauci:.3f} s after torch ({pauci / torch:.1%} of torch's own; target 0.1 s)")


if __name__ == "__main__":
    main()
