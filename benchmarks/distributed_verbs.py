"""Ranks and pairs of Parquet datasets: ``python -m benchmarks.distributed_verbs``.

CPU time and memory of the stream beside the same work in memory, and whether the results are the
same. Every case runs in a process of its own.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, parser
from benchmarks.process import Limits, peak_bytes, run
from benchmarks.record import Column, Table

CLASSES, FOLDS, PER_OBJECT = 100, 3, 100
COLUMNS = [
    Column("case", "case"),
    Column("size", "scores or pairs", ",d"),
    Column("cpu", "CPU s", ".1f"),
    Column("cpu_ratio", "× in memory", ".2f"),
    Column("peak", "peak MB", ".0f"),
    Column("same", "same result"),
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure ranks and pairs."""
    command = parser("distributed_verbs", __doc__)
    command.add_argument("--size", type=float, default=1e6, help="scores, and pairs")
    options = command.parse_args(arguments)
    bench = Run.start("distributed_verbs", "Ranks and pairs of Parquet", options, arguments)
    size = 20_000 if options.quick else int(options.size)
    table = Table("Ranks and pairs", f"{FOLDS} folds; CPU time includes the files.", COLUMNS)
    limits = Limits(options.peer_timeout, options.peer_memory)
    for verb in ("rank", "pairs"):
        memory: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as folder:
            for case in ("memory", "stream"):
                order = {"verb": verb, "case": case, "size": size, "folder": folder}
                outcome = run("distributed_verbs:measure", order, limits)
                name = f"{verb}, {case}"
                if outcome.problem:
                    table.rows.append({"case": name, "problem": outcome.problem})
                    continue
                row = outcome.rows[0]
                memory = memory or row
                same = "yes" if row["digest"] == memory["digest"] else "NO"
                table.rows.append(
                    row
                    | {"case": name, "cpu_ratio": row["cpu"] / memory["cpu"], "same": same}
                    | {"kind": "ours" if case == "stream" else "baseline"}
                )
    bench.show(table)
    return bench.done()


def measure(verb: str, case: str, size: int, folder: str) -> Iterator[dict[str, Any]]:
    """Write the data if they are not there; then one case."""
    paths = {"rank": _scores, "pairs": _pairs}[verb](Path(folder), size)
    start = time.process_time()
    result = {"rank": _rank, "pairs": _fold_pairs}[verb](paths, case, Path(folder, "out.parquet"))
    spent = time.process_time() - start
    yield {"size": size, "cpu": spent, "peak": peak_bytes() / 1e6, "digest": _digest(result)}


def _digest(values: Any) -> str:
    import hashlib

    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def _write(path: Path, n_files: int, columns: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.mkdir()
    table = pa.table(columns)
    length = -(-len(table) // n_files)
    for number in range(n_files):
        part = table.slice(number * length, length)
        pq.write_table(part, path / f"{number}.parquet", row_group_size=2**17)


def _scores(folder: Path, size: int) -> dict[str, Path]:
    """Dense scores, labels and folds."""
    paths = {name: folder / name for name in ("scores", "labels", "folds")}
    if not paths["scores"].exists():
        generator, n_rows = np.random.default_rng(0), size // CLASSES
        y = generator.random((n_rows, CLASSES)) < np.linspace(0.01, 0.3, CLASSES)
        row, number = (part.ravel() for part in np.indices(y.shape))
        score = y.ravel() + generator.normal(size=y.size)
        _write(paths["scores"], 4, {"row": row, "class": number, "score": score})
        lists = [np.flatnonzero(labels) for labels in y]
        _write(paths["labels"], 2, {"row": np.arange(n_rows), "class": lists})
        folds = generator.integers(0, FOLDS, n_rows)
        _write(paths["folds"], 1, {"row": np.arange(n_rows), "fold": folds})
    return paths


def _rank(paths: dict[str, Path], case: str, out: Path) -> Any:
    """Cross-fitted values by the default ranker, row by row."""
    from pyarrow.parquet import read_table

    from trueval.distributed import rank
    from trueval.rank import PrecisionRanker, cross_fit

    if case == "stream":
        rank(**paths, out=out)
        table = read_table(out).sort_by([("row", "ascending"), ("class", "ascending")])
        return table["value"].to_numpy()
    tables = {name: read_table(path).sort_by("row") for name, path in paths.items()}
    folds = tables["folds"]["fold"].to_numpy()
    ordered = tables["scores"].sort_by([("row", "ascending"), ("class", "ascending")])
    scores = ordered["score"].to_numpy().reshape(len(folds), -1)
    y = np.zeros(scores.shape, np.int8)
    for row, labels in enumerate(tables["labels"]["class"].to_pylist()):
        y[row, labels] = 1
    cv = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(FOLDS)]
    return cross_fit(PrecisionRanker(), scores, y, cv=cv)


def _pairs(folder: Path, size: int) -> dict[str, Path]:
    if not (folder / "pairs").exists():
        a, b = np.random.default_rng(0).integers(0, max(size // PER_OBJECT, 10), (2, size))
        _write(folder / "pairs", 4, {"a": a, "b": b})
    return {"source": folder / "pairs"}


def _fold_pairs(paths: dict[str, Path], case: str, out: Path) -> Any:
    """Role of each pair in each fold: 0 dropped, 1 train, 2 test."""
    from pyarrow.parquet import read_table

    from trueval.distributed import pairs
    from trueval.pairs import ObjectKFold

    if case == "stream":
        pairs(**paths, n_splits=FOLDS, out=out, random_state=0)
        table = read_table(out)
        columns = [table[f"fold_{k}"].combine_chunks() for k in range(FOLDS)]
        words = {"drop": 0, "train": 1, "test": 2}
        numbers = [np.array([words[w] for w in c.dictionary.to_pylist()]) for c in columns]
        return np.stack([n[c.indices] for n, c in zip(numbers, columns, strict=True)])
    table = read_table(paths["source"])
    ids = np.column_stack([table["a"].to_numpy(), table["b"].to_numpy()])
    roles = np.zeros((FOLDS, len(ids)), np.int64)
    cv = ObjectKFold(FOLDS, balance="objects", random_state=0)
    for fold, (train, test) in enumerate(cv.split(groups=ids)):
        roles[fold, train], roles[fold, test] = 1, 2
    return roles


if __name__ == "__main__":
    sys.exit(main())
