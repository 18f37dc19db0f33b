"""Rows on their way: ids, and the classes of each, as arrays that can be cut, sent and joined."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import need_extra

__all__ = [
    "Rows",
    "arrow",
    "canonical",
    "cut",
    "cut_table",
    "id_keys",
    "join",
    "merge",
    "sparse",
    "stacked",
]


def arrow(part: str = "") -> Any:
    """The module pyarrow, or one of its parts."""
    return need_extra(f"pyarrow{part}", "parquet", "Splitting Parquet datasets")


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a dataset.

    Attributes
    ----------
    ids : pyarrow.Array
        Of int64 or large_string.
    indptr : ndarray of int64
    indices : ndarray of int32
        Class numbers of row i are ``indices[indptr[i]:indptr[i + 1]]``, rising.
    counts : ndarray of int32, optional
        Of groups of rows: positives of each class listed.
    """

    ids: Any
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    counts: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1


def id_keys(ids: Any) -> NDArray[np.uint64]:
    """A 64-bit hash of each id, the same on every machine; distinct for distinct numbers.

    >>> import pyarrow as pa
    >>> keys = id_keys(pa.array(["P1", "P2", "P1"], pa.large_string()))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    if arrow().types.is_integer(ids.type):
        z = ids.to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64)
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
    _, bounds, data = ids.buffers()
    places = np.frombuffer(bounds, np.int64)[ids.offset : ids.offset + len(ids) + 1]
    text = (
        np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    )
    return _kernels.text_hashes(text, np.ascontiguousarray(places))


def sparse(rows: Rows, n_classes: int) -> sp.csr_array:
    """The labels as a matrix."""
    counts = np.ones(len(rows.indices), np.int32) if rows.counts is None else rows.counts
    return sp.csr_array((counts, rows.indices, rows.indptr), shape=(len(rows), n_classes))


def _by_number(number: NDArray[Any], n: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Places in the order of their numbers, and where those of each number end."""
    # NumPy 1 does not count unsigned numbers of 64 bits.
    counts = np.bincount(number.astype(np.int64, copy=False), minlength=n)
    return np.argsort(number, kind="stable"), np.cumsum(counts)


def cut(rows: Rows, number: NDArray[Any], n: int) -> list[Rows]:
    """Rows of each number from 0 to ``n`` - 1, each piece with memory of its own."""
    order, ends = _by_number(number, n)
    matrix = sparse(rows, int(rows.indices.max(initial=0)) + 1)[order]
    pieces = []
    for start, end in zip(ends - np.diff(ends, prepend=0), ends, strict=True):
        first, last = int(matrix.indptr[start]), int(matrix.indptr[end])
        pieces.append(
            Rows(
                rows.ids.take(arrow().array(order[start:end])),
                matrix.indptr[start : end + 1].astype(np.int64) - first,
                matrix.indices[first:last].astype(np.int32),
                None if rows.counts is None else matrix.data[first:last].copy(),
            )
        )
    return pieces


def cut_table(table: Any, number: NDArray[Any], n: int) -> list[Any]:
    """Records of each number from 0 to ``n`` - 1, each piece with memory of its own."""
    order, ends = _by_number(number, n)
    places = np.split(order, ends[:-1])
    return [table.take(arrow().array(place)) for place in places]


def stacked(tables: list[Any]) -> Any:
    """Tables one after the other."""
    return arrow().concat_tables(tables).combine_chunks()


def join(pieces: Iterable[Rows]) -> Rows:
    """One after the other."""
    listed: Sequence[Rows] = list(pieces)
    shift = np.cumsum([0, *(len(piece.indices) for piece in listed)])
    starts = [piece.indptr[:-1] + at for piece, at in zip(listed, shift, strict=False)]
    return Rows(
        arrow().concat_arrays([piece.ids for piece in listed]),
        np.concatenate([*starts, shift[-1:]]).astype(np.int64),
        np.concatenate([piece.indices for piece in listed]),
        None
        if listed[0].counts is None
        else np.concatenate([piece.counts for piece in listed if piece.counts is not None]),
    )


def merge(rows: Rows) -> Rows:
    """Rows with one id as one row, which has the classes of all."""
    coded = rows.ids.dictionary_encode()
    number = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    of_entry = np.repeat(number, np.diff(rows.indptr))
    indptr, indices = _kernels.group_rows(of_entry, rows.indices, len(coded.dictionary))
    return Rows(coded.dictionary, *canonical(indptr, indices))


def canonical(
    indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The same rows with rising class numbers, each once; the arrays are changed."""
    indices = np.ascontiguousarray(indices, np.int32)
    n_left = _kernels.canonical_rows(indptr, indices)
    return indptr, indices[:n_left]
