"""Names of rows and classes: numbered once, unique where they must be, sorted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import ParameterError, quote
from trueval.core.labels import Labels
from trueval.core.named import as_names
from trueval.core.names import align
from trueval.data.source import Source
from trueval.data.text import text_lines

__all__ = ["as_array", "check_unique", "from_entries", "given_names", "renamed"]


def as_array(source: Source, names: Sequence[Any], what: str) -> NDArray[Any]:
    """Names as an array; refused if the longest one would blow it up.

    >>> as_array(Source("x", data=b"x"), ["b", "a"], "row ids")
    array(['b', 'a'], dtype='<U1')
    """
    longest = max((len(name) for name in names), default=0)
    source.need(4 * longest * len(names), f"{len(names):,} {what} of up to {longest:,} characters")
    return np.array(list(names), dtype=np.str_) if len(names) else np.empty(0, np.str_)


def check_unique(source: Source, names: NDArray[Any], what: str) -> None:
    """Refuse a name that is there twice."""
    if (names[1:] > names[:-1]).all():
        return  # in order already, as numbered rows are
    distinct, first, counts = np.unique(names, return_index=True, return_counts=True)
    if len(distinct) < len(names):
        twice = first[counts > 1].min()
        places = np.flatnonzero(names == names[twice])
        raise source.fail(
            f"{what} {quote(str(names[twice]), 60)} is at {places[0]} and again at {places[1]} "
            "(counted from 0); every one must be unique.",
            fix="Rename or merge them.",
        )


def from_entries(
    source: Source,
    rows: Any,
    columns: Any,
    ids: Sequence[str] | None,
    names: Sequence[str],
    n_rows: int,
) -> Labels:
    """Labels from (row, column) entries; classes are sorted by name, numbers by value."""
    if n_rows == 0:
        raise source.fail("there are no rows.", fix="At least one is needed.")
    if len(names) == 0:
        raise source.fail("no row has a label.", fix="At least one class is needed.")
    classes = as_array(source, names, "class names")
    numbered = classes.dtype.kind == "U" and bool(np.char.isdecimal(classes).all())
    lengths = np.char.str_len(classes) if numbered else np.zeros(len(classes), dtype=np.int64)
    order = np.lexsort((classes, lengths))  # 9 comes before 10
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    columns = place[np.asarray(columns, dtype=np.int64)]
    entries = (np.ones(len(columns), bool), (np.asarray(rows, dtype=np.int64), columns))
    matrix = sp.csr_array(entries, shape=(n_rows, len(names)))
    index = None if ids is None else as_array(source, ids, "row ids")
    return Labels._trusted(pattern(matrix), classes[order], index)


def pattern(matrix: Any) -> sp.csr_array:
    """Canonical CSR of ones."""
    matrix.sum_duplicates()
    ones = np.ones(matrix.nnz, np.int32)
    return sp.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)


def given_names(value: Any, what: str) -> NDArray[Any]:
    """Names a user passed: a sequence, or a text file with one on a line."""
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        source = Source(value)
        names = as_array(source, [line for _, line in text_lines(source)], what)
        check_unique(source, names, what)
        return names
    names = np.asarray(value)
    if names.dtype.kind == "O" and all(isinstance(name, str) for name in names.flat):
        names = names.astype(np.str_)  # as pandas keeps them
    if names.ndim != 1 or names.dtype.kind not in "iuUST" or len(np.unique(names)) < len(names):
        expected = "distinct names, one-dimensional, or a text file with one on a line"
        raise ParameterError(what, expected, value)
    return names


def renamed(source: Source, labels: Labels, classes: Any, index: Any) -> Labels:
    """Labels with the names the user gave: for what has none, in order; else by name."""
    with source.placing():
        if index is not None:
            ids = given_names(index, "index")
            if labels.index is None:
                ids = as_names(ids, labels.n_rows, "index")
                labels = Labels._trusted(labels.matrix, labels.classes, ids)
            else:
                labels = align(labels, rows=ids)
        if classes is not None:
            names = given_names(classes, "classes")
            if labels.classes.dtype.kind in "iu" and names.dtype.kind not in "iu":
                names = as_names(names, labels.n_classes, "classes")
                labels = Labels._trusted(labels.matrix, names, labels.index)
            else:
                labels = align(labels, classes=names, missing="empty")
    return labels
