"""Whole groups to be placed in parts, and the least cost of each class by itself.

A class of D positives has g_1 ≥ g_2 ≥ … of them in the groups that have any. The part that gets
group 1 holds g_1 plus a sum of some of the others, every other part a sum of some of the others.
The cheapest counts c_j of that kind with Σ c_j = D cost no more than any assignment of whole
groups, for each count is looked at alone and one group may be used twice. They are found exactly
for classes up to some hundred positives (dynamic programming over parts).

For larger classes let t_j = D·w_j, what part j should have. A part with c_j > t_j has c_j − t_j too
many, and the others miss as many, at 1/(k·w·D) each, which is least in the largest part. So a group
g in part j costs at least max(0, g − t_j)·(1/w_j + 1/w_max)/(k·D); it may choose the cheapest
part. With equal parts all groups above D/k add up, whether they share a part or not. The bound of
single positives, :func:`~trueval.stratify.measures.rld_bound`, holds as well: the larger one
counts.

Parts have a largest size. A group that is larger than the room of a part is not in it, and a part
has no more positives than room.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.stratify import measures

__all__ = ["Problem"]

_SMALL = 300  # positives of a class for the dynamic programme


@dataclass(frozen=True, eq=False)
class Problem:
    """Groups of rows, what they have of each class, and parts for them."""

    members: sp.csc_array  # positives, groups by classes
    rows: NDArray[np.int64]  # of each group
    sizes: NDArray[np.int64]  # positives of each class; a class without any has the bound NaN
    shares: NDArray[np.float64]
    limits: NDArray[np.int64]  # most rows of each part

    @property
    def equal(self) -> bool:
        """Whether parts may change their numbers."""
        return bool(np.all(self.shares == self.shares[0]) and np.ptp(self.limits) == 0)

    @cached_property
    def single(self) -> NDArray[np.float64]:
        """Bound of each class by itself, no group placed."""
        bound = np.maximum(measures.rld_bound(self.sizes, self.shares), self._alone())
        return _without_rounding(np.maximum(bound, self._small((), np.empty(0, np.int64))))

    def placed(self, assignment: tuple[int, ...], groups: NDArray[np.int64]) -> NDArray[np.float64]:
        """Bound of each class when the first of these groups are in these parts."""
        groups = groups[: len(assignment)]
        D, brought, room = self.sizes[:, None], self.brought(assignment, groups), self.limits
        room = room - np.bincount(assignment, self.rows[groups], len(room)).astype(np.int64)
        rest = D - brought.sum(axis=1, keepdims=True)
        wanted, price = D * self.shares, 1 / (len(room) * D * self.shares)
        # Each part as near to its share as it can be; then the sum has to be that of the class.
        nearest = np.clip(wanted, brought, brought + np.minimum(rest, room))
        missing = np.abs(nearest.sum(axis=1) - self.sizes) * price.min(axis=1)
        cost = (np.abs(nearest - wanted) * price).sum(axis=1) + missing
        bound = np.maximum(np.maximum(cost, self.single), self._small(assignment, groups))
        return _without_rounding(bound)

    @property
    def work(self) -> float:
        """Steps of the dynamic programme of all small classes."""
        small = self.sizes[self.sizes <= _SMALL].astype(float)
        return float((small**2).sum() * len(self.shares))

    def brought(self, assignment: tuple[int, ...], groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positives that placed groups bring, classes by parts."""
        to = sp.csr_array(
            (np.ones(len(groups), np.int64), (np.asarray(assignment, np.int64), groups)),
            shape=(len(self.shares), len(self.rows)),
        )
        return np.ascontiguousarray((to @ self.members).toarray().T, dtype=np.int64)

    def _small(self, assignment: tuple[int, ...], groups: NDArray[np.int64]) -> NDArray[np.float64]:
        """Least cost of counts that are sums of groups; 0 for classes that are too large."""
        cost = np.zeros(len(self.sizes))
        small = self.sizes <= _SMALL
        if not assignment and (self.limits >= self.rows.sum()).all():
            most = np.asarray(self.members.max(axis=0).todense()).ravel()
            small &= most > 1  # else every sum is possible
        chosen = np.flatnonzero(small)
        if not len(chosen):
            return cost
        room = self.limits.copy()
        np.subtract.at(room, np.asarray(assignment, np.int64), self.rows[groups])
        free = self.members[:, chosen]
        keep = ~np.isin(free.indices, groups)
        start = np.concatenate([[0], np.cumsum(keep)])[free.indptr]
        cost[chosen] = _kernels.group_costs(
            start.astype(np.int64),
            free.data[keep].astype(np.int64),
            self.rows[free.indices[keep]].astype(np.int64),
            self.brought(assignment, groups)[chosen].ravel(),
            room,
            self.shares,
        )
        return cost

    def _alone(self) -> NDArray[np.float64]:
        """What groups force that have more of a class than a part should."""
        D = self.sizes.astype(float)
        class_of = np.repeat(np.arange(len(D)), np.diff(self.members.indptr))
        cost = np.full(self.members.nnz, np.inf)
        count = self.members.data.astype(float)
        for share in np.unique(self.shares):
            price = (1 / share + 1 / self.shares.max()) / (len(self.shares) * D[class_of])
            cost = np.minimum(cost, np.maximum(count - D[class_of] * share, 0) * price)
        if np.all(self.shares == self.shares[0]):
            return np.bincount(class_of, cost, len(D)).astype(float)
        largest = np.zeros(len(D))
        np.maximum.at(largest, class_of, cost)
        return largest


def _without_rounding(bound: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bounds that are 0 where they differ from it by rounding alone."""
    return np.where(bound < 1e-12, 0.0, bound)
