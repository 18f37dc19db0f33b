"""The two halves of an RCV1v2 subset, with the label columns of the shifted half put right.

The copies of mldr.datasets join a training and a test file of 3,000 documents. Where the
files have different numbers of features, the columns of one half are shifted by the
difference: its first labels stand in the last feature columns, and its label columns begin
with a later label. Both are visible in the data, and undone here.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["N_ROWS", "Halves", "repaired_halves"]

N_ROWS = 3000  # documents of a half


class Halves(NamedTuple):
    """Features and labels of the two files of a subset."""

    # X, y: of the first and of the second 3,000 documents
    X: tuple[sp.csr_array, sp.csr_array]
    y: tuple[sp.csr_array, sp.csr_array]
    shift: tuple[int, int]  # labels of each half that stood among its features
    evidence: dict[str, float]  # how well the classes of the two halves match, before and after


def repaired_halves(X: sp.csr_array, y: sp.csr_array, n_rows: int = N_ROWS) -> Halves:
    """Divide a subset into its two files and put shifted label columns back.

    ``X`` and ``y`` have both files, one below the other; the first has ``n_rows`` rows.

    Features are document vectors of length one, so that a value of exactly 1 is a document
    of a single word. A run of last feature columns of one half that hold nothing but ones
    is therefore a run of labels; as many last label columns of that half must be empty.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from trueval.study._rcv1 import repaired_halves
    >>> X = sp.csr_array(np.array([[0.6, 0.0, 0.8], [0.6, 0.8, 1.0]]))
    >>> y = sp.csr_array(np.array([[1, 1], [1, 0]]))
    >>> halves = repaired_halves(X, y, n_rows=1)
    >>> halves.shift, halves.y[1].toarray().tolist(), halves.X[1].toarray().tolist()
    ((0, 1), [[1, 1]], [[0.6, 0.8, 0.0]])
    """
    parts = [(X[:n_rows], y[:n_rows]), (X[n_rows:], y[n_rows:])]
    before = _agreement(*parts)
    shifts, Xs, ys = [], [], []
    for features, labels in parts:
        shift = _shifted_labels(features, labels)
        shifts.append(shift)
        wide = features.shape[1]
        keep = sp.diags_array((np.arange(wide) < wide - shift).astype(float))
        Xs.append(sp.csr_array(features @ keep))
        Xs[-1].eliminate_zeros()
        lost = sp.csr_array(features[:, wide - shift :]).astype(labels.dtype)
        rest = labels[:, : labels.shape[1] - shift]
        ys.append(sp.csr_array(sp.hstack([lost, rest])) if shift else sp.csr_array(labels))
    after = _agreement((Xs[0], ys[0]), (Xs[1], ys[1]))
    evidence = {f"{name} before": value for name, value in before.items()}
    evidence |= {f"{name} after": value for name, value in after.items()}
    return Halves((Xs[0], Xs[1]), (ys[0], ys[1]), (shifts[0], shifts[1]), evidence)


def _shifted_labels(X: sp.csr_array, y: sp.csr_array) -> int:
    """How many of the last feature columns are labels."""
    columns = sp.csc_array(X)
    count = np.diff(columns.indptr)
    column = np.repeat(np.arange(X.shape[1]), count)
    ones = np.bincount(column, weights=columns.data == 1.0, minlength=X.shape[1])
    sizes = np.bincount(y.indices, minlength=y.shape[1])
    most = int(np.argmax(sizes[::-1] > 0))  # label columns that are empty at the end
    shift = 0
    for k in range(1, most + 1):
        if ones[-k] < count[-k]:
            break
        if count[-k] > 0:
            shift = k
    return shift


def _agreement(
    first: tuple[sp.csr_array, sp.csr_array], second: tuple[sp.csr_array, sp.csr_array]
) -> dict[str, float]:
    """How far the classes of two halves have like sizes and like words."""
    sizes = [np.bincount(y.indices, minlength=y.shape[1]) for _, y in (first, second)]
    profiles = [_profiles(X, y) for X, y in (first, second)]
    cosine = profiles[0] @ profiles[1].T
    both = np.flatnonzero((sizes[0] >= 10) & (sizes[1] >= 10))
    nearest = np.argmax(cosine[both], axis=1) if len(both) else np.empty(0, np.int64)
    return {
        "size correlation": _correlation(sizes[0], sizes[1]),
        "nearest profile": float(np.mean(nearest == both)) if len(both) else np.nan,
        "profile cosine": float(np.mean(np.diag(cosine)[both])) if len(both) else np.nan,
    }


def _profiles(X: sp.csr_array, y: sp.csr_array) -> NDArray[np.float64]:
    """Mean features of the members of each class less those of all, of length one."""
    size = np.maximum(np.bincount(y.indices, minlength=y.shape[1]), 1)
    means = (y.T @ X).toarray() / size[:, None] - np.asarray(X.mean(axis=0)).ravel()
    length = np.sqrt((means**2).sum(axis=1, keepdims=True))
    return means / np.where(length > 0, length, 1.0)


def _correlation(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    if a.std() == 0 or b.std() == 0:
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])
