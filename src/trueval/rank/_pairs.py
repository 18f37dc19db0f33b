"""Stored pairs of objects and classes in the order of their values, in little memory.

A stored pair takes 13 bytes here: its value, the number of its object, and its label. Sorting
takes one byte more, and what is counted along the list is counted block by block.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._thresholds import midpoint_below

__all__ = ["RankedPairs", "Steps"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
CHUNK = 1 << 20  # pairs whose keys are held at a time
BLOCK = 1 << 18  # pairs that are counted at a time


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
        order = np.argsort(value)
        _reverse(order)
        row, hit = _sorted_rows(values, order), _hits(values, labels)[order]
        positives = np.diff(labels.indptr).astype(np.float64)
        # The order gives way to the sorted values, block by block, in the same memory.
        in_order = order.view(np.float64)
        for part in _parts(len(order)):
            in_order[part] = value[order[part]]
        pairs = cls(in_order, row, hit, positives, values.n_rows, group)
        return pairs if weight is None else pairs.weighted(weight)

    def weighted(self, weight: Float) -> "RankedPairs":
        """Objects counted by their weights; those of weight 0 have no pairs.

        A threshold lies between two values, and those of objects that do not count must not
        move it.
        """
        weighted = replace(self, weight=weight, positives=weight * self.positives)
        counted = weight[self.row] > 0
        if counted.all():
            return weighted
        value, row, hit = self.value[counted], self.row[counted], self.hit[counted]
        return replace(weighted, value=value, row=row, hit=hit)

    def of_rows(self, keep: Bool, most: int | None = None) -> "RankedPairs":
        """The pairs of some objects; the first of them, at least ``most`` + 1, if no more count."""
        n = len(self.value)
        if most is not None:
            n = self._until(keep, most + 1)
        mine = keep[self.row[:n]]
        positives = np.where(keep, self.positives, 0.0)
        weight = None if self.weight is None else np.where(keep, self.weight, 0.0)
        pairs = self.value[:n][mine], self.row[:n][mine], self.hit[:n][mine]
        return RankedPairs(*pairs, positives, int(keep.sum()), self.group, weight)

    def _until(self, keep: Bool, wanted: int) -> int:
        """How far down the list so many pairs of some objects are, in whole blocks."""
        count = 0
        for part in _parts(len(self.value)):
            count += int(np.count_nonzero(keep[self.row[part]]))
            if count >= wanted:
                return part.stop
        return len(self.value)

    def steps(self, keep: Bool | None = None) -> "Iterator[Steps]":
        """Counts at each distinct value, the highest first, some values at a time.

        ``keep`` says of which objects; all by default.
        """
        last: tuple[Float, ...] = ()  # value, calls and hits, until the next value is known
        for part in _parts(len(self.value)):
            value, row, hit = self.value[part], self.row[part], self.hit[part]
            if keep is not None:
                mine = keep[row]
                value, row, hit = value[mine], row[mine], hit[mine]
            if len(value) == 0:
                continue
            weight = np.ones(len(row)) if self.weight is None else self.weight[row]
            columns: tuple[Float, ...] = (value, weight, weight * hit)
            if last:
                columns = tuple(np.concatenate(both) for both in zip(last, columns, strict=True))
            value, calls, hits = columns[0], np.cumsum(columns[1]), np.cumsum(columns[2])
            ends = np.flatnonzero(value[1:] != value[:-1])
            yield Steps(value[ends], value[ends + 1], _at_least_some(calls[ends]), hits[ends])
            last = value[-1:], calls[-1:], hits[-1:]
        if last:
            yield Steps(last[0], last[0], _at_least_some(last[1]), last[2])

    def counts(self, thresholds: Float) -> tuple[Float, Float]:
        """Hits and calls of each object, called from a threshold of its own on."""
        n_rows = len(thresholds)
        hits, calls = np.zeros(n_rows), np.zeros(n_rows)
        most = len(self.value) - int(np.searchsorted(self.value[::-1], thresholds.min()))
        for part in _parts(most, max(BLOCK, n_rows)):
            called = self.value[part] >= thresholds[self.row[part]]
            calls += np.bincount(self.row[part][called], minlength=n_rows)
            called &= self.hit[part]
            hits += np.bincount(self.row[part][called], minlength=n_rows)
        return hits, calls

    @property
    def size(self) -> float:
        """Objects, each as often as it counts."""
        return float(self.n_rows if self.weight is None else self.weight.sum())

    def size_of(self, keep: Bool) -> float:
        """Some of the objects, each as often as it counts."""
        return float(keep.sum() if self.weight is None else np.where(keep, self.weight, 0.0).sum())

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

    def ends(self, most: int | None = None) -> Int:
        """Number of calls at each distinct value, up to ``most``."""
        n = len(self.value) if most is None else min(most, len(self.value))
        ends = np.flatnonzero(self._is_end(n))
        ends += 1
        return ends

    def hits(self) -> Float:
        """Hits among the calls at each distinct value."""
        hit = self.hit if self.weight is None else self.weight[self.row] * self.hit
        through, is_end = np.cumsum(hit, dtype=np.float64), self._is_end(len(self.value))
        return through if is_end.all() else through[is_end]

    def calls(self, ends: Int) -> Int | Float:
        """Calls among the first pairs, each as often as its object counts."""
        if self.weight is None:
            return ends
        through = np.concatenate([[0.0], np.cumsum(self.weight[self.row])])
        return _at_least_some(through[ends])

    def _is_end(self, n: int) -> Bool:
        """Whether the next pair has a lower value, of the first ones."""
        is_end = np.ones(n, dtype=bool)
        last = min(n, len(self.value) - 1)
        np.not_equal(self.value[1 : last + 1], self.value[:last], out=is_end[:last])
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
        total, area, before = float(self.positives.sum()), 0.0, 0.0
        for some in self.steps():
            new = np.diff(some.hits, prepend=before)
            area += float(np.sum(new * (some.hits / some.calls)))
            before = float(some.hits[-1]) if len(some.hits) else before
        below = (total - before) * total / n_pairs  # all that have no score are called at once
        return (area + below) / total


@dataclass(frozen=True, eq=False)
class Steps:
    """Some of the distinct values, falling, with what is called from each on.

    Attributes
    ----------
    value, below : ndarray of float64
        The value, and the next lower one; the value itself where it is the lowest.
    calls, hits : ndarray of float64
        Each as often as its object counts.
    """

    value: Float
    below: Float
    calls: Float
    hits: Float

    def threshold(self, at: int) -> float:
        """What calls from a value on; lower ones than the lowest were never seen."""
        value, below = self.value[at], self.below[at]
        return float(value) if value == below else midpoint_below(np.array([below, value]), 1)


def _at_least_some(calls: Float) -> Float:
    """Numbers to divide by: the first pairs may be of weight 0."""
    return np.maximum(calls, 1e-300)


def _parts(n: int, size: int | None = None) -> Iterator[slice]:
    """Blocks of a list of this length."""
    size = BLOCK if size is None else size
    for first in range(0, n, size):
        yield slice(first, min(first + size, n))


def _reverse(order: Int) -> None:
    """Reverse an array in its own memory."""
    half = order[: len(order) // 2]
    other = order[::-1]
    for part in _parts(len(half)):
        first = half[part].copy()
        half[part] = other[part]
        other[part] = first


def _sorted_rows(values: Scores, order: Int) -> NDArray[np.integer]:
    """Object of each stored pair, in an order."""
    dtype: Any = np.int32 if values.n_rows < 2**31 else np.int64
    row: NDArray[np.integer] = np.empty(len(order), dtype)
    if values.is_sparse:
        rows = np.repeat(np.arange(values.n_rows, dtype=dtype), np.diff(values.matrix.indptr))
        return np.take(rows, order, out=row)
    for part in _parts(len(order)):
        row[part] = order[part] // values.n_classes
    return row


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
