"""The lower bound given whole groups, and the search, against the least possible rLD.

On small data the least mean rLD of whole groups is found by integer programming (HiGHS through
``scipy.optimize.milp``): x[g, j] says that group g is in part j, and d[c, j] is at least the
distance of class c's count in part j from its share.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

__all__ = ["conflict_lines", "instances", "optimum"]


def optimum(counts: np.ndarray, shares: np.ndarray, seconds: float) -> float | None:
    """Least mean rLD of classes (columns) when groups (rows) stay whole; None if not proven."""
    n, m = counts.shape
    k, size = len(shares), counts.sum(axis=0)
    price = 1 / (k * m * np.outer(size, shares))  # of one positive too many or too few
    held = sp.kron(counts.T, sp.eye(k), format="csr")  # (class, part) by (group, part)
    wanted = np.outer(size, shares).ravel()
    away = sp.eye(m * k)
    once = sp.hstack([sp.kron(sp.eye(n), np.ones((1, k))), sp.csr_array((n, m * k))])
    solved = milp(
        np.concatenate([np.zeros(n * k), price.ravel()]),
        constraints=[
            LinearConstraint(sp.hstack([held, -away]), -np.inf, wanted),
            LinearConstraint(sp.hstack([held, away]), wanted, np.inf),
            LinearConstraint(once, 1, 1),
        ],
        integrality=np.repeat([1, 0], [n * k, m * k]),
        bounds=Bounds(0, np.concatenate([np.ones(n * k), np.full(m * k, np.inf)])),
        options={"time_limit": seconds, "mip_rel_gap": 1e-6},
    )
    return float(solved.fun) if solved.status == 0 else None


def instances(kind: str, seeds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Labels and groups: classes spread over rows, or classes that families have."""
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        n_groups, n_classes = 14, 6
        sizes = 1 + generator.geometric(0.15, n_groups)
        groups = np.repeat(np.arange(n_groups), sizes)
        if kind == "classes of rows":
            y = generator.random((len(groups), n_classes)) < generator.uniform(0.1, 0.5, n_classes)
        else:
            family = generator.random((n_groups, n_classes)) < 0.35
            y = family[groups] & (generator.random((len(groups), n_classes)) < 0.9)
        kept = (y.any(axis=0)) & (~y.all(axis=0))
        if kept.any():
            yield y[:, kept].astype(int), groups


def conflict_lines(y: sp.csr_array, groups: np.ndarray, k: int) -> Iterator[dict[str, Any]]:
    """What splits made for some classes alone leave of the distance from the bounds of classes.

    Classes that share groups are taken together. No bound that looks at so many classes at once
    can explain more than what is left.
    """
    from trueval import stratified_folds
    from trueval.core.labels import as_labels
    from trueval.stratify import measures
    from trueval.stratify._group_bound import group_rld_bound

    labels, shares = as_labels(y), np.full(k, 1 / k)
    bound = group_rld_bound(labels, groups, shares)

    def distance(classes: np.ndarray) -> float:
        """Sum over classes of what a split made for them is above their bounds."""
        some = as_labels(y[:, classes])
        folds = stratified_folds(some, k, groups=groups, effort=0.3, random_state=0)
        rld = measures.rld_wanted(measures.class_part_counts(some, folds, k), shares)
        return float((rld - bound[classes]).sum())

    whole = distance(np.arange(y.shape[1]))
    has = sp.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))))
    members = ((has @ y) > 0).astype(float).toarray()
    for n in (1, 10, y.shape[1] // 4, y.shape[1] // 2):
        left, parts = np.argsort(members.sum(axis=0), kind="stable"), []
        while len(left):
            together = members[:, left[:1]].any(axis=1) @ members[:, left]
            order = np.argsort(-together / members[:, left].sum(axis=0), kind="stable")[:n]
            parts.append(distance(left[order]))
            left = np.delete(left, order)
        yield {"n": n, "sets": len(parts), "left": sum(parts) / whole}
