"""Bring parts of whole groups within a tolerance of the wanted sizes.

The search weighs rLD more than sizes, so large groups can leave parts too large or too
small. Groups are then moved from the fullest part to the emptiest, each time the one that raises
rLD least for what it mends, until all sizes are within the tolerance or no single group helps.
"""

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.stratify import measures
from trueval.stratify._groups import members_of_groups
from trueval.stratify._parts import Parts

__all__ = ["fit_sizes", "size_excess"]


def size_excess(sizes: NDArray[np.int64], parts: Parts, tolerance: float) -> NDArray[np.float64]:
    """Rows of each part beyond the tolerance (at least one row) around its share of all rows.

    >>> from trueval.stratify._parts import as_parts
    >>> size_excess(np.array([60, 40]), as_parts(2, 100), 0.05).round(6)
    array([7.5, 7.5])
    """
    wanted = parts.shares * sizes.sum(axis=-1, keepdims=True)
    allowed = np.maximum(tolerance * wanted, 1) + 1e-9
    return np.asarray(np.maximum(np.abs(sizes - wanted) - allowed, 0.0))


def fit_sizes(
    labels: Labels,
    parts: Parts,
    groups: NDArray[np.int64],
    folds: NDArray[np.int32],
    tolerance: float,
    fixed: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Part of each row after groups without a fixed row were moved."""
    sizes = np.bincount(folds, minlength=parts.n_parts)
    if not size_excess(sizes, parts, tolerance).any():
        return folds
    n_groups = int(groups.max()) + 1
    size = np.bincount(groups, minlength=n_groups)
    part = np.empty(n_groups, np.int32)
    part[groups] = folds
    free = np.bincount(groups[fixed >= 0], minlength=n_groups) == 0
    members = members_of_groups(labels, groups, n_groups)
    positives = measures.class_part_counts(labels, folds, parts.n_parts).T.astype(np.float64)
    total = np.maximum(labels.class_sizes, 1).astype(np.float64)

    def price(
        j: int, counts: NDArray[np.float64], classes: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Part of the rLD of these classes that such counts in part j are."""
        return np.asarray(np.abs(counts / (parts.shares[j] * total[classes]) - 1))

    for _ in range(n_groups):
        excess = float(size_excess(sizes, parts, tolerance).sum())
        if excess == 0:
            break
        fullness = sizes / parts.shares
        p, q = int(np.argmax(fullness)), int(np.argmin(fullness))
        some = np.flatnonzero((part == p) & free)
        moved = np.zeros((len(some), parts.n_parts), np.int64)
        moved[:, p], moved[:, q] = -size[some], size[some]
        gain = excess - size_excess(sizes + moved, parts, tolerance).sum(axis=1)
        some, gain = some[gain > 1e-9], gain[gain > 1e-9]
        if not len(some):
            break
        lists = members[some]
        classes, count = lists.indices, lists.data
        change = price(p, positives[p, classes] - count, classes) - price(
            p, positives[p, classes], classes
        )
        change += price(q, positives[q, classes] + count, classes) - price(
            q, positives[q, classes], classes
        )
        of_group = np.repeat(np.arange(len(some)), np.diff(lists.indptr))
        best = int(np.argmin(np.bincount(of_group, change, len(some)) / gain))
        entries = slice(lists.indptr[best], lists.indptr[best + 1])
        positives[p, classes[entries]] -= count[entries]
        positives[q, classes[entries]] += count[entries]
        sizes[p] -= size[some[best]]
        sizes[q] += size[some[best]]
        part[some[best]] = q
    return part[groups]
