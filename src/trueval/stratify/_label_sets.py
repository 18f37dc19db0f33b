"""Sets of labels that occur together, as classes of their own.

SOIS stratifies them in place of labels; the label pair distribution (LPD) measures the pairs.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError
from trueval.core.folds import as_folds
from trueval.core.labels import Labels, as_labels
from trueval.core.params import Interval, constrained
from trueval.stratify import measures

__all__ = ["MAX_PAIRS", "LabelSets", "label_pair_distribution", "label_sets"]

MAX_PAIRS = 200_000_000


class LabelSets(NamedTuple):
    """The sets of at most so many labels that some row has."""

    labels: Labels  # rows × sets, sets in lexicographic order
    order: NDArray[np.int64]  # labels of each set


def label_sets(labels: Labels, order: int, most: int, needs: str) -> LabelSets:
    """All sets of 1 to ``order`` labels of each row; more than ``most`` are refused.

    >>> sets = label_sets(as_labels(np.array([[1, 1, 0], [0, 1, 1]])), 2, 100, "this")
    >>> sets.order  # {0}, {0, 1}, {1}, {1, 2}, {2}
    array([1, 2, 1, 2, 1])
    """
    _refuse_too_many(labels, order, most, needs)
    # Invariant: one entry for each set of `size` labels of a row: its labels, the last one
    # repeated up to the order, and the place of the last one in the row's list.
    last = np.arange(labels.nnz)
    end = np.repeat(labels.indptr[1:], np.diff(labels.indptr))
    members = [labels.indices] * order
    grown = [(last, members)]
    for size in range(1, order):
        more = end[last] - last - 1
        source = np.repeat(np.arange(len(last)), more)
        last = np.arange(len(source)) - np.repeat(np.cumsum(more) - more, more) + last[source] + 1
        added = labels.indices[last]
        members = [m[source] for m in members[:size]] + [added] * (order - size)
        grown.append((last, members))
    row_of_place = np.repeat(np.arange(labels.n_rows), np.diff(labels.indptr))
    rows = np.concatenate([row_of_place[at] for at, _ in grown])
    sizes = np.repeat(np.arange(1, order + 1), [len(at) for at, _ in grown])
    number = np.zeros(len(rows), np.int64)
    for place in range(order):  # ranks of what came before keep the lexicographic order
        key = number * labels.n_classes + np.concatenate([m[place] for _, m in grown])
        _, number = np.unique(key, return_inverse=True)
    n_sets = int(number.max(initial=-1)) + 1
    order_of_set = np.zeros(n_sets, np.int64)
    order_of_set[number] = sizes
    matrix = sp.csr_array(
        (np.ones(len(rows), np.int8), (rows, number)), shape=(labels.n_rows, max(n_sets, 1))
    )
    return LabelSets(as_labels(matrix), order_of_set)


def _refuse_too_many(labels: Labels, order: int, most: int, needs: str) -> None:
    lengths = np.diff(labels.indptr).astype(float)
    per_row, binomial = np.zeros_like(lengths), np.ones_like(lengths)
    for size in range(1, order + 1):
        binomial = binomial * np.maximum(lengths - size + 1, 0) / size
        per_row += binomial
    total = per_row.sum()
    if total > most:
        raise InputError(
            f"{needs} would need {total:,.0f} label {'pairs' if order == 2 else 'sets'}, more than "
            f"max_pairs={most:,} (about {total * 80 / 2**30:.1f} GiB).",
            fix=Fix("Use {} or 'iterative', or raise max_pairs.", "method", "anneal"),
        )


@constrained(max_pairs=Interval(int, 0))
def label_pair_distribution(y: Any, folds: Any, *, max_pairs: int = MAX_PAIRS) -> float:
    """Label pair distribution (LPD): LD, eq. 3.1, of the pairs of labels that occur together.

    The mean over all pairs that some row has, as Szymański and Kajdanowicz (2017) and EvoSplit
    use it.

    Parameters
    ----------
    y : array, sparse matrix, DataFrame or sequence of label sets
        Labels, in any form :func:`trueval.as_labels` takes.
    folds : array of int of shape (n_rows,), or sequence of (train, test)
        As for :func:`~trueval.stratify.split_quality`.
    max_pairs : int, default=200_000_000
        Refuse data with more pairs, a label with itself included.

    Returns
    -------
    float
        NaN if no row has two labels.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify import label_pair_distribution
    >>> y = np.repeat([[1, 1, 0], [0, 1, 1], [0, 0, 0]], 4, axis=0)
    >>> label_pair_distribution(y, [0, 1] * 6)
    0.0
    >>> label_pair_distribution(y, [0] * 6 + [1] * 6)  # odds 4/2 and 0/6, 2/4 and 2/4; all 4/8
    0.5
    """
    labels = as_labels(y)
    numbers = as_folds(folds, labels.n_rows, index=labels.index)
    sets = label_sets(labels, 2, max_pairs, "the label pair distribution")
    sizes = np.bincount(numbers)
    counts = measures.class_part_counts(sets.labels, numbers, len(sizes))[sets.order == 2]
    values = measures.ld(counts, sizes)[counts.sum(axis=1) < labels.n_rows]
    return float(values.mean()) if len(values) else float("nan")
