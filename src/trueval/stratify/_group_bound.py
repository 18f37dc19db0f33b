"""The least mean rLD that whole groups allow.

Each class has a bound of its own (:mod:`trueval.stratify._group_problem`). Where groups, parts and
classes are few, the least mean over classes is found by integer programming.

Otherwise the few largest groups are placed, one after the other. With them in parts, a class has
there at least what they bring, the parts take fewer further rows, and the bounds of the classes are
found again. Of all placements that are open the one with the smallest mean is taken further (best
first), so that smallest mean is a bound of what whole groups can reach whenever the search stops.
Before a placement is taken further in several ways, its bound is raised by a linear programme that
sees all classes together (:mod:`trueval.stratify._group_programme`).
"""

import heapq

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.stratify._group_problem import Problem
from trueval.stratify._group_programme import least_mean, relaxed_mean, relaxed_work
from trueval.stratify._groups import members_of_groups

__all__ = ["group_rld_bound", "mean_group_bound", "part_limits"]

_LARGE, _MOST_PLACED = 0.01, 12  # of all rows: smaller groups are not placed, nor more than so many
_WORK, _MOST_TRIED = 4e8, 150  # steps of the dynamic programme, placements
_PROGRAMME = (100, 200)  # variables of groups and of classes for integer programming
_RELAXED, _GAIN = 5e6, 0.002  # work of linear programmes, and what one has to gain for another
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
    for most in (free,) if limits is None else (np.minimum(limits, free), free):
        bound = _mean_bound(Problem(members, rows, sizes[has], shares, most))
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
    limits = np.full(len(shares), labels.n_rows, np.int64)
    return Problem(members, rows, labels.class_sizes, shares, limits).single


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


def _mean_bound(problem: Problem) -> float:
    """Bound of the mean over classes; infinity if groups do not fit into the parts."""
    n_parts = len(problem.shares)
    if not np.isfinite(problem.single).all():
        return float("inf")
    if (
        len(problem.rows) * n_parts <= _PROGRAMME[0]
        and len(problem.sizes) * n_parts <= _PROGRAMME[1]
    ):
        return least_mean(problem)
    return _by_placement(problem)


def _by_placement(problem: Problem) -> float:
    """Smallest mean of the placements of the largest groups that are still open."""
    large = _large_groups(problem)
    n_tried, work = int(min(_MOST_TRIED, _WORK / max(problem.work, 1))), _RELAXED
    # Bound, whether it is that of the relaxation already, parts of the first of the large groups.
    placements: list[tuple[float, bool, tuple[int, ...]]]
    placements = [(float(problem.single.mean()), True, ())]
    while placements:
        bound, relaxed, start = heapq.heappop(placements)
        needed = relaxed_work(problem, start)
        if not relaxed and needed <= work:
            mean = relaxed_mean(problem, start, large, problem.placed(start, large))
            # Where one programme tells nothing new, others will not either.
            work = work - needed if mean > (1 + _GAIN) * bound else 0.0
            heapq.heappush(placements, (max(bound, mean), True, start))
            continue
        if len(start) == len(large) or n_tried <= 0:
            return bound
        for part in _open_parts(problem, large, start):
            mean = float(problem.placed((*start, part), large).mean())
            n_tried -= 1
            if np.isfinite(mean):
                heapq.heappush(placements, (max(bound, mean), False, (*start, part)))
    return float("inf")


def _large_groups(problem: Problem) -> NDArray[np.int64]:
    """Groups that are placed, the largest first."""
    large = np.argsort(-problem.rows, kind="stable")[:_MOST_PLACED]
    return large[problem.rows[large] >= _LARGE * problem.rows.sum()]


def _open_parts(problem: Problem, large: NDArray[np.int64], start: tuple[int, ...]) -> list[int]:
    """Parts that the next large group fits into; of equal parts those without a group are alike."""
    free = problem.limits.copy()  # rows that each part still takes
    np.subtract.at(free, np.asarray(start, np.int64), problem.rows[large[: len(start)]])
    last = max(start, default=-1) + 2 if problem.equal else len(free)
    return [
        part
        for part in range(min(last, len(free)))
        if problem.rows[large[len(start)]] <= free[part]
    ]
