"""Pairs of a test and a training row that may be near duplicates, in linear time.

Sparse rows are sets of columns: MinHash (Broder 1997) with banding. Dense rows are points:
projections on random lines, cut into cells (Datar et al. 2004). Both put similar rows into the same
bucket with a probability that is known, and look at buckets only; what is found is measured
afterwards, so that nothing here decides.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["band_keys", "bucket_pairs", "cell_keys", "min_hashes"]

#: MinHash: two sets of Jaccard index J share a bucket with probability 1 - (1 - J**4)**8.
BANDS, BAND_SIZE = 8, 4
#: Projections: tables, lines of each, and the width of a cell in radii.
TABLES, LINES, CELL = 12, 16, 6.0
_U = np.uint64
_BLOCK = 1 << 16


def min_hashes(matrix: Any, n_hashes: int, generator: np.random.Generator) -> NDArray[np.uint32]:
    """Smallest hash of the columns of each row, of several hash functions; rows in columns.

    A row without columns has the largest number for all. Hash functions are random orders of the
    columns, so that two rows agree in one with the Jaccard index of their columns.
    """
    n, d = matrix.shape
    smallest = np.full((n_hashes, n), np.iinfo(np.uint32).max, np.uint32)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if len(filled):
        start = matrix.indptr[filled]
        for row in smallest:
            order = generator.permutation(d).astype(np.uint32)
            row[filled] = np.minimum.reduceat(order[matrix.indices], start)
    return smallest


def band_keys(matrix: Any, generator: np.random.Generator) -> list[NDArray[np.uint64]]:
    """A key of each row for each band of MinHashes; a row without columns has its own."""
    hashes = min_hashes(matrix, BANDS * BAND_SIZE, generator)
    keys = [_folded(hashes[at : at + BAND_SIZE]) for at in range(0, len(hashes), BAND_SIZE)]
    empty = np.flatnonzero(np.diff(matrix.indptr) == 0)
    for key in keys:
        key[empty] = empty
    return keys


def cell_keys(
    points: NDArray[np.float32], radius: float, generator: np.random.Generator
) -> list[NDArray[np.uint64]]:
    """A key of each point for each table: its cells on some random lines."""
    n, d = points.shape
    width = CELL * radius
    lines = generator.standard_normal((d, TABLES * LINES)).astype(np.float32) / np.float32(width)
    shift = generator.random(TABLES * LINES).astype(np.float32)
    keys = [np.empty(n, _U) for _ in range(TABLES)]
    for first in range(0, n, _BLOCK):
        block = slice(first, first + _BLOCK)
        cells = np.floor(points[block] @ lines + shift).astype(np.int64).astype(_U)
        for table, key in enumerate(keys):
            key[block] = _folded(cells[:, table * LINES : (table + 1) * LINES].T)
    return keys


def _folded(parts: NDArray[Any]) -> NDArray[np.uint64]:
    """One key of several numbers."""
    key = np.zeros(parts.shape[1], _U)
    for part in parts:
        key ^= part.astype(_U) + _U(0x9E3779B97F4A7C15) + (key << _U(6)) + (key >> _U(2))
        key *= _U(0xFF51AFD7ED558CCD)
        key ^= key >> _U(32)
    return key


def bucket_pairs(
    keys: list[NDArray[np.uint64]], train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Test rows with a training row in the same bucket, and one or two such rows, each pair once.

    Of a bucket, the training rows next to a test row by number are taken: a bucket with many
    rows must not make many pairs.
    """
    pairs = []
    for key in keys:
        order = np.lexsort((train, key[train]))
        of_train, rows = key[train][order], train[order]
        above = np.searchsorted(of_train, key[test], "left")
        below = np.searchsorted(of_train, key[test], "right") - 1
        hit = above <= below
        pairs += [np.stack([test[hit], rows[place[hit]]]) for place in (above, below)]
    both = np.unique(np.concatenate(pairs, axis=1), axis=1)
    return both[0], both[1]
