"""Reading 7.5 million positives, beside ``scipy.sparse.load_npz``: ``python -m benchmarks.read``.

The same labels are written as npz (plain and compressed), Parquet, text and the rest, and each is
read several times in a process of its own. Time is CPU time of the call, the least of the repeats;
memory is the peak above what the process had before.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.command import Run, parser, say
from benchmarks.process import Meter, run
from benchmarks.record import Table, columns_of

BARS = {"parquet, list of numbers": 4.0, "xmc": 10.0}
PLAIN, PACKED = "scipy load_npz", "scipy load_npz, compressed"


def make(folder: Path, n_rows: int) -> dict[str, Path]:
    """Write the labels in every format measured."""
    from trueval import as_labels
    from trueval.data import simulate, write_labels

    y = simulate.label_matrix(n_rows, 2000, cardinality=19.3, tail=0.8, random_state=0)
    y.sort_indices()
    y.indices = y.indices.astype(np.int32)
    files = {
        PLAIN: folder / "plain.npz",
        PACKED: folder / "compressed.npz",
        "npz": folder / "plain.npz",
        "parquet, list of numbers": folder / "numbers.parquet",
        "parquet, list of names": folder / "names.parquet",
        "xmc": folder / "labels.txt",
        "svmlight": folder / "labels.svm",
    }
    sp.save_npz(files[PLAIN], y, compressed=False)
    sp.save_npz(files[PACKED], y)
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


def measure(*, name: str, path: str, repeats: int) -> Iterator[dict[str, Any]]:
    """CPU seconds and peak memory of one reader."""
    read: Callable[[Path], Any] = sp.load_npz
    if not name.startswith(PLAIN):
        from trueval.data import read_labels

        read = read_labels
    if name.startswith("parquet"):
        import pyarrow.parquet  # noqa: F401, an import is not reading
    meter = Meter()
    found, cpu = meter.time(lambda: read(Path(path)), repeats)
    yield {"cpu": cpu, "positives": int(found.nnz)} | meter.memory()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, read each in a process of its own, print the ratios."""
    made = parser("read", __doc__)
    made.add_argument("--rows", type=int, default=500_000, help="500,000 give 7.5 million")
    made.add_argument("--repeats", type=int, default=5)
    options = made.parse_args(arguments)
    if options.quick:
        options.rows, options.repeats = min(options.rows, 20_000), 2
    bench = Run.start("read", "Reading labels", options, arguments, ["pyarrow"])
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in make(Path(folder), options.rows).items():
            order = {"name": name, "path": str(path), "repeats": options.repeats}
            outcome = run("read:measure", order, bench.limits)
            say(f"{name}: {outcome.problem or 'done'}")
            row = {
                "method": name if name.startswith(PLAIN) else f"read_labels, {name}",
                "kind": "peer" if name.startswith(PLAIN) else "ours",
                "size": path.stat().st_size / 1e6,
                "problem": outcome.problem or None,
            }
            rows.append(row | (outcome.rows[0] if outcome.rows else {}))
    _judge(rows)
    columns = columns_of(
        "method|file; size|file MB|.1f; cpu|CPU s|.3f; mb|MB|.0f; plain|× plain npz|.2f; "
        "packed|× compressed npz|.2f; bar"
    )
    positives = next((row["positives"] for row in rows if "positives" in row), 0)
    about = f"{positives:,} positives, {options.rows:,} rows × 2,000 classes, simulated."
    bench.show(Table("Reading", about, columns, rows))
    return bench.done()


def _judge(rows: list[dict[str, Any]]) -> None:
    """Ratios to both npz files, and the bars, which are against the plain one."""
    cpu = {row["method"]: row.get("cpu") for row in rows}
    for row in rows:
        if row.get("cpu") is None:
            continue
        for key, base in (("plain", PLAIN), ("packed", PACKED)):
            row[key] = row["cpu"] / cpu[base] if cpu.get(base) else None
        bar = BARS.get(row["method"].removeprefix("read_labels, "))
        if bar is not None and row["plain"] is not None:
            row["bar"] = f"{bar:g}× {'PASS' if row['plain'] <= bar else 'MISS'}"


if __name__ == "__main__":
    sys.exit(main())
