"""Peak memory of a call above its loaded input, as a multiple of that input, in fresh processes."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.campaign.record import ROOT, Outcome

SIZES = (10**5, 10**7, 10**8)  # positives; the first is for continuous integration
LIMIT = 3.0
SMALL = 32e6  # bytes any call may take: libraries that are loaded, blocks of fixed size
FORMATS = ("npz", "parquet", "list.csv", "long.csv", "list.csv.gz")
CALLS = ("split", "quality", "rank isotonic", "rank precision", "threshold")
FILES = tuple(f"{verb} {form}" for form in FORMATS for verb in ("write", "read"))


def calls(turn: int, folder: Path, seconds: float) -> Outcome:
    """One call that computes, at one size."""
    return _one(CALLS, turn)


def files(turn: int, folder: Path, seconds: float) -> Outcome:
    """One format written or read, at one size."""
    return _one(FILES, turn)


def _one(among: tuple[str, ...], turn: int) -> Outcome:
    size, call = SIZES[turn // len(among) % len(SIZES)], among[turn % len(among)]
    command = [sys.executable, "-m", "tests.campaign.memory", call, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return Outcome(1, [f"{call} of {size:,} positives: {done.stderr[-300:]}"])
    used, loaded = json.loads(done.stdout)
    place = f"{call}, {size:,} positives"
    told = f"{place}: {used / 1e6:,.0f} MB for an input of {loaded / 1e6:,.0f} MB"
    failures = [told] if used > max(LIMIT * loaded, SMALL) else []
    return Outcome(1, failures, {f"{place}: peak over input": used / loaded})


def positives(n: int) -> Any:
    """Labels with about ten positives a row, frequent and rare classes."""
    import numpy as np
    import scipy.sparse as sp

    from trueval import as_labels

    rng = np.random.default_rng(0)
    classes = (rng.random(n, np.float32) ** 2 * 2_000).astype(np.int32)
    indptr = np.arange(0, n + 1, 10, dtype=np.int32)
    matrix = sp.csr_array((np.ones(n, bool), classes, indptr), shape=(n // 10, 2_000))
    matrix.sum_duplicates()
    return as_labels(matrix)


def size_of(matrix: Any) -> int:
    """Bytes of a matrix."""
    if hasattr(matrix, "indptr"):
        return matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    return matrix.nbytes


def measure(call: str, n: int, folder: Path) -> tuple[int, int]:
    """Bytes at the peak above the loaded state, and bytes of the input."""
    import numpy as np

    import trueval.data as data
    from benchmarks.process import Meter
    from trueval import rank, split_quality, stratified_folds
    from trueval.core.scores import Scores

    verb, _, what = call.partition(" ")
    y = positives(n if verb in ("split", "quality", "write", "read") else n // 10)
    subject: Any = y.matrix
    options = {"layout": what.split(".")[0]} if "csv" in what else {}
    path = folder / f"y.{what.partition('.')[2] or what}"
    if verb == "split":
        work = lambda: stratified_folds(y, 5, random_state=0)  # noqa: E731
    elif verb == "quality":
        folds = np.arange(y.n_rows) % 5
        work = lambda: split_quality(y, folds)  # noqa: E731
    elif verb == "write":
        work = lambda: data.write_labels(path, y, **options)  # noqa: E731
    elif verb == "read":
        script = "from tests.campaign.memory import *; import sys, trueval.data as data\n"
        script += f"data.write_labels(sys.argv[1], positives({n}), **{options})"
        subprocess.run([sys.executable, "-c", script, path], check=True, cwd=ROOT)
        work = lambda: data.read_labels(path, **options)  # noqa: E731
    else:
        y = y.take(np.arange(n // 100))
        scores = np.random.default_rng(1).random((n // 100, 100))
        y = type(y)(y.matrix[:, :100])
        subject = scores
        if verb == "threshold":
            work = lambda: rank.pick_threshold(Scores(scores), y, precision=0.01)  # noqa: E731
        else:
            ranker = {"isotonic": rank.IsotonicRanker, "precision": rank.PrecisionRanker}[what]()
            work = lambda: ranker.fit(scores, y)  # noqa: E731
    loaded = size_of(subject)
    if verb in ("rank", "threshold"):
        few = np.random.default_rng(0).random((100, 2))  # what is imported late
        rank.pick_threshold(few, few[::-1] > 0.5, precision=0.5, ranker=rank.PrecisionRanker())
    meter = Meter()
    work()
    return int(meter.memory()["mb"] * 1e6), loaded


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), Path(scratch))))
