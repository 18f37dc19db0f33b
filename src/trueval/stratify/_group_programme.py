"""The least mean rLD of whole groups by integer programming, and its linear relaxation.

x_gb says which share of group g is in block b, d_cb is at least the distance of class c from what
it should have in block b, and the cost Σ_b price_cb · d_cb of a class is at least its own bound. A
block is a part, or several parts that are alike: of these, the distance of all positives together
is no more than the sum of the distances.

Whole groups (x 0 or 1) and single parts give the least mean itself. Groups that may be divided give
a bound. It is of use once large groups have their parts: then all classes together have to do with
what fits beside these.

A solver is exact up to its tolerances only, and an interior point may cost more than the least. So
the bound of the relaxation is not the solver's value. With multipliers y ≤ 0 of the inequalities
and any z of the equations, every x in its box costs at least y·limits + Σz plus the least of
(cost − y·at_most − z·once)·x over the box; that is computed here from the solver's multipliers, and
holds however far they are from the best ones (Neumaier and Shcherbina 2004).
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.stratify._group_problem import Problem

__all__ = ["least_mean", "relaxed_mean", "relaxed_work"]

_NODES = 2000  # of the search over whole groups
_INFEASIBLE = 2
# The dual bound over whole groups: reduced costs are right to 1e-7 (the solver's tolerance), in
# units of 1/1000, and variables, of which there are a few hundred, reach 2 at most.
_UNITS, _SLACK = 1000.0, 1e-6
_ROUNDING = 1e-10
_MOST_ENTRIES = 100_000  # of the constraints; classes beyond that count with their own bound


@dataclass(frozen=True, eq=False)
class _Programme:
    """Least cost @ x with at_most @ x ≤ limits, once @ x = 1 and 0 ≤ x ≤ top; x are groups, then d.

    Distances d are in shares of the class.
    """

    cost: NDArray[np.float64]
    top: NDArray[np.float64]
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
        _UNITS * programme.cost,
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
    return mean if bound is None else max(mean, float(bound) / _UNITS - _SLACK)


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
    mean = float(lower.mean())
    if solved.get("ineqlin") is None or solved.ineqlin.get("marginals") is None:
        return mean  # no solution; that there is none at all is not taken from a solver
    rest = (lower.sum() - lower[chosen].sum()) / len(lower)
    proven = _proven(programme, solved.ineqlin.marginals, solved.eqlin.marginals)
    return max(mean, proven + float(rest))


def relaxed_work(problem: Problem, assignment: tuple[int, ...]) -> float:
    """What the time of the relaxation goes by: entries of the constraints, and blocks."""
    n_blocks = len(_blocks(problem, assignment))
    return min(2 * problem.members.nnz * n_blocks, _MOST_ENTRIES) * n_blocks**2


def _proven(
    programme: _Programme, inequalities: NDArray[np.float64], equations: NDArray[np.float64]
) -> float:
    """Least cost of any x, as far as these multipliers prove it."""
    y = np.minimum(np.nan_to_num(inequalities), 0.0)
    z = np.nan_to_num(equations)
    reduced = programme.cost - programme.at_most.T @ y - programme.once.T @ z
    terms = [y * programme.limits, z, np.minimum(reduced, 0.0) * programme.top]
    size = sum(float(np.abs(term).sum()) for term in terms)
    return sum(float(term.sum()) for term in terms) - _ROUNDING * size


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
    needed = (share @ to_block - brought / size[:, None]).ravel()
    price = np.tile([1 / (n_parts * share[parts[0]]) for parts in blocks], m)
    inside = sp.diags_array(1 / size) @ sp.csr_array(problem.members)[free][:, classes].T
    positives = sp.kron(inside, sp.eye_array(n_blocks))
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
        top=np.concatenate([np.ones(n), np.full(m * n_blocks, 2.0)]),  # counts and shares, each ≤ 1
        at_most=sp.csr_array(sp.vstack(at_most)),
        limits=np.concatenate([needed, -needed, room @ to_block, -lower[classes]]),
        once=sp.csr_array(sp.hstack([once, sp.csr_array((len(free), m * n_blocks))])),
        n_groups=n,
    )
