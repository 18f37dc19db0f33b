"""Reading 7.5 million positives, beside ``scipy.sparse.load_npz``: ``python -m benchmarks.read``.

The same labels are written as npz (plain and compressed), Parquet, text and the rest,
and each is read several times. Time is CPU time of the call, the least of the repeats;
memory is the peak above what the process had before, in a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from trueval import as_labels
from trueval.data import read_labels, simulate
from trueval.data.write import write_labels

BARS = {"parquet, list of numbers": 4.0, "xmc": 10.0}


def make(folder: Path, n_rows: int) -> dict[str, Path]:
    """Write the labels in every format measured."""
    y = simulate.label_matrix(n_rows, 2000, cardinality=19.3, tail=0.8, random_state=0)
    y.sort_indices()
    y.indices = y.indices.astype(np.int32)
    files = {
        "load_npz": folder / "plain.npz",
        "load_npz, compressed": folder / "compressed.npz",
        "npz": folder / "plain.npz",
        "parquet, list of numbers": folder / "numbers.parquet",
        "parquet, list of names": folder / "names.parquet",
        "xmc": folder / "labels.txt",
        "svmlight": folder / "labels.svm",
    }
    sp.save_npz(files["load_npz"], y, compressed=False)
    sp.save_npz(files["load_npz, compressed"], y)
    labels = as_labels(y)
    write_labels(files["parquet, list of numbers"], labels)
    names = np.array([f"GO:{c:07d}" for c in range(labels.n_classes)])
    write_labels(files["parquet, list of names"], type(labels)(labels.matrix, names))
    generator = np.random.default_rng(0)
    with files["xmc"].open("w") as xmc, files["svmlight"].open("w") as svm:
        xmc.write(f"{n_rows} 1000 2000\n")
        for row in range(n_rows):
            own = ",".join(map(str, y.indices[y.indptr[row] : y.indptr[row + 1]].tolist()))
            line = f"{own} {generator.integers(1000)}:1.5\n"
            xmc.write(line)
            svm.write(line)
    return files


def measure(name: str, path: Path, repeats: int) -> dict[str, Any]:
    """CPU seconds and peak memory of one reader, in this process."""
    read: Callable[[Path], Any] = sp.load_npz if name.startswith("load_npz") else read_labels
    if name.startswith("parquet"):
        import pyarrow.parquet  # noqa: F401, an import is not reading
    before = _peak(reset=True)
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        found = read(path)
        seconds.append(time.process_time() - start)
        peak = _peak()
        nnz = int(found.nnz)
        del found
    return {"seconds": min(seconds), "mb": (peak - before) / 1e6, "positives": nnz}


def _peak(*, reset: bool = False) -> int:
    """Peak memory in bytes; on Linux since the last reset."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, read each in a process of its own, print the ratios."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.read", description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000, help="500,000 give 7.5 million")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        name, file = options.one
        print(json.dumps(measure(name, Path(file), options.repeats)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files = make(Path(folder), options.rows)
        results = {}
        for name, path in files.items():
            command = [sys.executable, "-m", "benchmarks.read", "--one", name, str(path)]
            command += ["--repeats", str(options.repeats)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            results[name] = {**json.loads(output), "size": path.stat().st_size}
    base = results["load_npz"]["seconds"]
    packed = results["load_npz, compressed"]["seconds"]
    print(f"{results['npz']['positives']:,} positives, {options.rows:,} rows × 2,000 classes")
    print(
        f"{'':26}{'file MB':>9}{'CPU s':>8}{'peak MB':>9}{'× plain npz':>13}{'× packed':>10}  bar"
    )
    for name, result in results.items():
        ratio = result["seconds"] / base
        bar = BARS.get(name)
        verdict = "" if bar is None else f"{bar:g}× {'PASS' if ratio <= bar else 'MISS'}"
        print(
            f"{name:26}{result['size'] / 1e6:9.1f}{result['seconds']:8.3f}{result['mb']:9.0f}"
            f"{ratio:13.2f}{result['seconds'] / packed:10.2f}  {verdict}".rstrip()
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
