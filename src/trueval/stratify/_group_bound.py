"""The least rLD that whole groups allow.

*One class.* A class of D positives has g_1 ≥ g_2 ≥ … of them in the groups that have any. The part
that gets group 1 holds g_1 plus a sum of some of the others, every other part a sum of some of
the others. The cheapest counts c_j of that kind with Σ c_j = D cost no more than any
assignment of whole groups, for each count is looked at alone and one group may be used twice. They
are found exactly for classes up to 60 positives (dynamic programming over parts).

For larger classes let t_j = D·w_j, what part j should have. A part with c_j > t_j has c_j − t_j too
many, and the others miss as many, at 1/(k·w·D) each, which is least in the largest part. So a group
g in part j costs at least max(0, g − t_j)·(1/w_j + 1/w_max)/(k·D); it may choose the cheapest
part. With equal parts all groups above D/k add up, whether they share a part or not. The bound of
single positives, :func:`~trueval.stratify.measures.rld_bound`, holds as well: the larger one
counts.

*All classes.* Where groups, parts and classes are few, the least mean is found by integer
programming: x_gj says that group g is in part j, d_cj is at least the distance of class c from its
share of part j, and Σ_j d_cj is at least the bound of the class. A solver that stops early still
knows a bound.

Otherwise the few largest groups are tried in all parts. With them placed, what a class has in
a part is at least what they bring, and costs at least as above, and at least its own bound. The
assignment with the smallest mean over classes is a bound of the mean that whole groups can reach.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.stratify import measures
from trueval.stratify._groups import members_of_groups

__all__ = ["group_rld_bound", "mean_group_bound"]

_SMALL = 60  # positives
_ASSIGNMENTS = 300  # of the largest groups that are tried
_LARGE = 0.02  # of all rows: smaller groups are not among them
_PROGRAMME, _NODES = (100, 200), 2000  # variables of groups and of classes, nodes of the search
_SLACK = 1e-6  # of the solver


def mean_group_bound(
    labels: Labels, groups: NDArray[np.int64], shares: NDArray[np.float64]
) -> float:
    """Least possible mean rLD (wanted sizes) of classes when groups stay whole.

    Classes without a positive, or without a negative, are left out.

    >>> from trueval.core.labels import as_labels
    >>> y = as_labels([["a"], ["a"], ["b"], ["b"]])
    >>> mean_group_bound(y, np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))
    0.5
    """
    sizes = labels.class_sizes
    has = (sizes > 0) & (sizes < labels.n_rows)  # as in the mean that split_quality reports
    if not has.any():
        return float("nan")
    counts = members_of_groups(labels, groups, int(groups.max()) + 1)
    single = _by_class(counts, sizes, shares)[has]
    if (
        counts.shape[0] * len(shares) <= _PROGRAMME[0]
        and len(single) * len(shares) <= _PROGRAMME[1]
    ):
        return _by_programme(counts.toarray()[:, has].astype(float), shares, single)
    rows = np.bincount(groups)
    large = np.argsort(-rows, kind="stable")
    large = large[rows[large] >= _LARGE * len(groups)]
    large = large[: _how_many(len(large), shares)]
    if not len(large):
        return float(single.mean())
    brought = counts[large].toarray()[:, has].astype(float)
    D = sizes[has].astype(float)
    best = np.inf
    for assignment in _assignments(len(large), shares):
        cost = np.zeros(len(D))
        for part, share in enumerate(shares):
            count = brought[np.asarray(assignment) == part].sum(axis=0)
            cost += _too_many(count, D, float(share), shares)
        best = min(best, float(np.maximum(cost, single).mean()))
    return best


def group_rld_bound(
    labels: Labels, groups: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Least possible rLD (wanted sizes) of each class when groups stay whole; NaN for empty ones.

    >>> from trueval.core.labels import as_labels
    >>> y = as_labels([["a"], ["a"], ["a"], ["a", "b"]])
    >>> group_rld_bound(y, np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))  # 3 to 1; 1 to 0
    array([0.5, 1. ])
    """
    counts = members_of_groups(labels, groups, int(groups.max()) + 1)
    return _by_class(counts, labels.class_sizes, shares)


def _by_class(
    counts: sp.csr_array, sizes: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    by_class = sp.csc_array(counts)
    bound = np.maximum(measures.rld_bound(sizes, shares), _alone(by_class, sizes, shares))
    w = tuple(shares.tolist())
    for c in np.flatnonzero((sizes > 1) & (sizes <= _SMALL)).tolist():
        of_groups = np.sort(by_class.data[by_class.indptr[c] : by_class.indptr[c + 1]])
        if of_groups[-1] > 1:  # else every sum is possible
            bound[c] = max(bound[c], _exact(tuple(of_groups.tolist()), w))
    return bound


def _too_many(
    count: NDArray[np.float64], D: NDArray[np.float64], share: float, shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Least cost of so many positives in a part, where they are more than it should have."""
    price = (1 / share + 1 / shares.max()) / (len(shares) * D)
    return np.asarray(np.maximum(count - D * share, 0) * price)


def _alone(
    by_class: sp.csc_array, sizes: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What groups force that have more of a class than a part should."""
    D = np.maximum(sizes, 1).astype(float)
    class_of = np.repeat(np.arange(len(sizes)), np.diff(by_class.indptr))
    cost = np.full(by_class.nnz, np.inf)
    for share in np.unique(shares):
        count = by_class.data.astype(float)
        cost = np.minimum(cost, _too_many(count, D[class_of], float(share), shares))
    if np.all(shares == shares[0]):
        return np.bincount(class_of, cost, len(sizes)).astype(float)
    largest = np.zeros(len(sizes))
    np.maximum.at(largest, class_of, cost)
    return largest


def _by_programme(
    counts: NDArray[np.float64], shares: NDArray[np.float64], single: NDArray[np.float64]
) -> float:
    """Least mean over classes, or the bound of it that the solver knows when it stops."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to import, rarely needed

    (n, m), k = counts.shape, len(shares)
    D = counts.sum(axis=0)
    price = 1 / (k * np.outer(D, shares)).ravel()  # of one positive too many or too few
    held = sp.kron(counts.T, sp.eye_array(k), format="csr")  # (class, part) by (group, part)
    wanted, away = np.outer(D, shares).ravel(), sp.eye_array(m * k)
    once = sp.kron(sp.eye_array(n), np.ones((1, k)))
    of_class = sp.kron(sp.eye_array(m), np.ones((1, k))) @ sp.diags_array(price)
    solved = milp(
        np.concatenate([np.zeros(n * k), price / m]),
        constraints=[
            LinearConstraint(sp.hstack([held, -away]), -np.inf, wanted),
            LinearConstraint(sp.hstack([held, away]), wanted, np.inf),
            LinearConstraint(sp.hstack([once, sp.csr_array((n, m * k))]), 1, 1),
            LinearConstraint(sp.hstack([sp.csr_array((m, n * k)), of_class]), single, np.inf),
        ],
        integrality=np.repeat([1, 0], [n * k, m * k]),
        bounds=Bounds(0, np.concatenate([np.ones(n * k), np.full(m * k, np.inf)])),
        options={"node_limit": _NODES},
    )
    bound = solved.get("mip_dual_bound")
    mean = float(single.mean())
    return mean if bound is None else max(mean, float(bound) * (1 - _SLACK) - _SLACK)


def _how_many(n: int, shares: NDArray[np.float64]) -> int:
    """Number of groups, up to n, whose assignments are few enough to try."""
    for number in range(1, n + 1):
        if sum(1 for _ in _assignments(number, shares)) > _ASSIGNMENTS:
            return number - 1
    return n


def _assignments(n: int, shares: NDArray[np.float64]) -> Iterator[tuple[int, ...]]:
    """Parts of some groups; of equal parts, the first group is in part 0 and so on."""
    k = len(shares)
    if not np.all(shares == shares[0]):
        yield from product(range(k), repeat=n)
        return
    stack: list[tuple[int, ...]] = [()]
    while stack:
        start = stack.pop()
        if len(start) == n:
            yield start
            continue
        stack += [(*start, part) for part in range(min(max(start, default=-1) + 2, k))]


@lru_cache(maxsize=100_000)
def _exact(counts: tuple[int, ...], shares: tuple[float, ...]) -> float:
    """Least cost of counts that are sums of groups; the last group is the largest."""
    w = np.asarray(shares)
    D, k = sum(counts), len(shares)
    sums = np.zeros(D + 1, dtype=bool)
    sums[0] = True
    for count in counts[:-1]:
        sums[count:] |= sums[: D + 1 - count].copy()
    of_others = np.where(sums, 0.0, np.inf)
    with_largest = np.full(D + 1, np.inf)
    with_largest[counts[-1] :] = of_others[: D + 1 - counts[-1]]
    price = np.abs(np.arange(D + 1) - D * w[:, None]) / (k * w[:, None] * D)
    place = np.arange(D + 1)[:, None] - np.arange(D + 1)
    beyond = place < 0
    best = np.inf
    for part in range(1 if np.all(w == w[0]) else k):
        total = with_largest + price[part]
        for other in range(k):
            if other != part:
                table = np.where(beyond, np.inf, total[place]) + (of_others + price[other])
                total = table.min(axis=1)
        best = min(best, float(total[D]))
    return best if best > 1e-12 else 0.0
