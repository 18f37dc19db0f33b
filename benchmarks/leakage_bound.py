"""The lower bound given whole groups, and the search, against the least possible rLD.

On small data the least mean rLD of whole groups is found by integer programming (HiGHS through
``scipy.optimize.milp``): x[g, j] says that group g is in part j, and d[c, j] is at least the
distance of class c's count in part j from its share.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

__all__ = ["instances", "optimum"]


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
