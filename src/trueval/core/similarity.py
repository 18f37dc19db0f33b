"""``Similarity``: a sparse graph of similar rows or objects, however it is given."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from trueval.core.arrays import as_numbers, as_rows, scaled
from trueval.core.edges import MOST_ROWS, edge_matrix, largest_of_cells, neighbor_edges
from trueval.core.errors import Fix, InputError, InputWarning, warn_user
from trueval.core.named import Frozen, as_names
from trueval.core.params import NONE, Interval, constrained
from trueval.core.sparse import (
    check_indices,
    checked,
    freeze,
    read_only,
    shell_of,
    without_diagonal,
)

__all__ = [
    "THRESHOLD",
    "Similarity",
    "as_similarity",
    "close_edges",
    "connected",
    "selected",
    "warn_unreached",
]

#: What ``threshold`` may be, wherever it is a parameter of similar rows.
THRESHOLD = (NONE, Interval(float, 0))


class Similarity(Frozen):
    """Similarities of rows as a sparse symmetric matrix; what is not stored is not similar.

    Parameters
    ----------
    matrix : sparse matrix of shape (n_rows, n_rows)
        Similarities, not negative. Of (i, j) and (j, i) the larger one counts for both; the
        diagonal is left out.
    index : sequence, optional
        Names of the rows.

    Attributes
    ----------
    matrix : csr_array of float64 of shape (n_rows, n_rows)
        Symmetric, without a diagonal and without zeros. Read-only.
    index : ndarray of shape (n_rows,) or None

    See Also
    --------
    trueval.data.read_similarity : From a file of MMseqs2, DIAMOND or BLAST.

    Examples
    --------
    >>> from trueval.data import Similarity
    >>> graph = Similarity.from_edges([0, 1, 3], [1, 2, 4], [0.9, 0.4, 0.7], n_rows=6)
    >>> graph
    Similarity(6 rows, 3 edges)
    >>> graph.components(threshold=0.5)
    array([0, 0, 1, 2, 2, 3])
    """

    index: NDArray[Any] | None

    def __init__(self, matrix: Any, index: Any = None) -> None:
        if not sp.issparse(matrix):
            raise InputError(
                f"a similarity must be a sparse matrix. Got {type(matrix).__name__} instead.",
                fix="Keep what is similar: scipy.sparse.csr_array(np.where(S >= 0.3, S, 0)); for "
                "a list of edges use Similarity.from_edges.",
            )
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"a similarity must be a square matrix of rows by rows. Got shape {matrix.shape}."
            )
        try:
            if matrix.format == "bsr":  # may store a place twice, as COO may
                check_indices(matrix)
                matrix = matrix.tocoo()
            whole = checked(matrix)
            if whole.format != "coo":
                whole = sp.csr_array(whole).astype(np.float64)
        except ValueError as error:
            raise InputError(f"the similarity matrix is broken: {error}.") from None
        if whole.format == "coo" or not whole.has_canonical_format:
            coo = whole.tocoo()
            row, col = (side.astype(np.int64) for side in (coo.row, coo.col))
            whole = largest_of_cells(row, col, coo.data.astype(np.float64), whole.shape[0])
        self._set_graph(whole, index)

    @classmethod
    @constrained(n_rows=(NONE, Interval(int, 0, MOST_ROWS)))
    def from_edges(
        cls,
        left: Any,
        right: Any,
        similarity: Any = None,
        *,
        n_rows: int | None = None,
        index: Any = None,
    ) -> "Similarity":
        """Make a graph of pairs of row numbers.

        Parameters
        ----------
        left, right : array-like of int of shape (n_edges,)
            Row numbers. An edge that is given more than once has its largest similarity.
        similarity : array-like of shape (n_edges,), optional
            Not negative; 1 for all if not given.
        n_rows : int, optional
            One more than the largest row number if not given.
        index : sequence, optional
            Names of the rows.

        Returns
        -------
        Similarity
        """
        self = object.__new__(cls)
        self._set_graph(edge_matrix(left, right, similarity, n_rows), index)
        return self

    @classmethod
    def from_neighbors(cls, neighbors: Any, similarity: Any, *, index: Any = None) -> "Similarity":
        """Make a graph of nearest neighbours, as FAISS and pynndescent give them.

        Parameters
        ----------
        neighbors : array-like of int of shape (n_rows, n_neighbors)
            Row numbers of the neighbours of each row; −1 where there is none.
        similarity : array-like of shape (n_rows, n_neighbors)
            Similarities, not distances.
        index : sequence, optional
            Names of the rows.

        Returns
        -------
        Similarity
            An edge for each neighbour that is a row.

        Examples
        --------
        >>> from trueval.data import Similarity
        >>> Similarity.from_neighbors([[1], [0], [-1]], [[0.8], [0.8], [0.0]]).n_edges
        1
        """
        rows, others, values, n_rows = neighbor_edges(neighbors, similarity)
        return cls.from_edges(rows, others, values, n_rows=n_rows, index=index)

    def _set_graph(self, matrix: sp.csr_array, index: Any) -> None:
        """Check the values, then make the matrix symmetric, without a diagonal and zeros."""
        bad = np.flatnonzero(~(np.isfinite(matrix.data) & (matrix.data >= 0)))
        if len(bad):
            row = int(np.searchsorted(matrix.indptr, bad[0], "right")) - 1
            raise InputError(
                f"the similarity of rows {row} and {matrix.indices[bad[0]]} is "
                f"{matrix.data[bad[0]]}; it must be a finite number from 0.",
                fix="Turn distances into similarities, as in 1 / (1 + distance).",
            )
        matrix = without_diagonal(matrix)
        both = sp.csr_array(matrix.maximum(matrix.T))
        both.eliminate_zeros()
        both.sort_indices()
        names = None if index is None else as_names(index, both.shape[0], "index", unique=True)
        self._set(matrix=freeze(both), index=names)

    @classmethod
    def _trusted(cls, matrix: sp.csr_array, index: NDArray[Any] | None = None) -> "Similarity":
        self = object.__new__(cls)
        self._set(matrix=freeze(matrix), index=None if index is None else read_only(index))
        return self

    @property
    def matrix(self) -> sp.csr_array:
        """The similarities, another shell each time."""
        return shell_of(self.__dict__["matrix"])

    @property
    def _weights(self) -> sp.csr_array:
        """The similarities times a power of two, so that their sums are finite."""
        matrix = self.matrix
        matrix.data = scaled(matrix.data)
        return matrix

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of pairs of similar rows."""
        return self.matrix.nnz // 2

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Similarity({self.n_rows:,} rows, {self.n_edges:,} edges)"

    def __reduce__(self) -> Any:
        return type(self)._trusted, (self.matrix, self.index)

    @constrained(threshold=THRESHOLD)
    def at_least(self, threshold: float | None) -> "Similarity":
        """The edges with this similarity or more; itself for None.

        Parameters
        ----------
        threshold : float or None

        Returns
        -------
        Similarity
        """
        if threshold is None or not self.matrix.nnz or self.matrix.data.min() >= threshold:
            return self
        return self._trusted(selected(self.matrix, self.matrix.data >= threshold), self.index)

    def take(self, rows: Any) -> "Similarity":
        """The graph of some rows, in this order.

        Parameters
        ----------
        rows : array-like of int, or of bool
            Row numbers, each once; or which rows to take.

        Returns
        -------
        Similarity
        """
        return self._some(as_rows(rows, self.n_rows, "rows"))

    def _some(self, rows: NDArray[np.intp]) -> "Similarity":
        index = None if self.index is None else self.index[rows]
        return self._trusted(sp.csr_array(self.matrix[rows][:, rows]), index)

    @constrained(threshold=THRESHOLD)
    def components(self, threshold: float | None = None) -> NDArray[np.int64]:
        """Number of the connected component of each row.

        Parameters
        ----------
        threshold : float, optional
            Only edges with this similarity or more connect; all if not given.

        Returns
        -------
        ndarray of int64 of shape (n_rows,)
        """
        return connected(self.at_least(threshold).matrix)

    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Each edge once: the smaller row, the larger row, the similarity.

        Returns
        -------
        tuple of ndarray
        """
        upper = sp.triu(self.matrix, 1, format="coo")
        return upper.row.astype(np.int64), upper.col.astype(np.int64), upper.data


def close_edges(graph: Similarity, threshold: float | None) -> Similarity:
    """The edges that count for a split, with a warning if a threshold leaves none."""
    warn_unreached(graph, threshold)
    return graph.at_least(threshold)


def warn_unreached(graph: Similarity, threshold: float | None) -> None:
    """Warn if no edge reaches the threshold: 30 for 30 % would say that no rows are similar."""
    largest = float(graph.matrix.data.max(initial=0.0))
    if threshold is None or not 0 < largest < threshold:
        return
    hint = "Give {} in the unit of the similarities: 30 % is 0.3."
    warn_user(
        f"no similarity reaches the threshold of {threshold:g}; the largest is {largest:g}, so no "
        "rows count as similar.",
        InputWarning,
        fix=Fix(hint if threshold > 1 >= largest else "Lower {} if some should.", "threshold"),
    )


def selected(matrix: sp.csr_array, keep: NDArray[np.bool_]) -> sp.csr_array:
    """Those of the entries that are kept, given in their order."""
    # A row ends where the next one starts; one without entries would count that of the next.
    n_of_row = np.add.reduceat(np.append(keep, False), matrix.indptr[:-1], dtype=np.int64)
    n_of_row[np.diff(matrix.indptr) == 0] = 0
    start = np.concatenate([[0], np.cumsum(n_of_row)]).astype(matrix.indptr.dtype)
    return sp.csr_array((matrix.data[keep], matrix.indices[keep], start), shape=matrix.shape)


def connected(matrix: sp.csr_array) -> NDArray[np.int64]:
    """Component of each row of a symmetric matrix, numbered by first appearance.

    >>> connected(sp.csr_array([[0, 0, 1], [0, 0, 0], [1, 0, 0]]))
    array([0, 1, 0])
    """
    # Of a symmetric graph strong components are the same, and need no transposed copy.
    numbers = connected_components(matrix, directed=True, connection="strong")[1]
    _, first, of_row = np.unique(numbers, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[of_row.reshape(-1)]


def as_similarity(similarity: Any, n_rows: int, index: Any = None) -> Similarity:
    """A graph of ``n_rows`` rows from any form: a graph, a sparse matrix, a list of edges.

    A list of edges is an array or frame with two or three columns: row, row, similarity. Rows of
    a graph with names are put into the order of ``index``, where that is known.

    >>> as_similarity([(0, 1, 0.5), (1, 3, 0.9)], 4)
    Similarity(4 rows, 2 edges)
    """
    if isinstance(similarity, Similarity):
        graph = similarity
    elif sp.issparse(similarity):
        graph = Similarity(similarity)
    else:
        graph = _from_list(similarity, n_rows)
    if graph.n_rows != n_rows:
        raise InputError(
            f"the similarity has {graph.n_rows:,} rows but there are {n_rows:,}.",
            fix=Fix("Number its rows as those of y; {} may be larger than any row with an edge.",
                    "n_rows"),
        )  # fmt: skip
    if graph.index is None or index is None or np.array_equal(graph.index, np.asarray(index)):
        return graph
    place = {str(name): number for number, name in enumerate(graph.index.tolist())}
    try:
        return graph._some(np.array([place[str(name)] for name in np.asarray(index).tolist()]))
    except KeyError as error:
        raise InputError(
            f"the similarity has no row named {error.args[0]!r}, which y has.",
            fix="Give both the same names.",
        ) from None


def _from_list(edges: Any, n_rows: int) -> Similarity:
    array = edges.to_numpy() if hasattr(edges, "to_numpy") else edges
    columns: Any = as_numbers(array, "the edges of a similarity")
    if columns.ndim != 2 or columns.shape[1] not in (2, 3):
        raise InputError(
            "a similarity must be a Similarity, a sparse matrix, or a list of edges with the "
            f"columns row, row and similarity. Got shape {columns.shape}.",
            fix="Keep what is similar of a dense matrix: "
            "scipy.sparse.csr_array(np.where(S >= 0.3, S, 0)).",
        )
    values = columns[:, 2] if columns.shape[1] == 3 else None
    return Similarity.from_edges(columns[:, 0], columns[:, 1], values, n_rows=n_rows)
