"""Sparse matrices from outside: indices that fit, and arrays nobody else can change.

SciPy converts, sums and multiplies without looking at the indices, and so do our
kernels; a wrong one makes them read or write outside their arrays. Whatever a user
gives goes through here first.
"""

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = [
    "check_indices",
    "checked",
    "freeze",
    "index_type",
    "owned",
    "read_only",
    "shell_of",
    "uncombined",
    "without_diagonal",
]


def checked(matrix: Any) -> Any:
    """The matrix as CSR, CSC or COO with indices that fit, or ValueError.

    Indices are copied first: what is checked stays so, whatever another thread writes.
    """
    matrix = _with_copied_indices(matrix)
    if matrix.format == "coo":
        for axis, (name, coords) in enumerate((("row", matrix.row), ("column", matrix.col))):
            if len(coords) == 0:
                continue
            worst = coords.min() if coords.min() < 0 else coords.max()
            if not 0 <= worst < matrix.shape[axis]:
                raise ValueError(f"{name} index {worst} is outside its shape {matrix.shape}")
        if not len(matrix.data) == len(matrix.row) == len(matrix.col):
            raise ValueError("its rows, columns and values differ in number")
        return matrix
    if matrix.format in ("csr", "csc", "bsr"):
        check_indices(matrix)
    if matrix.format not in ("csr", "csc"):
        matrix = uncombined(matrix)
        check_indices(matrix)
    return matrix


def _with_copied_indices(matrix: Any) -> Any:
    """The matrix with copies of its indices, values shared; formats without any as they are."""
    names = {"coo": ("row", "col")}.get(matrix.format, ("indices", "indptr"))
    if matrix.format not in ("coo", "csr", "csc", "bsr"):
        return matrix
    out = copy.copy(matrix)
    for name in names:
        part = getattr(matrix, name)
        if isinstance(part, np.ndarray):
            setattr(out, name, np.array(part))
    return out


def uncombined(matrix: Any) -> Any:
    """The matrix as CSR that has every stored value; SciPy adds up those of one place.

    >>> twice = sp.coo_array(([0.4, 0.4], ([0, 0], [1, 1])), shape=(1, 2))
    >>> twice.tocsr().data.tolist(), uncombined(twice).data.tolist()
    ([0.8], [0.4, 0.4])
    """
    if matrix.format == "bsr":  # the only other format that can store a place twice
        matrix = matrix.tocoo()
    csr = matrix.tocsr()
    if matrix.format != "coo" or csr.nnz == matrix.nnz:
        return csr
    order = np.lexsort((matrix.col, matrix.row))
    indptr = np.zeros(matrix.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(matrix.row, minlength=matrix.shape[0]), out=indptr[1:])
    return type(csr)((matrix.data[order], matrix.col[order], indptr), shape=matrix.shape)


def check_indices(matrix: Any) -> None:
    """Raise ValueError for a CSR, CSC or BSR matrix whose indices do not fit."""
    for name in ("indptr", "indices"):
        array = getattr(matrix, name)
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"its {name} must be one-dimensional integers")
    # SciPy's own check stops at a last pointer below 0, and it would read outside.
    if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
        raise ValueError("its pointers must not decrease")
    matrix.check_format(full_check=True)


def owned(matrix: Any) -> Any:
    """The CSR or CSC matrix on indices of its own, values shared; frozen."""
    parts = (matrix.data, matrix.indices.copy(), matrix.indptr.copy())
    return freeze(type(matrix)(parts, shape=matrix.shape))


def freeze(matrix: Any) -> Any:
    """Make the arrays of a CSR or CSC matrix read-only, if they are its own to freeze."""
    matrix.data = read_only(matrix.data)
    matrix.indices = read_only(matrix.indices)
    matrix.indptr = read_only(matrix.indptr)
    return matrix


def shell_of(matrix: Any) -> Any:
    """The same arrays in a sparse matrix of its own; anything else as it is.

    Arrays can be made read-only, but SciPy lets anybody assign others to the attributes of a
    matrix, which its own conversions and our kernels would trust.

    >>> held = sp.csr_array(np.eye(2))
    >>> shell = shell_of(held)
    >>> shell.indices = np.array([2**30, 0])
    >>> held.indices.tolist()
    [0, 1]
    """
    return copy.copy(matrix) if sp.issparse(matrix) else matrix


def read_only(array: Any) -> Any:
    """The same array, which nobody may write into."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def index_type(largest: int) -> type[np.signedinteger[Any]]:
    """Type of indices up to a number: int32 where it fits, as liblinear takes no other.

    >>> index_type(10), index_type(2**31)
    (<class 'numpy.int32'>, <class 'numpy.int64'>)
    """
    return np.int32 if largest < 2**31 else np.int64


def without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    """The matrix with zeros in its diagonal, stored where values were (setdiag stores them all)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    data = np.where(matrix.indices == rows, 0, matrix.data)
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
