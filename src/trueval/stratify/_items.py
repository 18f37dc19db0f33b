"""What ``anneal`` moves: remainders of equal rows, free rows, or groups of rows.

Each builder gives the same shape: label lists with classes numbered from the
smallest to the largest, what is placed already, and the way back to rows.
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
from trueval.stratify import measures
from trueval.stratify._parts import Parts

__all__ = ["Items", "distinct_items", "group_items", "parts_given", "row_items"]

_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Items:
    """Things that move as a whole."""

    lists: sp.csr_array  # label lists; values are the members an item brings to a class
    unit: bool  # whether all values are 1
    list_of_item: NDArray[np.int32]  # several items may share one list
    item_size: NDArray[np.int32] | None  # rows in each item; None if 1 each
    base_counts: NDArray[np.int32]  # shape (n_classes, n_parts); members placed already
    base_sizes: NDArray[np.int64]  # shape (n_parts,); rows placed already
    start: NDArray[np.int32] | None  # part of each item to start from
    # from the parts of items to the parts of rows
    to_rows: Callable[[NDArray[np.int32]], NDArray[np.int32]]

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


def _ranked(matrix: sp.csr_array, rank: NDArray[np.int32], n_ranks: int) -> sp.csr_array:
    """Renumber the columns of a matrix of our own, in place, and sort each row anew."""
    for start in range(0, matrix.nnz, _CHUNK):  # whole, the index would be copied as int64
        chunk = matrix.indices[start : start + _CHUNK]
        chunk[:] = rank[chunk]
    renamed = sp.csr_array(
        (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], n_ranks)
    )
    renamed.sort_indices()
    return renamed


def distinct_items(
    labels: Labels, parts: Parts, rank: NDArray[np.int32], n_ranks: int, seed: int, spare: int = 0
) -> Items:
    """Equal rows dealt out as far as they divide; the remainders are the items.

    ``rank`` is the new number of each class, by size, and ``n_ranks`` the number of classes with
    members. ``seed`` decides which of equal rows go where; ``spare`` rows of each set of equal ones
    are not dealt out.
    """
    order, starts = _kernels.equal_rows(
        labels.indptr, labels.indices, labels.class_signatures, seed
    )
    copies = np.diff(starts)
    lists = _ranked(labels.matrix[order[starts[:-1]]], rank, n_ranks)
    some = np.flatnonzero(copies > 1)
    given = np.maximum(copies[some] - spare, 0)
    dealt = np.floor(given[:, None] * parts.shares + 1e-9).astype(np.int64)
    left = copies.copy()
    left[some] -= dealt.sum(axis=1)
    base_counts = (lists[some].T.astype(np.int64) @ dealt).astype(np.int32)
    list_of_item = np.repeat(np.arange(len(copies), dtype=np.int32), left)

    def to_rows(found: NDArray[np.int32]) -> NDArray[np.int32]:
        # Rows stand run by run in random order; each run takes its part numbers.
        numbers = np.arange(parts.n_parts, dtype=np.int32)
        from_dealt = np.repeat(np.tile(numbers, len(some)), dealt.ravel())
        run_of_dealt = np.repeat(some, dealt.sum(axis=1))
        run = np.concatenate([run_of_dealt, list_of_item])
        sorted_by_run = np.argsort(run, kind="stable")
        folds = np.empty(labels.n_rows, dtype=np.int32)
        folds[order] = np.concatenate([from_dealt, found])[sorted_by_run]
        return folds

    return Items(
        lists=lists,
        unit=True,
        list_of_item=list_of_item,
        item_size=None,
        base_counts=base_counts,
        base_sizes=dealt.sum(axis=0),
        start=None,
        to_rows=to_rows,
    )


def row_items(
    labels: Labels,
    parts: Parts,
    rank: NDArray[np.int32],
    n_ranks: int,
    fixed: NDArray[np.int32] | None,
    initial: NDArray[np.int32] | None,
) -> Items:
    """Every row that is not fixed is an item.

    ``fixed`` has the part of placed rows and −1 for free ones, ``initial`` the folds to start from.
    """
    placed = np.full(labels.n_rows, -1, np.int32) if fixed is None else fixed
    free = np.flatnonzero(placed < 0)
    by_class = measures.class_part_counts(labels, placed, parts.n_parts)
    base_counts = np.zeros((n_ranks, parts.n_parts), dtype=np.int32)
    base_counts[rank[rank >= 0]] = by_class[rank >= 0]

    def to_rows(found: NDArray[np.int32]) -> NDArray[np.int32]:
        folds = placed.astype(np.int32, copy=True)
        folds[free] = found
        return folds

    return Items(
        lists=_ranked(labels.matrix[free], rank, n_ranks),
        unit=True,
        list_of_item=np.arange(len(free), dtype=np.int32),
        item_size=None,
        base_counts=base_counts,
        base_sizes=np.bincount(placed[placed >= 0], minlength=parts.n_parts),
        start=None if initial is None else initial[free].astype(np.int32),
        to_rows=to_rows,
    )


def group_items(
    labels: Labels,
    parts: Parts,
    rank: NDArray[np.int32],
    n_ranks: int,
    groups: NDArray[np.int64],
    fixed: NDArray[np.int32] | None,
    initial: NDArray[np.int32] | None,
) -> Items:
    """Every group without a fixed row is an item."""
    n_groups = int(groups.max()) + 1
    if n_groups < parts.n_parts:
        raise InputError(
            f"cannot divide {n_groups} groups into {parts.n_parts} parts; ask for at most "
            f"{n_groups} parts, or make smaller groups."
        )
    placed = np.full(n_groups, -1, np.int32)
    if fixed is not None:
        rows = np.flatnonzero(fixed >= 0)
        placed[groups[rows]] = fixed[rows]
        clash = rows[placed[groups[rows]] != fixed[rows]]
        if len(clash):
            raise InputError(
                f"row {clash[0]} is fixed to part {fixed[clash[0]]}, another row of its group to "
                f"part {placed[groups[clash[0]]]}; a group can only be in one part."
            )
    membership = sp.csr_array(
        (np.ones(labels.n_rows, np.int32), (groups, np.arange(labels.n_rows))),
        shape=(n_groups, labels.n_rows),
    )
    vectors = sp.csr_array(membership @ labels.matrix.astype(np.int32))
    sizes = np.bincount(groups, minlength=n_groups)
    free = np.flatnonzero(placed < 0)
    base_counts = np.zeros((n_ranks, parts.n_parts), dtype=np.int32)
    base_sizes = np.zeros(parts.n_parts, dtype=np.int64)
    if len(free) < n_groups:
        rows_placed = placed[groups]
        by_class = measures.class_part_counts(labels, rows_placed, parts.n_parts)
        base_counts[rank[rank >= 0]] = by_class[rank >= 0]
        base_sizes = np.bincount(rows_placed[rows_placed >= 0], minlength=parts.n_parts)
    start = None
    if initial is not None:
        start_of_group = np.empty(n_groups, np.int32)
        start_of_group[groups] = initial
        if (start_of_group[groups] != initial).any():
            raise InputError("the initial folds separate rows of one group.")
        start = start_of_group[free]

    def to_rows(found: NDArray[np.int32]) -> NDArray[np.int32]:
        part_of_group = placed.copy()
        part_of_group[free] = found
        return part_of_group[groups]

    single = bool((sizes == 1).all())
    return Items(
        lists=_ranked(vectors[free], rank, n_ranks),
        unit=single,
        list_of_item=np.arange(len(free), dtype=np.int32),
        item_size=None if single else sizes[free].astype(np.int32),
        base_counts=base_counts,
        base_sizes=base_sizes,
        start=start,
        to_rows=to_rows,
    )


def parts_given(parts: Parts, placed: NDArray[np.int64]) -> Parts:
    """Parts that can still be had when some rows are placed already.

    A part that is over-full keeps its rows, the others share what is left, and
    class targets follow the sizes that come out.

    >>> import numpy as np
    >>> from trueval.stratify._items import parts_given
    >>> from trueval.stratify._parts import as_parts
    >>> parts_given(as_parts(4, 100), np.array([60, 0, 0, 0])).sizes()
    array([60, 14, 13, 13])
    """
    if (placed <= parts.low).all():
        return parts
    free = parts.n_rows - int(placed.sum())
    room = np.maximum(parts.shares * parts.n_rows - placed, 0)
    exact = placed + (free * room / room.sum() if free else 0)
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    odd = np.argsort(-(exact - sizes), kind="stable")[: parts.n_rows - int(sizes.sum())]
    sizes[odd] += 1
    return Parts(parts.n_rows, np.maximum(sizes, 1) / parts.n_rows, sizes, sizes)
