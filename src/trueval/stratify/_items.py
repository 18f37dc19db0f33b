"""What ``anneal`` moves: remainders of equal rows, free rows, or groups of rows.

Each builder (that of groups is in :mod:`trueval.stratify._groups`) gives the same shape: label
lists with classes numbered from the dearest to the cheapest, what is placed already, and the way
back to rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.core.similarity import Similarity
from trueval.stratify import measures
from trueval.stratify._parts import Parts, remaining_parts

__all__ = [
    "MOST_ROWS",
    "Dealt",
    "Edges",
    "Items",
    "Ranks",
    "deal_out",
    "distinct_items",
    "edges_of_items",
    "placed_already",
    "rank_classes",
    "ranked_lists",
    "row_items",
]

_CHUNK = 1 << 20
_MOST_BLANK = 9.0  # rows without a label that the search keeps, for each other row
#: Of the kernels' 32-bit deviations.
MOST_ROWS = 2**30 - 1


@dataclass(frozen=True, eq=False)
class Ranks:
    """Classes that have members, numbered from the dearest positive to the cheapest.

    For rLD that is from the smallest class to the largest.
    """

    of_class: NDArray[np.int32]  # number of each class, −1 for one without members
    size: NDArray[np.float64]  # members by number
    # weight, dcp_weight: What each class counts for, in units of rLD, and of DCP
    weight: NDArray[np.float64]
    dcp_weight: NDArray[np.float64]


def rank_classes(
    labels: Labels,
    weight: NDArray[np.float64] | None = None,
    dcp_weight: NDArray[np.float64] | None = None,
) -> Ranks:
    """Number classes by price; equal ones by content, so that column order is forgotten.

    The weights of classes are those of rLD if not given.

    >>> import numpy as np
    >>> from trueval.core.labels import as_labels
    >>> from trueval.stratify._items import rank_classes
    >>> rank_classes(as_labels(np.array([[1, 0, 1], [1, 0, 0]]))).of_class
    array([ 1, -1,  0], dtype=int32)
    """
    if labels.n_rows > MOST_ROWS:
        raise InputError(
            f"y has {labels.n_rows:,} rows; method 'anneal' takes at most {MOST_ROWS:,}. Use "
            "method='iterative', or split a stratified half first."
        )
    if weight is None or dcp_weight is None:
        weight, dcp_weight = np.ones(labels.n_classes), np.zeros(labels.n_classes)
    price = (weight + dcp_weight) / np.maximum(labels.class_sizes, 1)
    order = np.lexsort((labels.class_signatures, labels.class_sizes, -price))
    order = order[labels.class_sizes[order] > 0]
    of_class = np.full(labels.n_classes, -1, dtype=np.int32)
    of_class[order] = np.arange(len(order), dtype=np.int32)
    size = labels.class_sizes[order].astype(np.float64)
    return Ranks(of_class, size, weight[order], dcp_weight[order])


@dataclass(frozen=True, eq=False)
class Edges:
    """Similar items, and what it costs that two of them are in different parts."""

    indptr: NDArray[np.int64]  # where the edges of each item begin
    to: NDArray[np.int32]  # the other item, or ~part of a row that is placed already
    price: NDArray[np.float64]  # in the unit of the rLD of one class

    @property
    def sums(self) -> NDArray[np.float64]:
        """Price of all edges of each item."""
        before = np.concatenate([[0.0], np.cumsum(self.price)])
        return before[self.indptr[1:]] - before[self.indptr[:-1]]


def edges_of_items(
    graph: Similarity | None,
    weight: float,
    item_of_row: NDArray[np.int64],
    placed: NDArray[np.int32],
    n_items: int,
) -> Edges | None:
    """Edges of the items that rows are in (−1 for placed rows); ``weight`` is that of all edges."""
    if graph is None or not weight:
        return None
    matrix = graph._weights
    left = np.repeat(np.arange(graph.n_rows), np.diff(matrix.indptr))
    item, right = item_of_row[left], matrix.indices
    to = np.where(item_of_row[right] >= 0, item_of_row[right], ~placed[right].astype(np.int64))
    keep = (item >= 0) & (item != to)
    order = np.argsort(item[keep], kind="stable")
    ends = np.cumsum(np.bincount(item[keep], minlength=n_items))
    price = matrix.data[keep][order] * (2 * weight / matrix.data.sum())
    return Edges(
        np.concatenate([[0], ends]).astype(np.int64), to[keep][order].astype(np.int32), price
    )


@dataclass(frozen=True, eq=False)
class Items:
    """Things that move as a whole."""

    parts: Parts  # the parts that are still to be had
    lists: sp.csr_array  # label lists; values are the positives an item brings to a class
    unit: bool  # whether all values are 1
    list_of_item: NDArray[np.int32]  # several items may share one list
    item_size: NDArray[np.int32] | None  # rows in each item; None if 1 each
    class_size: NDArray[
        np.float64
    ]  # positives, those placed included; after leading ones by falling price
    class_weight: NDArray[np.float64]  # how much a class counts in units of rLD
    dcp_weight: NDArray[np.float64]  # and in units of DCP
    # classes at the start of every list that are none of the data's: 1 for groups, whose sizes
    # are a class that every row has
    n_leading: int
    base_counts: NDArray[np.int32]  # shape (n_classes, n_parts); positives placed already
    base_sizes: NDArray[np.int64]  # shape (n_parts,); rows placed already
    start: NDArray[np.int32] | None  # part of each item to start from, -1 where it is open
    # from the parts of items to the parts of rows
    to_rows: Callable[[NDArray[np.int32]], NDArray[np.int32]]
    edges: Edges | None = None  # of similar items

    @cached_property
    def indptr(self) -> NDArray[np.int64]:
        """List starts as the kernels take them."""
        return self.lists.indptr.astype(np.int64)

    @cached_property
    def indices(self) -> NDArray[np.int32]:
        """Class numbers as the kernels take them."""
        return self.lists.indices.astype(np.int32, copy=False)

    @cached_property
    def counts(self) -> NDArray[np.int32] | None:
        """Members for each listed class, None if 1 each."""
        return None if self.unit else self.lists.data.astype(np.int32)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.list_of_item)


def ranked_lists(matrix: sp.csr_array, ranks: Ranks) -> sp.csr_array:
    """Renumber the columns of a matrix of our own, in place, and sort each row anew."""
    for start in range(0, matrix.nnz, _CHUNK):  # whole, the index would be copied as int64
        chunk = matrix.indices[start : start + _CHUNK]
        chunk[:] = ranks.of_class[chunk]
    renamed = sp.csr_array(
        (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], len(ranks.size))
    )
    renamed.sort_indices()
    return renamed


@dataclass(frozen=True, eq=False)
class Dealt:
    """Equal rows of a matrix, dealt out to the parts as far as they divide."""

    order: NDArray[np.int64]  # rows, those with one label set together
    lists: sp.csr_array  # the label sets
    copies: NDArray[np.int64]  # rows of each set
    counts: NDArray[np.int64]  # shape (n_sets, n_parts): Rows of each set that have a part
    list_of_item: NDArray[np.int32]  # set of each row that has none
    start: NDArray[np.int32]  # part of each such row to start from, −1 where it is open

    def class_counts(self) -> NDArray[np.int32]:
        """Positives of each class in each part."""
        some = np.flatnonzero(self.copies > 1)
        return (self.lists[some].T.astype(np.int64) @ self.counts[some]).astype(np.int32)

    def to_rows(self, part_of_item: NDArray[np.int32]) -> NDArray[np.int32]:
        """Part of each row of the matrix, from those of the items."""
        # Rows stand run by run in random order; each run takes its part numbers.
        n_sets, n_parts = self.counts.shape
        numbers = np.arange(n_parts, dtype=np.int32)
        from_dealt = np.repeat(np.tile(numbers, n_sets), self.counts.ravel())
        run_of_dealt = np.repeat(np.arange(n_sets), self.counts.sum(axis=1))
        run = np.concatenate([run_of_dealt, self.list_of_item])
        sorted_by_run = np.argsort(run, kind="stable")
        folds = np.empty(len(self.order), dtype=np.int32)
        folds[self.order] = np.concatenate([from_dealt, part_of_item])[sorted_by_run]
        return folds


def deal_out(
    order: NDArray[np.int64],
    lists: sp.csr_array,
    copies: NDArray[np.int64],
    parts: Parts,
    spare: int = 0,
) -> Dealt:
    """Give each part its share of equal rows, rounded down; the arguments are those of Dealt.

    ``spare`` rows of each set of equal ones, and more of those without a label, are items too, and
    only start where they would be dealt.
    """
    some = np.flatnonzero(copies > 1)
    undealt = np.full(len(some), spare)
    dealt = _shares_of(np.maximum(copies[some] - undealt, 0), parts)
    blank = np.diff(lists.indptr)[some] == 0
    if blank.any():
        # Rows without a label make up the sizes: so many are free that the others can go
        # where their classes want them, in a small part as well.
        others = len(order) - copies[some][blank].sum() - dealt[~blank].sum()
        times = 1.0 if parts.equal else min(1 / parts.shares.min() - 1, _MOST_BLANK)
        undealt[blank] = max(spare, int(times * others))
        dealt = _shares_of(np.maximum(copies[some] - undealt, 0), parts)
    counts = np.zeros((len(copies), parts.n_parts), np.int64)
    counts[some] = dealt
    left = copies - counts.sum(axis=1)
    list_of_item = np.repeat(np.arange(len(copies), dtype=np.int32), left)
    start = np.full(len(list_of_item), -1, np.int32)
    if undealt.any():
        more = _shares_of(copies[some], parts) - dealt
        first = (np.cumsum(left) - left)[some]
        n_more = more.sum(axis=1)
        at = np.repeat(first - (np.cumsum(n_more) - n_more), n_more) + np.arange(n_more.sum())
        numbers = np.arange(parts.n_parts, dtype=np.int32)
        start[at] = np.repeat(np.tile(numbers, len(some)), more.ravel())
    return Dealt(order, lists, copies, counts, list_of_item, start)


def distinct_items(labels: Labels, parts: Parts, ranks: Ranks, seed: int, spare: int = 0) -> Items:
    """Equal rows dealt out as far as they divide; the remainders are the items.

    ``seed`` decides which of equal rows go where; ``spare`` is as in :func:`deal_out`.
    """
    order, starts = _kernels.equal_rows(
        labels.indptr, labels.indices, labels.class_signatures, seed
    )
    lists = ranked_lists(labels.matrix[order[starts[:-1]]], ranks)
    dealt = deal_out(order, lists, np.diff(starts), parts, spare)
    sizes = dealt.counts.sum(axis=0)
    return Items(
        parts=remaining_parts(parts, sizes),
        lists=lists,
        unit=True,
        list_of_item=dealt.list_of_item,
        item_size=None,
        class_size=ranks.size,
        class_weight=ranks.weight,
        dcp_weight=ranks.dcp_weight,
        n_leading=0,
        base_counts=dealt.class_counts(),
        base_sizes=sizes,
        start=dealt.start,
        to_rows=dealt.to_rows,
    )


def _shares_of(copies: NDArray[np.int64], parts: Parts) -> NDArray[np.int64]:
    """Each part's share of so many equal rows, rounded down."""
    return np.floor(copies[:, None] * parts.shares + 1e-9).astype(np.int64)


def row_items(
    labels: Labels,
    parts: Parts,
    ranks: Ranks,
    fixed: NDArray[np.int32] | None,
    initial: NDArray[np.int32] | None,
    similarity: Similarity | None = None,
    cut_weight: float = 0.0,
) -> Items:
    """Every row that is not fixed is an item.

    ``fixed`` has the part of placed rows and −1 for free ones, ``initial`` the folds to start from;
    ``cut_weight`` is what the edges between similar rows cost if all are cut.
    """
    placed = np.full(labels.n_rows, -1, np.int32) if fixed is None else fixed
    free = np.flatnonzero(placed < 0)
    base_counts, base_sizes = placed_already(labels, parts, ranks, placed)

    item_of_row = np.full(labels.n_rows, -1, np.int64)
    item_of_row[free] = np.arange(len(free))

    def to_rows(part_of_item: NDArray[np.int32]) -> NDArray[np.int32]:
        folds = placed.astype(np.int32, copy=True)
        folds[free] = part_of_item
        return folds

    return Items(
        parts=remaining_parts(parts, base_sizes),
        lists=ranked_lists(labels.matrix[free], ranks),
        unit=True,
        list_of_item=np.arange(len(free), dtype=np.int32),
        item_size=None,
        class_size=ranks.size,
        class_weight=ranks.weight,
        dcp_weight=ranks.dcp_weight,
        n_leading=0,
        base_counts=base_counts,
        base_sizes=base_sizes,
        start=None if initial is None else initial[free].astype(np.int32),
        to_rows=to_rows,
        edges=edges_of_items(similarity, cut_weight, item_of_row, placed, len(free)),
    )


def placed_already(
    labels: Labels, parts: Parts, ranks: Ranks, part_of_row: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Members and rows that are placed already."""
    base_counts = np.zeros((len(ranks.size), parts.n_parts), dtype=np.int32)
    has = ranks.of_class >= 0
    by_class = measures.class_part_counts(labels, part_of_row, parts.n_parts)
    base_counts[ranks.of_class[has]] = by_class[has]
    return base_counts, np.bincount(part_of_row[part_of_row >= 0], minlength=parts.n_parts)
