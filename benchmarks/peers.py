"""Other packages that split multi-label data, each behind one small function.

A peer's function takes the sparse labels, the number of folds and the group of each row (None
without groups), brings the labels into the form the peer wants (not timed, but its memory
counts), and returns the call that is timed: ``split(seed) -> [(train, test), …]``.

Nothing here imports trueval, so that a peer can run in an environment without it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["GROUP_PEERS", "PEERS", "Peer", "Split"]

Split = Callable[[int], Any]


@dataclass(frozen=True)
class Peer:
    """A package to compare with."""

    package: str  # its name on PyPI
    module: str  # what to import
    # ``prepare(y, k, groups)`` gives the call to time
    prepare: Callable[[sp.csr_array, int, Any], Split]
    seeded: bool = True  # whether other seeds give other folds
    slow: bool = False  # left out by ``--quick``
    apart: bool = False  # whether it needs an environment of its own


def _iterative_stratification(y: sp.csr_array, k: int, groups: Any) -> Split:
    from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

    dense, X = y.toarray().astype(bool), np.zeros((y.shape[0], 1))

    def split(seed: int) -> Any:
        return list(MultilabelStratifiedKFold(k, shuffle=True, random_state=seed).split(X, dense))

    return split


def _optisplit(y: sp.csr_array, k: int, groups: Any) -> Split:
    if not hasattr(np, "int"):
        # Gone since NumPy 1.24; given back in this process alone, for the peer.
        setattr(np, "int", int)  # noqa: B010
    from optisplit.cv_balance import optisplit

    matrix = sp.csr_matrix(y)

    def split(seed: int) -> Any:
        return optisplit(k, matrix, method="rld", seed=seed)

    return split


def _trustcv(y: sp.csr_array, k: int, groups: Any) -> Split:
    from trustcv.splitters.multilabel_group import MultilabelStratifiedGroupKFold

    dense = y.toarray()
    of_row = np.arange(y.shape[0]) if groups is None else groups
    X = np.zeros((y.shape[0], 1))

    def split(seed: int) -> Any:
        splitter = MultilabelStratifiedGroupKFold(k, shuffle=True, random_state=seed)
        return list(splitter.split(X, dense, of_row))

    return split


def _scikit_multilearn(order: int) -> Callable[[sp.csr_array, int, Any], Split]:
    def prepare(y: sp.csr_array, k: int, groups: Any) -> Split:
        from skmultilearn.model_selection import IterativeStratification

        matrix, X = sp.csr_matrix(y), np.zeros((y.shape[0], 1))

        def split(seed: int) -> Any:
            # The random_state of 0.2.0 raises with scikit-learn >= 0.24; it draws globally.
            np.random.seed(seed)  # noqa: NPY002
            return list(IterativeStratification(k, order=order).split(X, matrix))

        return split

    return prepare


def _scikit_multilearn_ng(seeded: bool) -> Callable[[sp.csr_array, int, Any], Split]:
    def prepare(y: sp.csr_array, k: int, groups: Any) -> Split:
        from skmultilearn.model_selection import IterativeStratification

        # With a seed, 0.0.8 shuffles by numpy.array(y), which a sparse matrix does not survive.
        target = y.toarray() if seeded else sp.csr_matrix(y)
        X = np.zeros((y.shape[0], 1))

        def split(seed: int) -> Any:
            np.random.seed(seed)  # noqa: NPY002
            state = {"random_state": seed} if seeded else {}
            return list(IterativeStratification(k, order=1, **state).split(X, target))

        return split

    return prepare


def _k_fold(y: sp.csr_array, k: int, groups: Any) -> Split:
    from sklearn.model_selection import KFold

    X = np.zeros((y.shape[0], 1))
    return lambda seed: list(KFold(k, shuffle=True, random_state=seed).split(X))


def _group_k_fold(y: sp.csr_array, k: int, groups: Any) -> Split:
    from sklearn.model_selection import GroupKFold

    X = np.zeros((y.shape[0], 1))
    return lambda seed: list(GroupKFold(k, shuffle=True, random_state=seed).split(X, groups=groups))


def _stratified_group(powerset: bool) -> Callable[[sp.csr_array, int, Any], Split]:
    def prepare(y: sp.csr_array, k: int, groups: Any) -> Split:
        from sklearn.model_selection import StratifiedGroupKFold

        X = np.zeros((y.shape[0], 1))
        if powerset:  # one class for each set of labels that occurs
            sets = {}
            target: Any = np.array(
                [
                    sets.setdefault(tuple(y.indices[a:b].tolist()), len(sets))
                    for a, b in zip(y.indptr[:-1], y.indptr[1:], strict=True)
                ]
            )
        else:
            target = y.toarray()

        def split(seed: int) -> Any:
            splitter = StratifiedGroupKFold(k, shuffle=True, random_state=seed)
            return list(splitter.split(X, target, groups))

        return split

    return prepare


_ITERSTRAT = Peer("iterative-stratification", "iterstrat.ml_stratifiers", _iterative_stratification)
_TRUSTCV = Peer("trustcv", "trustcv.splitters.multilabel_group", _trustcv)
_SKML = "skmultilearn.model_selection"

PEERS = {
    "scikit-learn KFold": Peer("scikit-learn", "sklearn.model_selection", _k_fold),
    "iterative-stratification": _ITERSTRAT,
    "optisplit (PyPI)": Peer(
        "optisplit", "optisplit.cv_balance", _optisplit, seeded=False, slow=True
    ),
    "trustcv, groups = rows": _TRUSTCV,
    "scikit-multilearn, order 1": Peer(
        "scikit-multilearn", _SKML, _scikit_multilearn(1), slow=True
    ),
    "scikit-multilearn, order 2": Peer(
        "scikit-multilearn", _SKML, _scikit_multilearn(2), slow=True
    ),
    "scikit-multilearn-ng, unseeded": Peer(
        "scikit-multilearn-ng", _SKML, _scikit_multilearn_ng(False), slow=True, apart=True
    ),
    "scikit-multilearn-ng, seeded": Peer(
        "scikit-multilearn-ng", _SKML, _scikit_multilearn_ng(True), slow=True, apart=True
    ),
}

#: Those that keep groups together.
GROUP_PEERS = {
    "trustcv": _TRUSTCV,
    "scikit-learn GroupKFold": Peer("scikit-learn", "sklearn.model_selection", _group_k_fold),
    "scikit-learn StratifiedGroupKFold": Peer(
        "scikit-learn", "sklearn.model_selection", _stratified_group(powerset=False)
    ),
    "scikit-learn StratifiedGroupKFold, label sets": Peer(
        "scikit-learn", "sklearn.model_selection", _stratified_group(powerset=True), slow=True
    ),
}
