"""What a measuring process does for the leakage benchmark; peers' environments need NumPy only."""

import importlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.leakage_peers import GRAPH_SPLITS, Problem
from benchmarks.process import Meter

__all__ = ["fingerprints", "large", "negatives", "split"]


def split(*, name: str, problem: str, k: int, out: str) -> Iterator[dict[str, Any]]:
    """One way to split one graph; the parts go to a file."""
    way, graph = GRAPH_SPLITS[name], Problem.load(problem)
    importlib.import_module(way.module)
    meter = Meter()
    with tempfile.TemporaryDirectory() as folder:
        parts, cpu = meter.time(lambda: way.split(graph, k, Path(folder)))
    np.save(out, np.asarray(parts).astype(np.int32))
    yield {"cpu": cpu} | meter.memory()


# --- molecules -----------------------------------------------------------------------

_CORES = (
    "c1ccc({})cc1{}", "c1cc({})ncc1{}", "c1ccc2c({})cccc2c1{}", "O=C1CC({})CCN1{}",
    "C1CN({})CCN1{}", "c1sc({})cc1{}", "c1oc({})cc1{}", "c1nc({})[nH]c1{}", "C1CCC({})CC1{}",
    "O=S(=O)({})c1ccc({})cc1", "c1ccc(-c2ccc({})cc2)cc1{}", "C1CC2CC1CC2({}){}",
    "c1cnc({})nc1{}", "O=c1cc({})oc2ccccc12{}",
)  # fmt: skip
_SIDES = (
    "C", "CC", "C(C)C", "CCO", "OC", "C(=O)O", "C(=O)N", "N", "NC", "F", "Cl", "Br", "C#N", "CF",
    "C(F)(F)F", "S(=O)(=O)N", "CN(C)C", "c1ccccc1", "C1CC1", "OCC", "NC(=O)C", "CCCC", "C=C", "CSC",
)  # fmt: skip


def molecules() -> tuple[list[str], np.ndarray]:
    """SMILES of every core with every two side chains, and which chains and rings each has."""
    named, labels = [], []
    for core, form in enumerate(_CORES):
        for first, left in enumerate(_SIDES):
            for second, right in enumerate(_SIDES):
                named.append(form.format(left, right))
                row = np.zeros(len(_SIDES) + len(_CORES), np.int8)
                row[[first, second, len(_SIDES) + core]] = 1
                labels.append(row)
    return named, np.array(labels)


def fingerprints(*, n: int, threshold: float, out: str) -> Iterator[dict[str, Any]]:
    """Molecules and their similar pairs: Tanimoto of Morgan fingerprints, by RDKit."""
    from rdkit import Chem, DataStructs, RDLogger
    from rdkit.Chem import rdFingerprintGenerator

    RDLogger.DisableLog("rdApp.*")
    named, labels = molecules()
    rows = np.random.default_rng(0).permutation(len(named))
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=1024)
    seen, prints, chosen = set(), [], []
    for row in rows.tolist():
        molecule = Chem.MolFromSmiles(named[row])
        if molecule is None or Chem.MolToSmiles(molecule) in seen:
            continue
        seen.add(Chem.MolToSmiles(molecule))
        prints.append(generator.GetFingerprint(molecule))
        chosen.append(row)
        if len(chosen) == n:
            break
    edges: list[tuple[int, int, float]] = []
    for i, one in enumerate(prints):
        values = DataStructs.BulkTanimotoSimilarity(one, prints[:i])
        edges += [(i, j, value) for j, value in enumerate(values) if value >= threshold]
    a, b, value = map(np.array, zip(*edges, strict=True))
    np.savez(out, a=a, b=b, value=value, y=labels[chosen])
    yield {"rows": len(chosen), "edges": len(edges)}


# --- large ---------------------------------------------------------------------------


def families(n: int, n_edges: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges inside families of many sizes, and one in a thousand between two of any rows."""
    generator = np.random.default_rng(seed)
    size = np.minimum(generator.zipf(1.6, n), n // 50)
    family = np.repeat(np.arange(len(size)), size)[:n]
    first = np.searchsorted(family, family)
    last = np.searchsorted(family, family, "right")
    a = generator.integers(0, n, n_edges)
    b = first[a] + (generator.random(n_edges) * (last - first)[a]).astype(np.int64)
    far = generator.random(n_edges) < 0.001
    b[far] = generator.integers(0, n, int(far.sum()))
    keep = a != b
    return a[keep], b[keep], generator.uniform(0.3, 1.0, int(keep.sum()))


def large(*, n: int, n_edges: int, n_classes: int) -> Iterator[dict[str, Any]]:
    """CPU time of a strict split, of the same split without the graph, and of a pass over edges."""
    from trueval import split_quality, stratified_folds
    from trueval.data import Similarity, simulate

    a, b, value = families(n, n_edges)
    y = simulate.label_matrix(n, n_classes, random_state=0)
    start = time.process_time()
    graph = Similarity.from_edges(a, b, value, n_rows=n)
    built = time.process_time() - start
    del a, b, value
    meter, matrix = Meter(), graph.matrix
    label = np.arange(n, dtype=np.int32) % 5

    def crossing() -> int:
        """Edges between parts, counted in NumPy: a plain pass."""
        return int((np.repeat(label, np.diff(matrix.indptr)) != label[matrix.indices]).sum())

    _, one_pass = meter.steady(crossing, 1.0)
    _, without = meter.time(lambda: stratified_folds(y, 5, random_state=0))
    meter = Meter()
    folds, cpu = meter.time(lambda: stratified_folds(y, 5, similarity=graph, random_state=0))
    quality, measured = meter.time(lambda: split_quality(y, folds, similarity=graph))
    yield {
        "edges": graph.n_edges,
        "largest": quality.leakage.largest_component,
        "crossing": quality.crossing_edges,
        "dropped": quality.n_dropped,
        "built": built,
        "pass": one_pass,
        "without": without,
        "cpu": cpu,
        "passes": (cpu - without) / one_pass,
        "quality": measured,
        "arrays_mb": (matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes) / 1e6,
    } | meter.memory()


# --- negatives -----------------------------------------------------------------------


def negatives(*, pairs: str, strategy: str, ratio: float, k: int) -> Iterator[dict[str, Any]]:
    """Negatives for positives of an object split, judged by the degrees of their objects."""
    from trueval.pairs import ObjectKFold, audit_pairs, sample_negatives

    with np.load(pairs) as file:
        positives, symmetric = file["pairs"], bool(file["symmetric"])
    ends = ObjectKFold(k, symmetric=symmetric, random_state=0).parts(groups=positives)
    # Training and test sides of the first fold: pairs of objects held out, and of none of them.
    part = np.where((ends == 0).all(1), 1, np.where((ends > 0).all(1), 0, -1))
    meter = Meter()
    drawn, cpu = meter.time(
        lambda: sample_negatives(
            positives,
            ratio=ratio,
            strategy=strategy,
            folds=part,
            symmetric=symmetric,
            random_state=0,
        )
    )
    memory = meter.memory()
    sides = [np.flatnonzero(drawn.folds == side) for side in (0, 1)]
    y = np.asarray(drawn.pairs.y)
    # The audit measures degrees inside the test side; each side takes its turn.
    aucs = [
        audit_pairs(drawn.pairs.pairs, *order, y=y, symmetric=symmetric).degree_auc
        for order in (sides[::-1], sides)
    ]
    width = int(positives.max()) + 1
    known = np.sort(_keys(positives, width, symmetric))
    keys = np.sort(_keys(drawn.pairs.pairs[y == 0], width, symmetric))
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    false = int((known[at] == keys).sum())
    alone = 0
    for rows in sides:
        has = np.zeros((2, width), dtype=bool)
        for label in (0, 1):
            has[label][drawn.pairs.pairs[rows][y[rows] == label].ravel()] = True
        alone += int((has[0] & ~has[1]).sum())
    yield {
        "positives": int((part >= 0).sum()),
        "negatives": drawn.n_negatives,
        "most": None if symmetric else sum(_most(positives[part == j], ratio) for j in (0, 1)),
        "train_auc": aucs[0],
        "test_auc": aucs[1],
        "known": false,
        "alone": alone,
        "cpu": cpu,
    } | memory


def _most(positives: np.ndarray, ratio: float) -> int:
    """Most pairs that are not positive, an object in no more than the ratio times its positives."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import maximum_flow

    sides = [np.unique(positives[:, side], return_inverse=True)[1] for side in (0, 1)]
    n, m = (int(side.max()) + 1 for side in sides)
    free = np.ones((n, m), dtype=bool)
    free[sides[0], sides[1]] = False
    shares = [np.ceil(ratio * np.bincount(side)).astype(np.int32) for side in sides]
    room = np.zeros((n + m + 2, n + m + 2), np.int32)  # source, first column, second column, sink
    room[0, 1 : n + 1], room[1 : n + 1, n + 1 : -1], room[n + 1 : -1, -1] = (
        shares[0],
        free,
        shares[1],
    )
    return int(maximum_flow(sp.csr_array(room), 0, n + m + 1).flow_value)


def _keys(pairs: np.ndarray, width: int, symmetric: bool) -> np.ndarray:
    numbers = np.asarray(pairs).astype(np.int64)
    if symmetric:
        numbers = np.sort(numbers, axis=1)
    return numbers[:, 0] * width + numbers[:, 1]
