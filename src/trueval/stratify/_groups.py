"""Groups of rows as items of ``anneal``."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.core.similarity import Similarity
from trueval.stratify._items import Items, Ranks, edges_of_items, placed_already, ranked_lists
from trueval.stratify._parts import Parts, remaining_parts

__all__ = ["group_items", "members_of_groups", "size_weight"]

# What the sizes of the parts count for, in classes: for each class of the data, and at least.
_SIZE_WEIGHT, _LEAST_SIZE_WEIGHT = 0.1, 0.5


def group_items(
    labels: Labels,
    parts: Parts,
    ranks: Ranks,
    groups: NDArray[np.int64],
    fixed: NDArray[np.int32] | None,
    initial: NDArray[np.int32] | None,
    similarity: Similarity | None = None,
    cut_weight: float = 0.0,
) -> Items:
    """Every group without a fixed row is an item; the rest is as in ``row_items``."""
    n_groups = int(groups.max()) + 1
    if n_groups == 1:
        raise InputError(
            "groups has one value for all rows, and a group is not divided; give smaller groups."
        )
    if n_groups < parts.n_parts:
        raise InputError(
            f"cannot divide {n_groups} groups into {parts.n_parts} parts; ask for at most "
            f"{n_groups} parts, or make smaller groups."
        )
    sizes = np.bincount(groups, minlength=n_groups)
    placed = _placed_groups(groups, n_groups, fixed)
    start = None if initial is None else _start_of_groups(groups, n_groups, initial)
    free = np.flatnonzero(placed < 0)
    base_counts, base_sizes = placed_already(labels, parts, ranks, placed[groups])
    lists = ranked_lists(members_of_groups(labels, groups, n_groups)[free], ranks)
    single = bool((sizes == 1).all())
    if not single:  # the size leads the list of each group
        column = sp.csr_array(sizes[free].astype(np.int32)[:, None])
        lists = sp.csr_array(sp.hstack([column, lists], format="csr"))
        base_counts = np.concatenate([base_sizes[None].astype(np.int32), base_counts])
    size = ranks.size if single else np.concatenate([[float(labels.n_rows)], ranks.size])
    weight, dcp_weight = ranks.weight, ranks.dcp_weight
    if not single:
        weight = np.concatenate([[size_weight(weight + dcp_weight)], weight])
        dcp_weight = np.concatenate([[0.0], dcp_weight])

    item_of_group = np.full(n_groups, -1, np.int64)
    item_of_group[free] = np.arange(len(free))

    def to_rows(part_of_item: NDArray[np.int32]) -> NDArray[np.int32]:
        part_of_group = placed.copy()
        part_of_group[free] = part_of_item
        return part_of_group[groups]

    return Items(
        parts=remaining_parts(parts, base_sizes),
        lists=lists,
        unit=single,
        list_of_item=np.arange(len(free), dtype=np.int32),
        item_size=None if single else sizes[free].astype(np.int32),
        class_size=size,
        class_weight=weight,
        dcp_weight=dcp_weight,
        n_leading=0 if single else 1,
        base_counts=base_counts,
        base_sizes=base_sizes,
        start=None if start is None else start[free],
        to_rows=to_rows,
        edges=edges_of_items(
            similarity, cut_weight, item_of_group[groups], placed[groups], len(free)
        ),
    )


def size_weight(weights: NDArray[np.float64]) -> float:
    """What the sizes of the parts count for, beside classes of these weights."""
    least = _LEAST_SIZE_WEIGHT * (weights.mean() if len(weights) else 1.0)
    return max(_SIZE_WEIGHT * float(weights.sum()), float(least))


def members_of_groups(labels: Labels, groups: NDArray[np.int64], n_groups: int) -> sp.csr_array:
    """Members of each class in each group."""
    membership = sp.csr_array(
        (np.ones(labels.n_rows, np.int32), (groups, np.arange(labels.n_rows))),
        shape=(n_groups, labels.n_rows),
    )
    return sp.csr_array(membership @ labels.matrix.astype(np.int32))


def _placed_groups(
    groups: NDArray[np.int64], n_groups: int, fixed: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """Part of each group that has a fixed row, −1 for the others."""
    placed = np.full(n_groups, -1, np.int32)
    if fixed is None:
        return placed
    rows = np.flatnonzero(fixed >= 0)
    placed[groups[rows]] = fixed[rows]
    clash = rows[placed[groups[rows]] != fixed[rows]]
    if len(clash):
        raise InputError(
            f"row {clash[0]} is fixed to part {fixed[clash[0]]}, another row of its group to "
            f"part {placed[groups[clash[0]]]}; a group can only be in one part."
        )
    return placed


def _start_of_groups(
    groups: NDArray[np.int64], n_groups: int, initial: NDArray[np.int32]
) -> NDArray[np.int32]:
    start = np.empty(n_groups, np.int32)
    start[groups] = initial
    if (start[groups] != initial).any():
        raise InputError("the initial folds separate rows of one group.")
    return start
