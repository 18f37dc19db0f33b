"""Stored pairs of objects and classes in the order of their values, in little memory.

A stored pair takes 13 bytes here: its value, the number of its object, and its label.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._thresholds import midpoint_below

__all__ = ["RankedPairs"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
CHUNK = 1 << 22  # pairs whose keys are held at a time


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Stored pairs, the highest value first, with their objects and labels.

    Attributes
    ----------
    value : ndarray of float64
    row : ndarray of int
    hit : ndarray of bool
    positives : ndarray of float64
        Of each object, stored or not.
    n_rows : int
    group : ndarray of int64 or None
        Number of each object's group, where objects belong together.
    weight : ndarray of float64 or None
        Of each object; ``positives`` are counted by it.
    """

    value: Float
    row: NDArray[np.integer]
    hit: Bool
    positives: Float
    n_rows: int
    group: Int | None = None
    weight: Float | None = None

    @classmethod
    def of(
        cls,
        values: Scores,
        labels: Labels,
        group: Int | None = None,
        weight: Float | None = None,
    ) -> "RankedPairs":
        """Sort all stored pairs."""
        matrix = values.matrix
        value = matrix.data if values.is_sparse else np.ravel(matrix)
        length = np.diff(matrix.indptr) if values.is_sparse else values.n_classes
        order = np.argsort(value)[::-1]
        rows: NDArray[np.integer] = np.arange(values.n_rows)
        rows = rows.astype(np.int32) if values.n_rows < 2**31 else rows
        row = np.repeat(rows, length)[order]
        hit = _hits(values, labels)[order]
        positives = np.diff(labels.indptr).astype(np.float64)
        if weight is not None:
            positives *= weight
        return cls(value[order], row, hit, positives, values.n_rows, group, weight)

    def of_rows(self, keep: Bool) -> "RankedPairs":
        """The pairs of some objects."""
        mine = keep[self.row]
        positives = np.where(keep, self.positives, 0.0)
        weight = None if self.weight is None else np.where(keep, self.weight, 0.0)
        pairs = self.value[mine], self.row[mine], self.hit[mine]
        return RankedPairs(*pairs, positives, int(keep.sum()), self.group, weight)

    @property
    def size(self) -> float:
        """Objects, each as often as it counts."""
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @property
    def n_effective(self) -> float:
        """Objects of equal weight that know as much (Kish)."""
        if self.weight is None:
            return float(self.n_rows)
        return float(self.weight.sum() ** 2 / np.maximum((self.weight**2).sum(), 1e-300))

    def by_unit(self, column: Float) -> Float:
        """Sums of a column of objects over what is resampled: groups, or the objects."""
        if self.group is None:
            return column
        return np.bincount(self.group, weights=column).astype(np.float64, copy=False)

    def ends(self) -> Int:
        """Number of calls at each distinct value."""
        ends = np.flatnonzero(self._is_end())
        ends += 1
        return ends

    def hits(self) -> Float:
        """Hits among the calls at each distinct value."""
        hit = self.hit if self.weight is None else self.weight[self.row] * self.hit
        through, is_end = np.cumsum(hit, dtype=np.float64), self._is_end()
        return through if is_end.all() else through[is_end]

    def calls(self, ends: Int) -> Int | Float:
        """Calls among the first pairs, each as often as its object counts."""
        if self.weight is None:
            return ends
        through = np.concatenate([[0.0], np.cumsum(self.weight[self.row])])
        return np.maximum(through[ends], 1e-300)  # the first may be of weight 0

    def _is_end(self) -> Bool:
        """Whether the next pair has a lower value."""
        is_end = np.ones(len(self.value), dtype=bool)
        np.not_equal(self.value[1:], self.value[:-1], out=is_end[:-1])
        return is_end

    def threshold(self, n_calls: int) -> float:
        """Value that calls exactly the first n_calls pairs."""
        if n_calls == 0:
            return np.inf
        if n_calls == len(self.value):
            return float(self.value[-1])  # lower values were never seen, so they are not called
        return midpoint_below(self.value[[n_calls, n_calls - 1]], 1)

    def area(self, n_pairs: int) -> float:
        """Average precision of unweighted pairs, where so many are stored or not."""
        member = self.value[self.hit][::-1]
        distinct, first, count = np.unique(member, return_index=True, return_counts=True)
        calls = len(self.value) - np.searchsorted(self.value[::-1], distinct)
        total = float(self.positives.sum())
        below = (total - len(member)) * total / n_pairs  # all that have no score are called at once
        return (float(np.sum(count * ((len(member) - first) / calls))) + below) / total


def _hits(values: Scores, labels: Labels) -> Bool:
    """Which of the stored pairs are positive, row by row."""
    n_classes = values.n_classes
    if not values.is_sparse:
        hit = np.zeros(values.n_rows * n_classes, dtype=bool)
        hit[_keys(labels.indptr, labels.indices, 0, labels.n_rows, n_classes)] = True
        return hit
    matrix = values.matrix
    hit = np.zeros(matrix.nnz, dtype=bool)
    for first, last in _blocks(matrix.indptr):
        keys = _keys(matrix.indptr, matrix.indices, first, last, n_classes)
        members = np.sort(_keys(labels.indptr, labels.indices, first, last, n_classes))
        if len(members):
            at = np.minimum(np.searchsorted(members, keys), len(members) - 1)
            hit[matrix.indptr[first] : matrix.indptr[last]] = members[at] == keys
    return hit


def _keys(
    indptr: NDArray[np.integer],
    indices: NDArray[np.integer],
    first: int,
    last: int,
    n_classes: int,
) -> Int:
    """Number of each pair of some rows, counted row by row."""
    row = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
    return row * n_classes + indices[indptr[first] : indptr[last]]


def _blocks(indptr: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Ranges of rows that store about ``CHUNK`` pairs each."""
    first, n_rows = 0, len(indptr) - 1
    while first < n_rows:
        last = int(np.searchsorted(indptr, indptr[first] + CHUNK, side="right")) - 1
        last = min(max(last, first + 1), n_rows)
        yield first, last
        first = last
