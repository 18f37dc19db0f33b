"""Work for an hour in one process: no growth of memory or of open files."""

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.campaign.record import ROOT, Outcome

MINUTES = 60
GROWTH = 1.05  # of memory, from the first quarter to the end


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """One process for as long as there is time."""
    spent = min(60.0 * MINUTES, seconds)
    command = [sys.executable, "-m", "tests.campaign.soak", str(folder), str(spent)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return Outcome(0, [done.stderr[-500:]])
    rounds, before, after, files_before, files_after = map(int, done.stdout.split())
    figures = {
        "rounds": rounds,
        "longest run in minutes": spent / 60,
        "memory at the end over that at a quarter": after / before,
        "open files more at the end": files_after - files_before,
    }
    # The first rounds fill caches: growth is judged where a quarter is some minutes.
    failures = []
    if spent >= 600 and after > GROWTH * before:
        failures.append(f"memory grows from {before:,} to {after:,} bytes in {rounds:,} rounds")
    if files_after > files_before:
        failures.append(f"open files grow from {files_before} to {files_after}")
    return Outcome(rounds, failures, figures)


def one_round(folder: Path, turn: int) -> None:
    """A bit of everything, on other data each time."""
    import numpy as np

    from tests.campaign.outputs import OUTPUTS
    from trueval import ObjectKFold, split_quality, stratified_folds
    from trueval.rank import PrecisionRanker, pick_threshold

    rng = np.random.default_rng(turn)
    y = (rng.random((300, 12)) < 0.2).astype(int)
    y[:2] = 1
    folds = stratified_folds(y, 5, random_state=turn)
    split_quality(y, folds)
    scores = rng.random(y.shape) + y
    values = PrecisionRanker().fit(scores, y).transform(scores)
    pick_threshold(values, y, precision=0.5)
    pairs = rng.integers(0, 40, size=(200, 2))
    for _ in ObjectKFold(4, random_state=turn).split(pairs, groups=pairs):
        pass
    output = OUTPUTS[turn % (len(OUTPUTS) - 1)]
    output.write(folder / output.name, turn)
    assert output.whole(folder / output.name)


def main(folder: Path, seconds: float) -> None:
    """Print rounds, and memory and open files at a quarter and at the end."""
    import warnings

    from benchmarks.process import memory_now

    warnings.simplefilter("ignore")
    begin, turn, before, files = time.monotonic(), 0, 0, 0
    while (spent := time.monotonic() - begin) < seconds or turn < 30:
        one_round(folder, turn)
        turn += 1
        if not before and spent > seconds / 4 and turn >= 20:
            gc.collect()
            before, files = memory_now(), len(os.listdir("/proc/self/fd"))
    gc.collect()
    print(turn, before, memory_now(), files, len(os.listdir("/proc/self/fd")))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
