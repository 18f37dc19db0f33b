"""What is said about the peers' splitters, checked by running them.

Each check runs in a process of its own and yields one row: the claim and what was measured.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.peers import PEERS

__all__ = ["CHECKS", "optisplit_seed", "rarest_label"]

K = 5


def optisplit_seed(*, data: str) -> Iterator[dict[str, Any]]:
    """Whether another seed gives other folds."""
    y = sp.csr_array(sp.load_npz(data))
    found = []
    for seed in (1, 2):
        split = PEERS["optisplit (PyPI)"].prepare(y.copy(), K, None)
        found.append([np.sort(test).tolist() for _, test in split(seed)])
    same = "the same folds" if found[0] == found[1] else "other folds"
    yield {"found": f"seeds 1 and 2 give {same}"}


def rarest_label(*, data: str) -> Iterator[dict[str, Any]]:
    """How often the next label is the one with the fewest rows left, as the method says."""
    from skmultilearn.model_selection import iterative_stratification as module

    y = sp.csr_array(sp.load_npz(data))
    pick, picks = module._get_most_desired_combination, []

    def counted(rows_of: Any) -> Any:
        chosen = pick(rows_of)
        if chosen is not None:
            left = [len(rows) for rows in rows_of.values() if len(rows) > 0]
            picks.append(len(rows_of[chosen]) == min(left))
        return chosen

    module._get_most_desired_combination = counted
    PEERS["scikit-multilearn, order 1"].prepare(y, K, None)(0)
    yield {"found": f"took the rarest label left in {sum(picks)} of {len(picks)} steps"}


#: Function, package, what is claimed.
CHECKS = {
    "optisplit (PyPI)": ("optisplit_seed", "optisplit", "its seed changes nothing"),
    "scikit-multilearn, order 1": (
        "rarest_label",
        "scikit-multilearn",
        "iterative stratification starts from the rarest label left; this code does not",
    ),
}
