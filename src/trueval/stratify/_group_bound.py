"""The least rLD that whole groups allow.

*One class.* A class of D positives has g_1 ≥ g_2 ≥ … of them in the groups that have any. The part
that gets group 1 holds g_1 plus a sum of some of the others, every other part a sum of some of
the others. The cheapest counts c_j of that kind with Σ c_j = D cost no more than any
assignment of whole groups, for each count is looked at alone and one group may be used twice. They
are found exactly for classes up to some hundred positives (dynamic programming over parts).

For larger classes let t_j = D·w_j, what part j should have. A part with c_j > t_j has c_j − t_j too
many, and the others miss as many, at 1/(k·w·D) each, which is least in the largest part. So a group
g in part j costs at least max(0, g − t_j)·(1/w_j + 1/w_max)/(k·D); it may choose the cheapest
part. With equal parts all groups above D/k add up, whether they share a part or not. The bound of
single positives, :func:`~trueval.stratify.measures.rld_bound`, holds as well: the larger one
counts.

*Sizes.* Parts have a largest size. A group that is larger than the room of a part is not in it, and
a part has no more positives than room.

*All classes.* Where groups, parts and classes are few, the least mean is found by integer
programming: x_gj says that group g is in part j, d_cj is at least the distance of class c from its
share of part j, and Σ_j d_cj is at least the bound of the class. A solver that stops early still
knows a bound.

Otherwise the few largest groups are placed, one after the other. With them in parts, a class has
there at least what they bring, the parts have less room, and the bounds of the classes are found
again. Of all placements that are open the one with the smallest mean is taken further (best first),
so that smallest mean is a bound of what whole groups can reach whenever the search stops.
"""

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.labels import Labels
from trueval.stratify import measures
from trueval.stratify._groups import members_of_groups

__all__ = ["group_rld_bound", "mean_group_bound", "part_limits"]

_SMALL = 300  # positives of a class for the dynamic programme
_LARGE, _MOST_PLACED = 0.01, 12  # of all rows: smaller groups are not placed, nor more than so many
_WORK, _MOST_TRIED = 4e8, 150  # steps of the dynamic programme, placements
_PROGRAMME, _NODES = (100, 200), 2000  # variables of groups and of classes, nodes of the search
_SLACK = 1e-6  # of the solver
_TOLERANCE = 0.05  # sizes of parts that any split may have


def mean_group_bound(
    labels: Labels,
    groups: NDArray[np.int64],
    shares: NDArray[np.float64],
    limits: NDArray[np.int64] | None = None,
) -> float:
    """Least possible mean rLD (wanted sizes) of classes when groups stay whole.

    ``limits`` are the most rows of each part. Without them sizes are free, and also where it turns
    out that groups cannot be placed within them. Classes without a positive, or without a negative,
    are left out.

    >>> from trueval.core.labels import as_labels
    >>> y = as_labels([["a"], ["a"], ["b"], ["b"]])
    >>> mean_group_bound(y, np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))
    0.5
    """
    sizes = labels.class_sizes
    has = (sizes > 0) & (sizes < labels.n_rows)  # as in the mean that split_quality reports
    if not has.any():
        return float("nan")
    rows = np.bincount(groups)
    members = sp.csc_array(members_of_groups(labels, groups, len(rows)))[:, np.flatnonzero(has)]
    free = np.full(len(shares), labels.n_rows, np.int64)
    for room in (free,) if limits is None else (np.minimum(limits, free), free):
        bound = _mean_bound(_Problem(members, rows, sizes[has], shares, room))
        if np.isfinite(bound):
            break
    return bound


def group_rld_bound(
    labels: Labels, groups: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Least possible rLD (wanted sizes) of each class when groups stay whole; NaN for empty ones.

    >>> from trueval.core.labels import as_labels
    >>> y = as_labels([["a"], ["a"], ["a"], ["a", "b"]])
    >>> group_rld_bound(y, np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))  # 3 to 1; 1 to 0
    array([0.5, 1. ])
    """
    rows = np.bincount(groups)
    members = sp.csc_array(members_of_groups(labels, groups, len(rows)))
    bound = np.full(labels.n_classes, np.nan)
    has = np.flatnonzero(labels.class_sizes > 0)
    room = np.full(len(shares), labels.n_rows, np.int64)
    bound[has] = _Problem(members[:, has], rows, labels.class_sizes[has], shares, room).single
    return bound


def part_limits(sizes: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Most rows of each part: 5 % or one row above the wanted size, or as far as this split is.

    >>> part_limits(np.array([50, 50]), np.array([0.5, 0.5]))
    array([52, 52])
    >>> part_limits(np.array([60, 40]), np.array([0.5, 0.5]))
    array([60, 60])
    """
    wanted = shares * sizes.sum()
    above = max(_TOLERANCE, float((sizes / wanted).max()) - 1)
    most = np.floor(np.maximum(wanted * (1 + above), wanted + 1) + 1e-6)
    return np.asarray(np.maximum(most, sizes), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Groups of rows, what they have of each class, and parts for them."""

    members: sp.csc_array  # positives, groups by classes
    rows: NDArray[np.int64]  # of each group
    sizes: NDArray[np.int64]  # positives of each class, at least one
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
        return np.maximum(bound, self._small((), np.empty(0, np.int64)))

    def placed(self, assignment: tuple[int, ...], groups: NDArray[np.int64]) -> NDArray[np.float64]:
        """Bound of each class when the first of these groups are in these parts."""
        groups = groups[: len(assignment)]
        D, brought, room = self.sizes[:, None], self._brought(assignment, groups), self.limits
        room = room - np.bincount(assignment, self.rows[groups], len(room)).astype(np.int64)
        rest = D - brought.sum(axis=1, keepdims=True)
        wanted, price = D * self.shares, 1 / (len(room) * D * self.shares)
        # Each part as near to its share as it can be; then the sum has to be that of the class.
        nearest = np.clip(wanted, brought, brought + np.minimum(rest, room))
        missing = np.abs(nearest.sum(axis=1) - self.sizes) * price.min(axis=1)
        cost = (np.abs(nearest - wanted) * price).sum(axis=1) + missing
        return np.maximum(np.maximum(cost, self.single), self._small(assignment, groups))

    @property
    def work(self) -> float:
        """Steps of the dynamic programme of all small classes."""
        small = self.sizes[self.sizes <= _SMALL].astype(float)
        return float((small**2).sum() * len(self.shares))

    def _brought(self, assignment: tuple[int, ...], groups: NDArray[np.int64]) -> NDArray[np.int64]:
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
            self._brought(assignment, groups)[chosen].ravel(),
            room,
            self.shares,
        )
        return np.where(cost > 1e-12, cost, 0.0)

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


def _mean_bound(problem: _Problem) -> float:
    """Bound of the mean over classes; infinity if groups do not fit into the parts."""
    n_parts = len(problem.shares)
    if not np.isfinite(problem.single).all():
        return float("inf")
    if (
        len(problem.rows) * n_parts <= _PROGRAMME[0]
        and len(problem.sizes) * n_parts <= _PROGRAMME[1]
    ):
        return _by_programme(problem)
    return _by_placement(problem)


def _by_placement(problem: _Problem) -> float:
    """Smallest mean of the placements of the largest groups that are still open."""
    large = np.argsort(-problem.rows, kind="stable")[:_MOST_PLACED]
    large = large[problem.rows[large] >= _LARGE * problem.rows.sum()]
    n_tried = int(min(_MOST_TRIED, _WORK / max(problem.work, 1)))
    open_placements: list[tuple[float, tuple[int, ...]]] = [(float(problem.single.mean()), ())]
    while open_placements:
        bound, start = open_placements[0]
        if len(start) == len(large) or n_tried <= 0:
            return bound
        heapq.heappop(open_placements)
        group, load = large[len(start)], problem.limits.copy()
        np.subtract.at(load, np.asarray(start, np.int64), problem.rows[large[: len(start)]])
        # Of equal parts those without a group are alike.
        last = max(start, default=-1) + 2 if problem.equal else len(load)
        for part in range(min(last, len(load))):
            if problem.rows[group] <= load[part]:
                mean = float(problem.placed((*start, part), large).mean())
                n_tried -= 1
                if np.isfinite(mean):
                    heapq.heappush(open_placements, (max(bound, mean), (*start, part)))
    return float("inf")


def _by_programme(problem: _Problem) -> float:
    """Least mean over classes, or the bound of it that the solver knows when it stops."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to import, rarely needed

    counts, shares = problem.members.toarray().astype(float), problem.shares
    (n, m), k = counts.shape, len(shares)
    D = counts.sum(axis=0)
    price = 1 / (k * np.outer(D, shares)).ravel()  # of one positive too many or too few
    positives = sp.kron(counts.T, sp.eye_array(k), format="csr")  # (class, part) by (group, part)
    wanted, away = np.outer(D, shares).ravel(), sp.eye_array(m * k)
    once = sp.kron(sp.eye_array(n), np.ones((1, k)))
    loads = sp.kron(problem.rows[None].astype(float), sp.eye_array(k))
    of_class = sp.kron(sp.eye_array(m), np.ones((1, k))) @ sp.diags_array(price)
    solved = milp(
        np.concatenate([np.zeros(n * k), price / m]),
        constraints=[
            LinearConstraint(sp.hstack([positives, -away]), -np.inf, wanted),
            LinearConstraint(sp.hstack([positives, away]), wanted, np.inf),
            LinearConstraint(sp.hstack([once, sp.csr_array((n, m * k))]), 1, 1),
            LinearConstraint(sp.hstack([loads, sp.csr_array((k, m * k))]), 0, problem.limits),
            LinearConstraint(
                sp.hstack([sp.csr_array((m, n * k)), of_class]), problem.single, np.inf
            ),
        ],
        integrality=np.repeat([1, 0], [n * k, m * k]),
        bounds=Bounds(0, np.concatenate([np.ones(n * k), np.full(m * k, np.inf)])),
        options={"node_limit": _NODES},
    )
    if solved.status == 2:  # infeasible
        return float("inf")
    bound = solved.get("mip_dual_bound")
    mean = float(problem.single.mean())
    return mean if bound is None else max(mean, float(bound) * (1 - _SLACK) - _SLACK)
