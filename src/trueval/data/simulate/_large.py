"""Heavy-tailed label matrices of any size, made in blocks of rows.

Every cell is an independent coin with the chance of its class, so that the
expected size of each class is known exactly. Each block of rows has a random
stream of its own: the matrix depends on the seed alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import ParameterError
from trueval.core.params import Constraints, Interval, constrained
from trueval.core.random import as_generator, draw_seed
from trueval.data.simulate._labels import TAIL

__all__ = ["class_chances", "heavy_tailed", "heavy_tailed_blocks"]

BLOCK = 65_536
"""Rows of a block."""

MOST = 0.9
"""Largest share of rows a class has."""


_SHAPE: Constraints = {
    "n_rows": Interval(int, 1),
    "n_classes": Interval(int, 1),
    "positives": Interval(float),
    "tail": TAIL,
    "smallest": Interval(float, 0),
}


@constrained(**_SHAPE)
def class_chances(
    n_rows: int, n_classes: int, positives: int, *, tail: float = 1.0, smallest: float = 5.0
) -> NDArray[np.float64]:
    """Chance of each class: a power of its rank, with a floor and a ceiling.

    >>> from trueval.data.simulate._large import class_chances
    >>> chance = class_chances(1000, 10, 2000)
    >>> round(float(chance.sum()) * 1000)
    2000
    """
    floor, ceiling = min(smallest / n_rows, MOST), MOST
    least, most = n_classes * floor * n_rows, n_classes * ceiling * n_rows
    if not least <= positives <= most:
        expected = (
            f"from {least:,.0f} ({smallest:g} for each class) to {most:,.0f} ({MOST:.0%} of the "
            "cells)"
        )
        raise ParameterError("positives", expected, positives)
    shape = np.arange(1, n_classes + 1, dtype=float) ** -tail
    low, high = 0.0, ceiling / shape[-1]
    # Invariant: the wanted factor lies between low and high; the sum grows with it.
    for _ in range(200):
        middle = (low + high) / 2
        if np.clip(middle * shape, floor, ceiling).sum() * n_rows < positives:
            low = middle
        else:
            high = middle
    return np.clip(high * shape, floor, ceiling)


@constrained(**_SHAPE)
def heavy_tailed_blocks(
    n_rows: int,
    n_classes: int,
    positives: int,
    *,
    tail: float = 1.0,
    smallest: float = 5.0,
    random_state: Any = None,
) -> Iterator[sp.csr_array]:
    """Yield a heavy-tailed label matrix in blocks of 65,536 rows.

    Parameters
    ----------
    n_rows, n_classes : int
    positives : int
        Expected number of positives of the whole matrix.
    tail : float, default=1.0
        Power by which class sizes fall with their rank.
    smallest : float, default=5.0
        Least expected size of a class.
    random_state : None, int, Generator or RandomState

    Yields
    ------
    scipy.sparse.csr_array of int32
        At most 65,536 rows, all classes.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> blocks = simulate.heavy_tailed_blocks(100_000, 50, 200_000, random_state=0)
    >>> [block.shape for block in blocks]
    [(65536, 50), (34464, 50)]
    """
    chance = class_chances(n_rows, n_classes, positives, tail=tail, smallest=smallest)
    # A Poisson number of draws of rate -log(1 - p) hits a cell with chance p.
    rate = -np.log1p(-chance)
    seed = np.random.SeedSequence(draw_seed(as_generator(random_state)))
    n_blocks = -(-n_rows // BLOCK)
    for block, stream in enumerate(seed.spawn(n_blocks)):
        rows = min(BLOCK, n_rows - block * BLOCK)
        generator = np.random.default_rng(stream)
        column = np.repeat(np.arange(n_classes), generator.poisson(rows * rate))
        cell = generator.integers(rows, size=len(column)) * n_classes + column
        cell.sort()
        cell = cell[np.diff(cell, prepend=-1) > 0]
        indptr = np.searchsorted(cell, np.arange(rows + 1, dtype=np.int64) * n_classes)
        indices = (cell % n_classes).astype(np.int32)
        ones = np.ones(len(indices), dtype=np.int32)
        yield sp.csr_array((ones, indices, indptr), shape=(rows, n_classes))


@constrained(**_SHAPE)
def heavy_tailed(
    n_rows: int,
    n_classes: int,
    positives: int,
    *,
    tail: float = 1.0,
    smallest: float = 5.0,
    random_state: Any = None,
) -> sp.csr_array:
    """Make a heavy-tailed label matrix of up to hundreds of millions of positives.

    Beside the matrix itself, five bytes a positive, only one block of rows is in
    memory at a time.

    Parameters
    ----------
    n_rows, n_classes : int
    positives : int
        Expected number of positives; the number drawn differs by a few times its
        square root.
    tail : float, default=1.0
        Power by which class sizes fall with their rank.
    smallest : float, default=5.0
        Least expected size of a class.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    scipy.sparse.csr_array of int32, shape (n_rows, n_classes)
        Classes from the largest to the smallest. Labels are independent; for
        labels that come together see ``simulate.label_matrix``.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> y = simulate.heavy_tailed(10_000, 100, 50_000, random_state=0)
    >>> y.shape, 49_000 < y.nnz < 51_000
    ((10000, 100), True)
    """
    blocks = heavy_tailed_blocks(
        n_rows, n_classes, positives, tail=tail, smallest=smallest, random_state=random_state
    )
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    # Eight standard deviations of room; grown if luck goes further.
    room = max(positives, 0)  # what cannot be had is refused by the first block
    indices = np.empty(int(room + 8 * np.sqrt(room) + 16), dtype=np.int32)
    rows = filled = 0
    for block in blocks:
        end = filled + block.nnz
        if end > len(indices):
            indices = np.concatenate([indices, np.empty(end, dtype=np.int32)])
        indices[filled:end] = block.indices
        indptr[rows + 1 : rows + block.shape[0] + 1] = block.indptr[1:] + filled
        rows, filled = rows + block.shape[0], end
    indices = indices[:filled]
    if filled < 2**31 - 1:
        indptr = indptr.astype(np.int32)
    else:
        indices = indices.astype(np.int64)  # SciPy wants one type for both
    ones = np.ones(filled, dtype=np.int32)
    return sp.csr_array((ones, indices, indptr), shape=(n_rows, n_classes))
