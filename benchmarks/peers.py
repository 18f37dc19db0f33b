"""Other packages that split multi-label data, each behind one small function.

A peer's function takes the sparse labels and the number of folds, brings the labels
into the form the peer wants (not timed, but its memory counts), and returns the
call that is timed: ``split(seed) -> [(train, test), …]``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["PEERS", "Peer", "Split"]

Split = Callable[[int], Any]


@dataclass(frozen=True)
class Peer:
    """A package to compare with.

    Attributes
    ----------
    package : str
        Its name on PyPI.
    module : str
        What to import.
    prepare : callable
        ``prepare(y, k)`` gives the call to time.
    seeded : bool
        Whether other seeds give other folds.
    slow : bool
        Left out by ``--quick``.
    """

    package: str
    module: str
    prepare: Callable[[sp.csr_array, int], Split]
    seeded: bool = True
    slow: bool = False

    @property
    def version(self) -> str | None:
        """Installed version, None if there is none."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None


def _iterative_stratification(y: sp.csr_array, k: int) -> Split:
    from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

    dense, X = y.toarray().astype(bool), np.zeros((y.shape[0], 1))

    def split(seed: int) -> Any:
        return list(MultilabelStratifiedKFold(k, shuffle=True, random_state=seed).split(X, dense))

    return split


def _optisplit(y: sp.csr_array, k: int) -> Split:
    if not hasattr(np, "int"):
        # Gone since NumPy 1.24; given back in this process alone, for the peer.
        setattr(np, "int", int)  # noqa: B010
    from optisplit.cv_balance import optisplit

    matrix = sp.csr_matrix(y)

    def split(seed: int) -> Any:
        return optisplit(k, matrix, method="rld", seed=seed)

    return split


def _trustcv(y: sp.csr_array, k: int) -> Split:
    from trustcv.splitters.multilabel_group import MultilabelStratifiedGroupKFold

    dense, rows = y.toarray(), np.arange(y.shape[0])
    X = np.zeros((y.shape[0], 1))

    def split(seed: int) -> Any:
        splitter = MultilabelStratifiedGroupKFold(k, shuffle=True, random_state=seed)
        return list(splitter.split(X, dense, rows))

    return split


def _scikit_multilearn(order: int) -> Callable[[sp.csr_array, int], Split]:
    def prepare(y: sp.csr_array, k: int) -> Split:
        from skmultilearn.model_selection import IterativeStratification

        matrix, X = sp.csr_matrix(y), np.zeros((y.shape[0], 1))

        def split(seed: int) -> Any:
            # Its random_state raises with scikit-learn >= 0.24; it draws globally.
            np.random.seed(seed)  # noqa: NPY002
            return list(IterativeStratification(k, order=order).split(X, matrix))

        return split

    return prepare


PEERS = {
    "iterative-stratification": Peer(
        "iterative-stratification", "iterstrat.ml_stratifiers", _iterative_stratification
    ),
    "optisplit (PyPI)": Peer(
        "optisplit", "optisplit.cv_balance", _optisplit, seeded=False, slow=True
    ),
    "trustcv, groups = rows": Peer("trustcv", "trustcv.splitters.multilabel_group", _trustcv),
    "scikit-multilearn, order 1": Peer(
        "scikit-multilearn", "skmultilearn.model_selection", _scikit_multilearn(1), slow=True
    ),
    "scikit-multilearn, order 2": Peer(
        "scikit-multilearn", "skmultilearn.model_selection", _scikit_multilearn(2), slow=True
    ),
}
