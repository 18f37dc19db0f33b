"""Kernels in several threads at once, on shared data: the results of one thread alone."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trueval import ObjectKFold, _kernels, as_labels, distributed, split_quality, stratified_folds
from trueval.cafa import evaluate, read_predictions, read_truth
from trueval.data import read_labels, read_ontology
from trueval.pairs import ObjectLeaveTwoOut, cross_val_scores_knn, cross_val_scores_ridge
from trueval.rank import (
    HalfNormalRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    PrecisionRanker,
    hierarchical_order,
    make_consistent,
    pick_threshold,
)

RNG = np.random.default_rng(0)
N = 300
Y = as_labels((RNG.random((N, 20)) < np.linspace(0.6, 0.05, 20)).astype(int))
SCORES = RNG.random((N, 20)) + 0.5 * Y.toarray()
TIES = SCORES.round(1)
GROUPS = np.arange(N) // 7
GRAPH = [(i, i + 1, 0.9) for i in range(N - 1) if i % 3 or i < 150]  # one chain must be cut
TREE = np.array([-1, *(int(RNG.integers(0, j)) for j in range(1, 20))])
DAG = [(child, int(parent)) for child in range(1, 20) for parent in {0, child // 2}]
PAIRS = RNG.integers(0, 50, size=(400, 2))
ANSWERS = RNG.integers(0, 2, 400)
FEATURES = RNG.random((50, 3))
LISTS = b"id,labels\n" + b"".join(b" %d ,a;b%d;c\n" % (i, i % 7) for i in range(60))
LONG = b"id,label\n" + b"".join(b"%d,c%d\n" % (i % 40, i % 9) for i in range(80))
WIDE = b"id,a,b\n" + b"".join(b"%d,%d,1\n" % (i, i % 2) for i in range(60))
LINES = b"".join(b"%d,%d 1:0.5\n" % (i % 5, 5 + i % 3) for i in range(60))
TERMS = [f"GO:{number:07d}" for number in range(6)]
ONTOLOGY = b"format-version: 1.2\n" + b"".join(
    f"\n[Term]\nid: {term}\nname: {term}\nnamespace: molecular_function\n".encode()
    + (f"is_a: {TERMS[number // 2]}\n".encode() if number else b"")
    for number, term in enumerate(TERMS)
)
TRUTH = b"".join(f"P{i}\t{TERMS[1 + i % 5]}\n".encode() for i in range(30))
PREDICTED = b"".join(f"P{i}\t{TERMS[1 + i % 3]}\t0.{1 + i % 9}\n".encode() for i in range(30))


def _folds(**options):
    return stratified_folds(Y, 4, random_state=1, **options)


def _transformed(ranker):
    return ranker.fit(SCORES, Y).transform(SCORES)


def _read(content, **options):
    return read_labels(content, **options).toarray()


def _cafa():
    result = evaluate(
        read_predictions(PREDICTED),
        read_truth(TRUTH),
        read_ontology(ONTOLOGY),
        n_resamples=10,
    )
    return np.array([aspect.fmax for aspect in result.values()])


def _blocks(folder):
    source = folder / "y.parquet"
    if not source.exists():
        lists = [[f"c{c}" for c in row.indices] for row in Y.matrix]
        pq.write_table(pa.table({"row": [f"r{i}" for i in range(N)], "class": lists}), source)
    out = folder / f"{RNG.bytes(8).hex()}.parquet"
    distributed.split(source, 4, out=out, blocks=3, core=100, random_state=1)
    return pq.read_table(out)["fold"].to_numpy()


WORK = {
    "anneal": lambda folder: _folds(),
    "optisplit": lambda folder: _folds(method="optisplit"),
    "iterative": lambda folder: _folds(method="iterative"),
    "pmbsrs": lambda folder: _folds(method="pmbsrs"),
    "groups": lambda folder: _folds(groups=GROUPS),
    "similarity": lambda folder: _folds(similarity=GRAPH, threshold=0.5),
    "quality": lambda folder: np.array([split_quality(Y, np.arange(N) % 4).rld]),
    "bound of groups": lambda folder: np.array(
        [split_quality(Y, GROUPS % 4, groups=GROUPS).group_bound]
    ),
    "isotonic": lambda folder: _transformed(IsotonicRanker(n_jobs=2)),
    "precision": lambda folder: _transformed(PrecisionRanker()),
    "local precision": lambda folder: _transformed(LocalPrecisionRate(bandwidth="loo-precision")),
    "ties": lambda folder: np.stack(LocalPrecisionRate().fit(TIES, Y).interval(TIES)),
    "guarantee": lambda folder: np.array(
        [pick_threshold(SCORES, Y, precision=0.5, guarantee="exact").threshold]
    ),
    "half-normal": lambda folder: _transformed(HalfNormalRanker()),
    "tree": lambda folder: make_consistent(SCORES, TREE),
    "graph": lambda folder: make_consistent(SCORES, DAG, rule="max"),
    "order": lambda folder: np.stack(hierarchical_order(SCORES, TREE)[:2]),
    "pairs": lambda folder: np.concatenate(
        [test for _, test in ObjectKFold(4, random_state=1).split(PAIRS, groups=PAIRS)]
    ),
    "neighbours": lambda folder: cross_val_scores_knn(
        FEATURES, PAIRS, ANSWERS, ObjectKFold(4, random_state=1), [3, 5]
    ),
    "ridge": lambda folder: cross_val_scores_ridge(
        FEATURES[PAIRS].reshape(400, -1), PAIRS, ANSWERS, ObjectLeaveTwoOut()
    ),
    "lists": lambda folder: _read(LISTS),
    "entries": lambda folder: _read(LONG),
    "flags": lambda folder: _read(WIDE),
    "lines": lambda folder: _read(LINES, format="svmlight"),
    "CAFA": lambda folder: _cafa(),
    "blocks": _blocks,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WORK)
def test_threads_do_not_meet(name, tmp_path):
    expected = WORK[name](tmp_path)
    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("ignore")
        for result in pool.map(lambda _: WORK[name](tmp_path), range(8)):
            np.testing.assert_array_equal(result, expected)


@pytest.mark.filterwarnings("ignore")
def test_every_kernel_runs_in_threads(tmp_path, monkeypatch):
    kernels = {name for name in dir(_kernels) if not name.startswith("_")}
    called = set()

    def watched(name):
        kernel = getattr(_kernels, name)

        def call(*args, **options):
            called.add(name)
            return kernel(*args, **options)

        return call

    for name in kernels:
        monkeypatch.setattr(_kernels, name, watched(name))
    for work in WORK.values():
        work(tmp_path)
    assert sorted(kernels - called) == []
