"""How long the simulators take: ``python -m benchmarks.simulate [POSITIVES]``.

By default a matrix of 2 million rows and 20,000 classes with 100 million positives.
"""

import resource
import sys
import time

from trueval.data import simulate

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    positives = int(arguments[0]) if arguments else 100_000_000

    def timed(what, function):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{what:<34}{wall:8.2f} s wall {cpu:8.2f} s CPU, peak so far {peak:.2f} GB")
        return result

    rows = max(1000, positives // 50)
    print(timed("proteome, 500 proteins", lambda: simulate.proteome(random_state=0)))
    print(timed("proteome, 5,000", lambda: simulate.proteome(5000, 400, 1500, random_state=0)))
    y = timed(
        f"heavy_tailed, {positives:,}",
        lambda: simulate.heavy_tailed(rows, 20_000, positives, random_state=0),
    )
    print(f"{y.shape[0]:,} × {y.shape[1]:,}, {y.nnz:,} positives")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
