"""Speed of trueval.rank by itself: bars, large problems, hierarchies, thresholds.

Tables of ``python -m benchmarks.rank``; each case is one process (:mod:`benchmarks.process`).
"""

import gzip
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.command import Run, say
from benchmarks.data import data_folder
from benchmarks.process import Meter, run
from benchmarks.record import Column, Table, columns_of

__all__ = [
    "bars",
    "consistent",
    "hierarchical",
    "hierarchy",
    "large",
    "many",
    "pick_large",
    "sorts",
    "thresholds",
]

CPU = Column("cpu", "CPU s", ".3g")
WALL = Column("wall", "wall s", ".3g")
MB = Column("mb", "MB", ".0f")
#: What is asked of many scores; None for a fit of the default ranker.
LARGE_TARGETS: dict[str, dict[str, Any] | None] = {
    "fit of PrecisionRanker": None,
    "precision 0.5": {"precision": 0.5},
    "precision 0.5, simultaneous": {"precision": 0.5, "guarantee": "simultaneous"},
    "recall 0.5": {"recall": 0.5},
    "recall 0.5, confidence 0.9": {"recall": 0.5, "confidence": 0.9},
    "best F1": {"beta": 1.0},
}


def _cases(bench: Run, what: str, orders: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each order, by its name."""
    rows = []
    for name, order in orders.items():
        outcome = run(f"rank_speed:{what}", order, bench.limits)
        row = outcome.rows[0] if outcome.rows else {"problem": outcome.problem}
        say(f"{name}: {row.get('cpu', row.get('problem'))}")
        rows.append({"method": name, "kind": "ours"} | row)
    return rows


# --- the smoother's bars ------------------------------------------------------------


def bars(bench: Run) -> list[Table]:
    """Leave-one-out choice of a bandwidth, in sorts of the same array; one fit against NumPy."""
    size = 10**5 if bench.options.quick else 10**6
    rows = _cases(
        bench, "sorts", {f"20 bandwidths at M = {size:,}, in sorts": {"size": size, "grid": 20}}
    )
    rows += _cases(bench, "against_numpy", {"one fit at M = 10,000, times faster": {"size": 10**4}})
    columns = [*columns_of("method|what; value|measured|,.0f; wanted"), CPU]
    about = "Time over that of numpy.sort, and over the O(M²) fit written out in NumPy."
    return [Table("The smoother's bars", about, columns, rows)]


def sorts(*, size: int, grid: int) -> Iterator[dict[str, Any]]:
    """Choose a bandwidth among many, beside one sort."""
    from trueval.rank._smoother import choose_bandwidth

    generator = np.random.default_rng(0)
    u, v = np.arange(1, size + 1) / size, generator.random(size)
    shuffled, widths = generator.random(size), np.geomspace(0.03, 0.2, grid)
    meter = Meter()
    _, sort = meter.steady(lambda: np.sort(shuffled))
    _, cpu = meter.steady(lambda: choose_bandwidth(u, v, widths, even=True))
    yield {"cpu": cpu, "value": cpu / sort, "wanted": "at most 60"}


def against_numpy(*, size: int) -> Iterator[dict[str, Any]]:
    """One fit at all points, beside the sums written out."""
    from benchmarks.rank_cases import BANDWIDTH, naive
    from trueval.rank._smoother import local_quadratic

    u, v = np.arange(1, size + 1) / size, np.random.default_rng(0).random(size)
    meter = Meter()
    expected, slow = meter.time(lambda: naive(u, v))
    fit, cpu = meter.steady(lambda: local_quadratic(u, v, BANDWIDTH, even=True))
    assert np.abs(fit.value - expected).max() < 1e-8
    yield {"cpu": cpu, "value": slow / cpu, "wanted": "at least 3,000"}


# --- many objects and classes, sparse -------------------------------------------------


def large(bench: Run) -> list[Table]:
    """Rankers on sparse top scores of many objects and classes."""
    n, k = (20_000, 500) if bench.options.quick else (500_000, 5_000)
    shape = {"rows": n, "classes": k}
    names = ("PrecisionRanker", "LocalPrecisionRate", "IsotonicRanker")
    rows = _cases(bench, "many", {name: {"ranker": name} | shape for name in names})
    columns = [
        *columns_of("method|ranker; stored|stored scores|,d"),
        CPU,
        MB,
        *columns_of("raw|area, raw|.4f; area|area, ranked|.4f"),
    ]
    about = (
        f"{n:,} objects × {k:,} classes, about 60 scores an object; fit and transform, one thread. "
        "Areas are pooled average precision on a tenth as many new objects; a score means the same "
        "in all classes here, so that raw scores cannot be beaten."
    )
    return [Table("Sparse scores", about, columns, rows)]


def many(*, ranker: str, rows: int, classes: int) -> Iterator[dict[str, Any]]:
    """Fit and transform sparse scores."""
    import trueval.rank

    scores, y = sparse_problem(rows, classes, 50)
    made = getattr(trueval.rank, ranker)(n_jobs=1)
    meter = Meter()
    values, cpu = meter.time(lambda: made.fit(scores, y).transform(scores))
    memory = meter.memory()
    area, stored = trueval.rank.average_precision, scores.nnz
    del values
    new, truth = sparse_problem(rows // 10, classes, 50, seed=1)
    yield {
        "cpu": cpu,
        "stored": stored,
        "raw": area(new, truth),
        "area": area(made.transform(new), truth),
    } | memory


def sparse_problem(n: int, k: int, top: int, seed: int = 0) -> tuple[sp.csr_array, sp.csr_array]:
    """Top scores of classes whose sizes fall like a power of their rank.

    A score means the same in every class, so raw scores rank best; what others lose is the price
    of learning it for each class.
    """
    generator = np.random.default_rng(seed)
    weight = 1.0 / np.arange(1, k + 1) ** 0.7
    classes = generator.choice(k, size=(n, top + 20), p=weight / weight.sum())
    rows = np.repeat(np.arange(n), classes.shape[1])
    pattern = sp.csr_array((np.ones(rows.size, np.int8), (rows, classes.ravel())), shape=(n, k))
    pattern.sum_duplicates()
    chance = generator.beta(0.15, 2.0, size=pattern.nnz)
    member = generator.random(pattern.nnz) < chance
    noisy = chance + generator.normal(0, 0.1, size=pattern.nnz)
    scores = sp.csr_array((noisy, pattern.indices, pattern.indptr), shape=(n, k))
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))[member]
    ones = np.ones(len(rows), np.int8)
    return scores, sp.csr_array((ones, (rows, pattern.indices[member])), shape=(n, k))


# --- thresholds -----------------------------------------------------------------------


def thresholds(bench: Run) -> list[Table]:
    """How long ``pick_threshold`` takes, with and without a bound."""
    n = 1_600 if bench.options.quick else 16_000
    asked = {
        "precision 0.5": {"precision": 0.5},
        "precision 0.5, confidence 0.9": {"precision": 0.5, "confidence": 0.9},
        "recall 0.5": {"recall": 0.5},
        "recall 0.5, confidence 0.9": {"recall": 0.5, "confidence": 0.9},
        "best F1": {"beta": 1.0},
    }
    rows = _cases(bench, "pick", {name: {"asked": a, "rows": n} for name, a in asked.items()})
    columns = [*columns_of("method|asked; stored|stored scores|,d"), CPU, MB]
    about = "pick_threshold on sparse scores of 500 classes, without a ranker, one thread."
    return [Table("Picking a threshold", about, columns, rows), _large_thresholds(bench)]


def _large_thresholds(bench: Run) -> Table:
    """Time beside the fit of the default ranker, and memory beside the scores."""
    n, k, tops = (2_000, 500, (5, 20)) if bench.options.quick else (500_000, 5_000, (20, 200))
    rows: list[dict[str, Any]] = []
    for top in tops:
        shape = {"rows": n, "classes": k, "top": top}
        fit, *picked = _cases(
            bench, "pick_large", {name: shape | {"asked": name} for name in LARGE_TARGETS}
        )
        for row in (fit, *picked):
            if "cpu" in row and "cpu" in fit:
                row["ratio"] = row["cpu"] / fit["cpu"]
        rows += [fit, *picked]
    columns = [
        Column("method", "asked"),
        Column("stored", "stored scores", ",d"),
        CPU,
        Column("ratio", "× the fit", ".2f"),
        MB,
        Column("times", "× the scores", ".1f"),
    ]
    about = (
        f"pick_threshold without a ranker, {n:,} objects × {k:,} classes, one thread, beside "
        "one fit of PrecisionRanker; wanted: at most 3 fits, 4 times the memory of the scores."
    )
    return Table("Picking a threshold among many scores", about, columns, rows)


def pick_large(*, rows: int, classes: int, top: int, asked: str) -> Iterator[dict[str, Any]]:
    """Pick a threshold, or fit the default ranker."""
    from trueval.rank import PrecisionRanker, pick_threshold

    scores, y = _even_problem(rows, classes, top)
    size = scores.data.nbytes + scores.indices.nbytes + scores.indptr.nbytes
    few = np.random.default_rng(1).random((100, 2))
    pick_threshold(few, few[::-1] > 0.5, precision=0.5, ranker=PrecisionRanker(), cv=2)  # imports
    target = LARGE_TARGETS[asked]
    meter = Meter()
    if target is None:
        _, cpu = meter.time(lambda: PrecisionRanker(n_jobs=1).fit(scores, y))
    else:
        _, cpu = meter.time(lambda: pick_threshold(scores, y, **target))
    memory = meter.memory()
    yield {"cpu": cpu, "stored": scores.nnz, "times": memory["mb"] * 1e6 / size} | memory


def _even_problem(n: int, k: int, top: int) -> tuple[sp.csr_array, sp.csr_array]:
    """As many scores in every row, 2 % of them of positives; higher ones are more often."""
    generator = np.random.default_rng(0)
    step = k // top
    start = generator.integers(step, size=(n, 1), dtype=np.int32)
    indices = (start + step * np.arange(top, dtype=np.int32)).ravel()
    indptr = np.arange(0, n * top + 1, top, dtype=np.int32)
    data = generator.random(n * top)
    member = generator.random(n * top, dtype=np.float32) < 0.02
    data[member] += generator.random(int(member.sum()))
    ends = np.concatenate([[0], np.cumsum(member, dtype=np.int32)])[indptr]
    ones = np.ones(int(ends[-1]), np.int8)
    scores = sp.csr_array((data, indices, indptr), shape=(n, k))
    return scores, sp.csr_array((ones, indices[member], ends), shape=(n, k))


def pick(*, asked: dict[str, float], rows: int) -> Iterator[dict[str, Any]]:
    """Pick one threshold."""
    from trueval.rank import pick_threshold

    scores, y = sparse_problem(rows, 500, 50)
    meter = Meter()
    _, cpu = meter.time(lambda: pick_threshold(scores, y, **asked))
    yield {"cpu": cpu, "stored": scores.nnz} | meter.memory()


# --- the true-path rule ---------------------------------------------------------------


def hierarchy(bench: Run) -> list[Table]:
    """``make_consistent`` on a tree and on the Gene Ontology."""
    n, k = (100, 1_000) if bench.options.quick else (2_000, 10_000)
    shape = {"rows": n, "terms": k}
    orders = {
        f"tree, {rule}": {"graph": "tree", "rule": rule, "scores": "uniform"} | shape
        for rule in ("project", "max", "min")
    }
    kinds = ("uniform, the worst case", "labels plus noise", "labels plus noise, few stored")
    folder = data_folder()
    there = folder is not None and Path(folder, "go_2014_edges.tsv.gz").is_file()
    if there:
        for kind in kinds:
            orders[f"Gene Ontology of 2014, project; {kind}"] = {
                "graph": str(folder),
                "rule": "project",
                "scores": kind,
            } | shape
    rows = _cases(bench, "consistent", orders)
    columns = [
        *columns_of("method|hierarchy and rule; edges||,d"),
        CPU,
        WALL,
        Column("gap", "proven gap", ".0e"),
    ]
    about = (
        f"{n:,} objects × {k:,} terms, dense, two threads. The proven gap bounds how far the "
        "squared distance is above the least possible, as a share of it."
    )
    notes = [] if there else ["The Gene Ontology needs TRUEVAL_DATA."]
    table = Table("The true-path rule", about, columns, rows, notes)
    graphs = {"tree": "tree"} | ({"Gene Ontology of 2014": str(folder)} if there else {})
    orders = {name: {"graph": graph} | shape for name, graph in graphs.items()}
    columns = [
        *columns_of("method|hierarchy; plain|PrecisionRanker, CPU s|.3g"),
        CPU,
        *columns_of("ratio|times the plain one|.2f; choice|chosen"),
    ]
    about = f"HierarchicalRanker, fit and transform, {n:,} objects × {k:,} terms, dense; wanted: 4."
    rows = _cases(bench, "hierarchical", orders)
    return [table, Table("Neighbours in a hierarchy", about, columns, rows, notes)]


def hierarchical(*, graph: str, rows: int, terms: int) -> Iterator[dict[str, Any]]:
    """Fit and apply the default ranker, then the one that uses a hierarchy."""
    from trueval.rank import HierarchicalRanker, PrecisionRanker

    generator = np.random.default_rng(0)
    if graph == "tree":
        parent = np.array([-1, *(int(generator.integers(k)) for k in range(1, terms))])
        labels = generator.random((rows, terms)) < 0.7
        for k in range(1, terms):
            labels[:, k] &= labels[:, parent[k]]
        edges: Any = parent
    else:
        edges, labels = _gene_ontology(Path(graph), terms, rows, generator)
        # Labels are propagated inside each namespace only.
        edges = [(c, p) for c, p in edges if not (labels[:, c] & ~labels[:, p]).any()]
    scores = _scores("labels plus noise", labels, generator)
    y = sp.csr_array(labels.astype(np.int32))
    seconds = []
    for ranker in (PrecisionRanker(), HierarchicalRanker(edges)):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes without positives
            ranker.fit(scores, y).transform(scores)
        seconds.append(time.process_time() - start)
    choice = f"{ranker.method_} {ranker.rule_}"
    plain, cpu = seconds
    yield {"plain": plain, "cpu": cpu, "ratio": cpu / plain, "choice": choice}


def consistent(
    *, graph: str, rule: str, scores: str, rows: int, terms: int
) -> Iterator[dict[str, Any]]:
    """Make the values of many objects consistent."""
    from trueval.rank import make_consistent

    generator = np.random.default_rng(0)
    if graph == "tree":
        parent = [-1, *(int(generator.integers(max(0, k - 500), k)) for k in range(1, terms))]
        made: Any = np.array(parent)
        values, edges = generator.random((rows, terms)), terms - 1
    else:
        made, labels = _gene_ontology(Path(graph), terms, rows, generator)
        edges = len(made)
        values = _scores(scores, labels, generator)
    wall, start = time.perf_counter(), time.process_time()
    if rule == "project":
        _, gap = make_consistent(values, made, rule=rule, return_gap=True, n_jobs=2)
        row = {"gap": float(gap.max())}
    else:
        make_consistent(values, made, rule=rule, n_jobs=2)
        row = {}
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    yield {"cpu": cpu, "wall": wall, "edges": edges} | row


def _scores(kind: str, labels: Any, generator: np.random.Generator) -> Any:
    if kind.startswith("uniform"):
        return generator.random(labels.shape)
    noisy = np.where(
        labels, generator.beta(4, 2, labels.shape), generator.beta(0.2, 8, labels.shape)
    )
    if kind.endswith("few stored"):
        return np.where(labels | (generator.random(labels.shape) < 0.02), noisy, 0.0)
    return noisy


def _gene_ontology(
    folder: Path, n_terms: int, n_rows: int, generator: np.random.Generator
) -> tuple[list[tuple[int, int]], Any]:
    """The most used terms of 2014 (child, parent), and some proteins with them."""
    members = sp.load_npz(folder / "swissprot_go_2014_Y.npz").tocsc()
    with gzip.open(folder / "swissprot_go_2014_labels.tsv.gz", "rt") as lines:
        terms = [line.split("\t", 1)[0] for line in lines][1:]
    kept = np.sort(np.argsort(-np.diff(members.indptr), kind="stable")[:n_terms])
    column = {terms[k]: i for i, k in enumerate(kept)}
    with gzip.open(folder / "go_2014_edges.tsv.gz", "rt") as lines:
        named = [line.split("\t")[:2] for line in lines][1:]
    edges = sorted({(column[c], column[p]) for c, p in named if c in column and p in column})
    rows = generator.choice(members.shape[0], n_rows, replace=False)
    return edges, members[:, kept].tocsr()[rows].toarray() > 0
