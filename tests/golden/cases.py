"""The pinned cases: each name gives a function that returns arrays of integers.

The data come from ``numpy.random.RandomState``, whose stream is frozen, so that a changed
hash always means changed folds.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.sparse as sp

from trueval import (
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    stratified_folds,
    train_test_split,
)
from trueval.pairs import RepeatedObjectKFold

METHODS = ("anneal", "optisplit", "iterative", "iterative2", "sampling", "pmbsrs", "random")


def labels(n_rows: int = 400, n_classes: int = 30, seed: int = 1) -> np.ndarray:
    """Dense 0/1 labels with frequent and rare classes, and some equal rows."""
    rng = np.random.RandomState(seed)
    share = 0.6 / (1 + np.arange(n_classes)) ** 0.8
    y = (rng.random_sample((n_rows, n_classes)) < share).astype(np.int8)
    y[-20:] = y[0]
    return y


def groups(n_rows: int = 400) -> np.ndarray:
    return np.random.RandomState(2).randint(0, 90, size=n_rows)


def fixed(n_rows: int = 400) -> np.ndarray:
    parts = np.full(n_rows, -1)
    parts[: n_rows // 4] = np.random.RandomState(3).randint(0, 3, size=n_rows // 4)
    return parts


def pairs(n_pairs: int = 700, n_objects: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(4)
    ids = np.array([f"P{i:03d}" for i in range(n_objects)])
    return ids[rng.randint(0, n_objects, size=(n_pairs, 2))], rng.randint(0, 2, size=n_pairs)


def digest(arrays: Iterator[np.ndarray] | np.ndarray) -> str:
    """SHA-256 of integers as little-endian int64, each array with its length."""
    if isinstance(arrays, np.ndarray):
        arrays = iter([arrays])
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.asarray([len(array)], "<i8").tobytes())
        sha.update(np.asarray(array).astype("<i8").tobytes())
    return sha.hexdigest()


def _indices(splitter, *args, **kwargs) -> Iterator[np.ndarray]:
    for train, test in splitter.split(*args, **kwargs):
        yield np.asarray(train)
        yield np.asarray(test)


def _folds(y=None, parts=5, **options) -> np.ndarray:
    return stratified_folds(labels() if y is None else y, parts, **options)


def _held_out(**options) -> Iterator[np.ndarray]:
    rows = np.arange(400)
    yield from train_test_split(rows, y=labels(), random_state=5, **options)[:2]


def _pair_indices(splitter, *, with_labels: bool = False) -> Iterator[np.ndarray]:
    ids, y = pairs()
    return _indices(splitter, ids, y if with_labels else None, groups=ids)


def _clusters() -> dict[str, int]:
    return {f"P{i:03d}": i // 3 for i in range(60)}


def cases() -> dict[str, Callable[[], object]]:
    """Every pinned case by name."""
    out: dict[str, Callable[[], object]] = {}
    for method in METHODS:
        for name, parts in (("5", 5), ("80-10-10", [0.8, 0.1, 0.1])):
            for seed in (0, 7):
                out[f"{method}, parts {name}, seed {seed}"] = partial(
                    _folds, parts=parts, method=method, random_state=seed
                )
    for method in ("anneal", "random"):
        for name, parts in (("4", 4), ("70-30", [0.7, 0.3])):
            out[f"{method}, groups, parts {name}"] = partial(
                _folds, parts=parts, method=method, groups=groups(), random_state=1
            )
    for name, parts in (("3", 3), ("60-20-20", [0.6, 0.2, 0.2])):
        out[f"anneal, fixed, parts {name}"] = partial(
            _folds, parts=parts, fixed=fixed(), random_state=1
        )
    out["anneal, parts 40"] = partial(_folds, parts=40, random_state=1)
    out["anneal, row counts"] = partial(_folds, parts=[250, 100, 50], random_state=1)
    for effort in (0, 3):
        out[f"anneal, effort {effort}"] = partial(_folds, effort=effort, random_state=1)
    out["anneal, three starts"] = partial(_folds, n_starts=3, random_state=1)
    out["anneal, larger"] = partial(_folds, labels(5000, 120, seed=6), parts=10, random_state=1)
    for measure in ("dcp", "ld"):
        out[f"optisplit, {measure}"] = partial(
            _folds, method="optisplit", measure=measure, random_state=1
        )
    out["optisplit, given start"] = partial(
        _folds, method="optisplit", initial=np.arange(400, dtype=np.int32) % 5, random_state=1
    )
    many = labels()
    containers = {
        "csr int64": partial(sp.csr_array, many.astype(np.int64)),
        "csc bool": partial(sp.csc_matrix, many.astype(bool)),
        "coo float": partial(sp.coo_array, many.astype(float)),
        "sets": lambda: [set(np.flatnonzero(row).tolist()) for row in many],
    }
    for name, make in containers.items():
        out[f"container {name}"] = lambda make=make: _folds(make(), random_state=0)
    y = labels()
    X = np.zeros((len(y), 1))
    out["KFold"] = lambda: _indices(MultilabelStratifiedKFold(4, random_state=2), X, y)
    out["KFold, unshuffled iterative"] = lambda: _indices(
        MultilabelStratifiedKFold(4, shuffle=False, method="iterative", random_state=2), X, y
    )
    out["repeated KFold"] = lambda: _indices(
        RepeatedMultilabelStratifiedKFold(3, 2, random_state=2), X, y
    )
    out["shuffle split"] = lambda: _indices(
        MultilabelStratifiedShuffleSplit(3, test_size=0.3, train_size=0.5, random_state=2), X, y
    )
    out["group KFold"] = lambda: _indices(
        MultilabelStratifiedGroupKFold(4, random_state=2), X, y, groups=groups()
    )
    out["train_test_split"] = partial(_held_out, test_size=0.25)
    out["train_test_split, groups"] = partial(_held_out, test_size=0.25, groups=groups())
    pair_splitters = {
        "strict": ObjectKFold(5, random_state=3),
        "relaxed": ObjectKFold(5, scheme="relaxed", random_state=3),
        "overlapping": ObjectKFold(4, overlapping=True, random_state=3),
        "AB": ObjectKFold(5, setting="AB", random_state=3),
        "bipartite": ObjectKFold(5, symmetric=False, random_state=3),
        "one side cold": ObjectKFold(5, symmetric=False, cold=1, random_state=3),
        "clusters": ObjectKFold(5, clusters=_clusters(), random_state=3),
        "objects": ObjectKFold(5, balance="objects", random_state=3),
        "shuffle": ObjectShuffleSplit(3, test_size=0.3, random_state=3),
        "repeated": RepeatedObjectKFold(3, 2, random_state=3),
        "leave two out": ObjectLeaveTwoOut(),
    }
    for name, splitter in pair_splitters.items():
        out[f"pairs, {name}"] = partial(_pair_indices, splitter)
    out["pairs, stratified"] = partial(
        _pair_indices, ObjectKFold(5, stratify=True, random_state=3), with_labels=True
    )
    return out
