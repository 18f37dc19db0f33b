"""Pairs of objects that have terms: distinct random pairs, and which of them share a term."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError

__all__ = ["distinct_pairs", "share_a_term"]


def distinct_pairs(
    n_objects: int, n_pairs: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Random pairs of two different objects, the smaller number first, no pair twice.

    >>> distinct_pairs(50, 2, np.random.default_rng(0)).shape
    (2, 2)
    """
    if n_pairs > n_objects * (n_objects - 1) // 4:
        raise InputError(f"{n_pairs:,} pairs are too many for {n_objects:,} objects; use fewer.")
    chosen: dict[int, None] = {}
    while len(chosen) < n_pairs:
        a, b = generator.integers(n_objects, size=(2, n_pairs))
        keys = np.minimum(a, b) * n_objects + np.maximum(a, b)
        for key in keys[a != b].tolist():
            chosen.setdefault(key)
    keys = np.array(list(chosen)[:n_pairs], dtype=np.int64)
    return np.column_stack([keys // n_objects, keys % n_objects])


def share_a_term(
    terms: sp.csr_array, a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the objects of each pair have a column in common.

    >>> terms = sp.csr_array([[1, 0], [1, 1], [0, 1]])
    >>> share_a_term(terms, np.array([0, 0]), np.array([1, 2])).tolist()
    [True, False]
    """
    distinct, numbers = np.unique(np.concatenate([a, b]), return_inverse=True)
    used = terms[distinct].astype(np.float64)
    left, right = used[numbers[: len(a)]], used[numbers[len(a) :]]
    return np.asarray(left.multiply(right).sum(axis=1)).reshape(-1) > 0
