"""Pairs of objects, beside the peers: ``python -m benchmarks.pairs [TABLE …]``.

Who keeps objects apart (our audit of everybody's split), exact fast leave-two-out against refits,
the published Park-Marcotte splits, the null of the pooled AUC, the balance of parts. Real data are
read from the folder in ``TRUEVAL_DATA``.
"""

import sys
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, parser
from benchmarks.data import data_folder
from benchmarks.envs import environment
from benchmarks.pairs_cases import protein_pairs
from benchmarks.pairs_peers import PAIR_SPLITS
from benchmarks.process import Meter, run
from benchmarks.record import Column, Table, columns_of

CPU = Column("cpu", "CPU s", ".3g", "low")
RATIO = Column("ratio", "× ours", ".3g")
MB = Column("mb", "MB", ".0f", "low")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen tables, all by default."""
    made = parser("pairs", __doc__)
    made.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    made.add_argument("--objects", type=int, default=100, help="objects of the refits (100)")
    made.add_argument("--folds", type=int, default=60, help="folds sampled of the refits (60)")
    options = made.parse_args(arguments)
    unknown = set(options.tables) - set(TABLES)
    if unknown:
        made.error(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    if options.quick:
        options.objects, options.folds = min(options.objects, 40), min(options.folds, 10)
    bench = Run.start("pairs", "Pairs of objects", options, arguments)
    return bench.show_all(TABLES)


# --- who keeps objects apart --------------------------------------------------------


def leaks(bench: Run) -> list[Table]:
    """Pairs of one kind of object and of two, split by everybody, judged by our audit."""
    sizes = ((40, 5),) if bench.options.quick else ((100, 10), (500, 5))
    tables = [_leaks(bench, n_objects, k) for n_objects, k in sizes]
    return [*tables, _leaks(bench, *sizes[0], symmetric=False)]


def _pairs(n_objects: int, symmetric: bool) -> np.ndarray:
    """All pairs of few objects, 10,000 of many, or half of the cells of two kinds."""
    generator = np.random.default_rng(0)
    if not symmetric:
        cells = generator.choice(n_objects**2, n_objects**2 // 2, replace=False)
        return np.column_stack(np.divmod(cells, n_objects))
    pairs = np.array(list(combinations(range(n_objects), 2)))
    return pairs if n_objects <= 100 else generator.choice(pairs, 10_000, replace=False)


def _leaks(bench: Run, n_objects: int, k: int, symmetric: bool = True) -> Table:
    from trueval.pairs import audit_pairs

    pairs = _pairs(n_objects, symmetric)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        file, out = Path(scratch, "pairs.npy"), Path(scratch, "rows.npz")
        np.save(file, pairs)
        for name, way in PAIR_SPLITS.items():
            ours = way.package == "trueval"
            if bench.options.no_peers and not ours:
                continue
            row = {"method": name, "kind": "ours" if ours else "peer", "default": ours}
            python = {}
            if way.apart:
                found = environment(way.package, bench.options.peer_env)
                if found.problem:
                    rows.append(row | {"problem": found.problem})
                    continue
                python = {"python": found.python}
                row["version"] = found.version
            order = {"name": name, "pairs": str(file), "k": k, "symmetric": symmetric}
            outcome = run("pairs_cases:split", order | {"out": str(out)}, bench.limits, **python)
            if not outcome.rows:
                rows.append(row | {"problem": outcome.problem})
                continue
            with np.load(out) as made:
                train, test = made["train"], made["test"]
            audit = audit_pairs(pairs, train, test, symmetric=symmetric)
            shares = {role: count / max(1, len(test)) for role, count in audit.counts.items()}
            seen = {"train": len(train), "test": len(test), "shared": audit.n_shared_objects}
            rows.append(row | outcome.rows[0] | shares | seen)
    _beside(rows)
    columns = [
        *columns_of(
            "method; train|train pairs|,d; test|test pairs|,d; BB|both new|.0%|high; "
            "AB|one new|.0%; AA|none new|.0%|low; shared|shared objects|d|low"
        ),
        CPU,
        RATIO,
        MB,
    ]
    kind = f"pairs of {n_objects} objects of one kind"
    if not symmetric:
        kind = f"pairs of {n_objects} objects of one kind and {n_objects} of another"
    about = (
        f"{len(pairs):,} {kind}, {k} folds, the first fold judged by audit_pairs: what share of "
        "its test pairs have both objects new to training."
    )
    notes = [
        "DataSAIL has no mode for pairs of one kind: an object gets one part as the first and "
        "another as the second of a pair, and so comes on both sides."
    ]
    title = f"Who keeps objects apart, {n_objects} objects"
    if not symmetric:
        title += " of each of two kinds"
    return Table(title, about, columns, rows, notes if symmetric else [])


def _beside(rows: list[dict[str, Any]]) -> None:
    """Times beside that of our row."""
    base = next((row["cpu"] for row in rows if row.get("default") and "cpu" in row), None)
    for row in rows:
        row["ratio"] = row["cpu"] / base if base and "cpu" in row else None


# --- exact and fast -----------------------------------------------------------------


def refits(bench: Run) -> list[Table]:
    """Leave-two-out of KNN and ridge, ours against refits of scikit-learn, and RLScore."""
    objects, folds = bench.options.objects, bench.options.folds
    tables = []
    for model, peers in (
        (
            "knn",
            {"knn_refits": "KNeighborsRegressor, refitted", "knn_searches": "one search for all K"},
        ),
        ("ridge", {"ridge_refits": "Ridge, refitted"}),
    ):
        with tempfile.TemporaryDirectory() as scratch:
            order = {"objects": objects, "out": str(Path(scratch, "scores.npz"))}
            ours = run(f"pairs_cases:{model}", order, bench.limits)
            rows = [_said(f"cross_val_scores_{model}", "ours", ours) | {"default": True}]
            if not bench.options.no_peers:
                for case, peer in peers.items():
                    again = run(f"pairs_cases:{case}", order | {"folds": folds}, bench.limits)
                    rows.append(_said(f"scikit-learn {peer}", "peer", again))
                if model == "ridge":
                    rows.append(_rlscore(bench))
        _beside(rows)
        columns = [
            *columns_of("method; fits||,d; sampled|fits timed|,d"),
            CPU,
            RATIO,
            MB,
            Column("difference", "largest difference", ".1e"),
        ]
        about = (
            f"Strict and relaxed leave-two-out of all pairs of {objects} objects"
            f"{', ten values of K' if model == 'knn' else ''}. Refits: time of all fits from a "
            f"sample of {folds} folds a scheme."
        )
        tables.append(Table(f"Exact leave-two-out, {model}", about, columns, rows))
    return tables


def _said(name: str, kind: str, outcome: Any) -> dict[str, Any]:
    row = {"method": name, "kind": kind, "problem": outcome.problem or None}
    return row | (outcome.rows[0] if outcome.rows else {})


def _rlscore(bench: Run) -> dict[str, Any]:
    """RLScore has an exact leave-two-out of its own for complete sets, if it installs."""
    row = {"method": "rlscore TwoStepRLS", "kind": "peer"}
    found = environment("rlscore", bench.options.peer_env)
    if found.problem:
        return row | {"problem": found.problem}
    order = {"objects": bench.options.objects}
    outcome = run("rlscore_case:leave_two_out", order, bench.limits, found.python)
    return row | (outcome.rows[0] if outcome.rows else {"problem": outcome.problem})


# --- ours alone -----------------------------------------------------------------------


def audit(bench: Run) -> list[Table]:
    """The audit against the 40 Park-Marcotte splits, whose roles are known."""
    from trueval.pairs import audit_pairs

    columns = columns_of(
        "role; rows|test pairs|,d; agree|named alike|,d; auc|AUC of object identity alone|.3f"
    )
    title = "Audit of the 40 Park-Marcotte splits"
    folder = data_folder()
    source = folder / "ppi_park_marcotte_yeast.npz" if folder else None
    if source is None or not source.is_file():
        missing = {"role": "all", "problem": "no ppi_park_marcotte_yeast.npz in TRUEVAL_DATA"}
        return [Table(title, "", columns, [missing])]
    with np.load(source, allow_pickle=False) as file:
        pairs, y, role = np.column_stack([file["a"], file["b"]]), file["y"], file["role"]
    names = {2: "AA", 3: "AB", 4: "BB"}
    found: dict[str, dict[str, Any]] = {
        name: {"role": name, "rows": 0, "agree": 0, "auc": []} for name in names.values()
    }
    n_splits = 4 if bench.options.quick else role.shape[1]
    meter, seconds = Meter(), 0.0
    for number in range(n_splits):
        mine = role[:, number]
        train, test = np.flatnonzero(mine == 1), np.flatnonzero(mine >= 2)
        result, cpu = meter.time(lambda t=train, v=test: audit_pairs(pairs, t, v, y=y))
        seconds += cpu
        expected = np.array([names[r] for r in mine[test].tolist()])
        for name, row in found.items():
            own = expected == name
            row["rows"] += int(own.sum())
            row["agree"] += int((result.roles[own] == name).sum())
            if name in result.identity_auc_by_role:
                row["auc"].append(result.identity_auc_by_role[name])
    rows = [
        row | {"auc": float(np.mean(row["auc"])) if row["auc"] else None} for row in found.values()
    ]
    about = f"{n_splits} splits, {seconds:.1f} s of CPU; the published role of each test pair."
    return [Table(title, about, columns, rows)]


def null(bench: Run) -> list[Table]:
    """Pooled AUC of a predictor that outputs its training rate: should be 0.5."""
    from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, pooled_auc

    _, pairs, y = protein_pairs(bench.options.objects)
    splitters = {
        "leave-two-out": (ObjectLeaveTwoOut, {}),
        "10-fold": (ObjectKFold, {"balance": "objects", "random_state": 0}),
        "overlapping 10-fold": (
            ObjectKFold,
            {"overlapping": True, "balance": "objects", "random_state": 0},
        ),
    }
    rows = []
    for name, (splitter, options) in splitters.items():
        row: dict[str, Any] = {"method": name, "kind": "ours"}
        for scheme in ("strict", "relaxed"):
            folds, rates = [], []
            for train, test in splitter(scheme=scheme, **options).split(groups=pairs):
                folds.append((y[test], np.zeros(len(test))))
                rates.append(y[train].mean())
            row[scheme] = float(pooled_auc(folds, null=True, train_rates=rates).null)
        rows.append(row)
    columns = columns_of("method|folds; strict||.3f; relaxed||.3f")
    about = (
        "Pooled AUC of a predictor that gives each test pair the rate of its training pairs: it "
        "knows nothing, and 0.5 would be true. The library shows this null beside a pooled AUC."
    )
    return [Table("Null of the pooled AUC", about, columns, rows)]


def balance(bench: Run) -> list[Table]:
    """Splitting time and balance on a large incomplete set with hubs."""
    from trueval.pairs import ObjectKFold

    n_objects, n_pairs = (200, 5_000) if bench.options.quick else (2_000, 100_000)
    rng = np.random.default_rng(0)
    weight = 1.0 / np.arange(1, n_objects + 1) ** 0.7
    pairs = rng.choice(n_objects, (n_pairs, 2), p=weight / weight.sum())
    y = rng.random(len(pairs)) < weight[pairs].mean(axis=1) / weight.mean() * 0.1
    rows = []
    for name, options in (
        ("parts of equal objects", {"balance": "objects"}),
        ("parts of equal pairs (default)", {}),
        ("and of equal positives", {"stratify": True}),
    ):
        meter, cv = Meter(), ObjectKFold(5, random_state=0, **options)
        folds, cpu = meter.time(lambda cv=cv: list(cv.folds(y=y, groups=pairs)))
        sizes = [len(fold.test) for fold in folds]
        rates = [float(y[fold.test].mean()) for fold in folds]
        rows.append(
            {
                "method": name,
                "kind": "ours",
                "least": min(sizes),
                "most": max(sizes),
                "low": min(rates),
                "high": max(rates),
                "cpu": cpu,
            }
        )
    columns = [
        *columns_of(
            "method|ObjectKFold(5); least|fewest test pairs|,d; most||,d; "
            "low|lowest positive rate|.3f; high|highest|.3f"
        ),
        CPU,
    ]
    about = f"{n_pairs:,} pairs of {n_objects:,} objects with hubs."
    return [Table("Balance of parts", about, columns, rows)]


TABLES = {"leaks": leaks, "refits": refits, "audit": audit, "null": null, "balance": balance}


if __name__ == "__main__":
    sys.exit(main())
