"""How time and memory of splitting grow: ``python -m benchmarks.growth``.

Heavy-tailed matrices (``simulate.heavy_tailed``), one size at a time changed: positives from 10⁴ to
10⁸ with the rows, classes, folds. For each method the slope of the log-log line is printed: 1 is
linear. Peers stop where a limit stops them.
"""

import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.bars import DEFAULT
from benchmarks.command import Run, parser
from benchmarks.peers import PEERS
from benchmarks.record import Table, columns_of, slope
from benchmarks.split_run import Job, Result, describe, measured

PEERS_TRIED = ("iterative-stratification", "trustcv, groups = rows", "optisplit (PyPI)")
SECONDS = 300.0  # default limit of a case here
LONG = 0.05  # CPU seconds below which a time says little of growth
COLUMNS = columns_of(
    "method; size||,d; positives||,d; rld_ratio|rLD*/bound|.4f; cpu|CPU s|.3f; "
    "ns|ns a positive|.0f; mb|MB|.0f; with_input_mb|MB with labels|.0f; "
    "input_ratio|× label arrays|.2f"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the three curves."""
    made = parser("growth", __doc__)
    made.set_defaults(peer_timeout=SECONDS)
    made.add_argument("--most", type=float, default=1e8, help="most positives (default 1e8)")
    options = made.parse_args(arguments)
    packages = [PEERS[name].package for name in PEERS_TRIED]
    bench = Run.start("growth", "Growth of splitting", options, arguments, packages)
    most = min(options.most, 1e5) if options.quick else options.most
    for title, about, sizes in _curves(most, options.quick):
        bench.show(_curve(bench, title, about, sizes))
    bench.note(
        "Slope: of the log-log line over the sizes that took at least "
        f"{LONG:g} s; 1 is linear. Memory slopes are of the peak with the labels, over the same "
        "sizes. One seed; labels are int8 values, int32 indices."
    )
    return bench.done()


def _curves(most: float, quick: bool) -> Iterator[tuple[str, str, list[dict[str, int]]]]:
    """Title, description, and the sizes of each curve."""
    powers = [10**p for p in range(4, round(math.log10(most)) + 1)]
    yield (
        "Rows",
        "20 positives a row, 1,000 classes, 5 folds; size: rows.",
        [
            {"size": p // 20, "n_rows": p // 20, "n_classes": min(1000, p // 20), "positives": p}
            for p in powers
        ],
    )
    fixed = 10**5 if quick else 10**6
    yield (
        "Classes",
        f"{fixed:,} positives, {fixed // 10:,} rows, 5 folds; size: classes.",
        [
            {"size": c, "n_rows": fixed // 10, "n_classes": c, "positives": fixed}
            for c in ((100, 1000) if quick else (100, 1000, 10_000, 100_000))
        ],
    )
    yield (
        "Folds",
        f"{fixed:,} positives, {fixed // 10:,} rows, 1,000 classes; size: folds.",
        [
            {"size": k, "n_rows": fixed // 10, "n_classes": 1000, "positives": fixed}
            for k in ((2, 8) if quick else (2, 5, 10, 20, 50, 100))
        ],
    )


def _curve(bench: Run, title: str, about: str, sizes: list[dict[str, int]]) -> Table:
    jobs = [Job(DEFAULT, DEFAULT, seeds=1), Job("iterative", "iterative", seeds=1)]
    if not (bench.options.quick or bench.options.no_peers):
        jobs += [Job(name, name, peer=True, seeds=1) for name in PEERS_TRIED]
    found: dict[str, list[dict[str, Any]]] = {job.label: [] for job in jobs}
    given_up: dict[str, str] = {}
    for size in sizes:
        folds = size["size"] if title == "Folds" else 5
        made = {name: size[name] for name in ("n_rows", "n_classes", "positives")}
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch, f"{title}-{size['size']}.npz".lower())
            describe(f"{title} {size['size']}", path, folds, made=made)
            for job in jobs:
                if job.label in given_up:
                    continue
                result = measured(job, path, bench.limits, n_folds=folds)
                found[job.label].append(_row(result, size))
                if not result.rows:
                    given_up[job.label] = result.problem
    rows = [row for of_method in found.values() for row in of_method]
    notes = [line for label in found if (line := _slopes(label, found[label]))]
    return Table(title, about, COLUMNS, rows, notes)


def _row(result: Result, size: dict[str, int]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "method": result.job.label,
        "kind": "peer" if result.job.peer else "ours",
        "size": size["size"],
        "positives": size["positives"],
        "problem": result.problem or None,
    }
    if not result.rows:
        return row
    first = result.rows[0]
    return row | {
        "rld_ratio": first["rld_ratio"],
        "cpu": first["cpu"],
        "ns": first["cpu"] / size["positives"] * 1e9,
        "mb": first["mb"],
        "with_input_mb": first["with_input_mb"],
        "input_ratio": first["with_input_mb"] / first["arrays_mb"],
    }


def _slopes(label: str, rows: list[dict[str, Any]]) -> str:
    """How a method grows, where there are sizes enough."""
    long = [row for row in rows if row.get("cpu", 0) >= LONG]
    if len(long) < 2:
        return ""
    sizes = [row["size"] for row in long]
    time = slope(sizes, [row["cpu"] for row in long])
    memory = slope(sizes, [row["with_input_mb"] for row in long])
    return (
        f"{label}: CPU time grows with the power {time:.2f} of the size, peak memory with "
        f"{memory:.2f} (sizes {sizes[0]:,} to {sizes[-1]:,})."
    )


if __name__ == "__main__":
    sys.exit(main())
