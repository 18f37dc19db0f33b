"""Splits of Parquet datasets in stages: ``python -m benchmarks.distributed``.

Quality beside one search in memory, by the number of blocks; CPU time and peak memory of the stream
beside one search; the CPU time of Dask beside the stream's. Every case runs in a process of its
own.
"""

import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, parser
from benchmarks.data import REAL
from benchmarks.process import Limits, peak_bytes, run
from benchmarks.record import Table, columns_of, slope

FOLDS = 5
COLUMNS = columns_of(
    "case; blocks||d; seeds||d; rld_ratio|rLD*/bound|.4f; ratio|× one search|.4f; "
    "spread|sizes differ by|d; cpu|CPU s|.1f; cpu_ratio|× its CPU|.2f; "
    "peak|peak MB|.0f"
)
BARS = {"swissprot_go_2014": 1.005, "1e7": 1.005, "1e8": 1.01, "1e9": 1.01}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the data sets asked for."""
    made = parser("distributed", __doc__)
    made.add_argument(
        "--data",
        nargs="*",
        default=["swissprot_go_2014", "1e7"],
        help="a data set, or a number of positives",
    )
    made.add_argument("--blocks", nargs="*", type=int, default=[0, 1, 16, 256], help="0: default")
    made.add_argument("--seeds", type=int, default=1)
    made.add_argument("--dask", action="store_true", help="also on a local cluster")
    options = made.parse_args(arguments)
    bench = Run.start("distributed", "Larger than memory", options, arguments, ["pyarrow", "dask"])
    names = ["1e5"] if options.quick else options.data
    growth: dict[float, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            table = _measure(bench, Path(folder, name), name, options)
            bench.show(table)
            stream = [row for row in table.rows if row.get("kind") == "ours"]
            if name[:2] == "1e" and stream:
                growth[float(name)] = stream[0]
    if len(growth) > 1:
        for key in ("cpu", "peak"):
            power = slope(list(growth), [row[key] for row in growth.values()])
            bench.note(f"{key} of the stream grows by the power {power:.2f} of the positives.")
    return bench.done()


def _measure(bench: Run, folder: Path, name: str, options: Any) -> Table:
    table = Table(name, f"{FOLDS} folds; each figure is the mean of the seeds.", COLUMNS)
    limits = Limits(options.peer_timeout * 10, 0)
    made = run("distributed:write", {"name": name, "folder": str(folder)}, limits)
    if made.problem:
        table.rows.append({"case": name, "problem": made.problem})
        return table
    cases: list[tuple[str, int]] = [("one search", 0)]
    cases += [("stream", blocks) for blocks in options.blocks]
    cases += [("dask", 0)] if options.dask else []
    one: dict[str, float] = {}
    for case, blocks in cases:
        order = {"case": case, "blocks": blocks, "folder": str(folder), "seeds": options.seeds}
        outcome = run("distributed:measure", order | {"name": name}, limits)
        if outcome.problem:
            table.rows.append({"case": case, "blocks": blocks, "problem": outcome.problem})
            continue
        mean = {key: float(np.mean([row[key] for row in outcome.rows])) for key in outcome.rows[0]}
        one = one or mean
        table.rows.append(
            mean
            | {"case": case, "kind": "ours" if case == "stream" else "baseline"}
            | {"blocks": int(mean["blocks"]), "spread": int(mean["spread"])}
            | {"seeds": len(outcome.rows), "ratio": mean["rld_ratio"] / one["rld_ratio"]}
            | {"cpu_ratio": mean["cpu"] / one["cpu"]}
        )
    ratios = [row["ratio"] for row in table.rows if row.get("case") == "stream" and "ratio" in row]
    if ratios and name in BARS:
        met = "PASS" if max(ratios) <= BARS[name] else "MISS"
        table.notes.append(f"{met}: at most {max(ratios):.4f} × one search, bar {BARS[name]}.")
    return table


def _blocks(name: str) -> Iterator[Any]:
    """Matrices of a data set, one after the other."""
    from trueval.data import simulate

    if name in REAL:
        yield REAL[name].load()
        return
    positives = int(float(name))
    yield from simulate.heavy_tailed_blocks(
        positives // 20, min(1000, positives // 100), positives, random_state=0
    )


def write(name: str, folder: str) -> Iterator[dict[str, Any]]:
    """Write a data set as Parquet, a file a matrix."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    Path(folder, "data").mkdir(parents=True)
    first = 0
    for number, matrix in enumerate(_blocks(name)):
        lists = pa.LargeListArray.from_arrays(
            pa.array(matrix.indptr.astype(np.int64)), pa.array(matrix.indices.astype(np.int32))
        )
        ids = np.arange(first, first + matrix.shape[0])
        pq.write_table(
            pa.table({"row": ids, "class": lists}),
            Path(folder, "data", f"{number:05d}.parquet"),
            row_group_size=2**16,
        )
        first += matrix.shape[0]
    yield {"rows": first}


def measure(case: str, blocks: int, folder: str, seeds: int, name: str) -> Iterator[dict[str, Any]]:
    """Split by one engine; CPU time includes workers and the reading of the files."""
    import json

    from trueval import split_quality, stratified_folds
    from trueval.distributed import split

    out = Path(folder, "folds.parquet")
    for seed in range(seeds):
        start = _cpu_seconds()
        if case == "one search":
            y = _read(Path(folder, "data"))
            folds = stratified_folds(y, FOLDS, random_state=seed)
            spent = _cpu_seconds() - start
            quality, n_blocks = split_quality(y, folds), 0
        else:
            engine = {"engine": case, "blocks": blocks or None}
            quality = split(Path(folder, "data"), FOLDS, out=out, random_state=seed, **engine)
            spent = _cpu_seconds() - start
            n_blocks = json.loads(Path(f"{out}.json").read_text())["parameters"]["blocks"]
        yield {
            "blocks": n_blocks,
            "rld_ratio": quality.rld_ratio,
            "spread": int(quality.sizes.max() - quality.sizes.min()),
            "cpu": spent,
            "peak": peak_bytes() / 1e6,
        }


def _read(folder: Path) -> Any:
    """A data set in memory."""
    import scipy.sparse as sp
    from pyarrow.parquet import read_table

    parts = [read_table(file)["class"].combine_chunks() for file in sorted(folder.iterdir())]
    lengths = np.concatenate([np.diff(part.offsets.to_numpy()) for part in parts])
    indices = np.concatenate([part.values.to_numpy() for part in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    ones = np.ones(len(indices), np.int8)
    return sp.csr_array((ones, indices, indptr), shape=(len(lengths), int(indices.max()) + 1))


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    sys.exit(main())
