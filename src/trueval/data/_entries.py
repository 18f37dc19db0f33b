"""Entries of a 0/1 matrix as canonical CSR, on the memory they come in."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.labels import Labels
from trueval.core.names import places
from trueval.data._columns import Codes, Lists, ones
from trueval.data._source import Source

__all__ = ["csr_of_lists", "labels_of_entries", "labels_of_lists", "order_of_names"]

_BLOCK = 2**18


def csr_of_lists(codes: NDArray[np.int32], offsets: NDArray[np.int64], n: int) -> sp.csr_array:
    """CSR of ones from the columns of each row; both arrays are taken over."""
    codes = codes if codes.flags.writeable else codes.copy()
    n_entries = _kernels.canonical_rows(offsets, codes)
    return ones(offsets, codes[:n_entries], (len(offsets) - 1, n))


def order_of_names(names: NDArray[Any], natural: bool) -> NDArray[np.int64]:
    """Order of classes: by name; with ``natural``, 9 comes before 10 if all are numbers."""
    if natural and names.dtype.kind == "U" and bool(np.char.isdecimal(names).all()):
        return np.lexsort((names, np.char.str_len(names)))
    return np.argsort(names, kind="stable")


def labels_of_lists(
    source: Source,
    lists: Lists,
    index: NDArray[Any] | None,
    *,
    natural: bool,
    classes: NDArray[Any] | None = None,
) -> Labels:
    """Labels from the numbered names of each row; classes are sorted, or in a given order."""
    place, names = _places(source, lists.names, natural, classes)
    codes = _renumbered(lists.codes, place)
    return Labels._trusted(csr_of_lists(codes, lists.offsets, len(names)), names, index)


def labels_of_entries(
    source: Source,
    ids: Codes,
    labels: Codes,
    *,
    natural: bool,
    classes: NDArray[Any] | None = None,
) -> Labels:
    """Labels from rows of an id and a label each; one without a label is a row all the same."""
    place, names = _places(source, labels.names, natural, classes)
    rows, columns = ids.take(), labels.take()
    n_rows = int(rows.max(initial=-1)) + 1
    if columns.min(initial=0) < 0:
        rows, columns = _without_empty(rows, columns)
    if (rows[1:] >= rows[:-1]).all():  # in order, as most files are
        offsets = np.searchsorted(rows, np.arange(n_rows + 1, dtype=np.int32)).astype(np.int64)
    else:
        offsets, columns = _kernels.group_rows(rows, columns, n_rows)
    del rows
    matrix = csr_of_lists(_renumbered(columns, place), offsets, len(names))
    return Labels._trusted(matrix, names, ids.names)


def _without_empty(
    rows: NDArray[np.int32], columns: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Entries that have a column, moved to the front of their own memory."""
    rows, columns = (a if a.flags.writeable else a.copy() for a in (rows, columns))
    n = 0
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        present = columns[block] >= 0
        end = n + int(present.sum())
        rows[n:end], columns[n:end] = rows[block][present], columns[block][present]
        n = end
    return rows[:n], columns[:n]


def _places(
    source: Source, names: NDArray[Any], natural: bool, classes: NDArray[Any] | None
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """New number of each class, and the classes in their new order."""
    if classes is not None:
        with source.placing():
            return places(names, classes, "class", missing="empty").astype(np.int32), classes
    if len(names) == 0:
        raise source.fail("no row has a label.", fix="At least one class is needed.")
    order = order_of_names(names, natural)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place, names[order]


def _renumbered(codes: NDArray[np.int32], place: NDArray[np.int32]) -> NDArray[np.int32]:
    """Codes with other numbers, in their own memory if it can be written."""
    codes = codes if codes.flags.writeable else codes.copy()
    for start in range(0, len(codes), _BLOCK):
        block = slice(start, start + _BLOCK)
        codes[block] = place[codes[block]]
    return codes
