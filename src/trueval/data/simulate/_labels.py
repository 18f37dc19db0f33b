"""Heavy-tailed labels, and the SYNTHETIC data of the OptiSplit paper."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.params import Choice, Interval, constrained
from trueval.core.random import as_generator

__all__ = ["label_matrix", "synthetic", "synthetic_folds"]

#: What the power of a fall may be: that of any rank is a float.
TAIL = Interval(float, -50, 50)


@constrained(
    n_rows=Interval(int, 1),
    n_classes=Interval(int, 1),
    cardinality=Interval(float, 0, 1e9),
    tail=Interval(float, -1, 50, "right"),
)
def label_matrix(
    n_rows: int = 10_000,
    n_classes: int = 500,
    *,
    cardinality: float = 5.0,
    tail: float = 1.0,
    random_state: Any = None,
) -> sp.csr_array:
    """Heavy-tailed multi-label data with correlated labels.

    Class sizes fall like a power of their rank, as in tagging, medical coding and
    protein function. Rows belong to topics that share favourite classes, so that
    labels come together.

    Parameters
    ----------
    n_rows, n_classes : int
    cardinality : float, default=5.0
        Mean number of labels drawn for a row; repeated draws merge, so that the
        mean number of distinct labels is somewhat lower.
    tail : float, default=1.0
        Power of the fall; larger means rarer rare classes.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    scipy.sparse.csr_array of int32, shape (n_rows, n_classes)
        Some rows may have no label; every class has at least one member.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(1000, 50, random_state=0)
    >>> y.shape, y.nnz > 2000
    ((1000, 50), True)
    """
    generator = as_generator(random_state)
    weight = 1.0 / np.arange(1, n_classes + 1, dtype=float) ** tail
    n_topics = max(1, n_classes // 10)
    topic_of_class = generator.integers(n_topics, size=n_classes)
    n_labels = generator.poisson(cardinality, n_rows)
    row_of = np.repeat(np.arange(n_rows), n_labels)
    column = generator.choice(n_classes, size=len(row_of), p=weight / weight.sum())
    # Half of the labels of a row come from one topic: the class drawn is replaced
    # by a class of the topic, the larger ones first.
    topic = topic_of_class[generator.choice(n_classes, size=n_rows, p=weight / weight.sum())]
    by_topic = np.argsort(topic_of_class, kind="stable")
    first = np.searchsorted(topic_of_class[by_topic], np.arange(n_topics))
    size = np.bincount(topic_of_class, minlength=n_topics)
    themed = generator.random(len(row_of)) < 0.5
    themes = topic[row_of[themed]]
    place = np.floor(size[themes] * generator.random(themed.sum()) ** (1 + tail)).astype(np.int64)
    column[themed] = by_topic[first[themes] + place]
    # Every class has a member.
    absent = np.setdiff1d(np.arange(n_classes), column)
    row_of = np.concatenate([row_of, generator.integers(n_rows, size=len(absent))])
    column = np.concatenate([column, absent])
    y = sp.csr_array((np.ones(len(column), bool), (row_of, column)), shape=(n_rows, n_classes))
    y.sum_duplicates()
    return y.astype(np.int32)


_SYNTHETIC = {
    "n_rows": Interval(int, 1),
    "n_classes": Interval(int, 1),
    "n_parts": Interval(int, 2),
}


@constrained(**_SYNTHETIC)
def synthetic(n_rows: int = 100_000, n_classes: int = 100, n_parts: int = 10) -> sp.csr_array:
    """SYNTHETIC of the OptiSplit paper (Section 5.1.1): class sizes from 2k to n/2.

    Sizes grow evenly from 2k to n/2, both included, rounded down to multiples of k so
    that equal folds exist. These are the class sizes of the paper's Table 2.

    Parameters
    ----------
    n_rows, n_classes, n_parts : int

    Returns
    -------
    scipy.sparse.csr_array of int32
        Class i has the first D_i rows; what matters are the splits.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> y = simulate.synthetic(1000, 5, 10)
    >>> y.sum(axis=0).tolist()
    [20, 140, 260, 380, 500]
    """
    sizes = _synthetic_sizes(n_rows, n_classes, n_parts)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.concatenate([np.arange(size) for size in sizes])
    ones = np.ones(len(rows), dtype=np.int32)
    return sp.csc_array((ones, rows, indptr), shape=(n_rows, n_classes)).tocsr()


def _synthetic_sizes(n_rows: int, n_classes: int, n_parts: int) -> NDArray[np.int64]:
    exact = np.linspace(2 * n_parts, n_rows / 2, n_classes)
    return (exact // n_parts * n_parts).astype(np.int64)


@constrained(kind=Choice(("equal", "difference", "one missing")), **_SYNTHETIC)
def synthetic_folds(
    kind: str, n_rows: int = 100_000, n_classes: int = 100, n_parts: int = 10
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Class-part counts and part sizes of the paper's three splits of SYNTHETIC.

    The splits are defined by their counts ("all folds contained equal amount of
    positive data points"), and every measure depends on the counts alone.

    Parameters
    ----------
    kind : {"equal", "difference", "one missing"}
        Equal parts; 20 % more in one and 20 % less in another; none in one and
        the rest equal.
    n_rows, n_classes, n_parts : int

    Returns
    -------
    counts : ndarray of shape (n_classes, n_parts)
        Members are whole: fractions are rounded so that rows add up.
    sizes : ndarray of shape (n_parts,)

    Examples
    --------
    >>> from trueval.data import simulate
    >>> counts, sizes = simulate.synthetic_folds("difference", 1000, 5, 10)
    >>> counts[1].tolist()
    [17, 11, 14, 14, 14, 14, 14, 14, 14, 14]
    """
    sizes = _synthetic_sizes(n_rows, n_classes, n_parts)
    share = (sizes // n_parts)[:, None]
    counts = np.repeat(share, n_parts, axis=1)
    if kind == "difference":
        change = np.rint(share[:, 0] * 0.2).astype(np.int64)
        counts[:, 0] += change
        counts[:, 1] -= change
    elif kind == "one missing":
        others = n_parts - 1
        counts[:, 1:] = (sizes // others)[:, None]
        counts[:, 1:] += np.arange(others) < (sizes % others)[:, None]
        counts[:, 0] = 0
    return counts, np.full(n_parts, n_rows // n_parts)
