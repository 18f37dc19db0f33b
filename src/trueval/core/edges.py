"""Edges of a graph of rows, checked, as a sparse matrix: what ``similarity.py`` is made of."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.arrays import as_numbers, plain
from trueval.core.errors import Fix, InputError, quote

__all__ = ["MOST_ROWS", "edge_matrix", "largest_of_cells", "neighbor_edges"]

MOST_ROWS = 2**31 - 1
#: Rows that edges may number without ``n_rows``: beyond, a number is an id, or wrong.
_ROWS, _ROWS_OF_EDGE = 10**7, 1000


def edge_matrix(left: Any, right: Any, similarity: Any, n_rows: int | None) -> sp.csr_array:
    """Largest similarity of each pair of row numbers; not yet symmetric."""
    sides = [_row_numbers(side) for side in (left, right)]
    values = np.ones(len(sides[0])) if similarity is None else similarity
    largest = max((int(side.max(initial=-1)) for side in sides), default=-1)
    n = largest + 1 if n_rows is None else int(n_rows)
    if largest >= n:
        raise InputError(f"an edge has row {largest}, but there are {n:,} rows.")
    if n_rows is None and n > max(_ROWS, _ROWS_OF_EDGE * len(sides[0])):
        raise InputError(
            f"an edge has row {largest}, so that {len(sides[0]):,} edges would be of {n:,} rows.",
            fix=Fix("Number the rows from 0; if there are so many, pass {}.", "n_rows", n),
        )
    numbers = as_numbers(values, "similarities")
    if not numbers.shape == sides[0].shape == sides[1].shape:
        raise InputError(
            f"{len(sides[0]):,} and {len(sides[1]):,} row numbers for similarities of shape "
            f"{numbers.shape}; give one of each for an edge."
        )
    return largest_of_cells(sides[0], sides[1], numbers, n)


def neighbor_edges(
    neighbors: Any, similarity: Any
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float64], int]:
    """Row, neighbour and similarity of each neighbour that is a row, and the number of rows."""
    numbers, values = plain(neighbors, "neighbors"), as_numbers(similarity, "similarities")
    if numbers.ndim != 2 or numbers.shape != values.shape:
        raise InputError(
            "neighbours and their similarities must be of one shape (n_rows, n_neighbors). Got "
            f"{numbers.shape} and {values.shape}."
        )
    rows = np.repeat(np.arange(len(numbers)), numbers.shape[1])
    there = numbers.ravel() != -1
    return rows[there], numbers.ravel()[there], values.ravel()[there], len(numbers)


def _row_numbers(rows: Any) -> NDArray[np.int64]:
    """Row numbers, also as floats: a list of rows and similarities has no others."""
    numbers = plain(rows, "the list of edges")
    if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iuf"):
        raise InputError(
            f"edges must be given by row numbers in one dimension. Got {quote(rows)} instead."
        )
    whole = (numbers >= 0) & (numbers < MOST_ROWS) & (numbers == np.rint(numbers))
    if not whole.all():
        edge = int(np.argmin(whole))
        number = numbers[edge].item()
        said = f"{number:g}" if isinstance(number, float) else str(number)
        raise InputError(
            f"edge {edge} has row {said}; rows are whole numbers, counted from 0, and fewer than "
            f"{MOST_ROWS:,}."
        )
    return numbers.astype(np.int64)


def largest_of_cells(
    rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64], n: int
) -> sp.csr_array:
    """CSR with the largest value of each cell; SciPy adds them, so sort where any is repeated."""
    summed = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(n, n)))
    if summed.nnz == len(values):
        return summed
    keys = rows * n + columns
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    entries = (np.maximum.reduceat(values[order], first), np.divmod(keys[first], n))
    return sp.csr_array(sp.coo_array(entries, shape=(n, n)))
