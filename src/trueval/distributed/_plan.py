"""What all stages share: the plan, totals that add up, and the search of some items.

Items are rows, or groups of rows. The lists of groups have the positives that a group brings to
each class, and one class that leads all others: the rows of the group.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.stratify._costs import class_costs
from trueval.stratify._groups import size_weight
from trueval.stratify._items import Items
from trueval.stratify._parts import Parts
from trueval.stratify._search import Search
from trueval.stratify.measures import rld_bound

__all__ = ["Plan", "Totals", "as_items", "item_sizes", "searched", "totals_of"]

_SALT = 0x9E3779B97F4A7C15  # class keys of the hash of a label set
_TIES = 2  # rounds in a row with the best cost after which more are not worth it


@dataclass(frozen=True, eq=False)
class Plan:
    """What all blocks share.

    Attributes
    ----------
    parts : Parts
        Of all rows.
    class_size : ndarray of float64
        Positives of each class, rising; those of groups begin with the number of rows.
    n_blank : int
        Rows without a label.
    n_blocks : int
    core : int
        Positives that are searched together: items with rare classes first, with few labels last.
    seed : int
    n_leading : int
        1 for groups: their rows are a class that leads the others.
    """

    parts: Parts
    class_size: NDArray[np.float64]
    n_blank: int
    n_blocks: int
    core: int
    seed: int
    n_leading: int = 0

    @property
    def class_keys(self) -> NDArray[np.uint64]:
        """What the hash of a label set is made of."""
        return np.arange(1, len(self.class_size) + 1, dtype=np.uint64) * np.uint64(_SALT)

    def seed_of(self, stage: int, block: int) -> int:
        """An independent seed for a stage of a block."""
        state = np.random.SeedSequence([self.seed, stage, block]).generate_state(1, np.uint64)
        return int(state[0])


@dataclass(frozen=True, eq=False)
class Totals:
    """Positives of each class and rows in each part."""

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def excess(self, plan: Plan) -> float:
        """What the mean rLD against the wanted sizes is above its lower bound, as a share of it."""
        lead, shares = plan.n_leading, plan.parts.shares
        size = plan.class_size[lead:]
        rld = np.abs(self.counts[lead:] / (size[:, None] * shares) - 1).mean()
        bound = float(rld_bound(size.astype(np.int64), shares).mean())
        return float(rld) / bound - 1 if bound else float(np.inf if rld else 0)

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.counts + other.counts, self.sizes + other.sizes)

    def __sub__(self, other: "Totals") -> "Totals":
        return Totals(self.counts - other.counts, self.sizes - other.sizes)


def item_sizes(lists: sp.csr_array, list_of_item: NDArray[np.int32]) -> NDArray[np.int32]:
    """Rows of each group: the first entry of its list."""
    sizes: NDArray[np.int32] = lists.data[lists.indptr[:-1]][list_of_item]
    return sizes


def totals_of(
    lists: sp.csr_array,
    list_of_item: NDArray[np.int32],
    item_parts: NDArray[np.int32],
    plan: Plan,
) -> Totals:
    """Totals of the items that have a part; −1 for those without."""
    n_parts, n_classes = plan.parts.n_parts, lists.shape[1]
    placed = item_parts >= 0
    if plan.n_leading:  # lists with numbers of positives
        cells = list_of_item[placed].astype(np.int64) * n_parts + item_parts[placed]
        by_list = np.bincount(cells, minlength=lists.shape[0] * n_parts).reshape(-1, n_parts)
        counts = (lists.T @ by_list).astype(np.int64)
        return Totals(counts, counts[0])
    flat = _kernels.part_counts(
        lists.indptr.astype(np.int64), lists.indices, item_parts, n_classes, n_parts, list_of_item
    )
    sizes = np.bincount(item_parts[placed], minlength=n_parts)
    return Totals(flat.reshape(n_classes, n_parts), sizes)


def as_items(
    parts: Parts,
    lists: sp.csr_array,
    list_of_item: NDArray[np.int32],
    class_size: NDArray[np.float64],
    base_counts: NDArray[np.int64],
    base_sizes: NDArray[np.int64],
    n_leading: int,
    *,
    weight: NDArray[np.float64] | None = None,
    start: NDArray[np.int32] | None = None,
) -> Items:
    """Items of a search, with the classes that they have."""
    weight = np.ones(len(class_size)) if weight is None else weight
    if n_leading:
        weight = np.concatenate([[size_weight(weight[1:])], weight[1:]])
    used = np.flatnonzero(np.bincount(lists.indices, minlength=lists.shape[1]))
    number = np.zeros(lists.shape[1], np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    renamed = sp.csr_array(
        (lists.data, number[lists.indices], lists.indptr), shape=(lists.shape[0], len(used))
    )
    return Items(
        parts=parts,
        lists=renamed,
        unit=not n_leading,
        list_of_item=list_of_item,
        item_size=item_sizes(lists, list_of_item) if n_leading else None,
        class_size=class_size[used],
        class_weight=weight[used],
        dcp_weight=np.zeros(len(used)),
        n_leading=n_leading,
        base_counts=np.ascontiguousarray(base_counts[used], dtype=np.int32),
        base_sizes=base_sizes.astype(np.int64),
        start=start,
        to_rows=lambda item_parts: item_parts,
    )


def searched(
    items: Items,
    seed: int,
    rounds: list[int],
    needed: Callable[[int, NDArray[np.int32]], bool] = lambda number, parts: True,
) -> NDArray[np.int32]:
    """Part of each item: the best of a greedy start and some rounds of cooling.

    The first round that is not ``needed(number, parts)`` ends the search.
    """
    search = Search(items, class_costs(items), seed)
    search.begin()
    for number, work in enumerate(rounds):
        assert search.best is not None
        if search.perfect or search.ties >= _TIES or not needed(number, search.best[1]):
            break
        search.cool(work, lambda _: None)
    assert search.best is not None
    return search.best[1]
