"""Ways to split pairs, ours and the peers', each behind one small function.

A function takes the pairs, the number of folds and whether both columns hold one kind of object,
and gives the training and test rows of the first fold. Nothing here imports trueval, except our
own row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["PAIR_SPLITS", "PairSplit"]


@dataclass(frozen=True)
class PairSplit:
    """A way to split pairs."""

    package: str
    module: str  # what to import before timing
    # ``split(pairs, k, symmetric)`` gives the (train, test) rows of the first fold
    split: Callable[[Any, int, bool], Any]
    apart: bool = False  # whether it needs an environment of its own


def _ours(pairs: Any, k: int, symmetric: bool) -> Any:
    from trueval.pairs import ObjectKFold

    return next(ObjectKFold(k, symmetric=symmetric, random_state=0).split(groups=pairs))


def _k_fold(pairs: Any, k: int, symmetric: bool) -> Any:
    from sklearn.model_selection import KFold

    return next(KFold(k, shuffle=True, random_state=0).split(pairs))


def _one_column(pairs: Any, k: int, symmetric: bool) -> Any:
    from sklearn.model_selection import GroupKFold

    return next(GroupKFold(k).split(pairs, groups=pairs[:, 0]))


def _datasail(technique: str) -> Callable[[Any, int, bool], Any]:
    def split(pairs: Any, k: int, symmetric: bool) -> Any:
        from datasail.sail import datasail

        # It has no symmetric mode: one set of objects is given for both columns.
        ids = [np.unique(pairs if symmetric else pairs[:, j]).tolist() for j in (0, 1)]
        first, second = "oo" if symmetric else "ef"
        rows = [(f"{first}{a}", f"{second}{b}") for a, b in pairs.tolist()]
        _, _, chosen = datasail(
            techniques=[technique],
            splits=[1] * k,
            names=[str(j) for j in range(k)],
            inter=rows,
            e_type="O",
            e_data={f"{first}{i}": "A" for i in ids[0]},
            f_type="O",
            f_data={f"{second}{i}": "A" for i in ids[1]},
            max_sec=200,
            solver="SCIP",
            verbose="C",
        )
        parts = chosen[technique][0]
        number = np.array([_part(parts[row]) for row in rows])
        return np.flatnonzero(number > 0), np.flatnonzero(number == 0)

    return split


def _part(name: str) -> int:
    return int(name) if name.isdigit() else -1


PAIR_SPLITS = {
    "trueval ObjectKFold": PairSplit("trueval", "trueval.pairs", _ours),
    "scikit-learn KFold": PairSplit("scikit-learn", "sklearn.model_selection", _k_fold),
    "scikit-learn GroupKFold, first column": PairSplit(
        "scikit-learn", "sklearn.model_selection", _one_column
    ),
    "datasail I1e": PairSplit("datasail", "datasail.sail", _datasail("I1e"), apart=True),
    "datasail I2": PairSplit("datasail", "datasail.sail", _datasail("I2"), apart=True),
}
