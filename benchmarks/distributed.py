"""Splits of Parquet datasets in stages: ``python -m benchmarks.distributed``.

Quality beside one search in memory, by the number of blocks; CPU time and peak memory of the stream
beside one search; the CPU time of Dask beside the stream's. Every case runs in a process of its
own; the peak memory of Dask is that of the process that asks, without the workers.
"""

import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, parser, say
from benchmarks.data import REAL
from benchmarks.process import Limits, peak_bytes, run
from benchmarks.record import Table, columns_of, slope

FOLDS = 5
COLUMNS = columns_of(
    "case; blocks||d; seeds||d; rld_ratio|rLD*/bound|.4f; ratio|× one search|.4f; "
    "spread|sizes differ by|d; cpu|CPU s|.1f; cpu_ratio|× its CPU|.2f; "
    "peak|peak MB|.0f"
)
#: Labels that come together in rows of which hardly two are equal, as in tagging.
CORRELATED = "correlated_1e7"
#: Highest rLD over that of one search, by data set.
BARS = {"swissprot_go_2014": 1.005, "1e7": 1.005, "1e8": 1.01}
#: Highest CPU of the stream over one search, its memory in MB, and Dask's CPU over the stream's.
CPU, PEAK, DASK = {"1e8": 1.2}, {"1e8": 1000.0, "1e9": 4000.0}, {"1e7": 2.0, "1e8": 2.0}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the data sets asked for."""
    command = parser("distributed", __doc__)
    command.add_argument(
        "--data",
        nargs="*",
        default=["swissprot_go_2014", CORRELATED, "1e7"],
        help="a data set, or a number of positives",
    )
    command.add_argument(
        "--blocks", nargs="*", type=int, default=[0, 1, 16, 256], help="0: default"
    )
    command.add_argument("--seeds", type=int, default=1)
    command.add_argument("--dask", action="store_true", help="also on a local cluster")
    command.add_argument("--no-memory", action="store_true", help="without one search in memory")
    options = command.parse_args(arguments)
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
            sizes = f"from {min(growth):.0e} to {max(growth):.0e}"
            bench.note(f"{key} of the stream grows by the power {power:.2f} of positives, {sizes}.")
    return bench.done()


def _measure(bench: Run, folder: Path, name: str, options: Any) -> Table:
    table = Table(name, f"{FOLDS} folds; each figure is the mean of the seeds.", COLUMNS)
    limits = Limits(options.peer_timeout * 10, 0)
    outcome = run("distributed:write", {"name": name, "folder": str(folder)}, limits)
    if outcome.problem:
        table.rows.append({"case": name, "problem": outcome.problem})
        return table
    cases = [] if options.no_memory else [("one search", 0)]
    cases += [("stream", blocks) for blocks in options.blocks]
    cases += [("dask", 0)] if options.dask else []
    for case, blocks in cases:
        order = {"case": case, "blocks": blocks, "folder": str(folder), "seeds": options.seeds}
        outcome = run("distributed:measure", order | {"name": name}, limits)
        if outcome.problem:
            table.rows.append({"case": case, "blocks": blocks, "problem": outcome.problem})
            continue
        mean = {key: float(np.mean([row[key] for row in outcome.rows])) for key in outcome.rows[0]}
        table.rows.append(
            mean
            | {"case": case, "kind": "ours" if case == "stream" else "baseline"}
            | {"blocks": int(mean["blocks"]), "spread": int(mean["spread"])}
            | {"seeds": len(outcome.rows)}
        )
        say(f"{name}: {table.rows[-1]}")
    _compare(table, name)
    return table


def _compare(table: Table, name: str) -> None:
    """Ratios to one search, and the bars; the first stream has the default number of blocks."""
    by_case: dict[str, list[dict[str, Any]]] = {}
    for row in table.rows:
        if "cpu" in row:
            by_case.setdefault(row["case"], []).append(row)
    for row in (row for rows in by_case.values() for row in rows if "one search" in by_case):
        one = by_case["one search"][0]
        row["ratio"] = row["rld_ratio"] / one["rld_ratio"]
        row["cpu_ratio"] = row["cpu"] / one["cpu"]
    stream = by_case.get("stream", [])
    bars = []
    if stream and "ratio" in stream[0]:
        bars.append((max(row["ratio"] for row in stream), BARS, "rLD × one search, any blocks"))
        bars.append((stream[0]["cpu_ratio"], CPU, "CPU of the stream × one search"))
    if stream:
        bars.append((stream[0]["peak"], PEAK, "peak MB of the stream"))
    if stream and "dask" in by_case:
        bars.append((by_case["dask"][0]["cpu"] / stream[0]["cpu"], DASK, "CPU of Dask × stream"))
    for measured, bar, what in bars:
        if name in bar:
            verdict = "PASS" if measured <= bar[name] else "MISS"
            table.notes.append(f"{verdict}: {what} {measured:.4g}, bar {bar[name]:g}.")


def _blocks(name: str) -> Iterator[Any]:
    """Matrices of a data set, one after the other."""
    from trueval.data import simulate

    if name in REAL:
        yield REAL[name].load()
        return
    if name == CORRELATED:
        yield simulate.label_matrix(700_000, 100_000, cardinality=20, random_state=0)
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
