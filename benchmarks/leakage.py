"""Folds without similar rows on both sides, beside the peers: ``python -m benchmarks.leakage``.

Everybody's split of the same similarity graphs, measured by ``split_quality``; the lower bound
given whole components against the least possible rLD of small data, and more effort; a graph of
500,000 rows and ten million edges; pairs that strict folds validate; negatives and the degrees of
their objects. Real data are read from the folder in ``TRUEVAL_DATA``; MMseqs2 is the program
``mmseqs``, and RDKit is installed below ``--peer-env``.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, parser, say
from benchmarks.envs import environment
from benchmarks.leakage_bound import conflict_lines, instances, optimum
from benchmarks.leakage_data import NAMES, Rows, graphs
from benchmarks.leakage_pairs import negatives, validated
from benchmarks.leakage_peers import GRAPH_SPLITS
from benchmarks.process import run
from benchmarks.record import CPU, MB, Table, columns_of, verdict
from trueval.data.catalogue import cache_folder

K = 5
_PEERS = [way.package for way in GRAPH_SPLITS.values() if way.package != "trueval"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen tables, all by default."""
    made = parser("leakage", __doc__)
    made.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    made.add_argument("--data", nargs="*", choices=NAMES, help="graphs (all)")
    made.add_argument("--peers", nargs="*", choices=_PEERS, help="packages that split graphs (all)")
    made.add_argument("--pairs", type=int, default=10**7, help="pairs of the large set (10⁷)")
    made.add_argument(
        "--rows", type=int, nargs="+", default=[1000], help="rows of the graphs, or all (1000)"
    )
    made.add_argument(
        "--cache", type=Path, default=cache_folder() / "hits", metavar="DIR",
        help="keeps the hits of MMseqs2 (hits/ in the folder of `trueval data list`)",
    )  # fmt: skip
    options = made.parse_args(arguments)
    unknown = set(options.tables) - set(TABLES)
    if unknown:
        made.error(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    bench = Run.start("leakage", "Similar rows and negatives", options, arguments)
    return bench.show_all(TABLES)


# --- everybody's split of one graph --------------------------------------------------


def methods(bench: Run) -> Iterator[Table]:
    """One table for each graph, shown when it is done."""
    for rows in graphs(bench):
        yield _methods(bench, rows)


def _methods(bench: Run, rows: Rows) -> Table:
    lines: list[dict[str, Any]] = []
    asked = bench.options.peers
    peers = () if bench.options.no_peers else _PEERS if asked is None else asked
    with tempfile.TemporaryDirectory() as scratch:
        problem, out = rows.save(Path(scratch)), Path(scratch, "parts.npy")
        for name, way in GRAPH_SPLITS.items():
            ours = way.package == "trueval"
            if not ours and way.package not in peers:
                continue
            line = {"method": name, "kind": "ours" if ours else "peer"}
            line["default"] = name == "trueval, drop"
            python = {}
            if way.apart:
                found = environment(way.package, bench.options.peer_env, way.also)
                if found.problem:
                    lines.append(line | {"problem": found.problem})
                    continue
                python = {"python": found.python}
            order = {"name": name, "problem": str(problem), "k": K, "out": str(out)}
            outcome = run("leakage_cases:split", order, bench.limits, **python)
            if outcome.rows:
                line |= outcome.rows[0] | _quality(rows, np.load(out))
            lines.append(line | ({} if outcome.rows else {"problem": outcome.problem}))
            say(f"  {rows.name}: {name}")
    columns = [
        *columns_of(
            "method; crossing|crossing edges|,d|low; dropped|rows left out|,d|low; "
            "least|smallest part|,d; most|largest|,d; rld|rLD|.4f|low; "
            "ratio|rLD/bound|.3f|low"
        ),
        CPU,
        MB,
    ]
    sizes = np.bincount(_components(rows))
    about = (
        f"{rows.y.shape[0]:,} rows, {rows.y.shape[1]:,} classes, {len(rows.a):,} edges from "
        f"{rows.threshold:g}, {len(sizes):,} components, the largest of {sizes.max():,} rows: "
        f"{rows.about}. {K} parts; the bound is that of the components left by each method."
    )
    title = f"Splits: {rows.name}, {rows.y.shape[0]:,} rows"
    table = Table(title, about, columns, lines)
    table.notes += _bars(lines)
    return table


def _components(rows: Rows) -> np.ndarray:
    from trueval.data import Similarity

    return Similarity.from_edges(rows.a, rows.b, n_rows=rows.y.shape[0]).components()


def _quality(rows: Rows, parts: np.ndarray) -> dict[str, Any]:
    from trueval import split_quality
    from trueval.data import Similarity

    graph = Similarity.from_edges(rows.a, rows.b, rows.value, n_rows=rows.y.shape[0])
    quality = split_quality(rows.y, parts, parts=K, similarity=graph)
    return {
        "crossing": quality.crossing_edges,
        "dropped": quality.n_dropped,
        "least": int(quality.sizes.min()),
        "most": int(quality.sizes.max()),
        "rld": quality.rld_wanted,
        "ratio": quality.group_ratio if quality.crossing_edges == 0 else None,
    }


def _bars(lines: list[dict[str, Any]]) -> list[str]:
    """What was wanted of the strict mode, and what this run measured."""
    by_name = {line["method"]: line for line in lines if "crossing" in line}
    ours, peer = by_name.get("trueval, drop"), by_name.get("graph-part")
    if ours is None:
        return []
    said = [verdict(ours["crossing"] == 0, f"crossing edges 0: {ours['crossing']}")]
    said.append(verdict(ours["ratio"] <= 1.15, f"rLD/bound up to 1.15: {ours['ratio']:.3f}"))
    if peer is not None:
        half = f"{ours['dropped']:,} beside {peer['dropped']:,}"
        met = ours["dropped"] <= peer["dropped"] / 2
        said.append(verdict(met, f"rows left out, at most half of graph-part's: {half}"))
    return said


# --- is the bound loose, or the search weak? -----------------------------------------


def bound(bench: Run) -> list[Table]:
    """Bounds and the search against the least possible mean rLD, on small data."""
    from trueval import split_quality, stratified_folds
    from trueval.core.labels import as_labels
    from trueval.stratify._group_bound import group_rld_bound, mean_group_bound

    seeds, shares, lines = (4 if bench.options.quick else 20), np.full(3, 1 / 3), []
    for kind in ("classes of rows", "classes of families"):
        ratios: list[tuple[float, float, float]] = []
        for y, groups in instances(kind, seeds):
            counts = np.zeros((int(groups.max()) + 1, y.shape[1]))
            np.add.at(counts, groups, y)
            least = optimum(counts, shares, 60)
            if not least:
                continue
            labels = as_labels(y)
            by_class = float(group_rld_bound(labels, groups, shares).mean())
            folds = stratified_folds(y, 3, groups=groups, random_state=0)
            ours = split_quality(y, folds, parts=3).rld_wanted
            whole = mean_group_bound(labels, groups, shares)
            ratios.append((by_class / least, whole / least, ours / least))
        mean = np.mean(ratios, axis=0)
        lines.append(
            {
                "data": kind,
                "n": len(ratios),
                "by_class": mean[0],
                "whole": mean[1],
                "search": mean[2],
                "worst": max(ratio[2] for ratio in ratios),
            }
        )
    columns = columns_of(
        "data; n|sets|d; by_class|bound class by class / least|.3f; "
        "whole|bound / least|.3f; search|search / least|.3f; "
        "worst|worst of the search|.3f"
    )
    about = (
        "14 groups, up to 6 classes, 3 parts; the least mean rLD of whole groups is proven by "
        "integer programming. Sizes of parts are free for it, the search also balances them."
    )
    return [Table("Bound given whole groups, small data", about, columns, lines)]


def effort(bench: Run) -> list[Table]:
    """How much more work lowers the ratio: what is left is the bound's, or beyond this search."""
    from trueval import split_quality, stratified_folds
    from trueval.data import Similarity

    lines: list[dict[str, Any]] = []

    def measure(rows: Rows, items: str, times: float, **kept: Any) -> None:
        start = time.process_time()
        folds = stratified_folds(rows.y, K, effort=times, random_state=0, **kept)
        cpu = time.process_time() - start
        quality = split_quality(rows.y, folds, parts=K, groups=kept.get("groups"))
        ratio = quality.group_ratio if kept else quality.rld_ratio
        case = f"{rows.name}, {rows.y.shape[0]:,} {items}, effort {times:g}"
        classes = rows.y.shape[1]
        lines.append({"case": case, "classes": classes, "rld_ratio": ratio, "cpu": cpu})

    for rows in graphs(bench):
        graph = Similarity.from_edges(rows.a, rows.b, rows.value, n_rows=rows.y.shape[0])
        groups = graph.components()
        if np.bincount(groups).max() > rows.y.shape[0] / K:
            continue  # rows would be left out
        for times in (0.1, 1, 10):
            measure(rows, f"rows in {int(groups.max()) + 1:,} components", times, groups=groups)
        measure(rows, "single rows", 1)
    columns = columns_of("case; classes||,d; rld_ratio|rLD/bound|.3f; cpu|CPU s|.3g")
    about = (
        "rLD divided by its lower bound, given whole components or for single rows, by the work "
        "of the search."
    )
    return [Table("More effort", about, columns, lines)]


def conflicts(bench: Run) -> list[Table]:
    """How many classes have to be looked at together before they forbid each other their best."""
    lines: list[dict[str, Any]] = []
    for rows in graphs(bench):
        found = conflict_lines(rows.y, _components(rows), K)
        lines += [{"data": rows.name, "classes": rows.y.shape[1]} | line for line in found]
    columns = columns_of(
        "data; classes||,d; n|together|,d; sets|sets of classes|,d; left|distance left|.1%"
    )
    about = (
        "Splits of whole components made for some classes: the distance of their rLD from the "
        "bounds of these classes, all sets together, as a share of that of one split for all."
    )
    return [Table("Classes that conflict", about, columns, lines)]


# --- large ---------------------------------------------------------------------------


def large(bench: Run) -> list[Table]:
    """Time of a strict split in passes over the edges."""
    lines: list[dict[str, Any]] = []
    sizes = ((5_000, 50_000),) if bench.options.quick else ((50_000, 1_000_000), (500_000, 10**7))
    for n, n_edges in sizes:
        order = {"n": n, "n_edges": n_edges, "n_classes": 100}
        outcome = run("leakage_cases:large", order, bench.limits)
        line = {"rows": f"{n:,}"}
        lines.append(line | (outcome.rows[0] if outcome.rows else {"problem": outcome.problem}))
    columns = [
        *columns_of(
            "rows; edges||,d; largest|largest component|,d; crossing||,d; "
            "dropped|left out|,d; built|graph, CPU s|.3g; "
            "without|split without it, CPU s|.3g; cpu|strict split, CPU s|.3g; "
            "pass|pass over edges, CPU s|.3g; passes||.0f; quality|split_quality, CPU s|.3g; "
            "arrays_mb|graph, MB|.0f"
        ),
        MB,
    ]
    about = (
        "Families of many sizes, one edge in a thousand between any two rows; 100 classes, 5 "
        "parts. A pass counts the crossing edges of given parts in NumPy; passes are what the "
        "strict split takes beyond the split without a graph. The largest component "
        "is that of the rows kept."
    )
    table = Table("Large graphs", about, columns, lines)
    if "passes" in lines[-1]:
        passes = lines[-1]["passes"]
        table.notes.append(verdict(passes < 100, f"under 100 passes over the edges: {passes:.0f}"))
    return [table]


TABLES = {
    "methods": methods,
    "bound": bound,
    "effort": effort,
    "conflicts": conflicts,
    "large": large,
    "validated": validated,
    "negatives": negatives,
}


if __name__ == "__main__":
    sys.exit(main())
