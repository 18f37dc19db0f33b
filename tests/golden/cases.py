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


#: Options of ``stratified_folds``; those of a case that does not say its seed come from 1.
FOLDS: dict[str, dict[str, object]] = {
    **{
        f"{method}, parts {name}, seed {seed}": {
            "parts": parts, "method": method, "random_state": seed,
        }
        for method in METHODS
        for name, parts in (("5", 5), ("80-10-10", [0.8, 0.1, 0.1]))
        for seed in (0, 7)
    },
    **{
        f"{method}, groups, parts {name}": {"parts": parts, "method": method, "groups": groups()}
        for method in ("anneal", "random")
        for name, parts in (("4", 4), ("70-30", [0.7, 0.3]))
    },
    "anneal, fixed, parts 3": {"parts": 3, "fixed": fixed()},
    "anneal, fixed, parts 60-20-20": {"parts": [0.6, 0.2, 0.2], "fixed": fixed()},
    "anneal, parts 40": {"parts": 40},
    "anneal, row counts": {"parts": [250, 100, 50]},
    "anneal, effort 0": {"effort": 0},
    "anneal, effort 3": {"effort": 3},
    "anneal, three starts": {"n_starts": 3},
    "anneal, larger": {"y": labels(5000, 120, seed=6), "parts": 10},
    "optisplit, dcp": {"method": "optisplit", "measure": "dcp"},
    "optisplit, ld": {"method": "optisplit", "measure": "ld"},
    "optisplit, given start": {
        "method": "optisplit", "initial": np.arange(400, dtype=np.int32) % 5,
    },
}  # fmt: skip

#: Makes labels of another container.
CONTAINERS: dict[str, Callable[[np.ndarray], object]] = {
    "csr int64": lambda y: sp.csr_array(y.astype(np.int64)),
    "csc bool": lambda y: sp.csc_matrix(y.astype(bool)),
    "coo float": lambda y: sp.coo_array(y.astype(float)),
    "sets": lambda y: [set(np.flatnonzero(row).tolist()) for row in y],
}

#: A splitter, and what ``split`` takes besides X and y.
SPLITTERS: dict[str, tuple[object, dict[str, object]]] = {
    "KFold": (MultilabelStratifiedKFold(4, random_state=2), {}),
    "KFold, unshuffled iterative": (
        MultilabelStratifiedKFold(4, shuffle=False, method="iterative", random_state=2), {},
    ),
    "repeated KFold": (RepeatedMultilabelStratifiedKFold(3, 2, random_state=2), {}),
    "shuffle split": (
        MultilabelStratifiedShuffleSplit(3, test_size=0.3, train_size=0.5, random_state=2), {},
    ),
    "group KFold": (MultilabelStratifiedGroupKFold(4, random_state=2), {"groups": groups()}),
}  # fmt: skip

PAIR_SPLITTERS = {
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
    "stratified": ObjectKFold(5, stratify=True, random_state=3),
}


def cases() -> dict[str, Callable[[], object]]:
    """Every pinned case by name."""
    y = labels()
    X = np.zeros((len(y), 1))
    return {
        **{name: partial(_folds, **{"random_state": 1, **of}) for name, of in FOLDS.items()},
        **{
            f"container {name}": lambda make=make: _folds(make(y), random_state=0)
            for name, make in CONTAINERS.items()
        },
        **{name: partial(_indices, cv, X, y, **more) for name, (cv, more) in SPLITTERS.items()},
        "train_test_split": partial(_held_out, test_size=0.25),
        "train_test_split, groups": partial(_held_out, test_size=0.25, groups=groups()),
        **{
            f"pairs, {name}": partial(_pair_indices, cv, with_labels=name == "stratified")
            for name, cv in PAIR_SPLITTERS.items()
        },
    }
