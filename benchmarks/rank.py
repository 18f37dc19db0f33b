"""Speed and honesty of trueval.rank: ``python -m benchmarks.rank``.

Without options, the speed of the kernels beside plain NumPy, in CPU time. ``--large`` is
the fit of 500,000 objects × 5,000 classes, ``--honesty`` how often a promised precision is
missed (``--runs`` trials, 100 by default). The tables of the paper are studies:
``trueval.study``.
"""

import argparse
import gzip
import time
import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks.data import data_folder
from trueval.data.simulate_scores import simulation_one
from trueval.rank import (
    IsotonicRanker,
    LocalPrecisionRate,
    OneClassWarning,
    OptimalThresholds,
    PrecisionRanker,
    TargetWarning,
    average_precision,
    make_consistent,
    pick_threshold,
)
from trueval.rank.hierarchy import as_hierarchy
from trueval.rank.smoother import choose_bandwidth, local_quadratic


def cpu(work, repeats=3):
    """Least CPU seconds of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def numpy_fit(u, v, h, rows=500):
    """The O(M²) fit, vectorised over blocks of rows."""
    out = np.empty((2, len(u)))
    for i in range(0, len(u), rows):
        t = (u[None, :] - u[i : i + rows, None]) / h
        w = np.maximum(1 - t * t, 0.0)
        S = np.stack([(w * t**j).sum(1) for j in range(5)])
        T = np.stack([(w * t**j) @ v for j in range(3)])
        A = np.moveaxis(S[np.add.outer(np.arange(3), np.arange(3))], 2, 0)
        solved = np.linalg.solve(A, T.T[:, :, None])[:, :, 0]
        out[:, i : i + rows] = solved[:, 0], solved[:, 1] / h
    return out


def print_speed():
    rng = np.random.default_rng(0)
    print("local quadratic fit at all M points, one bandwidth (h = 0.1), CPU seconds")
    for M in (10**3, 10**4, 10**5, 10**6, 10**7):
        u, v = np.arange(1, M + 1) / M, rng.random(M)
        irregular = np.sort(rng.random(M))
        even = cpu(lambda u=u, v=v: local_quadratic(u, v, 0.1, even=True))
        general = cpu(lambda u=irregular, v=v: local_quadratic(u, v, 0.1))
        print(
            f"  M {M:>10,}  ranks {even:.6f} ({even / M * 1e9:.1f} ns a point)   any u "
            f"{general:.6f} ({general / M * 1e9:.1f} ns a point)",
            flush=True,
        )
    M = 10**4
    u, v = np.arange(1, M + 1) / M, rng.random(M)
    naive = cpu(lambda: numpy_fit(u, v, 0.1), repeats=1)
    ours = cpu(lambda: local_quadratic(u, v, 0.1, even=True), repeats=20)
    gap = np.abs(numpy_fit(u, v, 0.1)[0] - local_quadratic(u, v, 0.1, even=True).value).max()
    print(
        f"M 10,000: NumPy O(M²) {naive:.3f} s, ours {ours:.6f} s: {naive / ours:,.0f} times faster "
        f"(bar 3,000); largest difference {gap:.1e}"
    )
    M = 10**6
    u, v, shuffled = np.arange(1, M + 1) / M, rng.random(M), rng.random(M)
    sort = cpu(lambda: np.sort(shuffled), repeats=7)
    grid = np.geomspace(0.03, 0.2, 20)
    chosen = cpu(lambda: choose_bandwidth(u, v, grid, even=True))
    print(
        f"M 1,000,000, 20 bandwidths: {chosen:.3f} s = {chosen / sort:.0f} × numpy.sort "
        f"({sort:.4f} s; bar 60)"
    )
    scores, y = simulation_one(5000, 0.1, random_state=0)
    scores, y = np.tile(scores, (1, 200)), sp.csr_array(sp.hstack([y] * 200))
    print("5,000 objects × 1,000 classes, dense, one thread:")
    for ranker in (IsotonicRanker(shrink=True), LocalPrecisionRate(), PrecisionRanker()):
        name = type(ranker).__name__
        print(
            f"  {name} fit + transform {cpu(lambda r=ranker: r.fit_transform(scores, y), 1):.2f} s"
        )
    print(f"  OptimalThresholds fit {cpu(lambda: OptimalThresholds().fit(scores, y), 1):.2f} s")
    print(f"  average_precision {cpu(lambda: average_precision(scores, y), 1):.2f} s")
    print_hierarchy(rng)
    print_pooled(rng)


def print_hierarchy(rng):
    n, K = 2000, 10_000
    parent = np.array([-1, *(rng.integers(max(0, k - 500), k) for k in range(1, K))])
    values = rng.random((n, K))
    for rule in ("project", "max", "min"):
        seconds = cpu(lambda rule=rule: make_consistent(values, parent, rule=rule), 1)
        print(f"make_consistent, {n:,} objects × {K:,} terms, tree, {rule}: {seconds:.2f} s")
    if data_folder() is None:
        print("make_consistent on the Gene Ontology: needs TRUEVAL_DATA")
        return
    graph, members = gene_ontology(K, n, rng)
    labels = members.toarray() > 0
    kinds = {
        "uniform scores, the worst case": rng.random(labels.shape),
        "labels plus noise": np.where(
            labels, rng.beta(4, 2, labels.shape), rng.beta(0.2, 8, labels.shape)
        ),
    }
    kinds["the same, 98 % of the others absent"] = np.where(
        labels | (rng.random(labels.shape) < 0.02), kinds["labels plus noise"], 0.0
    )
    for name, values in kinds.items():
        wall, start = time.perf_counter(), time.process_time()
        _, gap = make_consistent(values, graph, return_gap=True, n_jobs=2)
        print(
            f"make_consistent, {n:,} objects × {K:,} terms of the 2014 Gene Ontology "
            f"({len(graph.child):,} edges), {name}: {time.process_time() - start:.1f} s CPU, "
            f"{time.perf_counter() - wall:.1f} s in 2 threads; proven gap at most {gap.max():.0e}",
            flush=True,
        )


def gene_ontology(n_terms, n_rows, rng):
    """The most used terms of GO in 2014, and some proteins with them."""
    folder = data_folder()
    members = sp.load_npz(folder / "swissprot_go_2014_Y.npz").tocsc()
    with gzip.open(folder / "swissprot_go_2014_labels.tsv.gz", "rt") as lines:
        terms = [line.split("\t", 1)[0] for line in lines][1:]
    kept = np.sort(np.argsort(-np.diff(members.indptr), kind="stable")[:n_terms])
    column = {terms[k]: i for i, k in enumerate(kept)}
    with gzip.open(folder / "go_2014_edges.tsv.gz", "rt") as lines:
        edges = [line.split("\t")[:2] for line in lines][1:]
    edges = [(column[c], column[p]) for c, p in edges if c in column and p in column]
    rows = rng.choice(members.shape[0], n_rows, replace=False)
    return as_hierarchy(edges, n_terms), members[:, kept].tocsr()[rows]


def print_pooled(rng):
    n, K, top = 500_000, 5_000, 50
    scores, y = sparse_problem(rng, n, K, top)
    seconds = cpu(lambda: average_precision(scores, y), 1)
    print(f"average_precision, {scores.nnz:,} stored pairs: {seconds:.1f} s")
    scores, y = sparse_problem(rng, 16_000, 500, 50)
    for asked in ({"precision": 0.5}, {"recall": 0.5}):
        for sure in (None, 0.9):
            seconds = cpu(lambda a=asked, s=sure: pick_threshold(scores, y, confidence=s, **a), 1)
            print(f"pick_threshold, {scores.nnz:,} stored pairs, {asked}, {sure}: {seconds:.1f} s")


def sparse_problem(rng, n, K, top):
    """Top scores of classes whose sizes fall like a power of their rank."""
    weight = 1.0 / np.arange(1, K + 1) ** 0.7
    classes = rng.choice(K, size=(n, top + 20), p=weight / weight.sum())
    rows = np.repeat(np.arange(n), classes.shape[1])
    pattern = sp.csr_array((np.ones(rows.size, np.int8), (rows, classes.ravel())), shape=(n, K))
    pattern.sum_duplicates()
    chance = rng.beta(0.15, 2.0, size=pattern.nnz)
    member = rng.random(pattern.nnz) < chance
    noisy = chance + rng.normal(0, 0.1, size=pattern.nnz)
    scores = sp.csr_array((noisy, pattern.indices, pattern.indptr), shape=(n, K))
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))[member]
    ones = np.ones(len(rows), np.int8)
    return scores, sp.csr_array((ones, (rows, pattern.indices[member])), shape=(n, K))


def print_large(n_jobs):
    rng = np.random.default_rng(0)
    scores, y = sparse_problem(rng, 500_000, 5_000, 50)
    print(f"500,000 objects × 5,000 classes, {scores.nnz:,} stored scores, {n_jobs} thread(s)")
    for ranker in (PrecisionRanker(n_jobs=n_jobs), LocalPrecisionRate(n_jobs=n_jobs)):
        wall, start = time.perf_counter(), time.process_time()
        values = ranker.fit(scores, y).transform(scores)
        print(
            f"  {type(ranker).__name__}: fit + transform {time.perf_counter() - wall:.0f} s wall, "
            f"{time.process_time() - start:.0f} s CPU; area {average_precision(scores, y):.4f} -> "
            f"{average_precision(values, y):.4f} (in-sample)",
            flush=True,
        )


def print_honesty(trials):
    """How often a precision of 0.9 is missed on new data of the same size."""
    print("wanted precision 0.9; share of trials whose test precision is below it; mean recall")
    for cell in ((100, 0.05), (200, 0.1), (500, 0.2)):
        missed = {"in-sample": [], "cross-fitted": [], "confidence 0.9": []}
        for trial in range(trials):
            rng = np.random.default_rng([7, trial])
            (scores, y), (new, new_y) = (simulation_one(*cell, random_state=rng) for _ in "ab")
            if y.nnz == 0 or new_y.nnz == 0:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("ignore", OneClassWarning)
                warnings.simplefilter("ignore", TargetWarning)
                ranker = PrecisionRanker().fit(scores, y)
                naive = pick_threshold(ranker.transform(scores), y, precision=0.9)
                made = {"in-sample": ranker.transform(new) >= naive.threshold}
                for name, sure in (("cross-fitted", None), ("confidence 0.9", 0.9)):
                    choice = pick_threshold(
                        scores, y, precision=0.9, ranker=PrecisionRanker(), confidence=sure
                    )
                    made[name] = choice.predict(new).toarray() > 0
            truth = new_y.toarray() > 0
            for name, calls in made.items():
                if calls.any():
                    hits = (calls & truth).sum()
                    missed[name].append((hits / calls.sum() < 0.9, hits / truth.sum()))
        for name, found in missed.items():
            share, recall = np.mean(found, axis=0)
            print(
                f"  M {cell[0]}, pi {cell[1]}: {name:15s} missed {share:.0%}, recall {recall:.3f}"
            )


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rank", description=__doc__)
    parser.add_argument("--large", action="store_true", help="500,000 objects × 5,000 classes")
    parser.add_argument("--honesty", action="store_true", help="missed precision targets")
    parser.add_argument("--runs", type=int, default=100, help="trials of --honesty")
    parser.add_argument("--jobs", type=int, default=1, help="threads of --large")
    options = parser.parse_args()
    if options.large:
        print_large(options.jobs)
    if options.honesty:
        print_honesty(options.runs)
    if not (options.large or options.honesty):
        print_speed()


if __name__ == "__main__":
    main()
