"""Splits of Parquet datasets in stages: ``python -m benchmarks.distributed``.

Quality beside one search in memory, by the number of blocks; CPU time and peak memory of the stream
beside one search, and the CPU time of each of its stages; the CPU time of Dask beside the stream's.
Every case runs in a process of its own; the peak memory of Dask is that of the process that asks,
without the workers.
"""

import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, parser, say
from benchmarks.data import REAL
from benchmarks.distributed_stages import SERIAL, STAGES, timed_stages
from benchmarks.process import Limits, peak_bytes, run
from benchmarks.record import Column, Table, columns_of, slope

FOLDS = 5
COLUMNS = columns_of(
    "case; blocks||d; seeds||d; rld_ratio|rLD*/bound|.4f; ratio|× one search|.4f; "
    "spread|sizes differ by|d; cpu|CPU s|.1f; cpu_ratio|× its CPU|.2f; "
    "peak|peak MB|.0f"
)
#: Labels that come together in rows of which no two are equal, as in tagging.
CORRELATED = "correlated_1e7"
#: Highest rLD over that of one search, by data set.
BARS = {"swissprot_go_2014": 1.005, "1e7": 1.005, "1e8": 1.01}
#: Highest CPU of the stream over one search, its memory in MB, and Dask's CPU over the stream's.
CPU, PEAK, DASK = {"1e8": 1.2}, {"1e8": 1000.0, "1e9": 4000.0}, {"1e8": 2.0}
GROWTH = 12.0  # highest CPU of the stream at 10⁹ positives over that at 10⁸
WORKERS = (2, 4, 16)  # numbers for which the most that they can gain is said


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
    streams: dict[str, dict[str, Any]] = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            table = _measure(Path(folder, name), name, options)
        bench.show(table)
        default = next((row for row in table.rows if row.get("kind") == "ours"), None)
        if default is not None:
            streams[name] = default
    if streams:
        bench.show(_stage_table(streams))
    _note_growth(bench, {float(name): row for name, row in streams.items() if name[:2] == "1e"})
    return bench.done()


def _stage_table(streams: dict[str, dict[str, Any]]) -> Table:
    """CPU seconds of each stage and its share, by data set; what one process does alone."""
    columns = [Column("stage", "stage"), Column("by", "done by")]
    for name in streams:
        columns += [Column(name, f"{name}, CPU s", ".2f"), Column(f"{name} %", "%", ".1f")]
    about = "The stream with the default number of blocks, or the first that was asked for."
    table = Table("Stages", about, columns)
    for stage in STAGES:
        row: dict[str, Any] = {"stage": stage, "by": "one process" if stage in SERIAL else "blocks"}
        for name, stream in streams.items():
            row |= {name: stream["stages"][stage], f"{name} %": 100 * _share(stream, [stage])}
        table.rows.append(row)
    for name, stream in streams.items():
        alone = ", ".join(f"{stage} {_share(stream, [stage]):.1%}" for stage in SERIAL)
        serial = _share(stream, SERIAL)
        gains = ", ".join(f"{1 / (serial + (1 - serial) / n):.1f} with {n}" for n in WORKERS)
        table.notes.append(
            f"{name}: one process alone does {serial:.1%} of the work ({alone}). Where workers "
            f"share the rest evenly, it is faster by the factor {gains} workers."
        )
    return table


def _share(stream: dict[str, Any], stages: Sequence[str]) -> float:
    """Part of the CPU time that some stages take."""
    seconds: dict[str, float] = stream["stages"]
    return sum(seconds[stage] for stage in stages) / sum(seconds.values())


def _note_growth(bench: Run, streams: dict[float, dict[str, Any]]) -> None:
    """Powers by which CPU time and memory grow with the positives."""
    if len(streams) < 2:
        return
    for key in ("cpu", "peak"):
        power = slope(list(streams), [row[key] for row in streams.values()])
        sizes = f"from {min(streams):.0e} to {max(streams):.0e}"
        bench.note(f"{key} of the stream grows by the power {power:.2f} of positives, {sizes}.")
    if {1e8, 1e9} <= set(streams):
        factor = streams[1e9]["cpu"] / streams[1e8]["cpu"]
        verdict = "PASS" if factor <= GROWTH else "MISS"
        bench.note(f"{verdict}: CPU at 1e9 is {factor:.1f} × that at 1e8, bar {GROWTH:g}.")


def _measure(folder: Path, name: str, options: Any) -> Table:
    table = Table(name, f"{FOLDS} folds; each figure is the mean of the seeds.", COLUMNS)
    limits = Limits(options.peer_timeout * 10, 0)
    outcome = run("distributed:write", {"name": name, "folder": str(folder)}, limits)
    if outcome.problem:
        table.rows.append({"case": name, "problem": outcome.problem})
        return table
    cases = [] if options.no_memory else [("one search", 0)]
    cases += [("stream", blocks) for blocks in options.blocks]
    cases += [("dask", options.blocks[0])] if options.dask else []
    for case, blocks in cases:
        order = {"case": case, "blocks": blocks, "folder": str(folder), "seeds": options.seeds}
        outcome = run("distributed:measure", order | {"name": name}, limits)
        if outcome.problem:
            table.rows.append({"case": case, "blocks": blocks, "problem": outcome.problem})
            continue
        stages = [row.pop("stages") for row in outcome.rows]
        mean = _mean(outcome.rows)
        table.rows.append(
            mean
            | {"stages": _mean(stages)}
            | {"case": case, "kind": "ours" if case == "stream" else "baseline"}
            | {"blocks": int(mean["blocks"]), "spread": int(mean["spread"])}
            | {"seeds": len(outcome.rows)}
        )
        say(f"{name}: {table.rows[-1]}")
    _compare(table, name)
    return table


def _mean(rows: list[dict[str, float]]) -> dict[str, float]:
    """Mean of each value."""
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


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
            table.notes.append(f"{verdict}: {what} {measured:.5g}, bar {bar[name]:g}.")
        else:
            table.notes.append(f"{what} {measured:.5g}.")


def _blocks(name: str) -> Iterator[Any]:
    """Matrices of a data set, one after the other."""
    from trueval.data import simulate

    if name in REAL:
        yield REAL[name].load()
        return
    if name == CORRELATED:
        y = simulate.label_matrix(700_000, 100_000, cardinality=20, random_state=0)
        bounds = pairwise(y.indptr.tolist())
        sets = {y.indices[a:b].tobytes(): row for row, (a, b) in enumerate(bounds)}
        yield y[np.sort(list(sets.values()))]
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

    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401 - before the clock starts: both sides use them

    from trueval import split_quality, stratified_folds
    from trueval.distributed import split

    out = Path(folder, "folds.parquet")
    for seed in range(seeds):
        stages: dict[str, float] = {}
        start = _cpu_seconds()
        if case == "one search":
            y = _read(Path(folder, "data"))
            folds = stratified_folds(y, FOLDS, random_state=seed)
            spent = _cpu_seconds() - start
            quality, n_blocks = split_quality(y, folds), 0
        else:
            engine = {"engine": case, "blocks": blocks or None}
            with timed_stages() if case == "stream" else nullcontext({}) as stages:
                quality = split(Path(folder, "data"), FOLDS, out=out, random_state=seed, **engine)
            spent = _cpu_seconds() - start
            n_blocks = json.loads(Path(f"{out}.json").read_text())["parameters"]["blocks"]
        yield {
            "blocks": n_blocks,
            "rld_ratio": quality.rld_ratio,
            "spread": int(quality.sizes.max() - quality.sizes.min()),
            "cpu": spent,
            "peak": peak_bytes() / 1e6,
            "stages": stages,
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
