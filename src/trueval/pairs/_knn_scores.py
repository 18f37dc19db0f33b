"""Scores of nearest neighbours: of queries, and of rows without what their folds hold out."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.arrays import as_binary, as_numbers, is_binary, n_rows_of, plain
from trueval.core.errors import Fix, InputError
from trueval.core.ids import PairIndex
from trueval.core.pairs import Pairs
from trueval.core.params import Interval, Many
from trueval.pairs._tasks import Tasks

__all__ = [
    "N_NEIGHBORS",
    "as_target",
    "as_values",
    "as_vectors",
    "masked_scores",
    "query_scores",
    "refuse_large",
    "row_numbers",
]

_Floats = NDArray[np.float64]
_CELLS = 1 << 27  # inner products held at a time, 1 GiB
_ONE_K = Interval(int, 1)

#: What ``n_neighbors`` may be where several are computed at once.
N_NEIGHBORS = (
    _ONE_K,
    Many(_ONE_K, "a sequence of them"),
)


def masked_scores(
    vectors: NDArray[np.float64],
    pairs: NDArray[np.int64],
    target: NDArray[np.float64],
    tasks: Tasks,
    values: NDArray[np.int64],
    strict: bool,
    relaxed: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of all tasks under either scheme, (n_tasks, n_values) each; empty if not asked for."""
    kernel_values, back = _ascending(values)
    folds = (tasks.labels, tasks.start, tasks.p, tasks.q)
    first, second, fewest = _answers(
        vectors, pairs, vectors, pairs, target, folds, kernel_values, strict, relaxed
    )
    if len(tasks.p) and fewest < kernel_values[-1]:
        raise InputError(
            f"n_neighbors goes up to {kernel_values[-1]} but the smallest training set has "
            f"{fewest} pairs.",
            fix=Fix("Use smaller n_neighbors, more parts or {}.", "scheme", "relaxed")
            if strict
            else "Use smaller n_neighbors or more parts.",
        )
    n = len(kernel_values)
    return first.reshape(-1, n)[:, back], second.reshape(-1, n)[:, back]


def query_scores(
    train_vectors: NDArray[np.float64],
    train_pairs: NDArray[np.int64],
    target: NDArray[np.float64],
    query_vectors: NDArray[np.float64],
    query_pairs: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.float64]:
    """KNN scores of query pairs, for all K: nothing masked."""
    kernel_values, back = _ascending(values)
    n = len(query_pairs)
    nothing = np.full(n, -1, dtype=np.int32)
    no_labels = np.zeros(train_pairs.shape, dtype=np.int32)
    folds = (no_labels, np.arange(n + 1, dtype=np.int64), nothing, nothing)
    scores, _, fewest = _answers(
        query_vectors,
        query_pairs,
        train_vectors,
        train_pairs,
        target,
        folds,
        kernel_values,
        True,
        False,
    )
    if n and fewest < kernel_values[-1]:
        raise InputError(
            f"n_neighbors goes up to {kernel_values[-1]} but there are {fewest} training pairs; "
            "use smaller n_neighbors."
        )
    return scores.reshape(-1, len(kernel_values))[:, back]


def _answers(
    query: _Floats,
    query_pairs: NDArray[np.int64],
    train: _Floats,
    train_pairs: NDArray[np.int64],
    target: _Floats,
    folds: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]],
    values: NDArray[np.int64],
    strict: bool,
    relaxed: bool,
) -> tuple[_Floats, _Floats, int]:
    """Scores of all tasks of the queries, some queries at a time, and the fewest neighbours.

    Inner products of the objects of queries and of training take the most memory. Queries do
    not depend on each other, so blocks of them need those of their own objects only.
    """
    labels, start, p, q = folds
    train, train_pairs = _used(train, train_pairs)
    query, query_pairs = _used(query, query_pairs)
    centre = _centre(query, train)
    centred = train - centre
    train_norm = _norms(centred, train_pairs)
    ta, tb = _columns(train_pairs)
    label_a, label_b = _columns(labels)
    one_block = len(query) * len(train) <= _CELLS
    step = len(query_pairs) if one_block else max(1, _CELLS // (2 * len(train)))
    parts = []
    for low in range(0, max(len(query_pairs), 1), max(step, 1)):
        high = min(low + step, len(query_pairs))
        vectors, pairs = _used(query, query_pairs[low:high])
        about = vectors - centre
        a, b = _columns(pairs)
        entries = slice(start[low], start[high])
        parts.append(
            _kernels.pair_knn(
                vectors.shape[1],
                vectors.reshape(-1),
                train.reshape(-1),
                np.ascontiguousarray(about @ centred.T).reshape(-1),
                _norms(about, pairs),
                train_norm,
                a,
                b,
                ta,
                tb,
                target,
                label_a,
                label_b,
                start[low : high + 1] - start[low],
                p[entries],
                q[entries],
                values,
                strict,
                relaxed,
            )
        )
    if len(parts) == 1:
        return parts[0]
    # Without tasks a block has all the neighbours it needs.
    first, second = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return first, second, min(part[2] for part in parts)


def _used(vectors: _Floats, pairs: NDArray[np.int64]) -> tuple[_Floats, NDArray[np.int64]]:
    """Only the objects that occur in pairs: the Gram matrix is of these."""
    occurring, numbers = np.unique(pairs, return_inverse=True)
    if len(occurring) == len(vectors):
        return np.ascontiguousarray(vectors), pairs
    return np.ascontiguousarray(vectors[occurring]), numbers.reshape(pairs.shape)


def _centre(query: _Floats, train: _Floats) -> _Floats:
    """The training mean: about it there is less to cancel."""
    mean = train.mean(axis=0)
    if (train == np.rint(train)).all() and (query == np.rint(query)).all():
        mean = np.rint(mean)  # counts and fingerprints stay whole, and equal distances equal
    return mean


def _norms(vectors: _Floats, pairs: NDArray[np.int64]) -> _Floats:
    """Squared norms of pairs: |a + b|² = |a|² + |b|² + 2ab."""
    square = np.einsum("ij,ij->i", vectors, vectors)
    inner = np.zeros(len(pairs))
    for column in np.ascontiguousarray(vectors.T):  # in place of a table of pairs
        inner += column[pairs[:, 0]] * column[pairs[:, 1]]
    return square[pairs[:, 0]] + square[pairs[:, 1]] + 2 * inner


def _ascending(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """K in ascending order, and the way back to the order asked for."""
    distinct, back = np.unique(values, return_inverse=True)
    return distinct, back.reshape(-1)


def _columns(pairs: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return (
        np.ascontiguousarray(pairs[:, 0], dtype=np.int32),
        np.ascontiguousarray(pairs[:, 1], dtype=np.int32),
    )


def as_vectors(objects: Any) -> NDArray[np.float64]:
    """Vectors of objects as finite numbers."""
    vectors = as_numbers(objects, "objects")
    if vectors.ndim != 2 or not vectors.size:
        raise InputError(
            f"objects must be of shape (n_objects, n_features). Got shape {vectors.shape} instead."
        )
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise InputError(
            f"objects has NaN or infinite values, first in row {int(np.flatnonzero(bad)[0])}; "
            "impute or drop them."
        )
    # Squared distances of pairs are sums of this many products of differences, and must be finite.
    refuse_large(vectors, 64 * vectors.shape[1], "objects", "squared distances")
    return vectors


def refuse_large(
    values: NDArray[np.float64], n_terms: int, what: str, sums: str = "sums of products"
) -> None:
    """Refuse numbers whose products cannot be added up so many times."""
    largest = math.sqrt(np.finfo(np.float64).max / max(n_terms, 1))
    if np.abs(values).max(initial=0.0) > largest:
        rows = np.abs(values).reshape(len(values), -1).max(axis=1)
        row = int(np.flatnonzero(rows > largest)[0])
        raise InputError(
            f"{what} has numbers whose {sums} are no finite numbers, first in row {row} "
            f"({rows[row]:.3g}; at most {largest:.3g}); scale them."
        )


def row_numbers(pairs: Any, n_objects: int) -> NDArray[np.int64]:
    if isinstance(pairs, PairIndex):
        pairs = np.asarray(pairs.names)[pairs.codes]
    elif isinstance(pairs, Pairs):
        pairs = pairs.pairs
    numbers = pairs.to_numpy() if hasattr(pairs, "to_numpy") else plain(pairs, "pairs")
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        raise InputError(f"pairs must be of shape (n_pairs, 2). Got shape {numbers.shape} instead.")
    if numbers.dtype.kind not in "iu":
        raise InputError(
            f"pairs must be row numbers of objects. Got dtype {numbers.dtype} instead; number "
            "your ids first."
        )
    if not len(numbers):
        raise InputError("pairs is empty; at least one row is needed.")
    if numbers.min() < 0 or numbers.max() >= n_objects:
        raise InputError(
            f"pairs names object {numbers.max() if numbers.max() >= n_objects else numbers.min()}, "
            f"but objects has the rows 0 … {n_objects - 1}."
        )
    return numbers.astype(np.int64)


def as_target(y: Any, n_rows: int, rows: str = "pairs") -> NDArray[np.float64]:
    if (n_labels := n_rows_of(y, "y")) != n_rows:
        raise InputError(f"y has {n_labels} labels but {rows} has {n_rows} rows.")
    target = as_numbers(y, "labels y")
    if target.ndim != 1 or not np.isfinite(target).all():
        raise InputError("y must be one finite number for each pair.")
    return as_binary(target).astype(np.float64) if is_binary(target) else target


def as_values(n_neighbors: Any) -> NDArray[np.int64]:
    """Values of K as an array."""
    return np.atleast_1d(np.asarray(n_neighbors)).astype(np.int64)
