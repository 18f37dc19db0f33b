"""The stages of a split as functions of arrays; drivers only move their inputs and results.

A *block* holds the rows whose label set has one remainder of its hash. Class numbers are ranks,
from the smallest class to the largest, so the core classes are the first of every list. Nothing
here depends on how the rows were stored: rows of a block are put in order by label set and a hash
of the row id.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.distributed._plan import Plan, Totals, as_items, item_sizes, searched, totals_of
from trueval.stratify._budget import plan as plan_rounds
from trueval.stratify._items import Dealt, deal_out
from trueval.stratify._parts import Parts

__all__ = [
    "Piece",
    "block_of_rows",
    "chain",
    "class_counts",
    "core_piece",
    "core_search",
    "deal",
    "fill",
    "finish_piece",
    "finish_search",
    "free_sizes",
    "item_lengths",
    "item_rows",
    "longest_list",
    "n_core_classes",
]

_FILL = 0.3  # effort, in that of one search
# Rounds of the finish: effort, and by which share of its bound the rLD is above it to need one.
_FINISH = ((0.1, 0.0005), (0.7, 0.002))
_CORE_CLASSES = 8  # the core may have one of so many positives of its budget in rare classes


def block_of_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    keys: NDArray[np.uint64],
    plan: Plan,
) -> NDArray[np.int32]:
    """Block of each row: by its label set, so that equal rows meet.

    ``keys`` are hashes of the row ids. A set of large classes alone could have more rows than a
    block should hold: by the size of its rarest class, its rows are spread over several blocks.
    """
    lengths = np.diff(indptr)
    first = np.minimum(indptr[:-1], max(len(indices) - 1, 0))
    rarest = np.full(len(lengths), float(plan.n_blank))
    if len(indices):
        rarest = np.where(lengths > 0, plan.class_size[indices[first]], rarest)
    share = max(2 * plan.parts.n_rows / plan.n_blocks, 1.0)
    n_spread = np.clip(np.ceil(rarest / share), 1, plan.n_blocks).astype(np.uint64)
    n_blocks = np.uint64(plan.n_blocks)
    hashes = _kernels.set_hashes(indptr, indices, plan.class_keys) >> np.uint64(8)
    return ((hashes % n_blocks + keys % n_spread) % n_blocks).astype(np.int32)


def deal(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    keys: NDArray[np.uint64],
    plan: Plan,
) -> Dealt:
    """Deal out the equal rows of a block; the remainders are its items."""
    order, starts = _kernels.equal_rows(indptr, indices, plan.class_keys, plan.seed, keys)
    matrix = sp.csr_array(
        (np.ones(len(indices), np.int32), indices, indptr),
        shape=(len(indptr) - 1, len(plan.class_size)),
    )
    return deal_out(order, matrix[order[starts[:-1]]], np.diff(starts), plan.parts)


def class_counts(dealt: Dealt, item_parts: NDArray[np.int32], plan: Plan) -> Totals:
    """Totals of the items that have a part; −1 for those without."""
    return totals_of(dealt.lists, dealt.list_of_item, item_parts, plan)


def item_rows(lists: sp.csr_array, list_of_item: NDArray[np.int32], plan: Plan) -> int:
    """Rows of all items."""
    return int(item_sizes(lists, list_of_item).sum()) if plan.n_leading else len(list_of_item)


# --- core ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Piece:
    """What a block brings to the core: its items with a rare class, and their rare classes."""

    items: NDArray[np.int64]
    lists: sp.csr_array
    list_of_item: NDArray[np.int32]


def n_core_classes(item_positives: NDArray[np.int64], budget: int) -> int:
    """How many of the smallest classes make the core: all if the budget allows it.

    Otherwise those that fit a share of it, at least one: where most rows are in the core, few are
    left to balance the large classes.
    """
    cumulated = np.cumsum(item_positives)
    if cumulated[-1] <= budget:
        return len(item_positives)
    return max(int(np.searchsorted(cumulated, budget // _CORE_CLASSES, side="right")), 1)


def core_piece(dealt: Dealt, n_core: int, n_leading: int) -> Piece:
    """Items of a block that have a core class."""
    cut = sp.csr_array(dealt.lists[:, :n_core])
    return _piece(dealt, cut, np.diff(cut.indptr) > n_leading)


def _piece(dealt: Dealt, lists: sp.csr_array, chosen: NDArray[np.bool_]) -> Piece:
    """Items of the chosen label sets."""
    items = np.flatnonzero(chosen[dealt.list_of_item])
    used = np.unique(dealt.list_of_item[items])
    number = np.zeros(len(chosen), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    return Piece(items, sp.csr_array(lists[used]), number[dealt.list_of_item[items]])


def _joined(pieces: list[Piece]) -> tuple[sp.csr_array, NDArray[np.int32]]:
    """Lists of all pieces, and the list of each item."""
    first = np.cumsum([0, *(piece.lists.shape[0] for piece in pieces)], dtype=np.int32)
    lists = sp.csr_array(sp.vstack([piece.lists for piece in pieces], format="csr"))
    numbers = [piece.list_of_item + at for piece, at in zip(pieces, first, strict=False)]
    return lists, np.concatenate(numbers)


def core_search(
    pieces: list[Piece], dealt: Totals, n_rows: int, plan: Plan
) -> list[NDArray[np.int32]]:
    """Part of each item of each piece, searched together.

    Parameters
    ----------
    pieces : list of Piece
        In the order of the blocks.
    dealt : Totals
        Of the rows dealt out in all blocks.
    n_rows : int
        Of the items of all blocks, with or without a core class.
    plan : Plan

    Returns
    -------
    list of ndarray of int32
    """
    lengths = [len(piece.items) for piece in pieces]
    lists, list_of_item = _joined(pieces)
    in_core = item_rows(lists, list_of_item, plan)
    # The core takes its part of what each part still needs, so that the rest can be placed.
    open_rows = plan.parts.sizes() - dealt.sizes
    wanted = dealt.sizes + open_rows * in_core / max(n_rows, 1)
    class_size = plan.class_size[: lists.shape[1]].copy()
    class_size[: plan.n_leading] = in_core
    items = as_items(
        Parts(
            int(dealt.sizes.sum()) + in_core,
            plan.parts.shares,
            np.floor(wanted + 1e-9).astype(np.int64),
            np.ceil(wanted - 1e-9).astype(np.int64),
        ),
        lists,
        list_of_item,
        class_size,
        dealt.counts[: lists.shape[1]],
        dealt.sizes,
        plan.n_leading,
    )
    item_parts = searched(items, plan.seed_of(0, 0), plan_rounds(items, 1.0))
    return np.split(item_parts, np.cumsum(lengths)[:-1])


# --- fill ------------------------------------------------------------------------------------


def free_sizes(
    n_free: NDArray[np.int64], placed: NDArray[np.int64], plan: Plan
) -> NDArray[np.int64]:
    """Free rows that each block puts into each part, so that all sizes come out exactly.

    ``n_free`` are the free rows of each block, ``placed`` the rows of each part in all blocks.
    """
    left = np.maximum(plan.parts.sizes() - placed, 0)  # a group may be larger than a part
    sizes = np.zeros((len(n_free), plan.parts.n_parts), np.int64)
    # Invariant: `left` is not negative, and its sum not below the free rows of the blocks to come.
    for block, rows in enumerate(n_free.tolist()):
        exact = rows * left / max(int(left.sum()), 1)
        sizes[block] = np.floor(exact + 1e-9)
        odd = np.argsort(-(exact - sizes[block]), kind="stable")
        sizes[block, odd[: rows - int(sizes[block].sum())]] += 1
        left = left - sizes[block]
    return sizes


def fill(
    dealt: Dealt,
    item_parts: NDArray[np.int32],
    n_core: int,
    sizes: NDArray[np.int64],
    plan: Plan,
    block: int,
) -> NDArray[np.int32]:
    """Place the items of a block that the core has not, for the other classes' shares of it.

    ``item_parts`` has the parts of core items, −1 for free ones; ``sizes`` the free rows of parts.
    """
    free = np.flatnonzero(item_parts < 0)
    if len(free) == 0:
        return item_parts
    placed = class_counts(dealt, item_parts, plan)
    others = np.r_[: plan.n_leading, n_core : len(plan.class_size)]
    rest = sp.csr_array(dealt.lists[:, others] if plan.n_leading else dealt.lists[:, n_core:])
    base_counts = dealt.class_counts()[others] + placed.counts[others]
    base_sizes = dealt.counts.sum(axis=0) + placed.sizes
    wanted = base_sizes + sizes
    in_block = (rest.T @ dealt.copies).astype(float)
    items = as_items(
        Parts(int(wanted.sum()), plan.parts.shares, wanted, wanted),
        rest,
        dealt.list_of_item[free],
        in_block,
        base_counts,
        base_sizes,
        plan.n_leading,
        weight=in_block / plan.class_size[others],
    )
    filled = item_parts.copy()
    filled[free] = searched(items, plan.seed_of(1, block), plan_rounds(items, _FILL, extra=False))
    return filled


def chain(
    dealt: Dealt, item_parts: NDArray[np.int32], totals: Totals, plan: Plan, block: int
) -> tuple[NDArray[np.int32], Totals]:
    """Improve a block strictly, with the exact totals of all blocks; its parts, the new totals."""
    if len(item_parts) == 0:
        return item_parts, totals
    others = totals - class_counts(dealt, item_parts, plan)
    items = as_items(
        plan.parts,
        dealt.lists,
        dealt.list_of_item,
        plan.class_size,
        others.counts,
        others.sizes,
        plan.n_leading,
        start=item_parts,
    )
    better = searched(items, plan.seed_of(2, block), [])
    return better, others + class_counts(dealt, better, plan)


# --- finish ----------------------------------------------------------------------------------


def item_lengths(dealt: Dealt, plan: Plan) -> NDArray[np.int64]:
    """Items of a block by the number of their labels."""
    lengths = np.diff(dealt.lists.indptr)[dealt.list_of_item]
    return np.bincount(lengths, minlength=len(plan.class_size) + 1)


def longest_list(lengths: NDArray[np.int64], budget: int) -> int:
    """Number of labels up to which items fit the budget of positives."""
    positives = np.cumsum(lengths * np.arange(len(lengths)))
    return max(int(np.searchsorted(positives, budget, side="right")) - 1, 0)


def finish_piece(dealt: Dealt, longest: int, n_leading: int) -> Piece:
    """Items of a block with few labels: they can mend a class and disturb few others."""
    lengths = np.diff(dealt.lists.indptr)
    return _piece(dealt, dealt.lists, (lengths > n_leading) & (lengths <= longest))


def finish_search(
    pieces: list[Piece], item_parts: list[NDArray[np.int32]], totals: Totals, plan: Plan
) -> tuple[list[NDArray[np.int32]], Totals]:
    """Improve some items of all blocks together; their parts, the new totals."""
    start = np.concatenate(item_parts)
    if len(start) == 0:
        return item_parts, totals
    lists, list_of_item = _joined(pieces)
    others = totals - totals_of(lists, list_of_item, start, plan)
    items = as_items(
        plan.parts,
        lists,
        list_of_item,
        plan.class_size,
        others.counts,
        others.sizes,
        plan.n_leading,
        start=start,
    )

    def totals_with(parts: NDArray[np.int32]) -> Totals:
        return others + totals_of(lists, list_of_item, parts, plan)

    # The start is good already: one slow round gains more than several short ones. Often a quick
    # one is enough, and it is one process that does all this.
    rounds = [sum(plan_rounds(items, effort)) for effort, _ in _FINISH]

    def needed(number: int, parts: NDArray[np.int32]) -> bool:
        return totals_with(parts).excess(plan) > _FINISH[number][1]

    better = searched(items, plan.seed_of(3, 0), rounds, needed)
    new = totals_with(better)
    return np.split(better, np.cumsum([len(part) for part in item_parts])[:-1]), new
