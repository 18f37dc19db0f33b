"""Comparable scores and decisions, beside the peers: ``python -m benchmarks.rank [TABLE …]``.

The smoother against local regression elsewhere, rankers against calibrators (pooled average
precision on new data), decisions against deciders (micro and macro F1 on new data), growth in
objects and classes, the bars and speed of our own functions (:mod:`benchmarks.rank_speed`), how
often promises are kept (:mod:`benchmarks.rank_promises`), and the default ranker on real data, on
small classes and in cost (:mod:`benchmarks.rank_real`). The paper's tables are studies (``trueval
study``). Real data are read from the folder in ``TRUEVAL_DATA``.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks import rank_promises, rank_real, rank_speed
from benchmarks.command import Run, parser, say
from benchmarks.data import data_folder
from benchmarks.process import Limits, run
from benchmarks.rank_cases import REAL, SIMULATED, SMOOTHERS
from benchmarks.rank_models import SETS
from benchmarks.rank_peers import DECIDERS, RANKERS
from benchmarks.record import Column, Table, columns_of, slope

PACKAGES = ("statsmodels", "venn-abers", "xcolumns")
LONG = 0.02  # CPU seconds below which a time says little of growth
CPU = Column("cpu", "CPU s", ".3g", "low")
RATIO = Column("ratio", "× ours", ".3g")
MB = Column("mb", "MB", ".0f", "low")
GROWTH_PEERS = ("scikit-learn IsotonicRegression", "venn-abers")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen tables, all by default."""
    made = parser("rank", __doc__)
    made.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    made.add_argument("--runs", type=int, default=40, help="runs of a simulated cell (40)")
    made.add_argument(
        "--scores", type=Path, metavar="DIR", help="keep the models' scores of `real` for next time"
    )
    made.add_argument(
        "--sets", nargs="+", choices=SETS, metavar="NAME", help=f"sets of `real`: {', '.join(SETS)}"
    )
    made.add_argument("--splits", type=int, help="splits of each set of `real` (3 to 24)")
    made.add_argument(
        "--leave-out",
        nargs="+",
        choices=rank_real.METHODS,
        metavar="METHOD",
        help="methods that `real` does not measure, such as venn-abers, which is slow",
    )
    options = made.parse_args(arguments)
    unknown = set(options.tables) - set(TABLES)
    if unknown:
        made.error(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    if options.quick:
        options.runs = min(options.runs, 3)
    bench = Run.start("rank", "Comparable scores and decisions", options, arguments, PACKAGES)
    return bench.show_all(TABLES)


def _missing(package: str) -> str:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
    return ""


def _kind(package: str) -> str:
    return {"trueval": "ours", "numpy": "baseline"}.get(package, "peer")


def _beside(rows: list[dict[str, Any]]) -> None:
    """Times beside that of our default."""
    base = next((row["cpu"] for row in rows if row.get("default") and row.get("cpu")), None)
    for row in rows:
        row["ratio"] = row["cpu"] / base if base and row.get("cpu") is not None else None


# --- the smoother -------------------------------------------------------------------


def smoother(bench: Run) -> list[Table]:
    """Local regression at all M points, one bandwidth."""
    sizes = (10**3, 10**4) if bench.options.quick else tuple(10**p for p in range(3, 8))
    rows, notes = [], []
    base: dict[int, float] = {}
    for method, (package, _, _) in SMOOTHERS.items():
        kind = _kind(package)
        if kind == "peer" and bench.options.no_peers:
            continue
        done: list[dict[str, Any]] = []
        for size in sizes:
            row = {"method": method, "kind": kind, "size": size}
            outcome = run("rank_cases:smooth", {"method": method, "size": size}, bench.limits)
            problem = _missing(package) or outcome.problem
            row |= outcome.rows[0] if outcome.rows else {"problem": problem}
            say(f"{method} {size:,} {row.get('cpu', row.get('problem'))}")
            done.append(row)
            if not outcome.rows:
                break
            if package == "trueval":
                base[size] = row["cpu"]
            row["ratio"] = row["cpu"] / base[size] if base.get(size) else None
            row["ns"] = row["cpu"] / size * 1e9
        rows += done
        notes += _slope(method, "M", done)
    columns = [
        *columns_of("method; size|M|,d; rmse|error|.4f"),
        CPU,
        Column("ns", "ns a point", ".3g"),
        RATIO,
        MB,
    ]
    columns = [Column(c.key, c.head, c.form) for c in columns]  # sizes differ: no best row
    about = (
        "A noisy sine at M points, smoothed at all of them, bandwidth 0.1 of the range; error is "
        "the root mean square distance to the sine. KernelReg and lowess are local linear, ours "
        "and NumPy's are local quadratic."
    )
    return [Table("Local regression", about, columns, rows, notes)]


def _slope(method: str, size: str, rows: list[dict[str, Any]]) -> list[str]:
    long = [row for row in rows if (row.get("cpu") or 0) >= LONG]
    if len(long) < 2:
        return []
    sizes = [row["size"] for row in long]
    power = slope(sizes, [row["cpu"] for row in long])
    return [
        f"{method}: CPU time grows with the power {power:.2f} of {size} "
        f"({sizes[0]:,} to {sizes[-1]:,})."
    ]


# --- rankers and deciders -------------------------------------------------------------


def rankers(bench: Run) -> Iterator[Table]:
    """Pooled average precision on new data."""
    columns = [
        *columns_of(
            "method; area|average precision|.4f|high; area_se|s.e.|.4f; loss|log loss|.4f|low"
        ),
        CPU,
        RATIO,
        MB,
    ]
    return _compare(bench, "rank", "Rankers", RANKERS, columns, ["true rates (oracle)"])


def deciders(bench: Run) -> Iterator[Table]:
    """F1 of calls on new data."""
    columns = [
        *columns_of("method; micro|micro F1|.4f|high; macro|macro F1|.4f|high"),
        CPU,
        RATIO,
        MB,
    ]
    return _compare(bench, "decide", "Decisions", DECIDERS, columns, [])


def _compare(
    bench: Run, case: str, title: str, ways: Any, columns: list[Column], oracle: list[str]
) -> Iterator[Table]:
    folder = data_folder()
    names = [*SIMULATED, *(REAL if folder else ())]
    if bench.options.quick:
        names = names[:1]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "problems.npz")
        for name in names:
            order = {"name": name, "path": str(path), "runs": bench.options.runs}
            made = run("rank_cases:prepare", order | {"folder": str(folder)}, Limits(0, 0))
            if not made.rows:
                say(f"{name}: {made.problem}")
                continue
            facts = made.rows[0]
            rows = [_way(bench, case, method, way, path) for method, way in ways.items()]
            rows = [row for row in rows if row]
            for method in oracle if name in SIMULATED else []:
                best = run(f"rank_cases:{case}", {"method": method, "path": str(path)}, Limits())
                rows.append({"method": method, "kind": "baseline"} | best.rows[0])
            _beside(rows)
            about = (
                f"{facts['problems']} problems of {facts['rows']:,} objects × {facts['classes']} "
                "classes: fitted on one part, judged on new objects. "
            )
            about += (
                "Mean over problems; CPU seconds are of all of them together."
                if name in SIMULATED
                else "Out-of-fold scores of a support vector machine; each fold is new once."
            )
            yield Table(f"{title}: {name}", about, columns, rows)


def _way(bench: Run, case: str, method: str, way: Any, path: Path) -> dict[str, Any]:
    kind = _kind(way.package)
    if kind == "peer" and bench.options.no_peers:
        return {}
    row = {"method": method, "kind": kind, "default": way.default}
    if _missing(way.package):
        return row | {"problem": "not installed"}
    outcome = run(f"rank_cases:{case}", {"method": method, "path": str(path)}, bench.limits)
    say(f"{method}: {outcome.problem or 'done'}")
    return row | (outcome.rows[0] if outcome.rows else {"problem": outcome.problem})


# --- growth -----------------------------------------------------------------------------


def growth(bench: Run) -> Iterator[Table]:
    """Fit and transform, more objects or more classes."""
    quick = bench.options.quick
    objects = (10**3, 10**4) if quick else tuple(10**p for p in range(3, 8))
    classes = (10, 100) if quick else (10, 100, 1000, 10_000)
    yield _growth(bench, "objects", "1 class; size: objects.", [(m, m, 1) for m in objects])
    yield _growth(
        bench, "classes", "1,000 objects; size: classes.", [(k, 1000, k) for k in classes]
    )


def _growth(bench: Run, what: str, about: str, sizes: list[tuple[int, int, int]]) -> Table:
    rows, notes = [], []
    base: dict[int, float] = {}
    methods = ["trueval PrecisionRanker", "trueval LocalPrecisionRate"]
    methods += [] if bench.options.no_peers else GROWTH_PEERS
    for method in methods:
        package = RANKERS[method].package
        done: list[dict[str, Any]] = []
        for size, n_objects, n_classes in sizes:
            row = {"method": method, "kind": _kind(package), "size": size}
            order = {"method": method, "rows": n_objects, "classes": n_classes}
            outcome = run("rank_cases:scale", order, bench.limits)
            row |= outcome.rows[0] if outcome.rows else {"problem": outcome.problem}
            say(f"{method} {size:,} {row.get('cpu', row.get('problem'))}")
            done.append(row)
            if not outcome.rows:
                break
            base.setdefault(size, row["cpu"])
            row["ratio"] = row["cpu"] / base[size] if base[size] else None
            row["ns"] = row["cpu"] / (n_objects * n_classes) * 1e9
        rows += done
        notes += _slope(method, what, done)
    columns = [
        Column("method", "method"),
        Column("size", what, ",d"),
        *columns_of("cpu|CPU s|.3g; ns|ns a score|.3g"),
        RATIO,
        Column("mb", "MB", ".0f"),
    ]
    said = f"Fit and transform of as many new scores, dense, 5 % members. {about}"
    return Table(f"Growth in {what}", said, columns, rows, notes)


TABLES = {
    "smoother": smoother,
    "rankers": rankers,
    "deciders": deciders,
    "growth": growth,
    "bars": rank_speed.bars,
    "large": rank_speed.large,
    "thresholds": rank_speed.thresholds,
    "hierarchy": rank_speed.hierarchy,
    "promises": rank_promises.promises,
    "real": rank_real.real,
    "small": rank_real.small,
    "cost": rank_real.cost,
}


if __name__ == "__main__":
    sys.exit(main())
