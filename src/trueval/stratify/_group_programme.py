"""The least mean rLD of whole groups by integer programming, and its linear relaxation.

x_gb says which share of group g is in block b, d_cb is at least the distance of class c from what
it should have in block b, and the cost Σ_b price_cb · d_cb of a class is at least its own bound. A
block is a part, or several parts that are alike: of these, the distance of all positives together
is no more than the sum of the distances.

Whole groups (x 0 or 1) and single parts give the least mean itself. Groups that may be divided give
a bound. It is of use once large groups have their parts: then all classes together have to do with
what fits beside these.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.stratify._group_problem import Problem

__all__ = ["least_mean", "relaxed_mean", "relaxed_work"]

_NODES = 2000  # of the search over whole groups
_SLACK = 1e-6  # of the solver
_SOLVED, _INFEASIBLE = 0, 2
_MOST_ENTRIES = 100_000  # of the constraints; classes beyond that count with their own bound


@dataclass(frozen=True, eq=False)
class _Programme:
    """Least cost @ x with at_most @ x ≤ limits, once @ x = 1 and x ≥ 0; x are groups, then d."""

    cost: NDArray[np.float64]
    at_most: sp.csr_array
    limits: NDArray[np.float64]
    once: sp.csr_array
    n_groups: int  # groups times blocks


def least_mean(problem: Problem) -> float:
    """Least mean over classes, or the bound of it that the solver knows when it stops."""
    from scipy.optimize import LinearConstraint, milp  # slow to import, rarely needed

    blocks = [np.array([part]) for part in range(len(problem.shares))]
    every = np.arange(len(problem.sizes))
    programme = _programme(problem, (), np.empty(0, np.int64), blocks, every, problem.single)
    solved = milp(
        programme.cost,
        constraints=[
            LinearConstraint(programme.at_most, -np.inf, programme.limits),
            LinearConstraint(programme.once, 1, 1),
        ],
        integrality=(np.arange(len(programme.cost)) < programme.n_groups).astype(int),
        options={"node_limit": _NODES},
    )
    if solved.status == _INFEASIBLE:
        return float("inf")
    bound, mean = solved.get("mip_dual_bound"), float(problem.single.mean())
    return mean if bound is None else max(mean, _safe(float(bound)))


def relaxed_mean(
    problem: Problem,
    assignment: tuple[int, ...],
    groups: NDArray[np.int64],
    lower: NDArray[np.float64],
) -> float:
    """Bound of the mean over classes when the first of these groups are in these parts.

    ``lower`` are bounds of the classes by themselves. Other groups may be divided.
    """
    from scipy.optimize import linprog

    groups = groups[: len(assignment)]
    blocks = _blocks(problem, assignment)
    chosen = _classes(problem, groups, len(blocks))
    programme = _programme(problem, assignment, groups, blocks, chosen, lower)
    solved = linprog(
        programme.cost,
        A_ub=programme.at_most,
        b_ub=programme.limits,
        A_eq=programme.once,
        b_eq=np.ones(programme.once.shape[0]),
        method="highs-ipm",
    )
    if solved.status == _INFEASIBLE:
        return float("inf")
    mean = float(lower.mean())
    if solved.status != _SOLVED:
        return mean
    rest = (lower.sum() - lower[chosen].sum()) / len(lower)
    return max(mean, _safe(float(solved.fun) + rest))


def relaxed_work(problem: Problem, assignment: tuple[int, ...]) -> float:
    """What the time of the relaxation goes by: entries of the constraints, and blocks."""
    n_blocks = len(_blocks(problem, assignment))
    return min(2 * problem.members.nnz * n_blocks, _MOST_ENTRIES) * n_blocks**2


def _safe(bound: float) -> float:
    """Below what the solver may be wrong by."""
    return bound * (1 - _SLACK) - _SLACK


def _blocks(problem: Problem, assignment: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Every part with a group, and the others together where they are of one size."""
    blocks = [np.array([part]) for part in sorted(set(assignment))]
    others = np.setdiff1d(np.arange(len(problem.shares)), assignment)
    alike: dict[tuple[float, int], list[int]] = {}
    for part in others.tolist():
        key = (float(problem.shares[part]), int(problem.limits[part]))
        alike.setdefault(key, []).append(part)
    return [*blocks, *map(np.array, alike.values())]


def _classes(problem: Problem, groups: NDArray[np.int64], n_blocks: int) -> NDArray[np.int64]:
    """Classes that the programme has room for, those first that the groups have most of."""
    members = problem.members
    inside = np.asarray(sp.csr_array(members)[groups].sum(axis=0)).ravel() / problem.sizes
    order = np.argsort(-inside, kind="stable")
    entries = np.cumsum(2 * n_blocks * np.diff(members.indptr)[order])
    return np.sort(order[: max(int(np.searchsorted(entries, _MOST_ENTRIES, "right")), 1)])


def _programme(
    problem: Problem,
    assignment: tuple[int, ...],
    groups: NDArray[np.int64],
    blocks: list[NDArray[np.int64]],
    classes: NDArray[np.int64],
    lower: NDArray[np.float64],
) -> _Programme:
    """The programme of some classes, with a cost that is their part of the mean over all."""
    n_parts, n_blocks, m = len(problem.shares), len(blocks), len(classes)
    free = np.setdiff1d(np.arange(len(problem.rows)), groups)
    to_block = np.zeros((n_parts, n_blocks))
    for number, parts in enumerate(blocks):
        to_block[parts, number] = 1
    size, share = problem.sizes[classes].astype(float), problem.shares
    brought = problem.brought(assignment, groups)[classes] @ to_block
    room = problem.limits - np.bincount(assignment, problem.rows[groups], n_parts)
    needed = (np.outer(size, share) @ to_block - brought).ravel()
    share_of_block = np.array([share[parts[0]] for parts in blocks])
    price = 1 / (n_parts * np.outer(size, share_of_block)).ravel()  # of one positive too many
    positives = sp.kron(sp.csr_array(problem.members)[free][:, classes].T, sp.eye_array(n_blocks))
    away = sp.eye_array(m * n_blocks)
    rows = problem.rows[free][None].astype(float)
    of_class = sp.kron(sp.eye_array(m), np.ones((1, n_blocks))) @ sp.diags_array(price)
    n = len(free) * n_blocks
    at_most = [
        sp.hstack([positives, -away]),
        sp.hstack([-positives, -away]),
        sp.hstack([sp.kron(rows, sp.eye_array(n_blocks)), sp.csr_array((n_blocks, m * n_blocks))]),
        sp.hstack([sp.csr_array((m, n)), -of_class]),
    ]
    once = sp.kron(sp.eye_array(len(free)), np.ones((1, n_blocks)))
    return _Programme(
        cost=np.concatenate([np.zeros(n), price / len(problem.sizes)]),
        at_most=sp.csr_array(sp.vstack(at_most)),
        limits=np.concatenate([needed, -needed, room @ to_block, -lower[classes]]),
        once=sp.csr_array(sp.hstack([once, sp.csr_array((len(free), m * n_blocks))])),
        n_groups=n,
    )
